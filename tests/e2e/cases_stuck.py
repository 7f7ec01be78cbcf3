# SPDX-License-Identifier: GPL-2.0
"""goprobectl stuck, with a program that stays where it is."""

import json
import signal

from lib import case, check, nothing_probed, of_kind, parse, same, wait_for

TAGGED = ("main.even(tag)", "main.odd(tag)", "main.guard(tag)")


NOT_KNOWN = "arguments not known: entered before attach"


def started(t, *args):
    process = t.goprobectl("stuck", *args)
    wait_for("%s: watching" % process, lambda: process.ended() or "watching" in process.stderr())
    check(not process.ended(), "%s ended: %s", process, process.stderr())
    return process


@case("stuck: calls that do not return are shown once, with arguments, age, and what their goroutines wait for")
def stays(t):
    target = t.target("stress", "-hold", "-stay", "-goroutines", 3, "-depth", 16)
    # Long enough for all to reach the place where they stay, on any host.
    process = started(t, "-p", target.pid, "--longer-than", "2s", "-o", "json", *TAGGED)
    target.send()
    want = json.loads(target.line())["functions"]
    calls = sum(want[f.partition("(")[0]]["calls"] for f in TAGGED)
    lines = [json.loads(process.line()) for _ in range(calls)]
    process.signal(signal.SIGINT)
    rest = [e for e in parse("\n".join(process.finish())) if e["kind"] == "stuck"]
    same(rest, [], "calls that are shown twice")
    same(len({(e["goid"], e["args"][0]["value"]) for e in lines}), calls, "calls")
    for e in lines:
        same((e["kind"], e["pid"], e["status"], e["wait_reason"]), ("stuck", target.pid, "waiting", "select (no cases)"), "what is shown")
        check(2000000000 <= e["open_ns"] < 60000000000, "how long it has been open: %s", e)
        names = [f["func"] for f in e["frames"]]
        check("main.(*worker).step" in names and e["func"] in names and names[-1] == "runtime.goexit", "the stack of %s: %s", e["func"], names)
    check("%d calls in" % calls in process.stderr() and "at the end %d of %d open ones" % (calls, calls) in process.stderr(),
          "the summary: %s", process.stderr())
    target.kill()
    check(nothing_probed(), "something is still probed")


@case("stuck: calls that return in time are not shown, conditions choose calls, and conditions on returns are refused")
def returns(t):
    target = t.target("counter", "-each", "20ms", 0)
    # All of them together take far longer than that, each one a hundredth.
    process = started(t, "-p", target.pid, "--longer-than", "2s", "-i", "100ms", "--duration", "6s", "main.doWork", "time.Sleep")
    same(process.finish()[1:], [], "what is shown behind the header")
    check(" 0 open for long" in process.stderr(), "the summary: %s", process.stderr())
    process = t.goprobectl("stuck", "-p", target.pid, "time.Sleep if duration > 1ms")
    same(process.wait(), 1, "the exit status")
    check("only calls that have not returned are of interest" in process.stderr(), "a condition about the return: %s", process.stderr())
    process = started(t, "-p", target.pid, "--longer-than", "1ms", "-i", "1ms", "--duration", "500ms", "-o", "json", "time.Sleep if ns < 1000")
    same(of_kind(parse("\n".join(process.finish())), "stuck"), [], "calls that do not fulfil the condition")
    process = started(t, "-p", target.pid, "--longer-than", "5ms", "-i", "1ms", "time.Sleep(ns)")
    out = until(process, "time.Sleep(ns=20000000)")
    check("open for" in out and "waiting: sleep" in out and "main.main" in out, "as text: %s", out[:600])


def until(process, text):
    """The whole output of a command that is ended after a line with that text."""
    lines = []
    while not lines or text not in lines[-1]:
        lines.append(process.line())
        check(lines[-1] is not None, "%s ended: %s", process, process.stderr())
    process.signal(signal.SIGINT)
    return "\n".join(lines + process.finish())


def waiting(t, *args, **kwargs):
    """A program whose goroutines wait, and what it says of them."""
    target = t.target("waits", *args, **kwargs)
    return target, json.loads(target.line())


