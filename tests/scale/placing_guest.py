#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Speed of placing breakpoints in a busy program, inside the machine that tests/vm/run boots: see tests/scale/placing.

    placing_guest.py RATE PATTERN COMMAND...
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

FALLS = 2       # times the first tenth: the longest that the last tenth may take
BUSY = 10       # times the stopped program: the longest that any tenth may take
SHARE = 0.3     # of all processors, that is left to the program
SECONDS = 2


def used(pid):
    """Seconds of processor time."""
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_busy(pid):
    """Until it takes half of all processors."""
    for _ in range(60):
        before = used(pid)
        time.sleep(1)
        if used(pid) - before > 0.5 * os.cpu_count():
            return
    sys.exit("placing: the program is not busy")


def rates(rate, pid, pattern):
    """Points in a second, of each tenth, and the share of all processors that the process has meanwhile."""
    said = subprocess.run([rate, str(pid), pattern], stdout=subprocess.PIPE, text=True, check=True).stdout
    share = int(re.search(r"^(\d+) % of a processor", said, re.M)[1]) / 100 / os.cpu_count()
    return [int(n) for n in re.findall(r": (\d+) points in a second", said)], share


def counted(pid, pattern):
    """For how many seconds calls are counted, of SECONDS that are asked for."""
    said = subprocess.run(["goprobectl", "count", "-p", str(pid), "-o", "json", "--max-load", "off", "--duration", "%ds" % SECONDS, pattern],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(said.splitlines()[-1])["seconds"]


def main():
    rate, pattern, *command = sys.argv[1:]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        wait_until_busy(program.pid)
        program.send_signal(signal.SIGSTOP)
        idle, _ = rates(rate, program.pid, pattern)
        program.send_signal(signal.SIGCONT)
        wait_until_busy(program.pid)
        busy, share = rates(rate, program.pid, pattern)
        seconds = counted(program.pid, pattern)
        alive = program.poll() is None
        program.kill()
    print("points in a second, of each tenth, while the program is stopped: %s" % " ".join(map(str, idle)))
    print("                                             while it is busy: %s" % " ".join(map(str, busy)))
    print("the program has %.0f %% of all processors meanwhile" % (100 * share))
    print("calls are counted for %s s" % seconds)
    passed = failed = 0
    for holds, claim in ((busy[-1] * FALLS >= busy[0], "the last tenth is placed half as fast as the first, or faster"),
                         (min(busy) * BUSY >= min(idle), "none takes more than %d times as long as in a program that is stopped" % BUSY),
                         (share >= SHARE, "the program has %.0f %% of all processors, or more" % (100 * SHARE)),
                         (SECONDS <= seconds < SECONDS + 1, "--duration bounds the time in which calls are counted"),
                         (alive, "the program goes on")):
        print("%s %s" % ("ok" if holds else "not ok", claim))
        passed += holds
        failed += not holds
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
