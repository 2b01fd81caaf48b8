#!/usr/bin/env python3
"""Prints random arrays of every dtype with NumPy's text of them, one JSON object a line: the oracle of array2string.

    print_arrays.py SEED COUNT [options]

npy_b64   the file np.save writes
descr     repr of its descr
dtype     the same as a tree: {"str", "kind", "itemsize"}, with {"fields"} of a struct, {"subarray"} of a subarray
shape     a list
fortran   whether the data is in Fortran order
data_b64  the elements' bytes in C order, byte order and padding as stored
text      str(a)
options   with the third argument: the print options, by NumPy's names, under which text was made
"""

import base64
import io
import json
import random
import sys
import warnings

import numpy as np

from generate import TooLarge, fill, scalar_descr

AROUND_1000 = [
    *[(7, 143), (143, 7), (2, 501), (501, 2), (6, 167), (1001, 1), (1, 1001), (7, 7, 21), (10, 10, 10), (10, 10, 11)],
    *[(4, 4, 4, 4, 4), (4, 4, 4, 4, 3), (1, 1, 8, 126)],
]


def struct_descr(r, depth):
    """A structured dtype, some of them nested, with titles, subarrays and padding."""
    fields = []
    for at in range(r.choice([0, 1, 1, 2, 2, 3, 4, 6])):
        name = r.choice(["a", "b c", "é", "x'y", "f", "long_name"]) + str(at)
        base = struct_descr(r, depth - 1) if depth and r.random() < 0.25 else scalar_descr(r)
        title = (f"title {at}", name) if r.random() < 0.1 else name
        if r.random() < 0.25:
            shape = tuple(r.choice([0, 1, 1, 2, 2, 3, 4]) for _ in range(r.choice([1, 1, 1, 2, 3])))
            fields.append((title, base, shape))
        elif r.random() < 0.02:
            fields.append((title, base, (r.choice([999, 1001, 1200]),)))
        else:
            fields.append((title, base))
    try:
        return np.dtype(fields, align=r.random() < 0.3)
    except ValueError:  # an S0 subarray
        return struct_descr(r, depth)


def random_shape(r, small):
    """From 0-d to 5-d, most of them small, some around the threshold, some empty."""
    style = r.randrange(3, 60) if small else r.randrange(30)
    if style in (1, 59):
        return (r.choice([999, 1000, 1001, 1002, 1500]),)
    if style == 2:
        return r.choice(AROUND_1000)
    if style == 3:
        return tuple(r.choice([0, 1, 2, 3]) for _ in range(r.randrange(1, 6)))
    if style < 9:
        return ()
    if style < 20:
        return (r.choice([1, 2, 3, 5, 8, 13, 30]),)
    return tuple(r.choice([1, 2, 2, 3, 4]) for _ in range(r.randrange(2, 6)))


def tree(dtype):
    """The dtype as `npymap info --json` shows it."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return {"kind": "V", "itemsize": dtype.itemsize, "subarray": {"base": tree(base), "shape": list(shape)}}
    node = {"str": dtype.str, "kind": dtype.kind, "itemsize": dtype.itemsize}
    if dtype.names is not None:
        node["fields"] = []
        for name in dtype.names:
            field, offset, *title = dtype.fields[name]
            title = title[0] if title else None
            node["fields"].append({"name": name, "offset": offset, "title": title, "dtype": tree(field)})
    return node


def random_options(r):
    """Print options other than the default."""
    choices = {
        "threshold": [0, 5, 10, 100, 10**9],
        "edgeitems": [1, 2, 3, 5],
        "linewidth": [10, 40, 75, 80, 200],
        "precision": [0, 1, 2, 4, 8, 12, 17, 30],
        "suppress": [False, True],
    }
    return {name: r.choice(choices[name]) for name in r.sample(sorted(choices), r.randrange(1, 6))}


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    done, number = 0, 0
    while done < count:
        r = random.Random(f"{seed} {number}")
        number += 1
        dtype = struct_descr(r, 2) if r.random() < 0.3 else np.dtype(scalar_descr(r))
        try:
            a = fill(r, dtype, random_shape(r, dtype.names is not None))
        except TooLarge:
            continue
        fortran = a.ndim > 1 and r.random() < 0.3
        if fortran:
            a = np.asfortranarray(a)
        options = random_options(r) if sys.argv[3:] == ["options"] else {}
        with np.printoptions(**options):
            text = str(a)
        file = io.BytesIO()
        np.save(file, a)
        print(
            json.dumps(
                {
                    "npy_b64": base64.b64encode(file.getvalue()).decode(),
                    "descr": repr(np.lib.format.dtype_to_descr(a.dtype)),
                    "dtype": tree(a.dtype),
                    "shape": list(a.shape),
                    "fortran": bool(a.flags.fnc),
                    "data_b64": base64.b64encode(a.tobytes("C")).decode(),
                    "text": text,
                }
                | ({"options": options} if options else {})
            )
        )
        done += 1


if __name__ == "__main__":
    main()