def answered(target, command):
    target.send(command)
    return json.loads(target.line())


def wanted(waits):
    """Open calls: (goroutine, function, reason of the wait), each as often as it is open."""
    calls = []
    for w in waits:
        name = [f for f in w["funcs"] if f.startswith("main.on")][0]
        calls += [(w["goid"], name, w["state"])] * (301 if w["kind"] == "deep" else 1)
        if w["kind"] == "inlined":
            calls.append((w["goid"], "main.small", w["state"]))
    return sorted(calls)


def state(e):
    return {"in a system call": "syscall"}.get(e["status"]) or e.get("wait_reason")


@case("stuck: older calls are shown as such, in any state of their goroutines, until they return")
def before(t):
    target, waits = waiting(t)
    process = started(t, "-p", target.pid, "--longer-than", "300ms", "-o", "json", "main.on*", "main.small")
    want = wanted(waits)
    lines = [json.loads(process.line()) for _ in want]
    loose = ("main.onSleep", "main.onMutex")
    same(sorted((e["goid"], e["func"], state(e)) for e in lines if e["func"] not in loose), [w for w in want if w[1] not in loose], "calls")
    same(sorted((e["goid"], e["func"]) for e in lines), [w[:2] for w in want], "all calls")
    by_goid = {w["goid"]: w for w in waits}
    for e in lines:
        same((e["kind"], e["pid"], e["tid"], e["time_ns"], e["before_attach"], e["unavailable"]),
             ("stuck", target.pid, None, None, True, NOT_KNOWN), "what is shown")
        check("args" not in e and 300000000 <= e["open_ns"] < 600000000000, "a call: %s", e)
        names = [f["func"] for f in e["frames"]]
        if e["func"] == "main.onDeep":
            same(set(names[names.index("main.onDeep"):]), {"main.onDeep"}, "a deep stack")
            continue
        check(e["created_by"]["func"] == "main.start", "who has created the goroutine: %s", e)
        check(e["func"] in names and names[-1] == "runtime.goexit", "the stack of %s: %s", e["func"], names)
        if e["func"] != "main.onSleep":
            own = by_goid[e["goid"]]["funcs"]
            same([n for n in names if n in own], own, "the stack as the program reports it")
    answered(target, "end channel")
    answered(target, "end syscall")
    answered(target, "end poll")
    more = answered(target, "call select")
    new = json.loads(process.line())
    same((new["func"], new["args"][0]["name"], "before_attach" in new), ("main.onSelect", "id", False), "a call that was made since")
    check(new["goid"] not in by_goid and state(new) == "select", "its goroutine: %s", new)
    process.signal(signal.SIGINT)
    same(of_kind(parse("\n".join(process.finish())), "stuck"), [], "calls that are shown twice")
    left = len(wanted(more))
    same(left, len(want) - 3 + 1, "open calls, as the program reports")
    # A goroutine that was running at that moment has a line of its own.
    left -= "1 goroutine made before" in process.stderr()
    check("%d open for long; at the end %d of %d open ones" % (len(want) + 1, left, left) in process.stderr(), "the summary: %s", process.stderr())
    process = started(t, "-p", target.pid, "--longer-than", "50ms", "main.onSend", "main.onChannel")
    out = until(process, "main.onSend(")
    check("before " in out and "> main.onSend(<" + NOT_KNOWN + ">)  open for at least " in out and ", waiting: chan send\n" in out, "as text: %s", out)
    check("onChannel" not in out, "a call that has returned: %s", out)
    process = started(t, "-b", target.argv[0], "--longer-than", "50ms", "-o", "json", "main.onSend")
    found = json.loads(process.line())
    same([(found["pid"], found["goid"], found["before_attach"])], [(target.pid, w["goid"], True) for w in more if w["kind"] == "send"],
         "a process that was found by its file")
    process.kill()
    process = started(t, "-p", target.pid, "--longer-than", "50ms", "--duration", "1s", "main.onSend if id >= 0")
    same(process.finish()[1:], [], "with a condition, which can't be evaluated for older calls")
    target.kill()


