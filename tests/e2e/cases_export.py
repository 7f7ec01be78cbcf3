# SPDX-License-Identifier: GPL-2.0
"""Formats of other programs, compared with what goprobe prints of the same program as JSON."""

import os
import xml.etree.ElementTree

from cases_graph import FUNCTIONS, TRACED, Graph, graph, paths
from cases_stack import TAGGED, stressed
from lib import case, check, same

SVG = "{http://www.w3.org/2000/svg}"


def frames(svg):
    """The functions of a picture: name, number, and where they are: left and right in thousandths of a percent, and height."""
    found = []
    for e in xml.etree.ElementTree.fromstring(svg.encode()).iter(SVG + "svg"):
        if e.get("class") != "f":
            continue
        name, _, rest = e.find(SVG + "title").text.rpartition(": ")
        left, width = (round(1000 * float(e.get(key).rstrip("%"))) for key in ("x", "width"))
        found.append((name, rest, left, left + width, int(e.get("y"))))
    return found


def check_stacked(found):
    """Each function stands on one that is at least as wide."""
    for name, _, left, right, y in found:
        check(name == "all" or any(o[2] <= left and right <= o[3] and o[4] == y + 18 for o in found), "%s stands on nothing", name)


@case("export: a flame graph of stacks has all calls, each function on its caller")
def flame_of_stacks(t):
    path = os.path.join(t.tmp, "calls.svg")
    out, _, want = stressed(t, "-o", "flamegraph", "--output", path, "--frames", 10, *TAGGED)
    with open(path, encoding="utf-8") as f:
        found = frames(f.read())
    same(out, "", "standard output")
    calls = sum(want[f]["calls"] for f in TAGGED)
    same([rest for name, rest, *_ in found if name == "all"], ["%d calls, 100.0 %%" % calls], "the whole")
    check({name for name, *_ in found} > set(TAGGED), "functions: %s", found)
    check_stacked(found)


@case("export: a flame graph of call trees has the paths of a program whose tree is known")
def flame_of_trees(t):
    calls = (FUNCTIONS % TRACED, "--", t.binary("trees"), 3)
    trees, _ = graph(t, *calls).trees()
    want = {path for r in trees for path, _ in paths(r["call"])}
    found = frames(Graph(t, "-o", "flamegraph", *calls, json=False).text())
    check_stacked(found)
    # What is too narrow to see is left out.
    check(0 < len(found) <= len(want) + 1, "%d functions of %d paths", len(found), len(want))
    check({name for name, *_ in found} - {"all"} <= {p[-1] for p in want}, "functions: %s", found)


@case("export: a flame graph is written once, to a file that can be written")
def flame_refused(t):
    for args, message in ((("-i", "1s"), "written once"), (("--output", "/no/such/folder"), "can't write")):
        p = t.goprobectl("stack", "-o", "flamegraph", *args, "main.foo", "--", t.binary("example"))
        p.finish(status=2 if "-i" in args else 1)
        check(message in p.stderr(), "%s: %s", args, p.stderr())
