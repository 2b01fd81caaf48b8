#!/usr/bin/env python3
"""Answers questions for as long as it is asked, so that a test binary starts Python once: tests/support/live.rs asks.

    answer.py     one JSON object a line on standard input: {"code", "names"}

code    an expression, whose value is printed as JSON, or statements, for which null is printed
names   what the code calls by name, beside np, loaded(path) and the modules below

{"raised": "ValueError: ..."} is printed where the code raises.
"""

import base64
import json
import os
import sys
import warnings

import numpy as np
from numpy.lib import _format_impl as npy


def loaded(path, **arguments):
    """What np.load makes of a file: its descr, shape, order, bytes in that order, and where the data start."""
    a = np.load(path, **arguments)
    with open(path, "rb") as file:
        version = np.lib.format.read_magic(file)
        npy._read_array_header(file, version)
        offset = file.tell()
    return {
        "descr": repr(np.lib.format.dtype_to_descr(a.dtype)),
        "shape": list(a.shape),
        "fortran": bool(a.flags.fnc),
        "data_b64": base64.b64encode(a.tobytes("A")).decode(),
        "offset": offset,
        "size": os.path.getsize(path),
    }


def answer(code, names):
    space = {"np": np, "os": os, "loaded": loaded, **names}
    try:
        compiled = compile(code, "<question>", "eval")
    except SyntaxError:
        compiled = compile(code, "<question>", "exec")
    return eval(compiled, space)


def main():
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answered = {"answer": answer(question["code"], question["names"])}
        except Exception as error:
            answered = {"raised": f"{type(error).__name__}: {error}"}
        print(json.dumps(answered), flush=True)


main()
