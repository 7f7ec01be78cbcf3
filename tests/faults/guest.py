#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module with failing allocations, inside the machine that tests/vm/run boots: see tests/faults/run.

    guest.py TARGETS
"""

import collections
import contextlib
import errno
import json
import os
import re
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.dont_write_bytecode = True

import cases_filter                 # noqa: E402
import cases_tally                  # noqa: E402
import genl                         # noqa: E402
import lib                          # noqa: E402
from genl import op                 # noqa: E402
from lib import check, same         # noqa: E402

DEBUGFS = "/sys/kernel/debug/"
KINDS = ("failslab", "fail_page_alloc", "fail_usercopy")
FAULTS_MAX = 5000       # in one command; no command makes as many allocations
SESSIONS = 100          # with faults at random
ROUNDS = 60             # of goprobectl, with faults at random
PERCENT = 3
REST = 2                # seconds between two runs of the program that is hit
HELD = 56 + 8 + 8 + 8192    # the largest record of genl.plan()


def put(path, value):
    with open(path, "w") as f:
        f.write(str(value))


def extent(function):
    """Where a function of the kernel begins and ends."""
    with open("/proc/kallsyms") as f:
        symbols = sorted((int(line.split()[0], 16), line.split()[2]) for line in f if line.split()[1] in "tT")
    at = next(address for address, name in symbols if name == function)
    return at, next(address for address, _ in symbols if address > at)


def prepare():
    """Only what is called by the module fails, then whatever it asks for.

    Not what kernels allocate to take a breakpoint away: they say "leaking uprobe" and leave it, and nothing but a task that is
    being killed lacks that page in truth.
    """
    with open("/proc/modules") as f:
        size, address = re.search(r"^goprobe (\d+) .* (0x[0-9a-f]+)", f.read(), re.M).groups()
    spared = extent("uprobe_unregister_nosync" if os.uname().release >= "6.12" else "uprobe_unregister")
    for kind in KINDS:
        at = DEBUGFS + kind + "/"
        for name, value in (("probability", 0), ("times", -1), ("verbose", 0), ("task-filter", "N"), ("stacktrace-depth", 32),
                            ("ignore-gfp-wait", "N"), ("ignore-gfp-highmem", "N"), ("min-order", 0),
                            ("require-start", address), ("require-end", hex(int(address, 16) + int(size))),
                            ("reject-start", hex(spared[0])), ("reject-end", hex(spared[1]))):
            if os.path.exists(at + name):
                put(at + name, value)


@contextlib.contextmanager
def failing(nth, taken):
    """Make the module's nth operation that can fail do so. Appends to taken whether there was such an operation."""
    at = "/proc/self/task/%d/fail-nth" % threading.get_native_id()
    put(at, nth)
    try:
        yield
    finally:
        with open(at) as f:
            taken.append(int(f.read()) == 0)
        put(at, 0)


@contextlib.contextmanager
def failing_at_random():
    for kind in KINDS:
        put(DEBUGFS + kind + "/probability", PERCENT)
    try:
        yield
    finally:
        for kind in KINDS:
            put(DEBUGFS + kind + "/probability", 0)


