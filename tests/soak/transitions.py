#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Jumps that are made and removed, of all functions of programs at work, inside the machine that tests/vm/run boots.

    transitions.py ROUNDS TARGETS OUT GOROOT ONLY

Each program first works without goprobe, then with: all functions outside the runtime are counted, timed, recorded or counted by
goroutine, in turns, that can be without a trap.
A change is one place that becomes a jump, or no jump any more. See tests/soak/transitions.
"""

import collections
import contextlib
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.dont_write_bytecode = True

import genl                         # noqa: E402
import lib                          # noqa: E402
from cases_trapless import count_through_changes, points      # noqa: E402
from cases_trapless_keys import count_keys_through_changes    # noqa: E402
from cases_trapless_records import numbers, record_through_changes      # noqa: E402
from cases_trapless_times import time_through_changes         # noqa: E402
from cases_count import summary_of  # noqa: E402
from lib import check, nothing_probed, parse, same, wait_for      # noqa: E402

# A regular expression has no other way to leave the runtime out.
ALL = "/^([^r]|r[^u]|ru[^n]|run[^t]|runt[^i]|runti[^m]|runtim[^e])/"
PACKAGES = ("sort", "strconv", "encoding/json")
SECONDS = 15            # that tests take without probes, about
LIMIT = 3000            # seconds that a program may take
STILL = 2               # seconds without a new jump; the module looks at least once a second (GP_TRAPLESS_CARE_MS)
MOST = 60               # seconds that a session makes jumps: under an emulated processor all of 18,000 places take minutes
CHANGES = 1000          # of each program, at least
RUNS = 10               # in which it has as many
ROUNDS = 100            # of a program of few functions
RECORDED = 30           # of one whose calls are recorded: Python has all records in memory
# Commands that take turns, and what they say when they have begun. Records have numbers and addresses only, which a jump can leave.
COMMANDS = ((("count", "-o", "json"), "counting"), (("latency", "-o", "json"), "timing"),
            (("attach", "--record", "/dev/null", "--depth", "0"), "tracing"), (("count", "-o", "json", "--by", "goid"), "counting"))
PASS = re.compile(r"^\s*--- (?:PASS|FAIL|SKIP): \S+", re.M)


def summary_of_attach(text):
    """What count's summary has as well."""
    def number(what):
        found = re.search(r"(\d+) " + what, text)
        return int(found.group(1)) if found else 0
    without = number("hits? without a trap")
    return {"without_trap": without, "with_trap": number("events?") - without, "jumps_lost": number("jumps? disappeared")}


