#!/usr/bin/env python3
"""Files as np.save writes them, for tests/saving: one JSON object a line.

    saved_arrays.py SEED COUNT

npy_b64   the file
texts     of an eighth of them: an array made of these texts, in C order
"""

import base64
import io
import json
import random
import sys
import warnings

import numpy as np

from generate import ALPHABET, TooLarge, fill, record, scalar_descr

SHAPES = [(), (0,), (1,), (5,), (1, 3), (3, 1), (3, 4), (2, 3, 4), (0, 3), (3, 0), (4, 0, 2), (1, 1, 1), (999,), (100, 3)]


def array(r):
    """An array of any dtype, in either order, or lying in neither, which np.save writes in C's."""
    dtype = record(r, 2) if r.random() < 0.4 else np.dtype(scalar_descr(r))
    if dtype.kind in "SUV" and dtype.names is None and r.random() < 0.5:
        dtype = np.dtype(dtype.str[:2] + r.choice("25"))
    a = fill(r, dtype, r.choice(SHAPES))
    if a.nbytes > 200_000:
        raise TooLarge
    style = r.random()
    if style < 0.4:
        a = np.asfortranarray(a)
    elif style < 0.5:
        a = a.transpose(r.sample(range(a.ndim), a.ndim))
    return a


def texts(r):
    """An array of texts: the dtype that NumPy finds, or one of more room, in either encoding and order."""
    shape = r.choice([(), (1,), (4,), (2, 3), (0,), (3, 1, 2)])
    count = int(np.prod(shape))
    letters = r.choice(["abc", ALPHABET])
    words = ["".join(r.choices(letters, k=r.choice([0, 1, 2, 5, 9]))) for _ in range(count)]
    style = r.randrange(4)
    if style == 0:
        room = max([len(word.encode("utf-8", "surrogatepass")) for word in words], default=1)
        room = max(1, room + r.randrange(3))
        a = np.array([word.encode() for word in words], f"S{room}")
    elif style == 1:
        room = max(1, max(map(len, words), default=1) + r.randrange(3))
        a = np.array(words, r.choice("<>") + f"U{room}")
    else:
        a = np.array(words, str)
    return words, a.reshape(shape)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    done, number = 0, 0
    while done < count:
        r = random.Random(f"saved {seed} {number}")
        number += 1
        case = {}
        try:
            if r.random() < 0.125:
                case["texts"], a = texts(r)
            else:
                a = array(r)
        except (TooLarge, ValueError):  # a title that is a name
            continue
        file = io.BytesIO()
        np.save(file, a)
        print(json.dumps(case | {"npy_b64": base64.b64encode(file.getvalue()).decode()}))
        done += 1


main()