class Session:
    """A session that uses all that there is, in steps."""

    def __init__(self, t, path, points):
        self.t, self.path, self.points = t, path, points
        self.client = genl.Client()

    def info(self):
        self.client.limits()

    def session(self):
        self.client.new_session(calls=2048, held=(64, HELD), keys=(256, 64), ring=1 << 16, breaker=(1000, 100))

    def file(self):
        self.client.add_file(self.path, cases_tally.runtime(self.t))

    def types(self):
        self.client.add_types([genl.type_(8), genl.type_(16)])

    def dynamic(self):
        self.client.add_dynamic([genl.dynamic(0x1000 + 8 * i, 1) for i in range(300)])

    def plans(self):
        self.client.add_plans([genl.plan(0, 0, 1)], [genl.piece(genl.GOPROBE_FROM_INT_REG, cases_filter.RBX, 8, 0)])

    def filters(self):
        jump = cases_filter.jump
        self.client.add_filters([op(genl.GOPROBE_OP_REG, a=1, b=cases_filter.RBX), *jump("JLT_I", 1, 1 << 62)],
                                [op(genl.GOPROBE_OP_REG, a=1, b=cases_filter.RBX), op(genl.GOPROBE_OP_KEY, a=1)],
                                [op(genl.GOPROBE_OP_UNDER, a=1, value=1)])

    def placed(self):
        """Recorded, held, timed by key, counted."""
        actions = {
            "main.even": lambda p: dict(flags=p.flags | cases_filter.PAIRED | (cases_filter.HELD if p.kind == cases_filter.CALL else 0),
                                        plan=0 if p.kind == cases_filter.CALL else genl.GOPROBE_NO_PLAN, filter=1),
            "main.odd": lambda p: dict(flags=p.flags | genl.GOPROBE_POINT_F_KEYED, action=genl.GOPROBE_ACTION_TIME,
                                       filter=2 if p.kind == cases_filter.CALL else 0),
            "main.guard": lambda p: dict(flags=p.flags, action=genl.GOPROBE_ACTION_COUNT, filter=2),
            "main.note": lambda p: dict(flags=p.flags, action=genl.GOPROBE_ACTION_COUNT, filter=3),
        }
        made = []
        for id_, (function, how) in enumerate(actions.items()):
            for p in self.points[function]:
                with_ = dict(plan=genl.GOPROBE_NO_PLAN)
                with_.update(how(p))
                made.append(genl.point(p.offset, p.code, id_, kind=p.kind, skip=p.skip, sp_adjust=p.sp_adjust, **with_))
        self.client.add_points(made)

    def start(self):
        self.client.call(genl.GOPROBE_CMD_START)

    def read(self):
        self.client.records()

    def tallies(self):
        self.client.tallies()

    def keys(self):
        self.client.keys()

    def open(self):
        self.client.open_calls()

    def stats(self):
        self.client.stats()

    def list(self):
        self.client.sessions()

    def taken_away(self):
        self.client.del_points(0, 3)

    def stop(self):
        self.client.call(genl.GOPROBE_CMD_STOP)

    def close(self):
        self.client.close()


STEPS = (Session.info, Session.session, Session.file, Session.types, Session.dynamic, Session.plans, Session.filters, Session.placed,
         Session.start, Session.read, Session.tallies, Session.keys, Session.open, Session.stats, Session.list, Session.taken_away,
         Session.stop, Session.close)


def one_fault(make, step, nth):
    """Fail a command's nth operation: (whether there was one, the refusal or None)."""
    session, taken, said = make(), [], None
    try:
        for before in STEPS[:STEPS.index(step)]:
            before(session)
        try:
            with failing(nth, taken):
                step(session)
        except genl.Refused as e:
            said = e
    finally:
        session.client.close()
    return taken[0], said


def each_step(t, path, points, idle):
    """How many faults there were, and how many refusals came of them."""
    faults = refusals = 0
    for step in STEPS:
        for nth in range(1, FAULTS_MAX):
            fault, said = one_fault(lambda: Session(t, path, points), step, nth)
            clean(idle, "fault %d of %s" % (nth, step.__name__))
            if not fault:
                check(said is None, "%s without a fault: %s", step.__name__, said)
                break
            faults += 1
            if said is not None:
                check(said.errno == errno.ENOMEM and said.message, "fault %d of %s: error %d: %s", nth, step.__name__, said.errno,
                      said.message)
                refusals += 1
        print("   %s: %d faults" % (step.__name__, nth - 1), flush=True)
    return faults, refusals


@contextlib.contextmanager
def hits(t, path):
    """A program that runs into the points, again and again, and one that only waits: that one is given."""
    done, failed = threading.Event(), []

    def keep_hitting():
        while not done.is_set() and not failed:
            if subprocess.run([path, "-goroutines", "5", "-depth", "20"], stdout=subprocess.DEVNULL).returncode:
                failed.append(True)
            # Else it takes the processors from those who are to fail.
            done.wait(REST)

    thread = threading.Thread(target=keep_hitting)
    thread.start()
    try:
        yield t.target("stress", "-hold")
    finally:
        done.set()
        thread.join()
    check(not failed, "the program that ran into the points has failed")


