#!/usr/bin/env python3
"""Headers as NumPy writes them, for tests/headers.rs.

    write_headers.py SEED COUNT    prints random headers, one JSON array a line: descr, shape, whether Fortran order was
                                   asked for, the bytes of the version that NumPy chooses, of 1.0 (null if it can't), of
                                   2.0 (likewise), of 3.0
"""

import base64
import io
import json
import random
import sys
import warnings

import numpy as np
from numpy.lib import _format_impl as npy

from generate import record, scalar_descr


def dtype(r):
    style = r.random()
    if style < 0.4:
        return np.dtype(scalar_descr(r))
    if style < 0.9:
        return record(r, 2)
    # Around the end of version 1.0, and of 64-byte lines.
    length = r.choice([r.randrange(1, 200), r.randrange(65_300, 65_600)])
    return np.dtype([(r.choice(["a", "é", "日"]) * length, "<f8")])


def shape(r):
    dims = [r.choice([0, 1, 1, 2, 3, 10**r.randrange(19)]) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 5, 64]))]
    return tuple(dims)


def header(r):
    kind, dims, fortran = dtype(r), shape(r), r.random() < 0.5
    size = 1
    for dim in dims:
        size *= max(dim, 1)
    if size * max(kind.itemsize, 1) >= 2**63:
        return None
    # What arrays of this shape are, told by ones that fit into memory.
    small = np.empty([min(dim, 2) for dim in dims[:20]], "u1", order="F" if fortran else "C")
    if len(dims) > 20:
        small, fortran = np.empty(()), False
    data = {
        "descr": npy.dtype_to_descr(kind),
        "fortran_order": bool(small.flags.f_contiguous and not small.flags.c_contiguous),
        "shape": dims,
    }
    written = []
    for version in [None, (1, 0), (2, 0), (3, 0)]:
        file = io.BytesIO()
        try:
            npy._write_array_header(file, data, version)
        except (ValueError, UnicodeError):
            written.append(None)
            continue
        written.append(base64.b64encode(file.getvalue()).decode())
    return [repr(data["descr"]), list(dims), fortran, *written]


def main():
    warnings.simplefilter("ignore")
    done, number = 0, 0
    while done < int(sys.argv[2]):
        try:
            line = header(random.Random(f"headers {sys.argv[1]} {number}"))
        except ValueError:  # a title that is a name
            line = None
        number += 1
        if line:
            print(json.dumps(line))
            done += 1


main()
