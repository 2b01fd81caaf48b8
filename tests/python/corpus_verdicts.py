"""Loads every .npy file of a folder with np.load and prints, as one JSON object, what came of each.

usage: corpus_verdicts.py FOLDER
"""

import hashlib
import json
import pathlib
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")


def attempt(path, **options):
    try:
        array = np.load(path, **options)
    except Exception as error:
        return {"ok": False, "message": str(error)}
    return {"ok": True, "shape": list(array.shape), "sha256_c": hashlib.sha256(stored(array)).hexdigest()}


def stored(array):
    """The element bytes in C order, padding included: NumPy copies whole elements only where it sees no fields."""
    if array.dtype.itemsize == 0:
        return b""
    return np.asarray(array).view(np.dtype((np.void, array.dtype.itemsize))).tobytes(order="C")


verdicts = {}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.npy")):
    verdicts[path.stem] = {"load": attempt(path), "mmap_r": attempt(path, mmap_mode="r")}
print(json.dumps(verdicts))
