# SPDX-License-Identifier: GPL-2.0
"""Calls of C, and of assembly that has a stack frame: tests/targets/ccalls says what it calls, and what that gives."""

import json
import os
import re
import signal
import sys

from cases_count import started
from lib import Skip, case, check, of_kind, parse, same, short

FUNCTIONS = ("_Cfunc_add", "_Cfunc_mean", "_C2func_fail", "_Cfunc_flip", "_Cfunc_choose", "_Cfunc_apply", "_Cfunc_nested")
C = r"/^main\.(%s)$/" % "|".join(FUNCTIONS)
CALLS = 40
SIGNATURES = (
    "main._Cfunc_add(a int32, b int64, c int8) (r int64)",
    "main._Cfunc_mean(a float64, b float32) (r float64)",
    "main._C2func_fail(e int32) (r int32, err error)",
)


def plain(value):
    """A value as ccalls writes it: of an error its number, of a struct a list."""
    if isinstance(value, dict):
        return value["value"] if "type" in value else [plain(v) for v in value.values()]
    return value


def plain_all(values):
    return [v["func"] if "func" in v else plain(v.get("value", "<%s>" % v.get("unavailable"))) for v in values]


def as_said(trace):
    """Calls of C and their returns as ccalls writes them."""
    calls, returns = ([e for e in events if e["func"] != "runtime.cgocall"] for events in (trace.calls, trace.returns))
    same([e["func"] for e in returns], [e["func"] for e in calls], "functions that return")
    same(len({e["goid"] for e in calls + returns}), 1, "goroutines")
    return [{"func": c["func"], "args": plain_all(c["args"]), "results": plain_all(r["results"])} for c, r in zip(calls, returns)]


def run(target):
    target.send()
    said = [json.loads(line) for line in target.finish()]
    return said[:-1], said[-1]


def counts(process):
    process.signal(signal.SIGINT)
    return {e["func"]: e["calls"] for e in of_kind(parse("\n".join(process.finish())), "count")}


@case("cgo: calls of C have the arguments and results, and name the C function")
def calls_of_c(t):
    target = t.target("ccalls", CALLS, 0, 0)
    attach = t.attach("-p", target.pid, C, "runtime.cgocall(fn)()").attached()
    want, _ = run(target)
    trace = attach.interrupt()
    same(trace.lost, 0, "losses")
    same(as_said(trace), want, "calls of C")
    same({e["goid"] for e in trace.returns if e["func"] != "runtime.cgocall"}, {1}, "goroutines")
    into_c = [e["args"][0] for e in trace.calls if e["func"] == "runtime.cgocall" and e["goid"] == 1]
    same([re.sub(r"^_cgo_\w+?_(?=C)", "main._", a.get("func", a["value"])) for a in into_c], [w["func"] for w in want], "C functions")


@case("cgo: calls of C in a stripped program have the arguments and results, where signatures are given")
def stripped(t):
    program = os.path.join(t.targets.rstrip("/") + "-stripped", "ccalls")
    if not os.path.exists(program):
        raise Skip("ccalls was not built stripped with this toolchain")
    target = t.target(t.copy(program), CALLS, 0, 0)
    attach = t.attach("-p", target.pid, *SIGNATURES).attached()
    want, _ = run(target)
    trace = attach.interrupt()
    check("warning" not in trace.stderr, "warned: %s", trace.stderr)
    names = {s.split("(")[0] for s in SIGNATURES}
    same(as_said(trace), [w for w in want if w["func"] in names], "calls of C")


