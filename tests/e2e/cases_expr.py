# SPDX-License-Identifier: GPL-2.0
"""Capture expressions, signatures that are given, and goprobectl watch."""

import itertools
import json
import os
import re
import time

from lib import Skip, case, check, same

# A spec, and the values of the first call (and return) of the zoo that it shows.
# None in place of a value: it is not available, and the text says why.
SPECS = (
    ("a field behind a pointer, fields within fields, elements",
     'main.everythingPointer(e.I, e.S, e.P.Y, e.Arr[1].X, e.Anon.Y, e.Bs[1])(~r0)',
     [("e.I", "int", 42), ("e.S", "string", "all"), ("e.P.Y", "int", 8), ("e.Arr[1].X", "int", 11),
      ("e.Anon.Y", "string", "fourteen"), ("e.Bs[1]", "uint8", 2)],
     [("~r0", "int", 42)]),
    ("the same of a value that is passed",
     'main.everything(e.I, e.S, e.P.Y, e.Arr[1].X, e.Anon.Y, e.Bs[1])()',
     [("e.I", "int", 42), ("e.S", "string", "all"), ("e.P.Y", "int", 8), ("e.Arr[1].X", "int", 11),
      ("e.Anon.Y", "string", "fourteen"), ("e.Bs[1]", "uint8", 2)],
     []),
    ("lengths and capacities", 'main.everythingPointer(len(e.Bs), len(e.M), cap(e.C), len(e.C), len(e.Arr))',
     [("len(e.Bs)", "int", 2), ("len(e.M)", "int", 1), ("cap(e.C)", "int", 2), ("len(e.C)", "int", 0),
      ("len(e.Arr)", "int", 2)], None),
    ("operators", 'main.everythingPointer(e.I / 2 + len(e.Arr), e.S == "all", hasPrefix(e.S, "b"), -e.P.Y)',
     [("e.I / 2 + len(e.Arr)", "int", 23), ('e.S == "all"', "bool", True), ('hasPrefix(e.S, "b")', "bool", False),
      ("-e.P.Y", "int", -8)], None),
    ("entries of maps, what interfaces hold",
     'main.everythingPointer(e.M["k"], e.E.(main.errorString), e.Any.(main.Item).SKU, e.Any.(*main.Item), e.M["no"])',
     [("e.M[\"k\"]", "int", 1), ("e.E.(main.errorString)", "main.errorString", "broken"),
      ("e.Any.(main.Item).SKU", "string", "any"), ("e.Any.(*main.Item)", "*main.Item", None), ("e.M[\"no\"]", "int", None)], None),
    ("promoted fields, through pointers too", 'main.embeddingPointer(e.X, e.SKU, e.Item.Qty, e.N)',
     [("e.X", "int", 1), ("e.SKU", "string", "embedded"), ("e.Item.Qty", "int", 3), ("e.N", "int", 4)], None),
    ("a list, until it ends", 'main.lists(n.Value, n.Next.Next.Value, n.Next.Next.Next.Value, *n.Next.Next)()',
     [("n.Value", "int", 1), ("n.Next.Next.Value", "int", 3), ("n.Next.Next.Next.Value", "int", None),
      ("*n.Next.Next", "main.Node", {"Value": 3, "Next": None})], []),
    ("elements, and those that are not there", 'main.structSlices(a[2].Qty, a[0].SKU, a[3].SKU, len(a))()',
     [("a[2].Qty", "int", -3), ("a[0].SKU", "string", "A-1"), ("a[3].SKU", "string", None), ("len(a)", "int", 3)], []),
    ("an index that is a parameter", 'main.stringSlices(a[i], i)()', [("a[i]", "string", "d"), ("i", "int", 3)], []),
    ("elements of elements", 'main.nestedSlices(a[0][1], a[1], b[0][0][0], a[2][0])()',
     [("a[0][1]", "int", 2), ("a[1]", "[]int", None), ("b[0][0][0]", "string", "deep"), ("a[2][0]", "int", None)], []),
    ("of a map of slices", 'main.headers(h["Accept"][1], m["Host"][0], len(m["Accept"]), len(h))()',
     [('h["Accept"][1]', "string", "*/*"), ('m["Host"][0]', "string", "example.org"), ('len(m["Accept"])', "int", 2),
      ("len(h)", "int", 3)], []),
    ("a value without bytes that is all there is", 'main.onlyEmpty(e)()', [("e", "struct {}", {})], []),
    ("also a result", 'main.returnsEmpty()(~r0)', [], [("~r0", "[0]int", [])]),
    ("a method's receiver", 'main.(*Cart).Add(sku, qty)(err)', [("sku", "string", "A-119"), ("qty", "int", 2)],
     [("err", "error", None)]),
)

