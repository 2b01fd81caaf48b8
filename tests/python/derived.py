#!/usr/bin/env python3
"""NumPy's side of tests/derive.rs.

    derived.py descrs           prints what NumPy writes as descr of each dtype of DTYPES, a line each: NAME<tab>DESCR
    derived.py double PATH      multiplies every number of an array of records by two, in another file: PATH + ".2"
    derived.py set PATH         changes a field in place, through a memmap
"""

import sys

import numpy as np

POINT = np.dtype([("x", "<f4"), ("y", "<f4")])
ALIGNED = np.dtype([("a", "u1"), ("b", "<f8"), ("c", "?"), ("d", "<i2", (3,))], align=True)
DTYPES = {
    "packed": np.dtype([("a", "u1"), ("b", "<f8"), ("c", "?"), ("d", "<i2", (3,))]),
    "aligned": ALIGNED,
    "nested": np.dtype([("outer", "<i4", (3,)), ("outer2", [("inner", "<i4", (10,)), ("inner2", "<f8")])]),
    "subarrays": np.dtype([("m", "<f4", (2, 3)), ("points", POINT, (2,)), ("ok", "?", (1,))]),
    "named": np.dtype([(("A title", "it's"), "<u2"), ("d.o\"t\né", "i1"), ("type", "<u8")]),
    "times": np.dtype([("t", "<M8[25s]"), ("d", "<m8[ns]", (2,)), ("e", ">M8[us]"), ("any", "<M8")]),
    "orders": np.dtype([("a", ">f8"), ("b", ">i2"), ("c", "<u4"), ("d", ">f4", (2,))]),
    "text": np.dtype([("s", "S5"), ("u", "<U3"), ("v", ">U2"), ("w", "V4")]),
    "odd": np.dtype([("h", ">f2"), ("g", "<f16"), ("c", ">c8"), ("z", "<c16"), ("w", ">c32")]),
    "gaps": np.dtype({"names": ["a", "b"], "formats": ["u1", "<f4"], "offsets": [2, 5], "itemsize": 12}),
    "tuple": np.dtype("<i4,<f8"),
    "transparent": np.dtype("<f8"),
    "flag": np.dtype("?"),
    "when": np.dtype("<M8[ms]"),
    "wide": np.dtype({"names": ["f0", "f1"], "formats": ["<i4", "<i4"], "offsets": [0, 4], "itemsize": 16}),
    "deep": np.dtype([("n", "u1"), ("inner", ALIGNED, (2,)), ("flag", "?"), ("when", "<M8[ms]")], align=True),
}


def doubled(array):
    """The same records with every number of every field twice as large."""
    if array.dtype.names is None:
        return array * 2 if array.dtype.kind in "iuf" else array
    out = np.zeros(array.shape, array.dtype)  # zeros_like leaves padding as it comes
    for name in array.dtype.names:
        out[name] = doubled(array[name])
    return out


def main():
    match sys.argv[1:]:
        case ["descrs"]:
            for name, dtype in DTYPES.items():
                print(name, repr(np.lib.format.dtype_to_descr(dtype)), sep="\t")
        case ["double", path]:
            array = np.load(path)
            name = path.rsplit("/", 1)[-1].removesuffix(".npy")
            assert array.dtype == DTYPES[name], (array.dtype, DTYPES[name])
            np.save(path + ".2", doubled(array))
        case ["set", path]:
            array = np.load(path, mmap_mode="r+")
            array["b"] = [0.5, -0.25]
            array.flush()
        case _:
            sys.exit(__doc__)


main()
