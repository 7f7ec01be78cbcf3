# SPDX-License-Identifier: GPL-2.0
"""goprobectl top in a real terminal emulator: tmux."""

import contextlib
import os
import re
import signal
import subprocess

from cases_cond import conds, run
from lib import GOPROBECTL, case, check, module_users, nothing_probed, same, wait_for


class Tmux:
    """A shell in a terminal of its own."""

    def __init__(self, t, columns=100, lines=16):
        self.socket = os.path.join(t.tmp, "tmux")
        self.tmp = t.tmp
        self.size = (columns, lines)
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TMUX")}
        self.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", lines, "sh", env={**env, "PS1": "$ "})

    def tmux(self, *args, **kwargs):
        return subprocess.run(["tmux", "-S", self.socket, *map(str, args)], check=True, stdout=subprocess.PIPE, **kwargs).stdout.decode()

    def lines(self):
        return self.tmux("capture-pane", "-p").rstrip("\n").split("\n")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def command(self, text):
        self.tmux("send-keys", "-l", text)
        self.keys("Enter")

    def shows(self, pattern):
        """Wait until the screen matches; the match."""
        found = []

        def look():
            match = re.search(pattern, "\n".join(self.lines()), re.M | re.S)
            found.extend([match] if match else [])
            return match

        try:
            wait_for("/%s/ on the screen" % pattern, look)
        except Exception:
            check(False, "/%s/ does not match the screen:\n%s", pattern, "\n".join(self.lines()))
        return found[0]

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", columns, "-y", lines)

    def settings(self):
        """What the terminal is set to, and whether it shows its cursor and its first screen."""
        path = os.path.join(self.tmp, "stty")
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
        self.command("stty -a >%s.new; mv %s.new %s" % (path, path, path))
        wait_for("stty", lambda: os.path.exists(path))
        with open(path) as f:
            return f.read(), self.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").strip()

    def child(self):
        """The process that the shell waits for."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        with open("/proc/%s/task/%s/children" % (shell, shell)) as f:
            return int(f.read())

    def close(self):
        self.tmux("kill-server")


@contextlib.contextmanager
def terminal(t):
    screen = Tmux(t)
    try:
        yield screen
    finally:
        screen.close()


def top(screen, target, *args, patterns="main.doWork time.Sleep", prefix=""):
    screen.command(prefix + "%s top -p %d %s %s; echo status=$?" % (GOPROBECTL, target.pid, " ".join(args or ("--max-load", "off")), patterns))


def row(screen, name):
    """The numbers of a function's row: calls a second, P50, P99, errors, all calls."""
    return screen.shows(r"^ +(\d+) +(\S+) +(\S+) +(\d+|-) +(\d+)  .{9}  %s *$" % re.escape(name)).groups()


def ended(screen, before, status):
    screen.shows(r"^status=%d$" % status)
    same(screen.settings(), before, "the terminal afterwards")
    check(nothing_probed(), "something is still probed")


@case("top: rows appear and are sorted, a function's page has its callers and slow calls, and the terminal is as before")
def table(t):
    target = t.target("counter", "-each", "20ms", 0)
    users = module_users()
    with terminal(t) as screen:
        before = screen.settings()
        top(screen, target)
        screen.shows(r"goprobectl top: 2 functions, 2 called; every 1\.00s")
        row(screen, "main.doWork")
        calls = int(row(screen, "time.Sleep")[4])
        wait_for("more calls", lambda: int(row(screen, "time.Sleep")[4]) > calls)
        screen.shows(r"CALLS/S▼.*[▁▂▃▄▅▆▇█]")
        # Sleep takes longer, and its name is the last one.
        screen.keys("s")
        screen.shows(r"P50▼[^\n]*\n[^\n]*time\.Sleep *\n[^\n]*main\.doWork *\n")
        screen.keys("s", "s", "s", "s")
        screen.shows(r"FUNCTION▲ *\n[^\n]*main\.doWork *\n[^\n]*time\.Sleep *\n")

        screen.keys("?")
        screen.shows(r"^Enter +its callers and slow calls$")
        screen.keys("?", "p")
        screen.shows(r"; paused$")
        calls = row(screen, "time.Sleep")[4]
        screen.keys("p")
        wait_for("more calls", lambda: row(screen, "time.Sleep")[4] != calls)

        screen.resize(40, 8)
        screen.shows(r"^ *CALLS/S +P99  FUNCTION▲ *$")
        check(all(len(line) <= 40 for line in screen.lines()), "lines are too long: %s", screen.lines())
        screen.resize(30, 8)
        screen.shows(r"\Atoo small")
        screen.resize(*screen.size)
        row(screen, "time.Sleep")

        screen.keys("Down", "Enter")
        screen.shows(r"\Atime\.Sleep *\nCALLERS, counted for 3s\n.*main\.main.*^CALLS SLOWER THAN \S+s\n")
        # The line fits the terminal, so the duration is at its end.
        screen.shows(r"CALLS SLOWER THAN.*< time\.Sleep[^\n]* \d\S*ms$")
        screen.keys("Escape")
        row(screen, "time.Sleep")
        screen.keys("q")
        screen.shows(r"^\d+ calls of 2 functions in ")
        ended(screen, before, 0)
    same(module_users(), users, "users of the module")


