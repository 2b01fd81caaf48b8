"""Random arrays and slices of them, and whether the command's output is what NumPy takes of them.

usage: slices.py make FOLDER     writes FOLDER/N.npy and prints [{"file", "slice"}]
       slices.py check FOLDER    reads FOLDER/N.{raw,npy,csv,jsonl,txt} and prints what is wrong with them, a list
"""

import base64
import csv
import io
import json
import pathlib
import random
import sys
import warnings

import numpy as np
from numpy.lib import recfunctions

warnings.simplefilter("ignore")
ARRAYS = 260
SCALARS = (
    "b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 f16 c8 c16 c32 M8[D] M8[s] M8[25s] M8[ns] M8[Y] M8[M] M8[m] m8[s] m8[7D] m8 "
    "S0 S1 S5 U0 U1 U4 V1 V3"
).split()
NAMES = ["a", "b", "x y", "it's", 'say "q"', "é", "整", "new\nline", "a.b", "[0]", "back\\slash", "c,d", "\x1b[1m"]


def scalar(rng):
    return np.dtype(rng.choice("<>") + rng.choice(SCALARS))


def record(rng, depth):
    fields = []
    for name in rng.sample(NAMES, rng.randint(1, 4)):
        kind = rng.random()
        dtype = record(rng, depth - 1) if depth and kind < 0.2 else scalar(rng)
        if 0.2 < kind < 0.4 and dtype.itemsize:
            dtype = np.dtype((dtype, tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2)))))
        fields.append(((name + " title", name) if rng.random() < 0.1 else name, dtype))
    return np.dtype(fields, align=rng.random() < 0.4)


def fill(array, rng):
    """Values of every kind; what is between fields is left."""
    dtype = array.dtype
    if dtype.names is not None:
        for name in dtype.names:
            fill(array[name], rng)
        return
    if array.size == 0 or dtype.itemsize == 0:
        return
    size = array.size
    raw = np.frombuffer(rng.randbytes(size * dtype.itemsize), np.uint8)
    if dtype.kind in "iuV":
        values = raw.view(dtype)
    elif dtype.kind == "b":
        values = raw.view(np.uint8) & 1 == 1
    elif dtype.kind in "fc":
        def parts():
            plain = [rng.choice([rng.gauss(0, 1), rng.randint(-9, 9), 10.0 ** rng.randint(-30, 30), 0.0, -0.0,
                                 np.nan, np.inf, -np.inf, 1e16, 1e6, 1e-4, 1e-5, 123456.75]) for _ in range(size)]
            with np.errstate(all="ignore"):
                return np.array(plain, np.longdouble)
        real = dtype if dtype.kind == "f" else np.dtype({8: "f4", 16: "f8", 32: "f16"}[dtype.itemsize])
        with np.errstate(all="ignore"):
            values = parts().astype(real)
            if dtype.kind == "f" and dtype.itemsize < 16 and rng.random() < 0.5:
                values = raw.view(dtype.newbyteorder("="))
            elif dtype.kind == "c":
                complexes = np.empty(size, dtype.newbyteorder("="))
                complexes.real, complexes.imag = values, parts().astype(real)
                values = complexes
    elif dtype.kind in "mM":
        unit = np.datetime_data(dtype)[0]
        most = {"Y": 3000, "M": 30000, "D": 10**6}.get(unit, 10**12)
        counts = [rng.choice([rng.randint(-most, most), rng.randint(-9, 9), np.iinfo(np.int64).min]) for _ in range(size)]
        values = np.array(counts, np.int64).view(dtype.newbyteorder("="))
    elif dtype.kind == "S":
        texts = [b"", b"a", b"a,b", b'q"', b"\xff\xfe", "é".encode(), b"\n", b" ", b"a\x00b", b"1.5"]
        values = np.array([rng.choice(texts) for _ in range(size)], dtype)
    else:
        texts = ["", "a", "a,b", 'q"', "é", "整形", "\n", " ", "a\x00b", "😀", "\x1b[2J", "\u202e"]
        values = np.array([rng.choice(texts) for _ in range(size)], dtype)
    array[...] = np.asarray(values).astype(dtype.newbyteorder("=") if dtype.kind != "V" else dtype).reshape(array.shape)


