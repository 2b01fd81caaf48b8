#!/usr/bin/env python3
"""Conversions of times and long doubles by NumPy, for tests/times.rs.

    times.py times SEED COUNT      KIND FROM TO VALUE RESULT TEXT, tab-separated: RESULT is NumPy's where it is right
                                   (NaT as itself), "overflow" where it doesn't fit into 64 bits and NumPy wraps around,
                                   "refused" where there is no fixed length; TEXT is str of the value
    times.py doubles SEED COUNT    the bytes of a long double, those of it as f8, and those of that as a long double
"""

import random
import sys
import warnings

import numpy as np

DAY = 86400 * 10**18
LENGTHS = {  # in attoseconds; of months and years about
    "Y": DAY * 3652425 // 10000,
    "M": DAY * 3652425 // 120000,
    "W": 7 * DAY,
    "D": DAY,
    "h": DAY // 24,
    "m": DAY // 1440,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 1000,
    "as": 1,
}


def unit(r):
    name = r.choice(list(LENGTHS))
    count = r.choice([1, 1, 1, 2, 7, 25, 1000, 2**31 - 1])
    return name, count, name if count == 1 else f"{count}{name}"


def conversion(r):
    """Never one that comes near 64 bits, where NumPy's steps on the way may overflow and the result not."""
    kind = r.choice("Mm")
    (name, count, source), (to_name, to_count, target) = unit(r), unit(r)
    digits = r.randrange(0, 64)
    value = r.choice([-1, 1]) * r.randrange(2**digits)
    if r.random() < 0.05:
        value = -(2**63)
    text = str(np.array([value], "i8").view(f"{kind}8[{source}]")[0])
    if kind == "m" and (name in "YM") != (to_name in "YM") and source != target:
        return kind, source, target, value, "refused", text
    if value == -(2**63):
        return kind, source, target, value, value, text
    # Bits of the value in either unit, in the finer of the two, and of years on the way.
    length, to_length = LENGTHS[name] * count, LENGTHS[to_name] * to_count
    result = abs(value) * length // to_length
    on_the_way = abs(value) * max(length, to_length) // min(LENGTHS[name], LENGTHS[to_name])
    years = abs(value) * length // LENGTHS["Y"]
    if result > 2**66 and source != target:
        return kind, source, target, value, "overflow", text
    if max(on_the_way, years * 400) > 2**61 and source != target:
        return None
    try:
        converted = np.array([value], "i8").view(f"{kind}8[{source}]").astype(f"{kind}8[{target}]", casting="unsafe")
    except OverflowError:  # of the factor between units far apart
        return None
    return kind, source, target, value, int(converted.view("i8")[0]), text


def times(seed, count):
    done, number = 0, 0
    while done < count:
        line = conversion(random.Random(f"times {seed} {number}"))
        number += 1
        if line:
            print(*line, sep="\t")
            done += 1


def doubles(seed, count):
    for number in range(count):
        r = random.Random(f"doubles {seed} {number}")
        # Exponents anywhere, around 1, at both ends of f8, and among its subnormals.
        exponent = r.choice([r.randrange(2**15), r.randrange(16380, 16388), r.randrange(17400, 17412), r.randrange(15300, 15365), 0, 0x7FFF])
        # Significands anywhere, and halfway between two of f8, or next to that.
        fraction = r.choice([r.getrandbits(63), r.getrandbits(52) << 11, (r.getrandbits(52) << 11 | 1 << 10) + r.choice([-1, 0, 0, 1]), 0])
        drop = min(max(15361 + 11 - exponent, 0), 62)
        if drop > 11 and r.random() < 0.5:  # halfway between two subnormals
            fraction = ((r.getrandbits(63) >> drop) << drop | 1 << (drop - 1)) + r.choice([-1, 0, 0, 1])
        leading = 1 if exponent else 0
        significand = (leading << 63 | max(fraction, 0)) & (2**64 - 1)
        sign = r.choice([0, 1])
        data = significand.to_bytes(8, "little") + (sign << 15 | exponent).to_bytes(2, "little") + bytes(6)
        double = np.frombuffer(data, "<f16").astype("<f8")
        print(data.hex(), double.tobytes().hex(), double.astype("<f16").tobytes()[:10].hex())


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    {"times": times, "doubles": doubles}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))


main()
