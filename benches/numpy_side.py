"""NumPy's side of the benchmarks.

    numpy_side.py              prints NumPy's version
    numpy_side.py CASE PATH    says that it is ready, if it has what the case takes; then waits for a line, runs a lap of
                               the case, answers with nanoseconds; and again
"""

import os
import sys
import time

import numpy as np

BATCH = 250_000  # nanoseconds that a lap of a quick operation takes at least
ROWS = 200  # rows that are visited in one lap


def repeated(operation):
    """A lap of many calls, as many as fill a batch. What the last one makes goes off the clock."""
    count = 1

    def lap():
        nonlocal count
        while True:
            start = time.thread_time_ns()
            for _ in range(count):
                made = operation()
            elapsed = time.thread_time_ns() - start
            del made
            if elapsed >= BATCH:
                return elapsed / count
            count *= 2

    return lap


def visiting(visit_all, array):
    """A lap of rows in random order; the next lap goes on where this one ends."""
    order = np.random.default_rng(1).permutation(len(array)).tolist()
    first = 0

    def lap():
        nonlocal first
        if first + ROWS > len(order):
            first = 0
        rows = order[first : first + ROWS]
        first += ROWS
        start = time.thread_time_ns()
        visit_all(array, rows)
        return (time.thread_time_ns() - start) / ROWS

    return lap


def view_rows(array, rows):
    for i in rows:
        array[i]


def sum_rows(array, rows):
    for i in rows:
        array[i].sum()


def copy_rows(array, rows):
    out = np.empty(array.shape[1], array.dtype)
    for i in rows:
        out[:] = array[i]


def memmap(path):
    return np.load(path, mmap_mode="r")


def touched(path):
    """A memmap whose pages are all there."""
    array = memmap(path)
    array.reshape(-1)[::1024].sum()
    return array


def load(path):
    return repeated(lambda: np.load(path))


def astype(path):
    array = memmap(path)
    return repeated(lambda: array.astype("=f8"))


def field_sum(path):
    array = touched_records(path)
    return repeated(lambda: array["g"].sum())


def field_copy(path):
    array = touched_records(path)
    return repeated(lambda: array["g"].copy())


def touched_records(path):
    """A memmap of records whose pages are all there."""
    array = memmap(path)
    array["a"].sum()
    return array


def save(folder):
    array = np.arange(128 << 20, dtype="f8")
    path = os.path.join(folder, "x.npy")

    def lap():
        start = time.thread_time_ns()
        np.save(path, array)
        elapsed = time.thread_time_ns() - start
        os.remove(path)
        return elapsed

    return lap


def append(folder):
    """npy-append-array, which isn't NumPy's."""
    from npy_append_array import NpyAppendArray

    path = os.path.join(folder, "log.npy")
    row = np.arange(64, dtype="u8").reshape(1, 64)
    rows = 2000

    def lap():
        start = time.thread_time_ns()
        with NpyAppendArray(path, delete_if_exists=True) as log:
            for _ in range(rows):
                log.append(row)
        return (time.thread_time_ns() - start) / rows

    return lap


def gather_warm(path):
    array = touched(path)
    random = np.random.default_rng(1)
    count = 1000
    out = np.empty((count, array.shape[1]), array.dtype)

    def lap():
        rows = random.integers(0, len(array), count)
        start = time.thread_time_ns()
        np.take(array, rows, 0, out, mode="clip")
        return (time.thread_time_ns() - start) / count

    return lap


def gather_cold(path):
    random = np.random.default_rng(1)
    array = memmap(path)
    length, count = len(array), 20_000 if array.strides[0] <= 4096 else 4_000
    del array

    def lap():
        rows = random.integers(0, length, count)
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        start = time.perf_counter_ns()
        made = memmap(path)[rows]
        elapsed = time.perf_counter_ns() - start
        del made
        return elapsed / count

    return lap


CASES = {
    "gather_warm": gather_warm,
    "gather_cold": gather_cold,
    "save": save,
    "append": append,
    "open": lambda path: repeated(lambda: memmap(path)),
    "sum": lambda path: repeated(touched(path).sum),
    "row": lambda path: visiting(view_rows, touched(path)),
    "row_sum": lambda path: visiting(sum_rows, touched(path)),
    "row_copy": lambda path: visiting(copy_rows, touched(path)),
    "row_of_ndarray": lambda path: visiting(view_rows, np.asarray(touched(path))),
    "astype": astype,
    "field_sum": field_sum,
    "field_copy": field_copy,
    "load": load,
}


def main():
    if len(sys.argv) == 1:
        print(np.__version__)
        return
    _, case, path = sys.argv
    try:
        lap = CASES[case](path)
    except ImportError as error:
        sys.exit(f"{case}: {error}")
    print("ready", flush=True)
    for _ in sys.stdin:
        print(lap(), flush=True)


main()
