"""Random times converted between units by NumPy's astype, and exactly; and random long doubles converted to float64.

    python convert_times.py times COUNT SEED

Each line is a JSON array: kind ("M" or "m"), count, unit, wanted unit, exact, numpy, text.

    exact  the count in the wanted unit, rounded down, by whole numbers and Python's calendar; it may be beyond 64 bits
    numpy  the same by NumPy, null where NumPy refuses or may have wrapped around
    text   str of the scalar in its own unit

    python convert_times.py long_doubles COUNT SEED

Each line is a JSON array of strings: the 16 bytes of a long double, and the bits of the float64, in hexadecimal;
then the bits of a random float64, and the ten bytes that count of the long double it is.
"""

import datetime
import json
import random
import struct
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
MONTHS = {"Y": 12, "M": 1}
DAY = 86400 * 10**18
ATTOSECONDS = {"W": 7 * DAY, "D": DAY, "h": DAY // 24, "m": DAY // 1440, "s": 10**18, "ms": 10**15, "us": 10**12,
               "ns": 10**9, "ps": 10**6, "fs": 1000, "as": 1}
UNITS = [*MONTHS, *ATTOSECONDS]
EPOCH = datetime.date(1970, 1, 1).toordinal()


def first_day(month):
    """The first day of a month, both counted from 1970. Python's calendar has the years 1 to 9999."""
    cycles, year = divmod(1970 + month // 12, 400)
    return datetime.date(year + 400, month % 12 + 1, 1).toordinal() - EPOCH + (cycles - 1) * 146097


def month_of(day):
    cycles, day = divmod(day, 146097)
    date = datetime.date.fromordinal(EPOCH + day)
    return (date.year - 1970) * 12 + date.month - 1 + cycles * 4800


def exactly(kind, steps, unit, wanted, per):
    """The count, and whether no number on the way comes near to 64 bits."""
    if unit in MONTHS and wanted in MONTHS:
        top, bottom = steps * MONTHS[unit], MONTHS[wanted] * per
    elif unit in MONTHS:
        top, bottom = first_day(steps * MONTHS[unit]) * DAY, ATTOSECONDS[wanted] * per
    elif wanted in MONTHS:
        top, bottom = month_of(steps * ATTOSECONDS[unit] // DAY), MONTHS[wanted] * per
    else:
        top, bottom = steps * ATTOSECONDS[unit], ATTOSECONDS[wanted] * per
    count = top // bottom
    ratio = bottom // min(ATTOSECONDS.get(unit, bottom), bottom)
    return count, max(abs(steps * 12), abs(count * per * 12), ratio) < 2**60


def count_of(random):
    return random.choice([0, 1, -1, 2**63 - 1, 1 - 2**63]) if random.random() < 0.05 else \
        random.getrandbits(random.randrange(1, 64)) * random.choice([1, -1])


def steps_of(random):
    return 1 if random.random() < 0.5 else random.choice([7, 25, 2**31 - 1, random.randrange(1, 1000)])


def times(cases, random):
    pairs = [(unit, wanted) for unit in UNITS for wanted in UNITS]
    for case in range(cases):
        kind, (unit, wanted) = random.choice("Mm"), pairs[case % len(pairs)]
        if kind == "m" and (unit in MONTHS) != (wanted in MONTHS):
            kind = "M"
        count, steps, per = count_of(random), steps_of(random), steps_of(random)
        exact, is_safe = exactly(kind, count * steps, unit, wanted, per)
        given, asked = f"{steps if steps > 1 else ''}{unit}", f"{per if per > 1 else ''}{wanted}"
        scalar = np.array([count], "i8").view(f"{kind}8[{given}]")
        try:
            converted = int(scalar.astype(f"{kind}8[{asked}]").view("i8")[0]) if is_safe else None
        except OverflowError:
            converted = None
        print(json.dumps([kind, count, given, asked, str(exact), converted, str(scalar[0])]))


def long_double(random):
    """Sign, exponent and significand: of any kind, near the middle between two doubles, or about as small as one."""
    sign = random.getrandbits(1) << 15
    significand = random.getrandbits(63) | 1 << 63
    exponent = random.choice([random.getrandbits(15), random.randrange(15300, 15365), random.randrange(17400, 17410),
                              0, 1, 0x7ffe, 0x7fff, random.randrange(15300, 17410)])
    shift = 11 if exponent >= 15361 else min(max(11 + 15361 - exponent, 11), 64)
    kind = random.randrange(8)
    if kind < 4:
        middle = significand >> shift << shift | 1 << shift - 1
        significand = min(middle + random.choice([-1, 0, 0, 1]), 2**64 - 1)
    elif kind == 4:
        significand = random.choice([0, 1 << 63, 2**64 - 1, 2**63 - 1, 3 << 62, 1 << 62, 1])
    elif kind == 5:
        significand = random.getrandbits(64)
    return struct.pack("<QH", significand % 2**64, sign | exponent) + random.randbytes(6)


def long_doubles(cases, random):
    for _ in range(cases):
        stored = long_double(random)
        bits = np.frombuffer(stored, "<f16").astype("<f8").view("<u8")[0]
        double = random.choice([random.getrandbits(64), random.getrandbits(52), random.getrandbits(random.randrange(64)),
                                random.getrandbits(1) << 63 | 0x7ff << 52 | random.getrandbits(random.randrange(53))])
        wide = np.array([double], "<u8").view("<f8").astype("<f16").tobytes()[:10]
        print(json.dumps([stored.hex(), f"{bits:016x}", f"{double:016x}", wide.hex()]))


what, cases, seed = sys.argv[1:]
{"times": times, "long_doubles": long_doubles}[what](int(cases), random.Random(int(seed)))
