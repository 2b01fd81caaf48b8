"""Runs a command in a terminal and prints its exit code and what the terminal would show.

usage: terminal.py COMMAND ARGUMENT...     prints {"code", "shown"}
"""

import json
import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
with subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=theirs) as child:
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how Linux tells that nobody writes any more
            break
        if not part:
            break
        shown += part
print(json.dumps({"code": child.returncode, "shown": shown.decode(errors="replace").replace("\r\n", "\n")}))