def clean(idle, what):
    """Nothing is left of a session, wherever something has failed."""
    # At once, but that a program which is just being started has the socket, too, until it is executed.
    lib.wait_for("the end of the session after %s" % what, lib.nothing_probed)
    for function in cases_tally.STRESS:
        check(not idle.probed(function), "a breakpoint is left in %s after %s", function, what)


def every_command(t):
    """Each command, with each of its allocations and copies failing in turn: a message or success, and nothing is left."""
    path = t.binary("stress")
    points = cases_tally.points_of(t, path, *cases_tally.STRESS)
    with hits(t, path) as idle:
        faults, refusals = each_step(t, path, points, idle)
    check(faults > 50 and refusals > 20, "only %d faults, %d refusals", faults, refusals)
    print("   %d faults, %d of them refusals with a message" % (faults, refusals))


def whole_sessions(t):
    """Sessions in which anything may fail, breakpoints too, whose worker makes them: a message or success, and nothing is left."""
    path = t.binary("stress")
    points = cases_tally.points_of(t, path, *cases_tally.STRESS)
    worked = collections.Counter()
    with hits(t, path) as idle:
        for i in range(SESSIONS):
            session = Session(t, path, points)
            with failing_at_random():
                for step in STEPS:
                    try:
                        step(session)
                        worked[step.__name__] += 1
                    except genl.Refused as e:
                        check(e.message, "%s: error %d without a message", step.__name__, e.errno)
            session.client.close()
            clean(idle, "session %d" % i)
    print("   of %d sessions: %s" % (SESSIONS, ", ".join("%s %d" % pair for pair in worked.items())))
    for step in STEPS:
        check(worked[step.__name__], "%s has never worked", step.__name__)
    check(worked["placed"] < SESSIONS, "nothing has failed")


COMMANDS = (
    ("attach", "main.even", "main.odd"), ("attach", "main.guard if duration > 1us"), ("count", "main.*", "-d", "0.3s"),
    ("latency", "main.even", "-d", "0.3s"), ("stack", "main.note", "-d", "0.3s"), ("list", "main.*"),
)


def run(t, meanwhile):
    """The program's own counts; meanwhile gets the program before it begins."""
    target = t.target("stress", "-hold", "-goroutines", 20, "-depth", 100)
    meanwhile(target)
    # Whether the tool is ready by then does not matter here, only that it mostly is.
    time.sleep(1)
    target.send()
    functions = json.loads(target.line())["functions"]
    target.finish()
    return functions


def whom(target, i):
    """One process, or all that run the program: those end with the tool."""
    return ("-p", target.pid) if i % 2 or COMMANDS[i % len(COMMANDS)][0] == "attach" else ("-b", target.argv[0])


def the_tool(t):
    """goprobectl with faults at random: it works or says why, and the program is what it was."""
    want = run(t, lambda target: None)
    idle = t.target("stress", "-hold")
    failed = 0
    for i in range(ROUNDS):
        command = COMMANDS[i % len(COMMANDS)]
        with failing_at_random():
            tool = []
            got = run(t, lambda target: tool.append(t.goprobectl(command[0], *whom(target, i), *command[1:])))
            tool, = tool
            tool.drain()
            status = tool.wait()
        same(got, want, "what the program counted")
        if status not in (0, 3):
            failed += 1
            check(re.search(r"^goprobectl: .+", tool.stderr(), re.M), "exit status %d, and it said: %s", status, tool.stderr())
        clean(idle, " ".join(command))
    check(failed < ROUNDS, "nothing worked")
    print("   %d of %d runs could not be made" % (failed, ROUNDS))


def nothing_lost(_):
    """Memory is released, whatever has failed (kmemleak)."""
    said = lib.lost_memory()
    check(not said, "%s", said)


def main():
    targets, = sys.argv[1:]
    if not os.path.isdir(DEBUGFS + "failslab"):
        print("skip: this kernel has no fault injection\n0 passed, 0 failed, 1 skipped")
        return 1
    prepare()
    return lib.run_cases(targets, (every_command, whole_sessions, the_tool, nothing_lost))


if __name__ == "__main__":
    sys.exit(main())
