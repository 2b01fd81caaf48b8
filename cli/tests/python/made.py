"""Reads files that the command made, and makes some for it.

made.py PATH: descr, shape, order and elements of a file.
made.py --same-as-save PATH: whether np.save would write the same bytes.
made.py --zeros PATH DTYPE SHAPE ORDER: whether np.save would write these bytes for np.zeros of that.
made.py --tables FOLDER: makes files that CSV can hold, and prints their paths and descrs.
made.py --kinds FOLDER: makes small files of several kinds.
"""

import ast
import io
import sys
from pathlib import Path

import numpy as np


def describe(path):
    array = np.load(path)
    descr = np.lib.format.dtype_to_descr(array.dtype)
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    print(repr(descr), array.shape, order, plain(array))


def plain(value):
    """Nested lists of Python values."""
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value] if value.shape else plain(value[()])
    if isinstance(value, np.void):
        return tuple(plain(value[name]) for name in value.dtype.names)
    return value.item() if isinstance(value, np.generic) else value


def tables(folder):
    random = np.random.default_rng(7)
    n = 40
    integers = {kind: random.integers(0, 255, 8 * n, np.uint8).view(kind)[:n] for kind in ["i1", "<u2", ">i4", "<u8", ">i8"]}
    floats = {kind: random.integers(0, 255, 8 * n, np.uint8).view(kind)[:n] for kind in ["<f2", ">f4", "<f8"]}
    floats = {kind: np.where(np.isnan(x), np.nan, x).astype(kind) for kind, x in floats.items()}
    floats["<f8"][:4] = [np.inf, -np.inf, -0.0, 5e-324]
    complexes = {kind: (random.normal(size=n) * 10.0 ** random.integers(-30, 30, n) + 1j * random.normal(size=n)).astype(kind) for kind in ["<c8", ">c16"]}
    wide = np.zeros((n, 16), np.uint8)
    wide[:, :10] = random.integers(0, 255, (n, 10))
    wide[:, 7] |= 128
    wide[:4, :10] = [[1] + [0] * 9, [0] * 9 + [128], [0] * 7 + [128, 1, 0], [0] * 7 + [192, 255, 127]]
    longs = {"<f16": wide.view("<f16")[:, 0], ">c32": np.ascontiguousarray(wide[:, ::-1]).reshape(-1).view(">c32")}
    times = {}
    for unit, most in [("Y", 2000), ("M", 20000), ("W", 10000), ("D", 40000), ("h", 10**6), ("25s", 10**8), ("ms", 10**13), ("ns", 10**18), ("as", 10**18)]:
        times[f"<M8[{unit}]"] = random.integers(-most, most, n).astype(f"<i8").view(f"<M8[{unit}]")
    times["<M8[D]"][3] = np.datetime64("NaT")
    times[">m8[ms]"] = random.integers(-(10**15), 10**15, n).astype(">i8").view(">m8[ms]")
    others = {
        "?": random.integers(0, 2, n).astype(bool),
        "U4": np.array(["", "a,b", 'c"d', "é\n", "整形", " x "] * 6 + ["y"] * 4, "<U4"),
        "S3": np.array([b"", b"a,b", b'"', b"x\ny"] * 10, "S3"),
        "S6": np.array([b"caf\xe9", b"\\xe9", b"\\\xe9", b"\\\\x41", b"C:\\x41", b"\xef\xbb\xbfa", b"\r", b" x "] * 5, "S6"),
        "V3": random.integers(0, 255, 3 * n, np.uint8).view("V3"),
    }
    arrays = list({**integers, **floats, **complexes, **longs, **times, **others}.values())
    arrays.append(random.normal(size=(5, 3)))
    arrays.append(random.integers(-99, 99, (4, 2, 3), dtype=np.int16))
    record = np.dtype([("a", "<i4"), ("b", [("c", ">f8"), ("d,e", "U2")]), ("f", "?", (2, 2)), ("t", "<M8[ms]")], align=True)
    table = np.zeros(n, record)
    table["a"], table["b"]["c"], table["f"][:, 1, 0] = random.integers(-9, 9, n), random.normal(size=n), True
    table["b"]["d,e"], table["t"] = "x,", np.datetime64("2026-12-01T06:30:00.123")
    arrays.append(table)
    arrays.append(table.reshape(5, 4, 2))
    arrays.append(table[:0])
    names = np.dtype([('it\'s "a"', ">u2"), ("x\ny", "S2"), ("é,", "<M8[D]"), ("a.b", "u1"), ("a", [("b", "u1"), ("c", "i1", (2,))], (2,)), ((" title", "t"), "?"), ("z", "S0"), ("e", "f4", (0,))])
    strange = np.zeros(n, names)
    for at, record in enumerate(strange):
        record['it\'s "a"'], record["x\ny"], record["a.b"], record["a"]["b"], record["a"]["c"][1] = at, b"\xff,", at, [1, at], [-1, -at]
    arrays.append(strange)
    for number, array in enumerate(arrays):
        path = Path(folder, f"{number}.npy")
        np.save(path, array)
        descr = np.lib.format.dtype_to_descr(array.dtype)
        print(path, descr if isinstance(descr, str) else repr(descr), sep="\t")


def kinds(folder):
    x = np.arange(6, dtype="<f4").reshape(2, 3)
    records = [(1, 2.5)]
    for name, array in {
        "little": x,
        "big": x.astype(">f4"),
        "double": x.astype("<f8"),
        "wide": np.zeros((1, 4), "<f4"),
        "fortran": np.asfortranarray(x),
        "square": np.eye(3),
        "square_fortran": np.asfortranarray(np.arange(9.0).reshape(3, 3)),
        "packed": np.array(records, [("a", "<i2"), ("b", "<f8")]),
        "aligned": np.array(records, np.dtype([("a", ">i2"), ("b", "<f8")], align=True)),
    }.items():
        np.save(Path(folder, name), array)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--same-as-save", path]:
            saved = io.BytesIO()
            np.save(saved, np.load(path))
            print("same" if saved.getvalue() == Path(path).read_bytes() else "different")
        case ["--zeros", path, dtype, shape, order]:
            dtype = np.lib.format.descr_to_dtype(ast.literal_eval(dtype)) if dtype.startswith("[") else np.dtype(dtype)
            saved = io.BytesIO()
            np.save(saved, np.zeros(ast.literal_eval(shape), dtype, order))
            print("same" if saved.getvalue() == Path(path).read_bytes() else "different")
        case ["--tables", folder]:
            tables(folder)
        case ["--kinds", folder]:
            kinds(folder)
        case [path]:
            describe(path)