def make_array(rng):
    dtype = record(rng, 2) if rng.random() < 0.4 else scalar(rng)
    shape = [rng.choice([0, 1, 2, 3, 4, 5, 7]) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]))]
    if rng.random() < 0.1:
        shape = [rng.randint(1, 5000)]
    elif shape and rng.random() < 0.85:
        shape = [max(length, 2) for length in shape]
    array = np.frombuffer(bytearray(rng.randbytes(int(np.prod(shape)) * dtype.itemsize)), np.uint8)
    array = array.view(dtype).reshape(shape) if dtype.itemsize else np.zeros(shape, dtype)
    if rng.random() < 0.4:
        array = array.reshape(shape[::-1]).T
    fill(array, rng)
    return array


def bound(rng, length):
    return rng.choice(["", str(rng.randint(-length - 2, length + 2))])


def indices(rng, shape):
    count = rng.randint(0, len(shape))
    before = rng.randint(0, count) if rng.random() < 0.3 or count == 0 else count
    words = [index(rng, length) for length in (*shape[:before], *shape[len(shape) - (count - before) :])]
    if before < count or count == 0 or rng.random() < 0.1:
        words.insert(before, "...")
    return "[" + rng.choice([",", ", "]).join(words) + "]"


def index(rng, length):
    kind = rng.random()
    if kind < 0.3 and length:
        return str(rng.randint(-length, length - 1))
    if kind < 0.5:
        return ":"
    step = rng.choice(["", ":", ":1", ":2", ":3", ":-1", ":-2", ":100"])
    return f"{bound(rng, length)}:{bound(rng, length)}{step}"


def plain(dtype):
    """Whether repack_fields copies every byte: it copies no padding of nested records."""
    if dtype.subdtype:
        return plain(dtype.subdtype[0])
    if dtype.names is None:
        return True
    return all(plain(dtype[n]) for n in dtype.names) and sum(dtype[n].itemsize for n in dtype.names) == dtype.itemsize


def make_slice(rng, array):
    groups, taken = [], array
    for _ in range(rng.randint(1, 3)):
        names = taken.dtype.names
        if names and rng.random() < 0.5:
            if rng.random() < 0.6:
                group = f"[{rng.choice(names)!r}]"
            elif all(plain(taken.dtype[name]) for name in names):
                group = f"[{rng.sample(names, rng.randint(1, len(names)))!r}]"
            else:
                continue
        else:
            group = indices(rng, taken.shape)
        groups.append(group)
        taken = take(taken, group)
    return groups or ["[...]"]


def take(array, text):
    taken = eval(f"array{text}", {"array": array})
    # A scalar loses its byte order and its padding: with [...], NumPy gives an array of no dimension.
    return taken if isinstance(taken, np.ndarray) else eval(f"array{text[:-1]}, ...]", {"array": array})


def stored(array):
    if array.dtype.itemsize == 0 or array.size == 0:
        return b""
    return np.asarray(array).view(np.dtype((np.void, array.dtype.itemsize))).tobytes(order="C")


def saved(array):
    """What np.save writes of it in C order; copying it would change padding, and U0 into U1."""
    file = io.BytesIO()
    np.save(file, np.ndarray(array.shape, array.dtype, bytearray(stored(array) + b"\0")))
    return file.getvalue()


def number(value):
    return float(str(value))


def as_json(value, dtype):
    if dtype.subdtype:
        return nested(value, dtype.subdtype[0])
    if dtype.names is not None:
        return {name: as_json(value[name], dtype[name]) for name in dtype.names}
    if dtype.kind == "c":
        return [finite(value.real), finite(value.imag)]
    if dtype.kind == "f":
        return finite(value)
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind in "iu":
        return int(value)
    if dtype.kind in "mM":
        if np.isnat(value):
            return None
        return str(value) if dtype.kind == "M" else int(value.astype(np.int64))
    if dtype.kind == "U":
        return str(value)
    if dtype.kind == "S":
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(bytes(value)).decode()}
    return {"base64": base64.b64encode(value.tobytes()).decode()}