@case("top: errors are those that the program counts, with a condition on results as well; where none are known is a dash")
def errors(t):
    target = conds(t)
    failed = [r for r in run(target)["conditions"] if r["spec"] == "main.step if failed != nil"][0]["calls"]
    check(failed > 10, "only %d calls of main.step fail", failed)
    with terminal(t) as screen:
        before = screen.settings()
        for condition, shown in (("", failed), (" if failed == nil", 0), (" if failed != nil", failed), (" if i >= 0", "-")):
            top(screen, target, patterns="'main.step%s' main.deep" % condition)
            screen.shows(r"goprobectl top: 2 functions, 0 called")
            run(target)
            wait_for("%s errors" % shown, lambda: row(screen, "main.step")[3] == str(shown))
            same(row(screen, "main.deep")[3], "-", "errors of a function that returns none")
            screen.keys("q")
            ended(screen, before, 0)
            screen.command("clear")


@case("top: it gives the terminal back after a signal, the program's exit, its own children, and the breaker",
      slow=True)
def ends(t):
    target = t.target("counter", "-each", "20ms", 0)
    with terminal(t) as screen:
        before = screen.settings()
        top(screen, target)
        row(screen, "time.Sleep")
        screen.keys("C-c")
        ended(screen, before, 0)

        screen.command("clear")
        top(screen, target)
        row(screen, "time.Sleep")
        screen.keys("Enter")
        screen.shows(r"CALLERS, counted for 3s")
        os.kill(screen.child(), signal.SIGTERM)
        ended(screen, before, 0)

        screen.command("clear")
        top(screen, target)
        row(screen, "time.Sleep")
        target.kill()
        screen.shows(r"^process %d \(counter\) has ended" % target.pid)
        ended(screen, before, 0)

        screen.command("clear")
        top(screen, t.target("counter", 0), "--max-load", "1", patterns="main.doWork")
        screen.shows(r"ended by --max-load")
        ended(screen, before, 4)


@case("top: it is in colour unless --color or NO_COLOR says otherwise, and the selected row can be seen in any case")
def colours(t):
    target = t.target("counter", "-each", "20ms", 0)
    with terminal(t) as screen:
        for prefix, option, wanted in (("", "auto", True), ("NO_COLOR=1 ", "auto", False), ("NO_COLOR=1 ", "always", True),
                                       ("", "never", False)):
            screen.command("clear")
            top(screen, target, "--max-load off --color", option, prefix=prefix)
            row(screen, "time.Sleep")
            shown = screen.tmux("capture-pane", "-p", "-e")
            codes = {int(n) for code in re.findall(r"\x1b\[([\d;]+)m", shown) for n in code.split(";")}
            same(36 in codes, wanted, "%s--color %s is cyan: %s" % (prefix, option, sorted(codes)))
            check({1, 7} <= codes, "no bold head, or no reversed row: %s", sorted(codes))
            screen.keys("q")
            screen.shows(r"^status=0$")


@case("top: where the terminal is of no known kind it names the command that needs none")
def unknown_terminal(t):
    target = t.target("counter", "-each", "20ms", 0)
    with terminal(t) as screen:
        before = screen.settings()
        screen.command("export TERM=no-such-terminal")
        top(screen, target)
        screen.shows(r"ncurses does not know the terminal.*latency -i 1s.*^status=1$")
        same(screen.settings(), before, "the terminal afterwards")