NIL = ("a[1]", "err", "c")               # these are nil, and nothing is wrong with that


def zoo(t):
    if not os.path.exists(os.path.join(t.targets, "zoo")):
        raise Skip("the zoo was not built with this toolchain")
    return t.binary("zoo")


def check_values(what, got, want):
    same([v["name"] for v in got], [name for name, _, _ in want], "%s: names" % what)
    for v, (name, kind, value) in zip(got, want):
        if value is None and name not in NIL:
            check("unavailable" in v, "%s: %s is %s", what, name, v)
            continue
        same(v.get("type"), kind, "%s: type of %s" % (what, name))
        same(v.get("value"), value, "%s: %s" % (what, name))


@case("capture expressions show exactly the values that they name")
def expressions(t):
    program = zoo(t)
    specs = [spec for _, spec, _, _ in SPECS if spec.count("everythingPointer") == 0]
    three = [spec for _, spec, _, _ in SPECS if spec.count("everythingPointer")]
    events = []
    # A function is captured in one way in a session: three of them are the same one.
    for some in [specs + three[:1]] + [[spec] for spec in three[1:]]:
        trace = t.attach(*some, "--", program).finish()
        events.append(({e["func"]: e for e in reversed(trace.calls)}, {e["func"]: e for e in reversed(trace.returns)}, some))
    for what, spec, args, results in SPECS:
        function = spec.split("(")[0] if not spec.startswith("main.(") else "main.(*Cart).Add"
        calls, returns, _ = next(e for e in events if spec in e[2])
        check_values(what, calls[function]["args"], args)
        if results is not None:
            check_values(what, returns[function]["results"], results)


@case("a package variable in a list is read at each call")
def variable(t):
    for spec in "main.doWork(main.counter)(main.counter)", "main.doWork(counter)(counter)":
        trace = t.attach(spec, "--", t.binary("counter"), 200).finish()
        same([e["args"][0]["value"] for e in trace.calls], list(range(200)), "counter at calls")
        same([e["results"][0]["value"] for e in trace.returns], list(range(1, 201)), "counter at returns")


@case("in text the expressions are the names of values")
def text(t):
    trace = t.attach("main.foo(y, x)()", "--", t.binary("example"), json=False).finish()
    check(re.search(r"> main\.foo\(y=9801, x=99\)$", trace.text, re.M), "call: %s", trace.text)
    check(re.search(r"< main\.foo => \(\) ", trace.text), "return: %s", trace.text)


@case("a given signature is used, and a wrong one causes a warning")
def signature(t):
    trace = t.attach("main.foo(a, b uint32) (c int)", "--", t.binary("example")).finish()
    same([(v["name"], v["type"]) for v in trace.calls[0]["args"]], [("a", "uint32"), ("b", "uint32")], "arguments")
    check("warning: the signature given for main.foo takes" in trace.stderr, "no warning: %s", trace.stderr)
    trace = t.attach("main.foo(a, b int) (c int) : (b)(c)", "--", t.binary("example")).finish()
    check("warning" not in trace.stderr, "warned: %s", trace.stderr)
    same([(v["name"], v["value"]) for v in trace.calls[0]["args"]], [("b", 9801)], "arguments")
    same([(v["name"], v["value"]) for v in trace.returns[0]["results"]], [("c", 9900)], "results")


def stripped_zoo(t):
    path = os.path.join(t.targets.rstrip("/") + "-stripped", "zoo")
    if not os.path.exists(path):
        raise Skip("the zoo was not built stripped with this toolchain")
    return t.copy(path)


