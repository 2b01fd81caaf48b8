#!/usr/bin/env python3
"""The elements of files as NumPy loads them, with zeros for padding.

    stored.py save FOLDER SEED COUNT    saves random arrays of structured dtypes there, and prints their paths
    stored.py digest < PATHS            prints for each path: elements, and SHA-256 of their bytes as they lie in memory
"""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np


def without_padding(array):
    """A copy whose bytes between fields are zero."""
    if array.dtype.names is None:
        return array
    out = np.zeros(array.shape, array.dtype)
    for name in array.dtype.names:
        out[name] = without_padding(array[name])
    return out


def digest(path):
    array = np.load(path)
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        array = array.T
    return array.size, hashlib.sha256(without_padding(array).tobytes()).hexdigest()


def save(folder, seed, count):
    script = pathlib.Path(__file__).parents[3] / "tests/python/print_arrays.py"
    printed = subprocess.run([sys.executable, script, seed, "1000"], check=True, capture_output=True, text=True).stdout
    saved = 0
    for line in printed.splitlines():
        case = json.loads(line)
        if case["descr"].startswith("[") and saved < int(count):
            path = pathlib.Path(folder, f"random{saved}.npy")
            path.write_bytes(base64.b64decode(case["npy_b64"]))
            print(path)
            saved += 1


def main():
    warnings.simplefilter("ignore")
    match sys.argv[1:]:
        case ["save", folder, seed, count]:
            save(folder, seed, count)
        case ["digest"]:
            for path in sys.stdin.read().splitlines():
                print(*digest(path))
        case _:
            sys.exit(__doc__)


main()