@case("stuck: of many calls that come and return each is shown once, and one that stays is not shown again")
def many(t):
    target, _ = waiting(t)
    answered(target, "end send")
    process = started(t, "-p", target.pid, "--longer-than", "1ms", "-i", "10ms", "-o", "json", "main.onSend", "main.onChannel")
    shown = [json.loads(process.line())]
    answered(target, "call channel")
    shown.append(json.loads(process.line()))
    for _ in range(30):
        answered(target, "call send")
        shown.append(json.loads(process.line()))
        answered(target, "end send")
    process.signal(signal.SIGINT)
    shown += of_kind(parse("\n".join(process.finish())), "stuck")
    same([e["func"] for e in shown], 2 * ["main.onChannel"] + 30 * ["main.onSend"], "who is shown")
    same(len({e["goid"] for e in shown}), 32, "goroutines")


@case("stuck: neither a short call nor one that its goroutine has left is taken for an older call")
def short(t):
    target, _ = waiting(t, "-short", 20)
    process = started(t, "-p", target.pid, "--longer-than", "100ms", "-i", "5ms", "--duration", "3s", "-o", "json", "main.short", "main.onShort")
    lines = of_kind(parse("\n".join(process.finish())), "stuck")
    same([e for e in lines if e["func"] == "main.short" and "before_attach" in e], [], "short calls")
    older = [e for e in lines if e["func"] == "main.onShort"]
    check(all("before_attach" in e for e in older) and len({e["goid"] for e in older}) == len(older), "the long ones: %s", older)
    # Of those that are not shown it is said that they are not known.
    unknown = [int(w) for w, then in zip(process.stderr().split(), process.stderr().split()[1:]) if then.startswith("goroutine")]
    check(len(older) + sum(unknown) >= 20, "%d are shown of 20: %s", len(older), process.stderr())
    target.kill()


@case("stuck: a call of a goroutine that always runs is shown, or a notice says that older calls are unknown")
def runs(t):
    target, waits = waiting(t, "-busy", 1)
    process = started(t, "-p", target.pid, "--longer-than", "100ms", "-i", "20ms", "--duration", "2s", "-o", "json", "main.onBusy", "main.onSend")
    lines = of_kind(parse("\n".join(process.finish())), "stuck")
    sends = [w["goid"] for w in waits if w["kind"] == "send"]
    same([e["goid"] for e in lines if e["func"] == "main.onSend"], sends, "the one that waits")
    busy = [e for e in lines if e["func"] == "main.onBusy"]
    check(len(busy) <= 1, "the one that runs: %s", busy)
    check(busy or "made before are not known" in process.stderr(), "the summary: %s", process.stderr())
    target.kill()


@case("stuck: calls of goroutines that never rest and share a processor are shown as older calls without a frame")
def shares(t):
    # Each waits for the others most of the time.
    target, _ = waiting(t, "-busy", 8, env={"GOMAXPROCS": "1"})
    process = started(t, "-p", target.pid, "--longer-than", "100ms", "-i", "20ms", "-o", "json", "main.onBusy")
    busy = [json.loads(process.line()) for _ in range(8)]
    same({(e["func"], e["before_attach"], e["status"]) for e in busy}, {("main.onBusy", True, "runnable")}, "what is shown")
    same(len({e["goid"] for e in busy}), 8, "goroutines")
    process.signal(signal.SIGINT)
    same(of_kind(parse("\n".join(process.finish())), "stuck"), [], "shown twice")
    target.kill()


@case("stuck: types in interfaces are learned from open calls, and shown at the next one")
def learns(t):
    target, _ = waiting(t)
    process = started(t, "-p", target.pid, "--longer-than", "50ms", "-o", "json", "main.hold")
    lines = []
    for _ in range(3):
        lines.append(json.loads(process.line()))
        answered(target, "call any")
    older, first, second = lines
    check("before_attach" in older, "the one that was there: %s", older)
    for e, known in ((first, False), (second, True)):
        same('"42"' in json.dumps(e["args"][0]), known, "is it known what it holds: %s" % e["args"])
    process.signal(signal.SIGINT)
    process.finish()
    target.kill()
