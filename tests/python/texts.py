"""Random texts as NumPy stores them, and texts that others stored as NumPy reads them.

    python texts.py write COUNT SEED    prints {"texts": [...], "sorted": [...], "U": {"<": b64, ">": b64}, "S": b64} for 7 characters
    python texts.py read FILE           prints the texts of the .npy file FILE, as a JSON list
"""

import base64
import json
import random
import sys

import numpy as np

LENGTH = 7
RANGES = [(0x20, 0x7F), (0x00, 0xFF), (0x100, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF)]


def text(rng):
    ranges = RANGES[:1] if rng.random() < 0.3 else RANGES
    length = rng.randint(0, LENGTH)
    return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(length)).rstrip("\0")


def encoded(array):
    return base64.b64encode(array.tobytes()).decode()


if sys.argv[1] == "write":
    rng = random.Random(int(sys.argv[3]))
    texts = [text(rng) for _ in range(int(sys.argv[2]))]
    stored = {order: encoded(np.array(texts, dtype=f"{order}U{LENGTH}")) for order in "<>"}
    utf8 = np.array([text.encode() for text in texts], dtype=f"S{4 * LENGTH}")
    in_order = np.sort(np.array(texts)).tolist()
    print(json.dumps({"texts": texts, "sorted": in_order, "U": stored, "S": encoded(utf8)}))
else:
    array = np.load(sys.argv[2])
    print(json.dumps([item.decode() if isinstance(item, bytes) else item for item in array.tolist()]))
