# SPDX-License-Identifier: GPL-2.0
"""Conditions on goroutines, compared with a program that knows their labels and descent: tests/targets/kin."""

import collections
import json
import os

from cases_by import counted
from cases_cond import batches, interrupt
from cases_count import started
from lib import Skip, case, check, of_kind, same


def keys_of(lines, kind):
    return {tuple(k["value"] for k in e["key"]): e["calls"] for e in of_kind(lines, kind)}


def kin(t):
    if not os.path.exists(os.path.join(t.targets, "kin")):
        raise Skip("kin was not built with this toolchain")
    return t.target("kin")


def run(target):
    """What the program prints of one round."""
    target.send()
    return json.loads(target.line())


def minor(report):
    return int(report["go"].split(".")[1])


def label(report, call, key):
    """The label as the module has it, or None if the module can't read it."""
    labels = call["labels"]
    if minor(report) < 24:
        return labels.get(key, "") if len(labels) <= 8 else None
    first = sorted(labels)[:16]
    return labels[key] if key in first else "" if len(labels) <= 16 else None


def decide(report, call, keys, holds):
    values = [label(report, call, k) for k in keys]
    return None if None in values else holds(*values)


LABELS = [
    ('label("tenant") == "acme"', ["tenant"], lambda v: v == "acme"),
    ('label("tenant") != "acme"', ["tenant"], lambda v: v != "acme"),
    ('label("tenant") == ""', ["tenant"], lambda v: v == ""),
    ('label("tenant") != ""', ["tenant"], lambda v: v != ""),
    ('hasPrefix(label("tenant"), "ac")', ["tenant"], lambda v: v.startswith("ac")),
    ('!hasPrefix(label("tenant"), "acm")', ["tenant"], lambda v: not v.startswith("acm")),
    ('strings.HasSuffix(label("tenant"), "ne")', ["tenant"], lambda v: v.endswith("ne")),
    ('len(label("tenant")) == 4', ["tenant"], lambda v: len(v) == 4),
    ('label("zone15") == "15"', ["zone15"], lambda v: v == "15"),
    ('label("key0") == "0" && label("tenant") == "acme"', ["key0", "tenant"], lambda a, b: a == "0" and b == "acme"),
    ('label("tenant") == label("key1")', ["tenant", "key1"], lambda a, b: a == b),
    ('label("the-name-of-the-customer") == ""', ["the-name-of-the-customer"], lambda v: v == ""),
]


@case("labels: a condition on labels passes the calls of goroutines with these labels; undecided calls have a count of their own")
def label_conditions(t):
    target = kin(t)
    report = run(target)
    for batch in batches(LABELS):
        attached = [t.attach("-p", target.pid, "main.work(i) if " + text).attached() for text, _, _ in batch]
        report = run(target)
        for (text, keys, holds), attach in zip(batch, attached):
            trace = attach.interrupt()
            decided = [(c["i"], decide(report, c, keys, holds)) for c in report["calls"]]
            same(sorted(e["args"][0]["value"] for e in trace.calls), [i for i, d in decided if d], text)
            same(len(trace.returns), len([i for i, d in decided if d and i % 10 != 7]), text + ": returns")
            same((trace.lost, trace.summary["filtered"], trace.summary["undecided"]),
                 (0, sum(d is False for _, d in decided), sum(d is None for _, d in decided)), text + ": left out")


@case("labels: at the return of a call, and as a value of it")
def label_values(t):
    target = kin(t)
    run(target)
    held = t.attach("-p", target.pid, 'main.work(i)(label("tenant")) if ~r0 > 20 || label("tenant") == "acne"').attached()
    values = t.attach("-p", target.pid, 'main.work(i, label("tenant"), label("key0"))').attached()
    report = run(target)
    held, values = held.interrupt(), values.interrupt()
    calls = {c["i"]: c for c in report["calls"]}
    returned = [i for i in sorted(calls) if i % 10 != 7]
    passed = [i for i in returned if i > 20 or label(report, calls[i], "tenant") == "acne"]
    same(sorted(e["args"][0]["value"] for e in held.calls), passed, "calls")
    shown = collections.Counter(e["results"][0].get("value") for e in held.returns)
    same(shown, collections.Counter(label(report, calls[i], "tenant") for i in passed), "labels at the return")
    same(len(values.calls), len(calls), "all calls")
    for e in values.calls:
        i, *got = [a.get("value") for a in e["args"]]
        same(got, [label(report, calls[i], "tenant"), label(report, calls[i], "key0")], "labels of call %d" % i)
    check(any(None in [a.get("value") for a in e["args"]] for e in values.calls), "all labels were readable")


