"""Random and mutated .npy headers, and what NumPy makes of them.

    python mutate_headers.py [COUNT [SEED]] > headers.jsonl

Each line is a JSON object:

    header         the header text, without the magic string and the length
    version        [1, 0], [2, 0] or [3, 0]
    ok             whether NumPy reads it (numpy.lib._format_impl, the only way to its version 3.0)
    error          the class of the exception, if not ok
    shape          the shape as Python prints it, if ok
    fortran_order  true or false, if ok
    dtype          the dtype, if ok: a string such as "<f8", {"fields": [[name, title, offset, dtype], ...],
                   "itemsize": n}, or {"base": dtype, "shape": [...]}
    descr          the dtype as NumPy would write it into a header, if ok
    objects        whether the dtype holds Python objects, whose descr, size and data are NumPy's own affair, if ok
"""

import ast
import io
import json
import random
import re
import struct
import sys
import warnings

import numpy as np
from numpy.lib import _format_impl as npy

WELL_FORMED = """<f8 >f8 =f8 |f8 f8 d <d e f g F D G h H i I l L q Q p P n N b B ? c S U V O T M m a <i4 >i4 |i1 <i1
|u1 <u2 >u8 |b1 b1 <f2 <f4 <f16 <c8 >c16 <c32 |S5 S0 |S >S3 <U3 >U0 U |V4 V0 |V <V2 O4 |O8 a5 |a5 <f08 <f+8 float64
double float half single longdouble bool bool_ int long intp uint8 int64 ulonglong complex csingle clongdouble float128
complex256 str bytes void object unicode str_ object_ <M8 >M8 M8[ns] <M8[25s] <m8[D] >m8[7h] <M8[D/24] <M8[s/10]
<M8[7D/2] <M8[generic] M8[0s] M8[us] m8[\u03bcs] datetime64[ms] timedelta64 <M8[Y/52] <M8[W/7] <M8[W/11] <M8[M/5]
<M8[fs/2] <M8[as] |M8[ps] <M8[2147483647s] <S2147483647 <U536870911 V2147483647""".split()
ILL_FORMED = ["", " f8", "f8 ", "<<f8", "!f8", "<", "<f-8", "<f3", "<i16", "f12", "Float64", "(2)f8", "|T16", "b4",
              "<t4", "bfloat16", "record", "<M8[]", "M8[-1s]", "M8[B]", "M8[\u00b5s]", "M8[ns", "M8[ns]x", "M4", "M8[D/7]",
              "M8[2147483648s]", "|S2147483648", "<U536870912", "V-1", "f 8", "f\t8", "x", "\u00e9", "\x01", "<\x0c", "int0",
              "<float64", "<datetime64[s]", "<a", "O1", "M08", "M8[+2s]", "M8[ 2s]", "M8[s/+2]", "M8[s/-2]", "M8[s/2x]",
              "M8[generic/2]", "M8[3generic]", "M8[2147483647D/2]", "M8[s/1]", "M8[as/2]", "M8[s]]", "M8[2]", "S+5", "S 5"]
COMMAS = ["f8,i4", "<f8,", "f8, i4", "2f8", "(2,)f8", "3i4,f8", "i4,(2,2)f4,S3", "()f8", "<()f8", "2,3f8", "f8,3 i4",
          "3<4i4", "3>4i4", ">2<f8", "=2<f8", "|2<f8", "<2f8", "f8,<", "f8,>", "f8,,i4", ",f8", "<,", "f8,|", "2", "2,",
          "f8 ,i4 ", "f8\u00a0,i4", "f8\x1c,i4", "M8[2s],i4", "f8,M8[s,s]", "M8[s/2],f8", "bool_,f8", "2S", "2S3",
          "(2,)S", "0i4,i4", "03i4", "1 2i4", "(2,i4", "2)i4", "f8 i4,", "2147483648i1,i1", "65536i4,65536i4", "T,i4",
          "(2,)(3,)f8", "( 2 , )f8", "f8,( 2,3)i4", "4", "2f8,2f8,", "V1073741824,V1073741823", "f8[,]", "f8],i4[", "O,2O"]
