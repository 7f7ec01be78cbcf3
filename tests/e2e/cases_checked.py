# SPDX-License-Identifier: GPL-2.0
"""Programs that compare their own code with a checksum: tests/targets/checked with Go's FIPS 140 module on."""

import json
import os
import re
import signal

from cases_count import started
from lib import Skip, case, check, loaded_with, of_kind, parse, same

ON = {**os.environ, "GODEBUG": "fips140=on"}
REASON = "code that the program checks at its start, for FIPS 140"
CALLS = 50


def programs(t):
    """checked in all its forms."""
    if int(re.match(r"go1\.(\d+)", t.label).group(1)) < 24:
        raise Skip("Go checks its code since 1.24")
    base = t.targets.rstrip("/").removesuffix("-pie")
    for form in "", "-pie", "-stripped", "-pie-stripped":
        path = os.path.join(base + form, "checked")
        if os.path.exists(path):
            yield t.copy(path, "checked" + form)


def seen(lines):
    """The calls of main.sum in JSON that may have the program's own output in it, and that output."""
    said = [json.loads(line) for line in lines if line.startswith('{"enabled"')]
    counts = of_kind(parse("\n".join(line for line in lines if not line.startswith('{"enabled"'))), "count")
    return {e["func"]: e["calls"] for e in counts}.get("main.sum", 0), said


def lives(t, process, path):
    """The program runs under a session of all processes, and main.sum is counted."""
    same(json.loads(t.run(path, CALLS, env=ON).finish()[0]), {"enabled": True, "calls": CALLS}, "what it says")
    process.signal(signal.SIGINT)
    same(seen(process.finish())[0], CALLS, "calls of main.sum")


@case("checked: a program that checks its code at its start runs under a session that waits for it")
def waited_for(t):
    for path in programs(t):
        for patterns in ("/./",), ("crypto/*", "main.sum"):
            process = started(t, "count", "-o", "json", "-b", path, *patterns)
            check(REASON in process.stderr(), "it does not say what is left out: %s", process.stderr())
            lives(t, process, path)


@case("checked: a program that checks its code at its start can be started by a trace")
def command(t):
    for path in programs(t):
        for patterns in ("/./",), ("/fips140/", "main.sum"):
            calls, said = seen(t.goprobectl("count", "-o", "json", *patterns, "--", path, CALLS, env=ON).finish())
            same((calls, said), (CALLS, [{"enabled": True, "calls": CALLS}]), "calls of main.sum, and what the program says")


@case("checked: a traced process may execute its file, which checks its code, again")
def again(t):
    for path in programs(t):
        target = t.run(path, "-hold", "-again", CALLS, env=ON)
        check(target.line().startswith("ready "), "it does not begin")
        process = started(t, "count", "-o", "json", "-p", target.pid, "/fips140|sha256|^main/")
        target.send()
        same(json.loads(target.finish()[0]), {"enabled": True, "calls": CALLS}, "what it says")
        same(seen(process.finish())[0], CALLS, "calls of main.sum")


@case("checked: jumps stay out of what a program checks")
def jumps(t):
    with loaded_with("allow_jumps=1"):
        for path in programs(t):
            lines = t.goprobectl("count", "-o", "json", "--trapless", "always", "/fips140|sha256|^main/", "--", path, CALLS, env=ON).finish()
            same(seen(lines), (CALLS, [{"enabled": True, "calls": CALLS}]), "calls of main.sum, and what the program says")


@case("checked: functions, lines, addresses and inlined copies in code that a program checks are refused with the reason")
def refused(t):
    for path in programs(t):
        block = "crypto/internal/fips140/sha256.(*Digest).Write"
        listed = of_kind(parse("\n".join(t.goprobectl("list", "-o", "json", "-b", path, block).finish())), "function")
        same([e.get("refused") for e in listed], [REASON], "why it is refused")
        for place in (block, block + "+0", "fips140/sha256/sha256.go:180"):
            process = t.goprobectl("count", "-b", path, place)
            process.finish(1)
            check(REASON in process.stderr(), "%s: %s", place, process.stderr())
        process = started(t, "count", "-o", "json", "--inlined", "-b", path, "/fips140|sha256|^main/")
        lives(t, process, path)
