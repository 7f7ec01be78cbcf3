# SPDX-License-Identifier: GPL-2.0
"""Programs that are changed, and find out themselves what of: tests/targets/edits."""

import errno
import json
import os
import re
import select
import signal
import subprocess
import time

import genl
from cases_lossless import waiting
from lib import Skip, case, check, cut_short, loaded_with, nothing_probed, parse, same, wait_for

WORKERS, ROUNDS = 8, 100
ALL = range(WORKERS * ROUNDS)


def allowed():
    """The module, loaded so that it changes programs; afterwards as it was."""
    return loaded_with("allow_writes=1")


def edits(t, *args):
    if not os.path.exists(os.path.join(t.targets, "edits")):
        raise Skip("edits was not built with this toolchain")
    return t.target("edits", *args)


def run(target, what=""):
    target.send(what)
    return json.loads(target.line())


def text(i):
    return "text %d" % i


FETCH = ("main.fetch set timeout = 5s, ok = true, tag = tag + 1, s = s[1:3], b = b[2:4], ratio = 2.5, err = nil, p = nil"
         " on return set n = -1, failed = nil, out = out[:2], part = part[1:], f = 3.5 if i % 7 == 3")
USE = ("main.(*conf).use set c.Limit = c.Limit + 1000, c.Ratio = 0.5, c.On = true, c.Small = -5, c.Name = c.Name[:4], c.Buf = c.Buf[:2],"
       " c.Fixed[2] = 7 if i % 5 == 1")
PICK = "main.pick set x = 0 if x == 2"
REFS = "main.refs set m = nil, ch = nil, f = nil, a = nil, p = nil, list = list[1:] if i % 11 == 4"
DEEP = "main.deep set x = 7 if depth == 100"
SLOW = "main.slow delay 50ms if i % 100 == 0"
SPECS = [FETCH, USE, PICK, REFS, DEEP, SLOW]


def by_value(found):
    """{value: calls} in order."""
    return {value: sorted(calls) for value, calls in found.items()}


def all_of(calls, value):
    """The program's expected report if these calls got value(i)."""
    out = {}
    for i in calls:
        out.setdefault(value(i) if callable(value) else value, []).append(i)
    return out


def wanted():
    fetch, use, refs = ([i for i in ALL if i % m == r] for m, r in ((7, 3), (5, 1), (11, 4)))
    return {
        "timeout": all_of(fetch, "5s"), "ok": all_of(fetch, "true"), "tag": all_of(fetch, lambda i: str((i + 1) % 256)),
        "s": all_of(fetch, "ex"), "b": all_of(fetch, "xt"), "ratio": all_of(fetch, "2.5"),
        "err": all_of(fetch, "<nil>"), "p": all_of(fetch, "false"),
        "n": all_of(fetch, "-1"), "failed": all_of(fetch, "<nil>"), "out": all_of(fetch, "te"),
        "part": all_of(fetch, lambda i: text(i)[1:]), "result": all_of(fetch, "3.5"),
        "used": all_of(use, lambda i: str(i + 1000)), "c.Limit": all_of(use, lambda i: str(i + 1000)),
        "c.Ratio": all_of(use, "0.5"), "c.On": all_of(use, "true"), "c.Small": all_of(use, "-5"), "c.Name": all_of(use, "text"),
        "c.Buf": all_of(use, "te"), "c.Fixed": all_of(use, "[0 0 7 0]"),
        "pick": all_of([i for i in ALL if i % 2], "1"),
        "m": all_of(refs, "true"), "ch": all_of(refs, "true"), "f": all_of(refs, "true"), "a": all_of(refs, "true"),
        "refs.p": all_of(refs, "true"), "list": all_of(refs, "b c"),
        "deep": all_of([i for i in ALL if i % ROUNDS < 4], "207"),
        "slow": all_of([i for i in ALL if i % 100 == 0], "true"),
    }


def check_seen(seen, want, delays=True):
    # A host that is busy can make any call slow; none that was delayed is quick.
    slow = set(seen.pop("slow", {}).get("true", ()))
    want = dict(want)
    delayed = want.pop("slow", {}).get("true", [])
    check(slow >= set(delayed), "calls that were to be delayed: %s, slow ones: %s", delayed, sorted(slow))
    same(sorted(seen), sorted(want), "what was changed")
    for what in want:
        same(by_value(seen[what]), by_value(want[what]), "%s: what calls saw" % what)