NAMES = ["a", "b", "c", "", "f0", "f1", " ", "it's", 'say "x"', "\\", "\n", "\u00e9", "\x00", "L", "3L", "a.b", "\x7f", "\xad"]
SHAPES = ["(2,)", "(2, 3)", "2", "1", "(1,)", "()", "(0,)", "[2]", "[2, 2]", "[]", "-1", "(-1,)", "2.0", "True", "(True,)",
          "None", "'f8'", "'<i4'", "''", "b''", "b'<f8'", "2147483647", "2147483648", "(65536, 65536)", "(2**3,)", "{}",
          "{'x': 1}", "[('q', '<f8')]", "('<i4', 2)", "((2,), 3)", "(2, 'x')", "(2147483647, 2147483647, 0)",
          "(0, 2147483647, 2147483647, 2147483647)", "(2147483647, 2147483647, 2147483647, 0)", str((1,) * 64),
          str((1,) * 65), "1" * 30, "(" + "1" * 30 + ",)", "5", "4", "...", "2j", "(2)", "(2,)", "(3,)", "+2", "02", "2L"]
TITLES = ["'t'", "None", "''", "1", "('x', 'y')", "'a'", "b't'", "True"]
CHUNKS = list("'\"\\()[]{},:+-.#LlujeEx0123456789_ \t\n\r\f\v\0\x1a\x1c\u00a0\u00e9\u4e2d") + [
    "\\\n", "\\\r\n", "\r\n", "#c\n", "# '\n", "L", " L", "LL", "0x", "0b1", "0o7", "1_0", "00", "3.0", "1e5", "2j", "1+2j",
    "''", '""', "'''", '"""', "u'", "r'", "b'", "br'", "f'", "\\x41", "\\101", "\\u00e9", "\\U0001f600", "\\N{SPACE}", "\\ud800",
    "\\q", "True", "False", "None", "...", "nan", "not ", "--", "++", "~", "*", "**", "if", "for", "lambda:", "set()", "()",
    "(", ")", "[]", "{}", ",", ",,", ", ", ": ", "'descr'", "'shape'", "'<f8'", "(3,)", "3 ", "-(3)", "(3)", "\\", "  ", "\n  ",
    "0", "_", "<", ">", "|", "=", "f8", "M8", "[s]", "/2", "/", "2147483647", "9223372036854775808"]


def quoted(rng, text):
    """A literal of a str, in one of the ways that Python has for it."""
    way = rng.random()
    if way < 0.8:
        return repr(text)
    if way < 0.85:
        return "u" + repr(text)
    if way < 0.88 and "\\" not in repr(text):
        return rng.choice("rR") + repr(text)
    if way < 0.91:
        return "'" + "".join(rng.choice([f"\\x{ord(c):02x}", f"\\{ord(c):03o}", f"\\u{ord(c):04x}"])
                             if ord(c) < 256 else c for c in text) + "'"
    if way < 0.94:
        cut = rng.randint(0, len(text))
        return repr(text[:cut]) + rng.choice(["", " ", "\n"]) + repr(text[cut:])
    if way < 0.97:
        return "'''" + repr(text)[1:-1].replace("'", "\\'") + "'''"
    return "(" + repr(text) + ")"


def type_string(rng):
    way = rng.random()
    if way < 0.8:
        return rng.choice(WELL_FORMED)
    if way < 0.89:
        return rng.choice(COMMAS)
    if way < 0.92:
        return rng.choice(ILL_FORMED)
    if way < 0.96:
        return ",".join(rng.choice(WELL_FORMED + ILL_FORMED) for _ in range(rng.randint(1, 3)))
    text = list(rng.choice(WELL_FORMED + COMMAS))
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        text[at:at + rng.randint(0, 2)] = rng.choice("<>=|,.?()[] 0123456789fiuSUVOMmDs/\t+-")
    return "".join(text)


def descr(rng, depth=0):
    """A literal of something like a descr."""
    way = rng.random() + 0.1 * depth
    if way > 0.5:
        return quoted(rng, type_string(rng))
    if way < 0.42:
        return "[" + ", ".join(field(rng, depth) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))) + "]"
    if way < 0.48:
        return "(" + descr(rng, depth + 1) + ", " + shape(rng) + ")"
    return rng.choice(["{}", "{'ab': 1}", "{'f8'}", "None", "3", "True", "b'<f8'", "b''", "()", "('<f8',)", "['ai', 'bd']",
                       "('<f8', (2,), 1)", "('<f8', None)", "(('|V', 4), ())", "...", "{'a': ('<f8', 0)}", "['xdd']",
                       "[{'a': 1, 'f8': 2}]", "[[], []]", "(([], []))"])


def shape(rng):
    return rng.choice(SHAPES[:9] if rng.random() < 0.7 else SHAPES)


