"""Random dtypes, and arrays of them with values that trip what reads them: what the scripts beside this one share."""

import string

import numpy as np

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
SCALARS = (
    ["?", "i1", "u1", "S", "U", "V"]
    + [kind + size for kind in "iu" for size in "248"]
    + ["f2", "f4", "f8", "f16", "c8", "c16", "c32", "f4", "f8", "f2", "f8", "f16", "c16"]
    + ["M8", "m8", "M8"]
)
# Assigned since long, so that every Python and every Rust agrees on what is printable.
ALPHABET = string.ascii_letters + "'\"\\ \n\t\r\x01\x7f\x85\xa0\xad\xe9\xff\u0301\u200b\u2028\u4e2d\ud7ff\ue000"
ALPHABET += "\ufeff\uffff\U0001f600\U000e0001\U0010ffff"
NAMES = ["a", "b c", "é", "e\u0301", "x'y", 'say "hi"', "it's \"both\"", "a.b", "type", "class", "self", "line\nbreak",
         "nul\0", "日本", "f0", "0", "back\\slash", "ünïcödé", "\x7f", "{}", "len()"]  # fmt: skip


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


def record(r, depth):
    """A structured dtype: packed, aligned, or with offsets of its own; with titles, and a few without fields."""
    names, titles, formats = [], [], []
    for at in range(r.choice([0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 6, 6])):
        name = r.choice(NAMES)
        names.append(name + str(at) if name in names or r.random() < 0.5 else name)
        titles.append(f"title {at}'" if r.random() < 0.15 else None)
        if depth and r.random() < 0.3:
            base = record(r, depth - 1)
        else:
            # scalar_descr leaves out most of the times without a unit, for what NumPy makes of their text.
            base = np.dtype(scalar_descr(r) if r.random() < 0.97 else r.choice(["<M8", ">M8", ">m8"]))
        shape = tuple(r.choice([1, 2, 2, 3, 4, 0]) for _ in range(r.choice([1, 1, 2, 3])))
        # NumPy has no subarrays of strings without bytes.
        has_subarrays = base.itemsize or base.names is not None
        formats.append(np.dtype([("", base, shape)])[0] if has_subarrays and r.random() < 0.3 else base)
    if len(set(names)) < len(names):
        return record(r, depth)
    spec = {"names": names, "formats": formats, "titles": titles}
    style = r.random()
    if style < 0.3:
        return np.dtype(spec, align=True)
    if style < 0.6:
        offsets, end = [], 0
        for dtype in formats:
            offsets.append(end + r.choice([0, 0, 1, 3, 4]))
            end = offsets[-1] + dtype.itemsize
        spec |= {"offsets": offsets, "itemsize": end + r.choice([0, 0, 1, 7])}
    return np.dtype(spec)


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
