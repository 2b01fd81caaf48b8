"""What NumPy prints of the arrays that it also writes.

usage: prints.py FOLDER     writes FOLDER/*.npy and prints {NAME: {"show", "precise", "head"}}
"""

import json
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(7)
ints = np.arange(100_000)
arrays = {
    "short": np.arange(12.0).reshape(4, 3) / 7,
    "long": ints,
    "wide": rng.normal(size=(200, 300)),
    "deep": rng.normal(size=(30, 20, 40)).astype("f4"),
    "wider": rng.normal(size=(12, 3000)) * 10.0 ** rng.integers(-3, 3, (12, 3000)),
    "halves": rng.normal(size=(8, 9, 500)).astype(">f2"),
    "words": np.array([["a", "it's", "b c"] * 500] * 7),
    "pairs": np.zeros((9, 2000), [("a", "<i4"), ("b", "<f8", (2, 2)), ("c", "S3")]),
    "fortran": np.asfortranarray(rng.normal(size=(300, 200))),
    "strings": np.array([["a", "it's", "\n"], ["é", "", "x" * 90]]),
    "zero_d": np.array(1.5),
    "empty": np.zeros((3, 0)),
    "complex": rng.normal(size=(20, 70, 20)) + 1j,
    "dates": np.arange(0, 3000, dtype="M8[D]").reshape(-1, 3),
    "times": np.arange(4000).astype("m8[s]").reshape(2, 2000),
    "records": np.zeros(2000, [("a", "<i4"), ("b", "<f8", (2,))]),
    "bools": rng.random((12, 2000)) < 0.5,
}


def printed(array, **options):
    with np.printoptions(**options):
        return str(array)


def head(array, rows):
    """NumPy has no way to abridge rows only: what it prints of one row more than its edges show, without that row."""
    if array.ndim < 2 or array[0].size <= 1000:
        return printed(array[:rows], threshold=sys.maxsize)
    return printed(array[:rows], threshold=0)


told = {}
for name, array in arrays.items():
    np.save(folder / f"{name}.npy", array)
    told[name] = {
        "show": printed(array),
        "precise": printed(array, precision=3, threshold=50),
        # Six rows are never abridged.
        "head": head(array, 6) if array.ndim else printed(array),
    }
print(json.dumps(told))
