#!/usr/bin/env python3
"""The elements of files as NumPy loads them, with zeros for padding.

    stored.py save FOLDER SEED COUNT    saves random arrays of structured dtypes there, and prints their paths
    stored.py strange FOLDER COUNT      saves arrays of records with names that are none in Rust, and with holes
    stored.py digest < PATHS            prints for each path: elements, and SHA-256 of their bytes as they lie in memory
"""

import base64
import hashlib
import json
import pathlib
import random
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


NAMES = ["a", "b", "type", "self", "Self", "self!", "a b", "a_b", "a-b", "1", "_", "__", "X", "größe", "e\u0301", "\"",
         "\\", "a\n", "\r", "\0", "_pad0", "_pad1", "option", "Option", "record", "u8", "npymap", "field0", "field1",
         "\u202e", "\u200b", "א", "温度", "температура", "x" * 90]  # fmt: skip
SCALARS = ["?", "i1", "<i2", ">i2", "<u4", ">f4", "<f8", ">f8", "<i8", "<f2", ">f2", ">g", "<F", ">D", "<M8[25s]", ">m8",
           "<m8[us]", "S3", "S0", "<U2", ">U1", "V5", "<U0"]  # fmt: skip


def strange_dtype(r, depth):
    names = r.sample(NAMES, r.randint(1, 5))
    formats = []
    for _ in names:
        dtype = strange_dtype(r, depth - 1) if depth and r.random() < 0.3 else np.dtype(r.choice(SCALARS))
        if dtype.itemsize and r.random() < 0.2:
            dtype = np.dtype((dtype, tuple(r.choices([0, 1, 2, 3], [1, 3, 3, 3], k=r.randint(1, 3)))))
        formats.append(dtype)
    if r.random() < 0.6:
        return np.dtype(list(zip(names, formats)), align=r.random() < 0.5)
    offsets, end = [], 0
    for dtype in formats:
        end += r.choice([0, 0, 1, 4, 8])
        offsets.append(end)
        end += dtype.itemsize
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": end + r.choice([0, 3, 8])})


def make_valid(array):
    """Bytes that are a bool or characters in the fields that have to be."""
    for name in array.dtype.names or ():
        make_valid(array[name])
    if array.dtype.kind == "b":
        array[...] = array.view("u1") & 1
    elif array.dtype.kind == "U":
        array[...] = "é"


def strange(folder, count):
    r = random.Random(11)
    for at in range(int(count)):
        dtype = strange_dtype(r, 2)
        array = np.zeros(3, dtype)
        if dtype.itemsize:
            array = np.frombuffer(bytearray(r.randbytes(3 * dtype.itemsize)), dtype).copy()
            make_valid(array)
        path = pathlib.Path(folder, f"strange{at}.npy")
        np.save(path, array)
        print(path)


def main():
    warnings.simplefilter("ignore")
    match sys.argv[1:]:
        case ["save", folder, seed, count]:
            save(folder, seed, count)
        case ["strange", folder, count]:
            strange(folder, count)
        case ["digest"]:
            for path in sys.stdin.read().splitlines():
                print(*digest(path))
        case _:
            sys.exit(__doc__)


main()