@case("attach: exactly the chosen calls get the set values, for each kind of argument and result, under load")
def exactly(t):
    with allowed():
        target = edits(t)
        same(run(target)["seen"].keys() - {"slow"}, set(), "changed before anything was to be")
        attach = t.attach("-p", target.pid, *SPECS).attached()
        result = run(target)
        trace = attach.interrupt()
        check_seen(result["seen"], wanted())
        shown = [e for e in trace.events if e.get("set") or e.get("delay_ns")]
        for name, function, condition in (("call", "main.fetch", lambda i: i % 7 == 3), ("call", "main.(*conf).use", lambda i: i % 5 == 1),
                                          ("call", "main.refs", lambda i: i % 11 == 4), ("call", "main.slow", lambda i: i % 100 == 0)):
            found = sorted(e["args"][-1 if "use" in function else 0]["value"] for e in shown if e["func"] == function and e["kind"] == name)
            same(found, [i for i in ALL if condition(i)], "%s: calls that are shown as changed" % function)
        one = next(e for e in shown if e["func"] == "main.fetch" and e["kind"] == "call" and e["args"][0]["value"] == 10)
        sets = {s["name"]: s for s in one["set"]}
        same((sets["timeout"]["value"], sets["timeout"]["was"]["value"]), (5000000000, 1000000000), "what the line says of timeout")
        same((sets["s"]["value"], sets["s"]["was"]["value"]), ("ex", "text 10"), "what the line says of s")
        same((sets["ratio"]["value"], sets["ratio"]["was"]["value"]), (2.5, 5), "what the line says of ratio")
        same(sets["err"]["value"], None, "what the line says of err")
        same(trace.lost, 0, "lost")
        same((trace.summary["edited"], trace.summary["not_edited"]), (len(shown), 0), "changes that were made")
        # And only as long as it was asked for.
        same(run(target)["seen"].keys() - {"slow"}, set(), "changed after the session")


@case("attach: a program that collects garbage all the time is changed, and goes on")
def garbage(t):
    with allowed():
        target = edits(t, "gc")
        attach = t.attach("-p", target.pid, *SPECS).attached()
        for _ in range(3):
            check_seen(run(target)["seen"], wanted())
        trace = attach.interrupt()
        same(trace.summary["not_edited"], 0, "changes that could not be made")
        same(run(target)["seen"].keys() - {"slow"}, set(), "changed after the session")
        target.finish()


@case("attach: without allow_writes nothing is changed: it is refused, and --dry-run shows it")
def refused(t):
    target = edits(t)
    for spec in SPECS:
        p = t.goprobectl("attach", "-p", target.pid, spec)
        p.finish(1)
        check("without allow_writes=1" in p.stderr(), "%s: it said: %s", spec, p.stderr())
    p = t.goprobectl("write", "-p", target.pid, "main.switched = true")
    p.finish(1)
    check("without allow_writes=1" in p.stderr(), "it said: %s", p.stderr())
    path, function = target.argv[0], "main.fetch"
    offset, _ = genl.elf_symbol(path, function)
    with genl.Client() as client:
        client.new_session(target.pid)
        client.add_file(path, genl.runtime())
        first = client.add_filters([genl.op(genl.GOPROBE_OP_SET, b=3)])
        code = target.bytes_at(offset, 16)[1]
        try:
            client.add_points([genl.point(offset, code, edit=first)])
            check(False, "the module took an edit")
        except genl.Refused as e:
            check("without allow_writes=1" in str(e), "it said: %s", e)
    same(target.patched(), 0, "breakpoints")
    attach = t.attach("--dry-run", "-p", target.pid, *SPECS).attached()
    seen = run(target)["seen"]
    trace = attach.interrupt()
    seen.pop("slow", None)
    same(seen, {}, "what was changed")
    dry = [e for e in trace.events if e.get("set") or e.get("delay_ns")]
    check(dry and all(e["dry_run"] for e in dry), "lines that don't say that it was a dry run")
    same(sorted(e["args"][0]["value"] for e in dry if e["func"] == "main.fetch" and e["kind"] == "call"),
         [i for i in ALL if i % 7 == 3], "calls that would be changed")
    check("edited" not in trace.summary, "it says that something was changed: %s", trace.summary)
    said = t.attach("--dry-run", "--events", 1, "-p", target.pid, "main.fetch(timeout) set timeout = 5s", json=False).attached()
    run(target)
    out = said.finish()
    check("would set timeout = 5s (was 1s)" in out.text, "it said: %s", out.text)