# A signature and values of the zoo, and what the first call and return show.
SIGNATURES = (
    ("main.aString(s string) (n int, r string)", [("s", "string", "")], [("n", "int", 0), ("r", "string", "")]),
    ("main.structPointers(a, b *main.Item) (c, d *main.Item) : (a.SKU, a.Qty, b.SKU)(c, d.SKU)",
     [("a.SKU", "string", "pointed"), ("a.Qty", "int", 1), ("b.SKU", "string", None)], [("c", "*main.Item", None), ("d.SKU", "string", "pointed")]),
    ("main.headers(h, m map[string][]string) (a, b map[string][]string) : (m[\"Accept\"][1], len(h))()",
     [('m["Accept"][1]', "string", "*/*"), ("len(h)", "int", 3)], []),
    ("main.anonymous(a struct { X int; S string }, n int) (int, struct { X int; S string }) : (a.S, n)()",
     [("a.S", "string", "anonymous"), ("n", "int", 2)], []),
    ("main.nothing()", [], []),
)


@case("a stripped program: signatures make values of registers")
def stripped(t):
    program = stripped_zoo(t)
    trace = t.attach(*[spec for spec, _, _ in SIGNATURES], "--", program).finish()
    check("warning" not in trace.stderr, "warned: %s", trace.stderr)
    for spec, args, results in SIGNATURES:
        function = spec.split("(")[0]
        check_values(spec, next(e for e in trace.calls if e["func"] == function)["args"], args)
        check_values(spec, next(e for e in trace.returns if e["func"] == function)["results"], results)


@case("a stripped program: without a signature registers are shown, with their names")
def registers(t):
    program = stripped_zoo(t)
    trace = t.attach("main.aString", "--", program, json=False).finish()
    line = [line for line in trace.text.splitlines() if "> main.aString" in line][1]
    if re.match(r"go1\.1[56]\b", t.label):
        check("$rax" not in line, "registers, where arguments are on the stack: %s", line)
    else:
        check(re.search(r"> main\.aString\(\$rax=register\(0x[0-9a-f]+\), \$rbx=register\(0x5\)\)$", line), "line: %s", line)


@case("watch shows variables and their rates while a program runs")
def watch(t):
    target = t.target("counter", "-each", "1ms", 0)
    pid = target.popen.pid
    began = time.time_ns()
    lines = t.goprobectl("watch", "-p", pid, "-o", "json", "-i", "200ms", "--count", 5, "main.counter", "len(os.Args)",
                         "os.Args[1]", "os.Args[9]", "len(os.Args) * 3 - 1").finish()
    lines = [json.loads(line) for line in lines]
    same(len(lines), 5, "lines")
    counts = [line["values"][0]["value"] for line in lines]
    check(sorted(counts) == counts and counts[0] < counts[-1], "counts do not rise: %s", counts)
    check("rate" not in lines[0]["values"][0], "a rate before there is a change: %s", lines[0])
    rates = [line["values"][0]["rate"] for line in lines[1:]]
    changes = [b - a for a, b in zip(counts, counts[1:])]
    same([rate > 0 for rate in rates], [change > 0 for change in changes], "rates %s of counts %s" % (rates, counts))
    # The rate in line k ends between shown[k], the time of the line before, and shown[k + 1], its own time.
    took = [change / rate * 1e9 if change else None for change, rate in zip(changes, rates)]
    shown = [began] + [line["time_ns"] for line in lines]
    for a, b in itertools.combinations(range(len(lines)), 2):
        if None not in took[a:b]:
            check(shown[b] - shown[a + 1] < 1.001 * sum(took[a:b]) < 1.002 * (shown[b + 1] - shown[a]),
                  "lines %d to %d would be %s ns apart: %s, began at %d", a, b, took[a:b], lines, began)
    for line in lines:
        same(line["pid"], pid, "pid")
        same([v.get("value") for v in line["values"][1:]], [4, "-each", None, 11], "values")
        check("unavailable" in line["values"][3], "os.Args[9]: %s", line)


@case("watch ends with the process, and with its reader")
def watch_end(t):
    target = t.target("counter", "-each", "1ms", 0)
    watching = t.goprobectl("watch", "-p", target.popen.pid, "-i", "100ms", "main.counter")
    check("main.counter=" in watching.line(), "no line")
    target.popen.kill()
    target.popen.wait()
    watching.finish(0)
    check("process %d (counter) has ended" % target.popen.pid in watching.stderr(), "it said: %s", watching.stderr())
    target = t.target("counter", "-each", "1ms", 0)
    # A reader may close the pipe: that is no error.
    watching = t.goprobectl("watch", "-p", target.popen.pid, "-i", "20ms", "main.counter")
    watching.line()
    watching.popen.stdout.close()
    same((watching.wait(), watching.stderr()), (0, ""), "the end of watch, and what it said, when nobody reads any more")
