#!/usr/bin/env python3
"""Follows growing files as any user of NumPy might: np.load(mmap_mode='r'), over and over.

    follow.py FORTRAN     paths on standard input, one a line, each with the count to wait for: "PATH FROM TO"

A line is printed for each: the number of loads, and how many of them met a count that was being carried. Every load
must succeed, every count must be one that was published or the dip of a carry, and the last rows counted must be right.
"""

import sys
import time

import numpy as np

K = np.uint64(0x9E3779B97F4A7C15)


def rows(first, stop):
    n = np.arange(first + 1, stop + 1, dtype="u8")
    return np.stack([n, n * K, ~(n - np.uint64(1))], axis=1)


def follow(path, start, end, fortran):
    loads = dips = 0
    seen = start
    deadline = time.monotonic() + 30
    while seen < end:
        a = np.load(path, mmap_mode="r")
        loads += 1
        assert a.dtype == np.dtype("u8"), a.dtype
        if fortran:
            assert a.flags.f_contiguous
            a = a.T
        n = len(a)
        assert a.shape == (n, 3), a.shape
        if n < seen:
            # While a count is carried, NumPy sees one that is too low: the high word alone, times ten million.
            high = n // 10**7
            assert n == high * 10**7 and seen // 10**8 <= high <= end // 10**8 or n == 0, (n, seen, end)
            dips += 1
        else:
            assert n <= end, (n, end)
            first = max(start, n - 50)
            assert (a[first:n] == rows(first, n)).all(), (path, first, n)
            seen = n
        assert time.monotonic() < deadline, ("the count stands at", seen, "of", end)
    return loads, dips


for line in sys.stdin:
    path, start, end = line.rsplit(" ", 2)
    print(*follow(path, int(start), int(end), sys.argv[1] == "true"), flush=True)