def finite(value):
    return number(value) if np.isfinite(value) else None


def nested(array, dtype):
    array = np.asarray(array)
    if array.ndim == 0:
        return as_json(array[()], dtype)
    return [nested(part, dtype) for part in array]


def names(dtype, name=""):
    if dtype.subdtype:
        base, shape = dtype.subdtype
        for index in np.ndindex(shape):
            yield from names(base, name + "".join(f"[{i}]" for i in index))
    elif dtype.names is not None:
        for own in dtype.names:
            yield from names(dtype[own], f"{name}.{own}" if name else own)
    else:
        yield name


def cells(value, dtype):
    if dtype.subdtype:
        for index in np.ndindex(dtype.subdtype[1]):
            yield from cells(np.asarray(value)[index], dtype.subdtype[0])
    elif dtype.names is not None:
        for name in dtype.names:
            yield from cells(value[name], dtype[name])
    else:
        yield cell(value, dtype)


def part(value):
    return str(value).removesuffix(".0")


def cell(value, dtype):
    if dtype.kind == "c":
        imaginary = part(value.imag)
        return part(value.real) + ("" if imaginary.startswith("-") else "+") + imaginary + "j"
    if dtype.kind == "S":
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            text = bytes(value).replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
            return text
    if dtype.kind == "V":
        return "".join(f"\\x{byte:02x}" for byte in value.tobytes())
    if dtype.kind == "m":
        return "NaT" if np.isnat(value) else str(int(value.astype(np.int64)))
    return str(value)


def lines(array):
    dtype = array.dtype
    if array.size == 0:
        return []
    if dtype.names is not None or array.ndim < 2:
        return [list(cells(array[index], dtype)) for index in np.ndindex(array.shape)]
    rows = array.reshape(-1, array.shape[-1])
    return [[cell(value, dtype) for value in row] for row in rows]


def trouble(base, array):
    read = lambda form: pathlib.Path(f"{base}.{form}").read_bytes()
    if read("raw") != stored(array):
        yield "raw"
    if read("npy") != saved(array):
        yield "npy"
    loaded = np.load(f"{base}.npy")
    if loaded.shape != array.shape or loaded.dtype != array.dtype:
        yield "np.load"
    wanted = [nested(row, array.dtype) for row in (array if array.ndim else [array])]
    found = [json.loads(line) for line in read("jsonl").decode().split("\n")[:-1]]
    if repr(found) != repr(wanted):
        yield f"jsonl {found!r:.400} for {wanted!r:.400}"
    rows = list(csv.reader(io.StringIO(read("csv").decode(), newline="")))
    wanted = ([list(names(array.dtype))] if array.dtype.names is not None else []) + lines(array)
    if rows != wanted:
        yield f"csv {rows!r:.400} for {wanted!r:.400}"
    wanted = "".join(" ".join(row) + "\n" for row in lines(array))
    if read("txt").decode() != wanted:
        yield f"txt {read('txt')!r:.400} for {wanted!r:.400}"


def cases():
    for number_ in range(ARRAYS):
        rng = random.Random(number_)
        array = make_array(rng)
        yield number_, array, make_slice(rng, array)


folder = pathlib.Path(sys.argv[2])
if sys.argv[1] == "make":
    made = []
    for number_, array, groups in cases():
        np.save(folder / f"array{number_}.npy", array)
        made.append({"file": f"array{number_}.npy", "slice": "".join(groups)})
    print(json.dumps(made))
else:
    wrong = []
    for number_, array, groups in cases():
        # The six bytes of padding in a long double are not the same in every run.
        taken = np.load(folder / f"array{number_}.npy")
        for group in groups:
            taken = take(taken, group)
            # A list of fields leaves them where they were; the command packs them.
            if group.startswith("[["):
                taken = recfunctions.repack_fields(taken)
        for what in trouble(folder / str(number_), taken):
            wrong.append(f"{number_}: {array.dtype} {array.shape} {''.join(groups)}: {what}")
    print(json.dumps(wrong))