def field(rng, depth):
    name = quoted(rng, rng.choice(NAMES)) if rng.random() < 0.98 else rng.choice(["1", "None", "b'a'", "['t', 'a']", "()"])
    if rng.random() < 0.1:
        name = f"({rng.choice(TITLES)}, {name})"
    base = descr(rng, depth + 1) if rng.random() < 0.85 else repr(rng.choice(["|V4", "|V0", "V", "<f4", "2V3"]))
    items = [name, base]
    if rng.random() < 0.35:
        items.append(shape(rng))
    if rng.random() < 0.02:
        items.append("1")
    if rng.random() < 0.01:
        items.pop()
    text = ", ".join(items)
    return f"({text})" if rng.random() < 0.93 else f"[{text}]"


def header(rng):
    """A header text, most of which are right but for one thing or two."""
    pairs = [("'descr'", descr(rng)), ("'fortran_order'", rng.choice(["False", "True"] * 9 + ["0", "(True)"])),
             ("'shape'", rng.choice(["()", "(3,)", "(3, 4)", "(2,)"] * 5 + ["(3L,)", "(3 L, 0x4L)", "(-0,)", "(1_0,)", "3", "[3]"]))]
    if rng.random() < 0.1:
        rng.shuffle(pairs)
    if rng.random() < 0.03:
        pairs.insert(rng.randint(0, 3), rng.choice(pairs)[:1] + (descr(rng),))
    if rng.random() < 0.02:
        pairs.pop()
    text = "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + rng.choice([", }", "}"])
    if rng.random() < 0.3:
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(CHUNKS + [""] * 20) + text[at + rng.choice([0, 0, 0, 1, 1, 2, 5]):]
    if rng.random() < 0.1:
        text = rng.choice([" ", "\t", "\n", "\n ", "\f", "\f ", "#c\n", "\\\n", " \\\n", "\n\\\n", "\r", "\n \f", "\n #\n", "\v",
                           "\ufeff", "(", "\u00a0", "\n\n\t\r\n"]) + text
    if rng.random() < 0.15:
        text += rng.choice(["", " ", "\n ", "\\", "\\\n", "\\\n ", "\\\n\n", "\n\\\n\n", "\n \\\n\n", " #c", "\n #c", "\0", "\v", "\f",
                            "\n\f", "\n\f ", ",", ",,", ";", ")", "\n{}", "\r", "\r\n", "\r \n", "\n\n \n", "\u00a0", "L", "# \u4e2d"])
    return text + rng.choice(["\n", "\n", "\n", "", "    \n", "  "])


def tree(dtype):
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return {"base": tree(base), "shape": list(shape)}
    if dtype.names is not None:
        fields = []
        for name in dtype.names:
            entry = dtype.fields[name]
            title = entry[2] if len(entry) > 2 else None
            fields.append([name, title if title is None or isinstance(title, str) else repr(title), entry[1], tree(entry[0])])
        return {"fields": fields, "itemsize": dtype.itemsize}
    # StringDType has no descr of its own; its arrays are pickled, like those of objects.
    return "|O" if dtype.kind == "T" else dtype.str


def is_fatal(text):
    """Whether a datetime divisor is 0 as a C int: NumPy divides by it, and the process dies of SIGFPE."""
    try:
        text += "".join(node.value for node in ast.walk(ast.parse(text.strip(), mode="eval"))
                        if isinstance(node, ast.Constant) and isinstance(node.value, str))
    except Exception:
        pass
    return any(int(digits) % 2**32 == 0 for digits in re.findall(r"/\s*[+-]?([0-9]+)", text))


def judge(text, version):
    encoded = text.encode("utf-8" if version == (3, 0) else "latin-1")
    length = struct.pack("<H" if version == (1, 0) else "<I", len(encoded))
    verdict = {"header": text, "version": list(version)}
    try:
        shape, fortran_order, dtype = npy._read_array_header(io.BytesIO(length + encoded), version)
        return verdict | {"ok": True, "shape": str(shape), "fortran_order": fortran_order, "dtype": tree(dtype),
                          "descr": repr(npy.dtype_to_descr(dtype)), "objects": dtype.hasobject}
    except Exception as error:
        return verdict | {"ok": False, "error": type(error).__name__}


def main(count=10_000, seed=0):
    rng = random.Random(seed)
    warnings.simplefilter("ignore")
    while count:
        text = header(rng)
        version = rng.choice([(1, 0), (1, 0), (2, 0), (3, 0)])
        if version != (3, 0) and any(ord(character) > 255 for character in text):
            version = (3, 0)
        if len(text) > 9999 or is_fatal(text) or any("\ud800" <= character <= "\udfff" for character in text):
            continue
        print(json.dumps(judge(text, version)))
        count -= 1


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
