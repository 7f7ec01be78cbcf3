#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The part of bench/sharing that runs inside the guest: trace, call from several processors, end, repeat.

usage: sharing_guest.py OUT CALLS ROW...     OUT/rounds gets a line of JSON for each round: the row, its title, and where the
                                             module's code is in the program
       sharing_guest.py --list
"""

import json
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from crowd import ROWS, WARM, Crowd, Tracer, is_jump     # noqa: E402
from guest import say, write                            # noqa: E402

THREADS = 4                 # and a processor for all others
LONG = 200                  # times as many calls where none takes a trap: or one thread makes all of its calls in its turn
# In this row the program's threads share a line, in the others they do not.
CONTROL = "control"


def generated_code(pid):
    """Where the module's own code is in the program."""
    with open("/proc/%d/maps" % pid, encoding="utf-8") as f:
        return [[int(n, 16) for n in line.split()[0].split("-")] for line in f if "/goprobe (deleted)" in line]


def measure(row, crowd, calls, out):
    command = ROWS.get(row, "")
    tracer = Tracer(command, crowd.pid) if command else None
    calls *= LONG if not command or is_jump(command) else 1
    with open(os.path.join(out, "rounds"), "a", encoding="ascii") as f:
        f.write(json.dumps({"row": row, "title": command or "nothing", "generated": generated_code(crowd.pid)}) + "\n")
    crowd.call(THREADS, calls, row == CONTROL)
    if tracer:
        tracer.end(THREADS * (calls + 2 * WARM))


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join([CONTROL, *ROWS]))
        return 0
    out, calls, rows = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    with open("/proc/kallsyms", encoding="ascii") as f:
        write(os.path.join(out, "kallsyms"), f.read())
    shutil.copy(os.path.join(out, "crowd"), "/tmp/crowd")
    crowd = Crowd("/tmp/crowd")
    os.sched_setaffinity(0, {THREADS})
    # From here on the module knows whether it may carry out instructions.
    subprocess.run(["goprobectl", "info"], stdout=subprocess.DEVNULL, check=True)
    for row in rows:
        began = time.monotonic()
        measure(row, crowd, calls, out)
        say("%s: %.0f s" % (row, time.monotonic() - began))
    return crowd.end()


if __name__ == "__main__":
    sys.exit(main())
