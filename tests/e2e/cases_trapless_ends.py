# SPDX-License-Identifier: GPL-2.0
"""Ends of sessions that count without a trap: what threads, other sessions and the machine notice (tests/targets/lingers)."""

import os
import signal

from cases_trapless import allowed, armed, counted, is_clean
from lib import Skip, case, check


def lingers(t, mode):
    if not os.path.exists(os.path.join(t.targets, "lingers")):
        raise Skip("lingers was not built with this toolchain")
    return t.target("lingers", mode, env=dict(os.environ, GODEBUG="asyncpreemptoff=1", GOGC="off"))


def ask(target, command, want):
    target.send(command)
    line = target.line()
    check(line and line.startswith(want), "%s: the program says %s", command, line)
    return int(line.split()[1]) if " " in line else None


@case("trapless: a child that has its parent's jumps is refused, and stays as it is")
def copy(t):
    with allowed():
        target = lingers(t, "alternate")
        process, _ = armed(t, target, "main.step")
        child = ask(target, "child", "child")
        try:
            refused = t.goprobectl("count", "-p", child, "main.step")
            refused.finish(1)
            check("has other code there than its file" in refused.stderr(), "it said: %s", refused.stderr())
            process.signal(signal.SIGINT)
            check(counted(process)[0]["main.step"] > 0, "the session of the parent counts nothing")
            is_clean(target)
        finally:
            os.kill(child, signal.SIGKILL)
        target.kill()