@case("count, latency --by label: numbers by label are those of the program")
def by_label(t):
    target = kin(t)
    run(target)
    count, latency = [started(t, command, "-p", target.pid, "-o", "json", "--by", 'label("tenant")', "main.work")
                      for command in ("count", "latency")]
    report = run(target)
    labels = [(c["i"], label(report, c, "tenant")) for c in report["calls"]]
    lines = interrupt(count)
    same(keys_of(lines, "count_key"), counted(NotImplemented if v is None else (v,) for _, v in labels), "calls by label")
    same(of_kind(lines, "summary")[0]["undecided"], [v for _, v in labels].count(None), "calls whose label can't be read")
    same(keys_of(interrupt(latency), "latency_key"),
         counted(NotImplemented if v is None or i % 10 == 7 else (v,) for i, v in labels), "returns by label")


# Of whom the descendants are asked for; those of "third" are born after goprobectl has come.
OF = ["main", "first", "second", "third", "other"]


@case("descendant: calls of a goroutine and of all its descendants, old and new")
def descendants(t):
    target = kin(t)
    report = run(target)
    known = minor(report) >= 21
    attached = [t.attach("-p", target.pid, "main.work(i) if descendant(%d)" % report[name]).attached() for name in OF]
    reports = [run(target), run(target)]
    before = {report[name] for name in OF}
    for name, attach in zip(OF, attached):
        trace = attach.interrupt()
        calls = [c for r in reports for c in r["calls"]]

        def follows(line):
            """Whether it is in the set. Before 1.21 no set has goroutines that ran already."""
            if report[name] not in line:
                return False
            between = line[:line.index(report[name])]
            return known or not any(g in before for g in between)

        want = sorted(c["i"] for c in calls if follows(c["line"]))
        same(sorted(e["args"][0]["value"] for e in trace.calls), want, "descendants of %s" % name)
        same((trace.lost, trace.summary["undecided"], trace.summary["filtered"]), (0, 0, len(calls) - len(want)), name + ": left out")
        same("warning: Go 1.%d does not record" % minor(report) in trace.stderr, not known, "a warning")
    check(not target.patched(), "something is still probed")


@case("descendant: of a command all are known; in conditions with others, counted, timed")
def descendants_counted(t):
    target = kin(t)
    report = run(target)
    first = report["first"]
    specs = ["main.work if descendant(%d)" % first, "main.work if !descendant(%d)" % first,
             "main.work if descendant(%d) && label(\"tenant\") == \"acne\"" % first,
             "main.work if descendant(%d) && goid != %d" % (first, first)]
    processes = [started(t, "count", "-p", target.pid, "-o", "json", spec) for spec in specs]
    report = run(target)
    known = minor(report) >= 21
    lines = [c for c in report["calls"] if first in c["line"]]
    if known:
        want = [len(lines), len(report["calls"]) - len(lines),
                sum(label(report, c, "tenant") == "acne" for c in lines), sum(c["line"][0] != first for c in lines)]
        for spec, number, process in zip(specs, want, processes):
            same(of_kind(interrupt(process), "summary")[0]["calls"], number, spec)
    else:
        for process in processes:
            interrupt(process)
    command = t.attach("main.work(i) if descendant(1)", "--", t.binary("kin"))
    command.line()
    report = run(command)
    trace = command.finish()
    same(sorted(e["args"][0]["value"] for e in trace.calls), [c["i"] for c in report["calls"]], "calls of all goroutines")
    # The second pattern traces nothing.
    other = t.goprobectl("count", "-p", target.pid, "--duration", "300ms", "main.work if descendant(1)", "main.main if descendant(2)")
    other.finish(1)
    check("only the descendants of one goroutine can be followed" in other.stderr(), "it said: %s", other.stderr())


@case("creator: calls of the goroutines that a goroutine started itself")
def creators(t):
    target = kin(t)
    report = run(target)
    if minor(report) < 21:
        refused = t.goprobectl("count", "-p", target.pid, "main.work if creator == 1")
        refused.finish(1)
        check("does not record which goroutine has started another" in refused.stderr(), "it said: %s", refused.stderr())
        return
    attached = [t.attach("-p", target.pid, "main.work(i) if creator == %d" % report[name]).attached() for name in OF]
    by = started(t, "count", "-p", target.pid, "-o", "json", "--by", "creator", "--top", 1000, "main.work")
    report = run(target)
    for name, attach in zip(OF, attached):
        want = [c["i"] for c in report["calls"] if c["line"][1:2] == [report[name]]]
        same(sorted(e["args"][0]["value"] for e in attach.interrupt().calls), want, "calls of goroutines that %s has started" % name)
    keys = {k: n for (k,), n in keys_of(interrupt(by), "count_key").items()}
    same({k: n for k, n in keys.items() if k}, dict(collections.Counter(c["line"][1] for c in report["calls"] if len(c["line"]) > 1)),
         "calls by creator")
