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
import string
import sys
import warnings

import numpy as np

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
SCALARS = (
    ["?", "i1", "u1", "S", "U", "V"]
    + [kind + size for kind in "iu" for size in "248"]
    + ["f2", "f4", "f8", "f16", "c8", "c16", "c32", "f4", "f8", "f2", "f8", "f16", "c16"]
    + ["M8", "m8", "M8"]
)
AROUND_1000 = [
    *[(7, 143), (143, 7), (2, 501), (501, 2), (6, 167), (1001, 1), (1, 1001), (7, 7, 21), (10, 10, 10), (10, 10, 11)],
    *[(4, 4, 4, 4, 4), (4, 4, 4, 4, 3), (1, 1, 8, 126)],
]
# Assigned since long, so that every Python and every Rust agrees on what is printable.
ALPHABET = string.ascii_letters + "'\"\\ \n\t\r\x01\x7f\x85\xa0\xad\xe9\xff\u0301\u200b\u2028\u4e2d\ud7ff\ue000"
ALPHABET += "\ufeff\uffff\U0001f600\U000e0001\U0010ffff"


def scalar_descr(r):
    """A scalar dtype in either byte order."""
    kind = r.choice(SCALARS)
    order = r.choice("<<>")
    if kind in ("S", "U", "V"):
        return order + kind + str(r.choice([0, 1, 1, 2, 3, 5, 8, 20]))
    if kind in ("M8", "m8"):
        count = r.choice(["", "", "", "2", "7", "25", "1000", "2147483647"])
        unit = r.choice(UNITS)
        if kind == "m8" and order == "<" and r.random() < 0.1:
            return "<m8"  # np.max of '>m8' without a unit is wrong in NumPy 2.4.6, and with it the width
        return f"{order}{kind}[{count}{unit}]"
    return order + kind


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


def floats(r, count, kind):
    """Numbers that trip formatting: all magnitudes, few digits, neighbours of limits, ties, specials."""
    real = np.dtype(kind).newbyteorder("=")
    style = r.randrange(14)
    with np.errstate(all="ignore"):
        if style == 0:
            values = np.array([r.randrange(-50, 50) for _ in range(count)], real)
        elif style == 1:
            values = np.array([r.uniform(-1, 1) for _ in range(count)], real)
        elif style == 2:
            values = np.array([round(r.uniform(-100, 100), r.randrange(9)) for _ in range(count)], real)
        elif style == 3:
            values = np.frombuffer(r.randbytes(count * real.itemsize), real).copy()
            if real.itemsize == 16:  # x87 needs its leading bit where the exponent isn't zero
                parts = values.view("u8").reshape(-1, 2)
                normal = (parts[:, 1] & 0x7FFF) != 0
                parts[:, 0] = np.where(normal, parts[:, 0] | (1 << 63), parts[:, 0] & ((1 << 63) - 1))
        elif style == 4:
            values = np.array([10.0 ** r.uniform(-6, 10) for _ in range(count)], real)
        elif style == 5:
            values = np.array([10.0 ** r.randrange(-9, 17) for _ in range(count)], real)
            values = np.nextafter(values, np.array(r.choice([0, np.inf]), real)) if r.random() < 0.5 else values
        elif style == 6:
            values = np.ldexp(np.ones(count, real), np.array([r.randrange(-1080, 1024) for _ in range(count)], int))
        elif style == 7:
            info = np.finfo(real)
            some = [info.max, info.tiny, info.smallest_subnormal, info.eps, 1, 0, -0.0, info.min]
            values = np.array([r.choice(some) for _ in range(count)], real)
        elif style == 8:
            low = r.choice([0.0001, 0.00009999, 0.001, 1.0, 0.5])
            values = np.array([low * r.choice([1, 2, 999, 1000, 1000.1, 1001]) for _ in range(count)], real)
        elif style == 9:
            base = r.choice([2**21, 2**22, 2**23, 2**50, 2**51, 2**10, 1])
            values = np.array([base + r.randrange(16) / r.choice([1, 2, 4, 8]) for _ in range(count)], real)
        elif style == 10:
            low = r.uniform(99999, 1000000)
            some = [low, 999999.5, 99999999, 99999999.9, 1e8, 999, 1000]
            values = np.array([r.choice(some) for _ in range(count)], real)
        elif style == 11:
            values = np.array([r.randrange(10**9) for _ in range(count)], real)
            values /= real.type(r.choice([1, 3, 7, 1e5, 1e9]))
        elif style == 12:
            values = np.zeros(count, real)
        else:
            values = np.array([r.choice([np.nan, np.inf, -np.inf]) for _ in range(count)], real)
        if count and r.random() < 0.3:
            for special in r.sample([np.nan, np.inf, -np.inf, -0.0, 0.0], r.randrange(1, 5)):
                values[r.randrange(count)] = special
    return values.astype(real)