@case("attach: edits out of range or behind nil change nothing, and nothing next to them")
def not_changed(t):
    with allowed():
        target = edits(t)
        attach = t.attach("-p", target.pid, "main.fetch set timeout = 5s, s = s[:7] if i < 20",
                          "main.(*conf).use set c.On = true, c.Next.Next.Next.Limit = 3 if i < 30").attached()
        seen = run(target)["seen"]
        trace = attach.interrupt()
        seen.pop("slow", None)
        # text(i) has 6 bytes below 10, and 7 from there on.
        same(by_value(seen.pop("timeout")), {"5s": list(range(10, 20))}, "timeout")
        same(seen, {}, "what else was changed")
        same((trace.summary["edited"], trace.summary["not_edited"]), (10, 40), "changes that were made, and were not")
        why = sorted({e["not_changed"] for e in trace.events if "not_changed" in e})
        check(len(why) == 2 and any("range" in w for w in why) and any("nil" in w for w in why), "the reasons: %s", why)


@case("the module: memory that the program can't write stays as it is")
def read_only(t):
    with allowed():
        target = edits(t)
        path = target.argv[0]
        offset, size = genl.elf_symbol(path, "main.fetch")
        with genl.Client() as client:
            client.new_session(target.pid)
            client.add_file(path, genl.runtime(code_delta=0))
            code = target.bytes_at(offset, 16)[1]
            # The function's own code, and the return address' page, which is no mapping at all.
            first = client.add_filters([genl.op(genl.GOPROBE_OP_SET, a=1, b=3), genl.op(genl.GOPROBE_OP_STATIC, a=2, value=offset + 64),
                                        genl.op(genl.GOPROBE_OP_WRITE, a=1, b=2, size=8)])
            client.add_points([genl.point(offset, code, edit=first)])
            client.call(genl.GOPROBE_CMD_START)
            seen = run(target)["seen"]
            client.call(genl.GOPROBE_CMD_STOP)
            stats = client.stats()
        seen.pop("slow", None)
        same(seen, {}, "what was changed")
        same(stats[genl.GOPROBE_STAT_EDITED], 0, "edited")
        check(stats[genl.GOPROBE_STAT_NOT_EDITED] >= len(ALL), "not edited: %d", stats[genl.GOPROBE_STAT_NOT_EDITED])
        same(target.patched(), 0, "bytes of its code that differ")


@case("attach: a delay ends when the program is killed, and when the session ends")
def delays_end(t):
    def delayed():
        """A program whose call is delayed; and when it was not yet."""
        # There is no more than a second for all sessions.
        wait_for("the end of the one before", nothing_probed)
        target = edits(t)
        attach = t.attach("-p", target.pid, "main.slow delay 1s").attached()
        began = time.monotonic()
        target.send("slow")
        wait_for("a thread that is delayed, or was", lambda: waiting(target) or select.select([target.popen.stdout], [], [], 0)[0])
        return target, attach, began

    def end_session():
        target, attach, _ = delayed()
        attach.signal(signal.SIGKILL)
        took = json.loads(target.line())["ms"]
        attach.wait()
        target.finish()
        return took / 1000

    def end_program():
        target, attach, began = delayed()
        target.signal(signal.SIGKILL)
        target.wait()
        took = time.monotonic() - began
        attach.finish()
        return took
    with allowed():
        target, attach, _ = delayed()
        check(json.loads(target.line())["ms"] >= 1000, "it was not delayed")
        target.finish()
        attach.finish()
        cut_short(end_session, 1)
        cut_short(end_program, 1)


@case("the module: the delays of all sessions at a place together do not exceed the limit of one")
def delays_together(t):
    with allowed():
        target = edits(t)
        path = target.argv[0]
        offset, _ = genl.elf_symbol(path, "main.slow")
        code = target.bytes_at(offset, 16)[1]

        def delay(client, ms, id_):
            edit = client.add_filters([genl.op(genl.GOPROBE_OP_DELAY, value=ms * 1000000)])
            client.add_points([genl.point(offset, code, id=id_, edit=edit)])
        with genl.Client() as one, genl.Client() as other:
            for client in (one, other):
                client.new_session(target.pid)
                client.add_file(path, genl.runtime())
            delay(one, 400, 1)
            delay(one, 200, 2)
            try:
                delay(other, 401, 1)
                check(False, "the module took more than a second")
            except genl.Refused as e:
                check(e.errno == errno.ENOSPC and "would exceed 1 s" in str(e), "it said: %s", e)
            delay(other, 400, 2)
            other.add_points([genl.point(offset, code, id=3)])
            one.del_points(2)
            delay(other, 200, 4)