HOST = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    library.callEach(int(line))
"""

TWO = """
import ctypes, sys
libraries = [ctypes.CDLL(path) for path in sys.argv[1:]]
print("ready", flush=True)
sys.stdin.read()
"""


@case("cgo: a Go library is traced in a process that is not a Go program")
def library(t):
    path = os.path.join(t.targets.rstrip("/").removesuffix("-pie") + "-shared", "ccalls")
    if not os.path.exists(path):
        raise Skip("ccalls was not built as a library with this toolchain")
    program = t.copy(path, "library.so")
    hosts = [t.run(sys.executable, "-c", HOST, program) for _ in range(2)]
    for host in hosts:
        same(host.line(), "ready", "its first line")
    listed = parse("\n".join(t.goprobectl("list", "-o", "json", "-p", hosts[0].pid, C).finish()))
    same(len(listed), len(FUNCTIONS), "functions")
    attach = t.attach("-p", hosts[0].pid, C).attached()
    for host in hosts:
        host.send(str(CALLS))
    want, other = ([json.loads(line) for line in host.finish()] for host in hosts)
    same(other, want, "what the two did")
    trace = attach.finish()
    same({e["pid"] for e in trace.calls}, {hosts[0].pid}, "processes")
    # Before 1.17 g is nowhere but in thread-local storage, and nobody says where a library's is.
    if not t.label.startswith("go1.15"):
        check(all(e["goid"] for e in trace.calls + trace.returns), "a call without a goroutine: %s", short(trace.calls))
    same(as_said(trace), want, "calls of C")


@case("cgo: of a process with two Go libraries both runtimes are shown, or the message names the one that is not")
def two_runtimes(t):
    path = os.path.join(t.targets.rstrip("/").removesuffix("-pie") + "-shared", "ccalls")
    if not os.path.exists(path):
        raise Skip("ccalls was not built as a library with this toolchain")
    paths = [t.copy(path, "one.so"), t.copy(path, "two.so")]
    host = t.run(sys.executable, "-c", TWO, *paths)
    same(host.line(), "ready", "its first line")

    goroutines = parse("\n".join(t.goprobectl("goroutines", "-p", host.pid, "-o", "json").finish()))
    same({e["binary"] for e in goroutines}, set(paths), "files whose goroutines are listed")
    # One of each runtime.
    same(sum("runtime.forcegchelper" in [f["func"] for f in e.get("frames", [])] for e in goroutines), 2, "goroutines of the collector")
    text = t.goprobectl("goroutines", "-p", host.pid).finish()
    same({line for line in text if line.startswith("in ")}, {"in %s:" % p for p in paths}, "headings")
    one = parse("\n".join(t.goprobectl("goroutines", "-p", host.pid, "-b", paths[0], "-o", "json").finish()))
    check(one and all("binary" not in e for e in one), "with -b: %s", short(one))
    same({e["library"] for e in parse("\n".join(t.goprobectl("ps", "-o", "json").finish())) if e["pid"] == host.pid}, set(paths),
         "what ps lists")

    read = t.goprobectl("read", "-p", host.pid, "runtime.buildVersion")
    same(len(read.finish()), 1, "values")
    check(all(p in read.stderr() for p in paths), "read does not name both: %s", read.stderr())
    write = t.goprobectl("write", "--dry-run", "-p", host.pid, "runtime.forcegcperiod = 1")
    write.finish(1)
    check(all(p in write.stderr() for p in paths), "write does not name both: %s", write.stderr())
    for p in paths:
        for command, what in ("read", "runtime.forcegcperiod"), ("write", "runtime.forcegcperiod = 1"):
            process = t.goprobectl(command, *(["--dry-run"] if command == "write" else []), "-b", p, "-p", host.pid, what)
            process.finish()
            same(process.stderr(), "", "messages")

    stuck = t.goprobectl("stuck", "-p", host.pid, "--longer-than", "100ms", "-o", "json", "runtime.bgsweep")
    lines = [json.loads(stuck.line()) for _ in range(2)]
    same([(e["func"], e.get("before_attach")) for e in lines], [("runtime.bgsweep", True)] * 2, "open calls")
    stuck.signal(signal.SIGINT)
    stuck.finish()


@case("cgo: calls of C are counted exactly, also where they make stacks grow")
def counted(t):
    target = t.target("ccalls", CALLS, 100, 0)
    count = started(t, "count", "-p", target.pid, "-o", "json", C)
    want, last = run(target)
    names = [w["func"] for w in want]
    same(counts(count), {**{n: names.count(n) for n in names}, "main._Cfunc_mean": last["mean"]}, "calls")


@case("assembly with a stack check is counted exactly")
def assembly(t):
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        if " avx2 " not in f.read():
            raise Skip("this processor has no AVX2, so Go computes SHA-1 without this assembly")
    target = t.target("ccalls", 0, 0, 300, env={**os.environ, "GODEBUG": "cpu.sha=off"})
    listed = parse("\n".join(t.goprobectl("list", "-o", "json", "-b", t.binary("ccalls"), r"/sha1\.block/").finish()))
    names = [e["func"] for e in of_kind(listed, "function") if e["file"].endswith(".s") and e.get("entry") == "check"]
    check(names, "none of them has a stack check: %s", listed)
    count = started(t, "count", "-p", target.pid, "-o", "json", *names)
    _, last = run(target)
    same(sum(counts(count).values()), last["blocks"], "computations of SHA-1, by %s" % names)