def integers(r, count, dtype):
    """Integers of a range of their own, ends included."""
    info = np.iinfo(dtype)
    low, high = r.choice([(info.min, info.max), (0, 9), (info.min, min(info.max, 3)), (0, min(info.max, 1000))])
    return np.array([r.choice([low, high, r.randint(low, high)]) for _ in range(count)], dtype.newbyteorder("="))


def times(r, count):
    """Counts of a unit: near the epoch, near now, anywhere, the ends, NaT."""
    style = r.randrange(5)
    if style == 0:
        values = [r.randrange(-1000, 1000) for _ in range(count)]
    elif style == 1:
        values = [r.randrange(10**r.randrange(1, 19)) * r.choice([-1, 1]) for _ in range(count)]
    elif style == 2:
        values = [r.randrange(-(2**63), 2**63) for _ in range(count)]
    elif style == 3:
        values = [r.choice([-(2**63), -(2**63) + 1, 2**63 - 1, -(2**63) + 11000, 2**63 - 11000]) for _ in range(count)]
    else:
        values = [-(2**63)] * count
    if count and r.random() < 0.3:
        values[r.randrange(count)] = -(2**63)
    return np.array(values, "i8")


class TooLarge(Exception):
    """More than ten megabytes, which would only be slow."""


def fill(r, dtype, shape):
    """An array of the dtype with values worth printing; padding holds random bytes."""
    count = int(np.prod(shape, dtype=object))
    if dtype.names is not None:
        if count * dtype.itemsize > 10_000_000:
            raise TooLarge
        a = np.frombuffer(bytearray(r.randbytes(count * dtype.itemsize)), "u1").copy()
        a = a.view(dtype).reshape(shape) if dtype.itemsize else np.zeros(shape, dtype)
        for name in dtype.names:
            field = dtype[name]
            a[name] = fill(r, field.base, tuple(shape) + field.shape)
        return a
    native = dtype.newbyteorder("=")
    if dtype.kind == "b":
        a = np.array([r.random() < 0.5 for _ in range(count)], native)
    elif dtype.kind in "iu":
        a = integers(r, count, dtype)
    elif dtype.kind == "f":
        a = floats(r, count, native)
    elif dtype.kind == "c":
        part = {8: "f4", 16: "f8", 32: "f16"}[dtype.itemsize]
        a = np.zeros(count, native)
        a.real = floats(r, count, part)
        a.imag = floats(r, count, part)
    elif dtype.kind in "Mm":
        a = times(r, count).view(native)
    elif dtype.kind == "S":
        letters = r.choice([b"abc\0", bytes(range(256)), b"'", b"'\"a"])
        a = np.array([bytes(r.choices(letters, k=r.randint(0, dtype.itemsize))) for _ in range(count)], native)
    elif dtype.kind == "U":
        letters = r.choice(["abc\0", ALPHABET, "'", "'\"a"])
        a = np.array(["".join(r.choices(letters, k=r.randint(0, dtype.itemsize // 4))) for _ in range(count)], native)
    elif dtype.itemsize == 0:
        a = np.zeros(count, native)
    else:
        a = np.frombuffer(r.randbytes(count * dtype.itemsize), native)
    return a.astype(dtype).reshape(shape)


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