class Campaign:
    def __init__(self, rounds, targets, out, goroot, only):
        self.rounds, self.targets, self.out, self.goroot, self.only = rounds, targets, out, goroot, only
        self.sessions = self.changes = self.without = self.trapped = 0
        self.passed = self.failed = self.skipped = 0

    def visit(self, t, popen):
        """One session, from its breakpoints over jumps back to nothing, while the program works. True if it made jumps."""
        # To read the symbols takes longer than some programs do.
        with contextlib.suppress(ProcessLookupError):
            os.kill(popen.pid, signal.SIGSTOP)
        (command, *options), working = COMMANDS[self.sessions % len(COMMANDS)]
        process = t.goprobectl(command, *options, "-p", popen.pid, "--max-load", "off", "--trapless", "always", ALL)
        wait_for(working, lambda: process.ended() or working in process.stderr())
        with contextlib.suppress(ProcessLookupError):
            os.kill(popen.pid, signal.SIGCONT)
        jumps, began = 0, time.monotonic()
        since = began

        def settled():
            nonlocal jumps, since
            now = sum(p.trap == genl.GOPROBE_TRAP_NONE for p in points(popen.pid).values())
            if now > jumps:
                jumps, since = now, time.monotonic()
            return process.ended() or popen.poll() is not None or jumps and time.monotonic() > min(since + STILL, began + MOST)
        wait_for("breakpoints becoming jumps", settled)
        process.signal(signal.SIGINT)
        lines = process.drain()
        process.wait()
        wait_for("the session's end", nothing_probed)
        said = process.stderr()
        check(jumps or popen.poll() is not None, "no jump was made: %s", said)
        process.kill()          # closes its streams
        if not jumps:
            return False
        summary = summary_of_attach(said) if command == "attach" else summary_of(parse("\n".join(lines)))
        same(summary["jumps_lost"], 0, "jumps that are lost")
        self.sessions += 1
        self.changes += 2 * jumps
        self.without += summary["without_trap"]
        self.trapped += summary["with_trap"]
        return True

    def visited(self, t, popen, find):
        """Sessions, one after the other, while the program works. @find: the process that is looked at, or None."""
        n = 0
        while n < self.rounds and popen.poll() is None:
            process = find(popen)
            if process:
                n += self.visit(t, process)
            else:
                time.sleep(0.02)

    def enough(self, run):
        """Runs with sessions, until there were enough changes: a program may end before its breakpoints are jumps."""
        before = self.changes
        for _ in range(RUNS):
            run()
            if self.changes - before >= CHANGES:
                return
        raise lib.Failure("%d changes in %d runs, expected %d" % (self.changes - before, RUNS, CHANGES))

    def torture(self, work):
        """@work: jumps become breakpoints and jumps again, while a program works. It says how often, and the summary."""
        def run():
            again, summary = work()
            self.sessions += 1
            self.changes += 2 * again
            self.without += summary["without_trap"]
            self.trapped += summary["with_trap"]
        self.enough(run)

    def calls(self, t, through_changes, rounds):
        target = numbers(t)
        self.torture(lambda: through_changes(t, target, rounds))
        target.finish()

    def tests(self, t, package):
        """The verdicts of all tests, which are repeated for so long that sessions can begin and end meanwhile."""
        program = t.binary(os.path.join(self.out, package.replace("/", "-") + ".test"))
        command = [program, "-test.short", "-test.v"]
        cwd = os.path.join(self.goroot, "src", package)

        def verdicts(visit):
            began = time.monotonic()
            with open(os.path.join(t.tmp, "said"), "w+", encoding="utf-8", errors="replace") as said:
                popen = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
                visit(popen)
                status = popen.wait(LIMIT)
                said.seek(0)
                return collections.Counter(PASS.findall(said.read()), status=status), time.monotonic() - began
        _, took = verdicts(lambda popen: 0)
        command.append("-test.count=%d" % (1 + SECONDS / took))
        want, _ = verdicts(lambda popen: 0)
        check(len(want) > 10, "different verdicts: %d", len(want))

        def run():
            got, _ = verdicts(lambda popen: self.visited(t, popen, lambda p: p))
            same((got - want, want - got), ({}, {}), "verdicts that are there only with sessions, and only without")
        self.enough(run)

    def build(self, t):
        """The archive of a package that the compiler makes."""
        def compiler(popen):
            # Each thread has its own children.
            for path in glob.glob("/proc/%d/task/*/children" % popen.pid):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(path, encoding="ascii") as f:
                    for pid in f.read().split():
                        if os.readlink("/proc/%s/exe" % pid).endswith("/compile"):
                            return Other(int(pid))
            return None

        def archive(visit):
            cache, made = os.path.join(t.tmp, "gocache"), os.path.join(t.tmp, "made.a")
            shutil.copytree(os.path.join(self.out, "gocache"), cache)
            env = {k: v for k, v in os.environ.items() if not k.startswith("GO")}
            env.update(GOROOT=self.goroot, GOCACHE=cache, GOTOOLCHAIN="local", GOENV="off", GOPROXY="off", GOWORK="off", CGO_ENABLED="0",
                       HOME=t.tmp)
            popen = subprocess.Popen([os.path.join(self.goroot, "bin/go"), "build", "-p", "1", "-o", made, "go/types"],
                                     cwd=self.goroot + "/src", env=env, stdin=subprocess.DEVNULL)
            visit(popen)
            same(popen.wait(LIMIT), 0, "how go build ended")
            shutil.rmtree(cache)
            with open(made, "rb") as f:
                return hashlib.sha256(f.read()).hexdigest()
        want = archive(lambda popen: 0)
        self.enough(lambda: same(archive(lambda popen: self.visited(t, popen, compiler)), want, "the archive's checksum"))

    def step(self, name, work):
        if self.only not in name:
            return
        t = lib.Test(os.path.basename(self.targets), self.targets)
        began, problem = time.monotonic(), None
        before = self.sessions, self.changes, self.without, self.trapped
        try:
            work(t)
        except lib.Skip as e:
            self.skipped += 1
            print("skip %s: %s" % (name, e), flush=True)
            return
        except (lib.Failure, subprocess.TimeoutExpired) as e:
            problem = str(e)
        finally:
            t.close()
        self.passed += not problem
        self.failed += bool(problem)
        now = self.sessions, self.changes, self.without, self.trapped
        print("%s %s: %d sessions, %d changes; calls without a trap: %d, with one: %d (%.0f s)%s" %
              ("not ok" if problem else "ok", name, *(b - a for a, b in zip(before, now)), time.monotonic() - began,
               ": " + problem if problem else ""), flush=True)

    def run(self):
        self.step("torture", lambda t: self.torture(lambda: count_through_changes(t, self.rounds, (ALL,))))
        self.step("torture, timed", lambda t: self.torture(lambda: time_through_changes(t, ROUNDS)))
        self.step("torture, recorded", lambda t: self.calls(t, record_through_changes, RECORDED))
        self.step("torture, counted by key", lambda t: self.calls(t, count_keys_through_changes, ROUNDS))
        for package in PACKAGES:
            self.step("tests of " + package, lambda t, p=package: self.tests(t, p))
        self.step("go build", self.build)
        print("Linux %s: %d sessions; %d changes; calls without a trap: %d, with one: %d" %
              (os.uname().release, self.sessions, self.changes, self.without, self.trapped))
        print("%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped))
        return 1 if self.failed else 0


class Other:
    """Somebody else's process, as Popen has one."""

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        try:
            with open("/proc/%d/stat" % self.pid, encoding="ascii") as f:
                return 0 if f.read().rpartition(")")[2].split()[0] in "ZX" else None
        except (FileNotFoundError, ProcessLookupError):
            return 0


if __name__ == "__main__":
    rounds_wanted, *places = sys.argv[1:]
    sys.exit(Campaign(int(rounds_wanted), *places).run())
