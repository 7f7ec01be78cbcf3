# SPDX-License-Identifier: GPL-2.0
"""SIMD vectors as arguments and results, compared with what tests/targets/vectors says of its own."""

import os

from cases_trace import untraced
from lib import Skip, case, check, parse, same

REJECTED = "the kernel can't step over its first instruction"
WIDE = "in a vector register of more than 128 bits"


def elements(v):
    """A value as the program says it: a vector without the field that marks it, a struct without names."""
    if isinstance(v, list):
        return [elements(one) for one in v]
    if not isinstance(v, dict):
        return v
    if "vals" in v:
        return v["vals"]
    if "type" in v:
        return elements(v["value"])
    return [elements(one) for one in v.values()]


def shown(v, wide):
    if wide:
        return v.get("unavailable", v)
    if "unavailable" in v:
        return v
    return elements(v["to"] if "to" in v else v["value"])


def program(t):
    """What vectors says of its calls; skips the case without that program, or without AVX2."""
    if not os.path.exists(os.path.join(t.targets, "vectors")):
        raise Skip("vectors was not built: it needs simd/archsimd, which Go has since 1.26, and is built in mode exe alone")
    expected = parse("\n".join(untraced(t, "vectors")))
    if expected[0]["kind"] == "none":
        raise Skip("this processor has no AVX2")
    return expected


@case("vectors: SIMD vectors of 128 bits, and all in memory, are those that the program reports; others are said not to be read")
def vectors(t):
    expected = program(t)
    trace = t.attach(*dict.fromkeys(e["func"] for e in expected), "--", t.binary("vectors")).finish()
    same(trace.lost, 0, "lost")
    events = [e for e in trace.events if e["kind"] in ("call", "return")]
    same([(e["kind"], e["func"]) for e in events], [(e["kind"], e["func"]) for e in expected], "calls and returns")
    wrong = []
    for event, own in zip(events, expected):
        got = event["args" if own["kind"] == "call" else "results"]
        same([v["name"] for v in got], [v["name"] for v in own["values"]], "names of values of " + own["func"])
        for v, want in zip(got, own["values"]):
            if shown(v, want.get("wide")) != (WIDE if want.get("wide") else want["elements"]):
                wrong.append("%s %s: %s is %s, not %s" % (own["kind"], own["func"], want["name"], v, want["elements"]))
    check(not wrong, "%d values differ: %s", len(wrong), "; ".join(wrong))


@case("vectors: a function that begins with an instruction which the kernel rejects is refused, not traced without calls")
def rejected(t):
    program(t)
    for command in "attach", "count":
        process = t.goprobectl(command, "main.refused", "--", t.binary("vectors"))
        process.finish(status=1)
        check(REJECTED in process.stderr(), "%s does not say why: %s", command, process.stderr())
