"""Runs a command for which a system call fails, or is its death.

    python forbid.py CALL OUTCOME [ARGUMENT VALUE] -- COMMAND...

CALL is fdatasync, fallocate or pwrite64; OUTCOME is `kill`, or the number of an error. With ARGUMENT (from 0), only
calls in which it is VALUE. The filter is seccomp's: Linux, x86-64 and aarch64.
"""

import ctypes
import os
import platform
import struct
import sys

CALLS = {
    "x86_64": (0xC000003E, {"fdatasync": 75, "fallocate": 285, "pwrite64": 18}),
    "aarch64": (0xC00000B7, {"fdatasync": 83, "fallocate": 47, "pwrite64": 68}),
}

# linux/bpf_common.h and linux/seccomp.h.
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
# Where a filter finds the number of the call, the architecture, and the low half of an argument.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


def program(conditions, outcome):
    """Instructions that lead to the outcome if every word is as it should be, and else let the call through."""
    lines = []
    for offset, value in conditions:
        lines.append((LOAD, 0, 0, offset))
        lines.append((JUMP_IF_EQUAL, 0, None, value))
    lines += [(RETURN, 0, 0, outcome), (RETURN, 0, 0, ALLOW)]
    last = len(lines) - 1
    jumps = [last - at - 1 if no is None else no for at, (_, _, no, _) in enumerate(lines)]
    return [struct.pack("=HBBI", code, yes, no, value) for (code, yes, _, value), no in zip(lines, jumps)]


def main():
    split = sys.argv.index("--")
    (call, outcome, *condition), command = sys.argv[1:split], sys.argv[split + 1 :]
    architecture, numbers = CALLS[platform.machine()]
    conditions = [(ARCHITECTURE, architecture), (NUMBER, numbers[call])]
    if condition:
        argument, value = map(int, condition)
        conditions.append((ARGUMENTS + 8 * argument, value))
    lines = program(conditions, KILL if outcome == "kill" else ERRNO | int(outcome))

    code = ctypes.create_string_buffer(b"".join(lines))
    filter = ctypes.create_string_buffer(struct.pack("@HP", len(lines), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for arguments in [
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_void_p(ctypes.addressof(filter)), 0, 0),
    ]:
        if prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    os.execv(command[0], command)


main()
