# SPDX-License-Identifier: GPL-2.0
"""Text on a terminal, by a pseudo-terminal, and the same lines elsewhere."""

import fcntl
import os
import pty
import re
import struct
import termios

from cases_record import record
from cases_trace import names, untraced
from lib import case, check, parse, same

COLUMNS = 70
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(t, *args):
    """The lines of goprobectl on a terminal of COLUMNS."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    process = t.goprobectl(*args, stdout=slave, env={**env, "TERM": "xterm"})
    os.close(slave)
    got = b""
    while True:
        try:
            data = os.read(master, 1 << 16)
        except OSError:             # the last one who had it open has closed it
            data = b""
        if not data:
            break
        got += data
    os.close(master)
    same(process.wait(), 0, "exit status")
    return got.decode().replace("\r\n", "\n").splitlines()


@case("screen: on a terminal lines fit it, in colour, with other times; elsewhere and in JSON they are whole")
def terminal(t):
    functions = {e["func"] for e in parse("\n".join(untraced(t, "types")))}
    recorder, path = record(t, names(functions), "--", t.binary("types"))
    recorder.finish()
    whole = t.goprobectl("replay", path).finish()
    check(not any("\x1b" in line or "…" in line for line in whole), "a pipe has colours, or shortened lines")
    check(any(len(line) > COLUMNS for line in whole), "no line is too long")

    shown = on_terminal(t, "replay", path)
    check(any("\x1b[1m" in line for line in shown), "no colours: %s", shown[:3])
    plain = [STYLE.sub("", line) for line in shown]
    same(len(plain), len(whole), "lines")
    for line, want in zip(plain, whole):
        check(len(line) <= COLUMNS, "a line has %d columns: %s", len(line), line)
        head = os.path.commonprefix((line, want))
        # Less is shown, and in a line that fits only where its duration stands.
        check("…" in line if len(want.rstrip()) > 94 else head.startswith(want[:26]), "'%s' of '%s'", line, want)
    same(on_terminal(t, "replay", "--wide", "--color=never", path), whole, "whole lines on a terminal")
    same(on_terminal(t, "replay", "-o", "json", path), t.goprobectl("replay", "-o", "json", path).finish(), "JSON on a terminal")

    lines = t.goprobectl("replay", "--time", "relative", path).finish()
    times = [float(line.split()[0]) for line in lines[1:]]
    check(times and times[0] == 0 and max(times) < 600, "seconds since the first line: %s", times)
    iso = t.goprobectl("replay", "--time=iso", "--color", "always", path).finish()
    check(all(re.match(r"\x1b\[2m\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d ", line) for line in iso[1:]), "ISO times: %s", iso[:3])
    wrong = t.goprobectl("replay", "--time", "noon", path)
    wrong.finish(status=2)
    check("'noon' is no value for --time" in wrong.stderr(), "it said: %s", wrong.stderr())