@case("the kernel log names each changed place once, with the process that changes it")
def logged(t):
    with allowed():
        target = edits(t)
        before = log().count("is being changed")
        attach = t.attach("-p", target.pid, PICK, "main.fetch set timeout = 2s").attached()
        run(target)
        pid = attach.pid
        attach.interrupt()
        lines = [l for l in log().splitlines() if "is being changed" in l][before:]
        same(len(lines), 2, "lines: %s" % lines)
        check(all(re.search(r"process %d \(edits\) is being changed at offset 0x[0-9a-f]+ of \S*edits, by session \d+ of process %d" %
                            (target.pid, pid), l) for l in lines), "the log says: %s", lines)


def log():
    return subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout


@case("read: variables, and values at addresses")
def read(t):
    target = edits(t)
    first = run(target)["first"]
    p = t.goprobectl("read", "-p", target.pid, "main.limit", "main.name", "main.list[1]", "(*main.conf)(%s).Limit" % first, "*(*main.conf)(%s)" % first)
    lines = p.finish()
    same(lines[:4], ["main.limit = 100", 'main.name = "package"', "main.list[1] = 2", "(*main.conf)(%s).Limit = 11" % first], "lines")
    check(lines[4].startswith("*(*main.conf)(%s) = " % first) and 'Name:"first"' in lines[4].replace(" ", ""), "the last line: %s", lines[4])
    found = parse("\n".join(t.goprobectl("read", "-o", "json", "-p", target.pid, "main.limit", "main.first.Name").finish()))
    same([(v["name"], v["value"]) for v in found[0]["values"]], [("main.limit", 100), ("main.first.Name", "first")], "in JSON")
    for command in ("read",), ("watch", "--count", "1"):
        some = t.goprobectl(*command, "-p", target.pid, "main.limti", "main.limit", "main.first.Nmae", "main.nothing.like")
        lines = some.finish(status=1)
        check(len(lines) == 1 and "main.limti" not in lines[0] and re.search(r"main\.limit ?= ?\S", lines[0]), "what can be read: %s", lines)
        same([e for e in ("called 'main.limti'", "did you mean 'main.limit'", "Nmae", "main.nothing") if e not in some.stderr()], [], "what is wrong")
        some = t.goprobectl(*command, "-o", "json", "-p", target.pid, "main.limti", "main.limit")
        line = json.loads(some.finish(status=1)[0])
        same(([v["name"] for v in line["values"]], [(e["expr"], e["reason"]) for e in line["not_read"]]),
             (["main.limit"], [("main.limti", "no package variable is called 'main.limti'")]), "JSON")
    none = t.goprobectl("read", "-p", target.pid, "main.limti", "main.lits")
    same(none.finish(status=1), [], "nothing can be read")
    same(none.stderr().count("no package variable"), 2, "errors")
    bad = t.goprobectl("read", "-p", target.pid, "*(*main.conf)(0x10000)")
    check("<" in "".join(bad.finish()), "memory that is not there was read")


@case("write: only the named variables are set, after checks of types and ranges")
def write(t):
    with allowed():
        target = edits(t)
        first = run(target)["first"]
        dry = t.goprobectl("write", "--dry-run", "-p", target.pid, "main.limit = main.limit * 2 + 1").finish()
        same(dry, ["would set main.limit = 201 (was 100)"], "a dry run")
        same(run(target)["limit"], 100, "limit after a dry run")
        lines = t.goprobectl("write", "-p", target.pid, "main.switched = true", "main.limit = main.limit * 2 + 1", "main.weight = 0.5",
                             "main.name = main.name[:4]", "main.list = main.list[:2]", "main.list[1] = 77", "main.first.Fixed[3] = 9",
                             "(*main.conf)(%s).Limit = -4" % first).finish()
        same(lines[:2], ["set main.switched = true (was false)", "set main.limit = 201 (was 100)"], "lines")
        got = run(target)
        same([got[k] for k in ("switched", "limit", "weight", "name", "list", "first.Limit", "first.Fixed")],
             [True, 201, 0.5, "pack", [1, 77], -4, [0, 0, 0, 9]], "what the program has")
        for text_, why in (("main.limit = 1.5", "no whole number"), ("main.list = nil", "no pointer is taken away"),
                           ("main.name = main.name[1:]", "half done"), ("main.first = nil", "no pointer is taken away"),
                           ("main.nothing = 3", "no package variable"), ("main.list[2] = 5", "out of range"), ("main.limit", "'='")):
            p = t.goprobectl("write", "-p", target.pid, text_)
            p.finish(1)
            check(why in p.stderr(), "%s: it said: %s", text_, p.stderr())
        same(run(target)["limit"], 201, "limit after what was refused")
        check("main.limit" in log(), "the kernel log says nothing of it")
