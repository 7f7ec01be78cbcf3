# SPDX-License-Identifier: GPL-2.0
"""The debuggers that Go programmers use, at the same time: they stop a program that is traced, set breakpoints of their own,
step, and let it go; meanwhile others attach to it. Every call is counted, and the program's results are its own.

Breakpoints of a debugger and of the kernel at one instruction are another matter: neither knows of the other (docs/security.md).
"""

import os
import re
import subprocess
import sys

from cases_count import started
from lib import DEADLINE, GOPROBECTL, case, check, nothing_probed, of_kind, parse, same

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(TREE, "tests/delve"))

from delve import Delve             # noqa: E402

VISITS, STEPS = 2, 40


def visited(t, visit):
    """Count and time what `load` calls while visit(target) is there, again and again."""
    target = t.target("load", "-goroutines", 3, "-pause", "2ms", "-hold")
    count = started(t, "count", "-p", target.pid, "-o", "json", "main.handle", "main.inner")
    latency = started(t, "latency", "-p", target.pid, "-o", "json", "main.handle")
    target.send()
    for _ in range(VISITS):
        visit(target)
        target.send()
        check(re.match(r"calls handle=[1-9]", target.line() or ""), "the program does not go on: %s", target.stderr())
    target.popen.stdin.close()
    said = target.drain()
    same(target.wait(), 0, "how the program ended")
    found = re.match(r"calls handle=(\d+) inner=(\d+)$", said[-1])
    check(found, "the program said: %s", said)
    handle, inner = map(int, found.groups())
    counts = of_kind(parse("\n".join(count.finish())), "count")
    same({e["func"]: e["calls"] for e in counts}, {"main.handle": handle, "main.inner": inner}, "calls")
    timed = of_kind(parse("\n".join(latency.finish())), "latency")[0]
    same((timed["calls"], timed["returned"], timed["open"]), (handle, handle, 0), "calls that were timed, that returned, and are open")
    check(nothing_probed(), "something is still probed")


def brief(target):
    """Somebody attaches and lets go, while the program stands still."""
    return [GOPROBECTL, "count", "-p", str(target.pid), "--duration", "50ms", "--max-load", "off", "-o", "json", "main.*"]


@case("storm: gdb stops a traced program at breakpoints of its own, steps, and lets it go", slow=True)
def gdb(t):
    script = os.path.join(t.tmp, "gdb-commands")

    def visit(target):
        with open(script, "w", encoding="ascii") as f:
            f.write("\n".join([
                "set pagination off", "set confirm off", "handle SIGURG nostop noprint pass", "attach %d" % target.pid,
                "break time.Sleep", "ignore 1 3", "continue", "shell %s" % " ".join(brief(target)), "stepi %d" % STEPS,
                "continue", "info breakpoints", "delete", "detach", ""]))
        p = subprocess.run(["gdb", "-nx", "-batch", "-x", script, t.binary("load")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=DEADLINE, check=False)
        said = p.stdout.decode(errors="replace")
        hits = re.search(r"breakpoint already hit (\d+) times", said)
        check(hits and int(hits.group(1)) >= 5, "gdb did not get there: %s", said)
        check('{"kind":"summary"' in said, "goprobectl said, while gdb held it: %s", said)
    visited(t, visit)


def dlv():
    # Debian's newest, for programs of whatever Go: it reads their frames and variables well enough for this.
    return subprocess.run([os.path.join(TREE, "tests/delve/dlv"), "1.24"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()


@case("storm: Delve stops a traced program at breakpoints of its own, steps, and lets it go")
def delve(t):
    path = dlv()

    def visit(target):
        debugger = Delve(path, target.pid)
        try:
            at = debugger.entries("time.Sleep")[0][0]
            stop = debugger.stop_at(at)
            same([debugger.go_on() for _ in range(3)], [at] * 3, "where Delve stops")
            p = subprocess.run(brief(target), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            same(p.returncode, 0, "how goprobectl ended while Delve held the program: %s" % p.stderr.decode())
            for _ in range(STEPS):
                debugger.step()
            debugger.go_past(stop)
        finally:
            debugger.close()
    visited(t, visit)
