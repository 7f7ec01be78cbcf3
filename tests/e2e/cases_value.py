# SPDX-License-Identifier: GPL-2.0
"""goprobectl count --sum and --hist, compared with calls whose values are known: tests/targets/conds."""

import collections
import os
import re

from cases_by import STEPS, ends, text
from cases_cond import conds, interrupt, run
from cases_count import started
from lib import case, check, nothing_probed, of_kind, same


CONDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../targets/conds/main.go")


def line_of(statement):
    """Where the program's source has that line first."""
    with open(CONDS, encoding="utf-8") as f:
        return "main.go:%d" % next(n for n, line in enumerate(f, 1) if line.strip() == statement)


def bucket(v, signed):
    """The start of the bucket of @v, as goprobe.h has it: four or two buckets for each power of two."""
    if signed and v < 0:
        # The last value of the bucket that lies as far behind 0.
        n = -1 - v
        return -1 - n if n < 2 else -bucket(n, True) - (1 << n.bit_length() - 2)
    bits = 1 if signed else 2
    return v if v < 1 << bits else v >> (v.bit_length() - 1 - bits) << (v.bit_length() - 1 - bits)


def step_of(v, low, high, step):
    return ("below", low) if v < low else ("from", high if v >= high else low + (v - low) // step * step)


def expected(values, signed, linear):
    """The members of a row that has counted these values."""
    if not values:
        return None
    total = sum(values)
    fits = -2**63 <= total < 2**63 if signed else total < 2**64
    tally = {}
    for v in values:
        b = step_of(v, *linear) if linear else ("from", bucket(v, signed))
        tally[b] = tally.get(b, 0) + 1
    return {"calls": len(values), "sum": total if fits else None, "mean": "%.2f" % (total / len(values)) if fits else None,
            "min": min(values), "max": max(values), "buckets": sorted((where[0] == "from", where[1], n) for where, n in tally.items())}


def got(e):
    return {"calls": e["calls"], "sum": e.get("sum"), "mean": "%.2f" % e["mean"] if "mean" in e else None, "min": e["min"], "max": e["max"],
            "buckets": sorted(("from" in b, b.get("from", b.get("below")), b["calls"]) for b in e["buckets"])}


def returned(value):
    return lambda i: value(i) if ends(i) else None


# What is asked for: a condition, a value, its sign, steps, a key; and the value of call i, or None, and its key.
VALUES = [
    ("", "i", True, None, None, lambda i: i, None),
    ("", "b", True, None, None, lambda i: (i + 128) % 256 - 128, None),
    ("", "c", False, None, None, lambda i: 0 if i == 8 else (i * 131 - 1) % 65536, None),
    ("", "e", False, None, None, lambda i: i * 0x0123456789abcdef % 2**64, None),
    ("", "len(s)", True, None, "s", lambda i: len(text(i)), text),
    ("", "i - 250", True, (-100, 100, 30), None, lambda i: i - 250, None),
    ("", "c", False, (0, 65536, 4096), "ok", lambda i: 0 if i == 8 else (i * 131 - 1) % 65536, lambda i: i % 3 == 0),
    ("if i > 250 && ok", "b", True, None, None, lambda i: (i + 128) % 256 - 128 if i > 250 and i % 3 == 0 else None, None),
    ("", "n", True, None, None, returned(lambda i: 3 * i), None),
    ("", "len(out)", True, (0, 20, 5), "s", returned(lambda i: len(text(i)) + len(text(i // 8))), text),
    ("if failed != nil", "n - 700", True, None, None, returned(lambda i: 3 * i - 700 if i % 5 == 0 else None), None),
    ("if i > 250 && failed != nil", "n", True, None, "d / 10", returned(lambda i: 3 * i if i > 250 and i % 5 == 0 else None),
     lambda i: int((120 if i == 120 else i % 41 - 20) / 10)),
]


def counting(t, target, what):
    condition, expr, _, linear, key, _, _ = what
    args = ["--hist", expr] + (["--linear", ",".join(map(str, linear))] if linear else []) + (["--by", key] if key else [])
    return started(t, "count", "-p", target.pid, "-o", "json", *args, ("main.step " + condition).strip())


@case("values: sums, extremes and histograms are the program's own, at calls and returns, by key, with conditions, under panics")
def values(t):
    target = conds(t)
    processes = [counting(t, target, what) for what in VALUES]
    run(target)
    for what, process in zip(VALUES, processes):
        _, expr, signed, linear, key, value, key_of = what
        lines = interrupt(process)
        seen = [(key_of(i) if key_of else None, value(i)) for i in STEPS if value(i) is not None]
        row = of_kind(lines, "count")[0]
        same(got(row), expected([v for _, v in seen], signed, linear), str(what[:5]))
        same(row["expr"], expr, "the expression")
        by = {e["key"][0]["value"]: got(e) for e in of_kind(lines, "count_key")}
        want = {k: expected([v for its, v in seen if its == k], signed, linear) for k, _ in seen} if key else {}
        same(by, want, "%s by key" % (what[:5],))
        same(of_kind(lines, "summary")[0]["calls"], len(seen), "calls of the summary")
    check(nothing_probed(), "something is still probed")


@case("values: text shows a row and a histogram, at intervals all that was counted; what cannot be read is undecided")
def shown(t):
    target = conds(t)
    text_of = started(t, "count", "-p", target.pid, "--hist", "b", "main.step")
    steps = started(t, "count", "-p", target.pid, "--hist", "i", "--linear", "0,400,200", "main.step")
    sums = started(t, "count", "-p", target.pid, "-i", "200ms", "--sum", "i", "--by", "ok", "main.step")
    nil = started(t, "count", "-p", target.pid, "-o", "json", "--sum", "p.Value", "main.refs")
    place = started(t, "count", "-p", target.pid, "-o", "json", "--sum", "k", line_of("if k == 0 {"))
    run(target)
    for p in (text_of, steps, sums):
        p.signal(2)
    rows = "\n".join(text_of.finish()).splitlines()
    same(rows[0].split(), ["CALLS", "SUM", "MEAN", "MIN", "MAX", "FUNCTION"], "heads")
    b = [(i + 128) % 256 - 128 for i in STEPS]
    same(rows[1].split(), ["500", str(sum(b)), "%.2f" % (sum(b) / 500), "-128", "127", "main.step"], "the row")
    check(re.match(r" +-128 +\d+ \|@+", rows[4]) and re.match(r" +64 +\d+ \|@+", rows[-1]), "a histogram: %s", rows)
    rows = "\n".join(steps.finish()).splitlines()
    same([r.split()[:2] for r in rows[4:]], [["0", "200"], ["200", "200"], ["400", "100"]], "steps")
    rows = "\n".join(sums.finish()).splitlines()
    check(rows[-2].split()[:2] == ["333", str(sum(i for i in STEPS if i % 3))], "the last table: %s", rows[-4:])
    lines = interrupt(nil)
    row = started(t, "count", "-p", target.pid, "--sum", "p.Value", "main.refs")
    run(target)
    row.signal(2)
    row.finish()
    check("125 calls with a condition, key or value that could not be evaluated" in row.stderr(), "it said: %s", row.stderr())
    same(of_kind(lines, "summary")[0]["undecided"], 125, "calls with nil on the way")
    same((of_kind(lines, "count")[0]["calls"], of_kind(lines, "count")[0]["min"]), (375, 2), "calls with a value")
    lines = interrupt(place)
    check(of_kind(lines, "count")[0]["min"] == 0, "a value at a place: %s", lines)


@case("stack --weight: sums by stack and key are the program's own, at calls and returns; what is no weight is said")
def weights(t):
    target = conds(t)
    rows = [what for what in VALUES if not what[3] and what[1] in ("i", "c", "len(s)", "n")]
    processes = [started(t, "stack", "-p", target.pid, "-o", "json", "--weight", expr, *(["--by", key] if key else []), ("main.step " + condition).strip())
                 for condition, expr, _, _, key, _, _ in rows]
    negative = started(t, "stack", "-p", target.pid, "--weight", "0 - i", "main.step")
    run(target)
    for what, process in zip(rows, processes):
        _, expr, _, _, key, value, key_of = what
        want, sums = collections.Counter(), collections.Counter()
        for i in STEPS:
            if value(i) is not None:
                want[key_of(i) if key else None] += value(i)
        for s in of_kind(interrupt(process), "stack"):
            same(s["expr"], expr, "the expression")
            sums[s["key"][0]["value"] if key else None] += s["sum"]
        same(+sums, +want, str(what[:5]))
    negative.signal(2)
    rows = "\n".join(negative.finish())
    check(re.match(r"0 - i 0, \d+ calls?, ", rows), "text: %s", rows)
    check(re.search(r"^\d+ sums? negative or over 64 bits: shown as 0$", negative.stderr(), re.M), "what is said: %s", negative.stderr())
