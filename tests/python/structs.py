#!/usr/bin/env python3
"""Random records, for tests/structs.rs.

    structs.py SEED COUNT      prints random arrays of structured dtypes, one JSON object a line
    structs.py check FOLDER    compares N.ours.npy with N.npy for N from 0 on: prints "ok", or what differs
    structs.py files < PATHS   prints the fields of each file, an array on each line; the elements themselves, with an
                               empty path, where they have none

npy_b64   the file np.save writes
descr     repr of its descr
fields    every field, those within fields after the one that they are in:
  path, titles    names from the outermost field on; the same with titles in place of names where there are any
  shape           of a[path[0]][path[1]]...
  dims            the last of shape: those of the field's own subarrays
  descr           repr of the descr of the elements, as stored
  data_b64        the elements' bytes in C order and native byte order; absent if the field has fields itself
  text            of S (as Latin-1) and U fields: the elements, if all are text
"""

import base64
import io
import json
import pathlib
import random
import sys
import warnings

import numpy as np

from generate import TooLarge, fill, record

def fields(array, path=(), titles=()):
    for name in array.dtype.names or ():
        title = array.dtype.fields[name][2] if len(array.dtype.fields[name]) > 2 else name
        yield described(array[name], [*path, name], [*titles, title], dims(array.dtype[name]))
        yield from fields(array[name], [*path, name], [*titles, title])


def dims(dtype):
    """Those of a subarray, of the subarrays that it is of, and so on."""
    return dtype.shape + dims(dtype.base) if dtype.subdtype else ()


def described(field, path, titles, own_dims):
    descr = repr(np.lib.format.dtype_to_descr(field.dtype))
    entry = {"path": path, "titles": titles, "shape": list(field.shape), "dims": list(own_dims), "descr": descr}
    if field.dtype.names is None:
        if field.dtype.kind in "Mm":  # NumPy 2.4.6 doesn't turn times without a unit round
            field = field.view(field.dtype.str[0] + "i8")
        native = field.astype(field.dtype.newbyteorder("="), order="C")
        entry["data_b64"] = base64.b64encode(native.tobytes("C")).decode()
        if field.dtype.kind in "SU":
            decode = (lambda s: s.decode("latin-1")) if field.dtype.kind == "S" else str
            try:
                # NumPy makes strings of any numbers, on which Python stumbles at one point or another.
                if field.dtype.kind == "U":
                    np.ascontiguousarray(native).tobytes().decode("utf-32-le")
                entry["text"] = [decode(item) for item in field.ravel("C").tolist()]
            except UnicodeDecodeError:
                pass
    return entry


def cases(seed, count):
    done, number = 0, 0
    while done < count:
        r = random.Random(f"structs {seed} {number}")
        number += 1
        try:
            dtype = record(r, 3)
            shape = r.choice([(), (1,), (3,), (5,), (2, 3), (2, 3), (0,), (2, 0)])
            array = fill(r, dtype, shape)
        except (TooLarge, ValueError):  # a title that is a name, a subarray of S0
            continue
        if array.nbytes > 200_000:
            continue
        yield np.asfortranarray(array) if array.ndim > 1 and r.random() < 0.5 else array
        done += 1


def check(folder):
    number = 0
    while (ours := pathlib.Path(folder, f"{number}.ours.npy")).exists():
        ours, numpys = np.load(ours), np.load(pathlib.Path(folder, f"{number}.npy"))
        descrs = [np.lib.format.dtype_to_descr(array.dtype) for array in (ours, numpys)]
        if ours.dtype != numpys.dtype or descrs[0] != descrs[1]:
            print("dtypes", *descrs)
        elif ours.shape != numpys.shape or ours.flags.fnc != numpys.flags.fnc:
            print("shapes", ours.shape, numpys.shape)
        elif list(fields(ours)) != list(fields(numpys)):
            print("values", descrs[0])
        else:
            print("ok")
        number += 1


def main():
    warnings.simplefilter("ignore")
    if sys.argv[1] == "check":
        return check(sys.argv[2])
    if sys.argv[1] == "files":
        for path in sys.stdin.read().splitlines():
            array = np.load(path)
            print(json.dumps(list(fields(array)) if array.dtype.names is not None else [described(array, [], [], [])]))
        return None
    for array in cases(int(sys.argv[1]), int(sys.argv[2])):
        file = io.BytesIO()
        np.save(file, array)
        case = {
            "npy_b64": base64.b64encode(file.getvalue()).decode(),
            "descr": repr(np.lib.format.dtype_to_descr(array.dtype)),
            "fields": list(fields(array)),
        }
        print(json.dumps(case))


if __name__ == "__main__":
    main()
