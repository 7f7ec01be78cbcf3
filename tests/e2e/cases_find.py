# SPDX-License-Identifier: GPL-2.0
"""Finding what to trace: ps, -p with a name, and search. None of them needs the module."""

from lib import case, check, of_kind, parse, same


def programs(t):
    """The rows of ps, by process id."""
    return {e["pid"]: e for e in of_kind(parse("\n".join(t.goprobectl("ps", "-o", "json").finish())), "process")}


@case("ps lists the Go programs that run, with their releases and debug information")
def listed(t):
    before = programs(t)
    target = t.target("counter", "-hold", 0)
    row = programs(t)[target.pid]
    check(target.pid not in before, "it was listed before it ran")
    same(row["executable"], t.binary("counter"), "its executable")
    same(row["typed"], True, "it has debug information")
    check(row["go_version"].startswith("go1.") and "counter" in row["path"], "its build: %s", row)
    text = [line for line in t.goprobectl("ps").finish() if line.split()[0] == str(target.pid)]
    check(len(text) == 1 and "typed" in text[0], "as text: %s", text)
    target.kill()
    check(target.pid not in programs(t), "it is listed although it has ended")


@case("-p takes the name of a program that one process runs")
def by_name(t):
    t.target("counter", "-hold", 0)
    lines = t.goprobectl("list", "-p", "counter", "main.doWork").finish()
    check("main.doWork" in lines[-1], "list -p NAME: %s", lines)
    lines = t.goprobectl("search", "-p", "counter", "DOWORK").finish()
    check("main.doWork" in lines[1], "search -p NAME: %s", lines)
    other = t.target("counter", "-hold", 0)
    p = t.goprobectl("list", "-p", "counter", "main.doWork")
    p.finish(2)
    check("2 processes run a file called 'counter'" in p.stderr() and str(other.pid) in p.stderr(), "it said: %s", p.stderr())
