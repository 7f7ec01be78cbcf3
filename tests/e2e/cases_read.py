# SPDX-License-Identifier: GPL-2.0
"""What read prints of package variables, compared with what attach prints of them at calls: tests/targets/globals."""

import json
import re

from lib import case, check, nothing_probed, same, short, times, wait_for

# Of packages that the program uses.
OTHERS = ["os.Args", "os.Stdout", "os.ErrNotExist", "io.EOF", "io.Discard", "time.UTC", "time.Local", "time.unitMap", "net.v4InV6Prefix",
          "net.ErrClosed", "context.Canceled", "net.classAMask", "strconv.ErrRange", "os.checkPidfdOnce", "net/url.ishex"]

# --depth, --elements, --string-limit; first the defaults, which watch has.
LIMITS = [(4, 64, 256), (1, 64, 256), (0, 64, 256), (2, 16, 20), (3, 0, 0), (9, 1000, 400)]

# Calls of each function until all types are known, at most: each round may show types that the next one needs.
ROUNDS = 40

# The budgets of a record, as large as attach allows; read has larger ones.
BUDGET = ["--objects", 1024, "--bytes", 16384]

# Variables of which read and watch show more, from the first to the second number of --elements, and why.
MORE = [
    ("main.MapShrunk", 1, 1000, "the module copies a share of a map's groups, and these have none of its few entries"),
    ("main.MapLarge", 1000, 1000, "the groups do not fit into the module's record"),
]


def more(name, elements):
    return any(its == name and first <= elements <= last for its, first, last, _ in MORE)


class Show:
    """attach at the calls of show000, show001 ...: one variable each."""

    def __init__(self, t, pid, names, options, form):
        specs = ["main.show%03d(%s)" % (i, name) for i, name in enumerate(names)]
        self.json = form == "json"
        self.names = names
        self.attach = t.attach("--no-return", "--lossless", *options, "-p", pid, *specs, json=self.json).attached()

    def values(self, rounds):
        """What the last call of each function showed."""
        lines = wait_for("all calls", lambda: self.lines(rounds))
        return dict(self.value(line) for line in lines[-len(self.names):])

    def lines(self, rounds):
        with open(self.attach.output, encoding="utf-8", errors="surrogateescape") as f:
            lines = [line for line in f.read().split("\n")[:-1] if "main.show" in line]
        return lines if len(lines) >= rounds * len(self.names) else None

    def value(self, line):
        if self.json:
            v = json.loads(line)["args"][0]
            return v.pop("name"), v
        name, _, value = re.search(r" > main\.show\d+\((.*)\)$", line).group(1).partition("=")
        return name, value


def attached(t, target, names, options, forms=("json", "text")):
    """What attach shows of variables in each form, when it knows all types."""
    shows = [Show(t, target.pid, names, options, form) for form in forms]
    shown = before = None
    for rounds in range(1, ROUNDS):
        target.send()
        same(target.line(), "done", "the target's answer")
        shown = [s.values(rounds) for s in shows]
        if shown == before and "type not known yet" not in str(shown):
            break
        before = shown
    for s in shows:
        s.attach.interrupt()
    return dict(zip(forms, shown))


def members(lines):
    """Of each variable in a line of JSON what is said of it."""
    return {v.pop("name"): v for v in json.loads(lines[0])["values"]}


def read(t, target, names, options, form):
    lines = t.goprobectl("read", "-o", form, *options, "-p", target.pid, *names).finish()
    return members(lines) if form == "json" else dict(line.split(" = ", 1) for line in lines)


def differences(what, got, want, names, elements):
    """Each variable that got has otherwise, with no reason."""
    same(sorted(got), sorted(names), "variables of %s" % what)
    return ["%s: %s: %s, attach: %s" % (what, name, short(str(got[name]), 400), short(str(want[name]), 400))
            for name in names if got[name] != want[name] and not more(name, elements)]


def started(t):
    """The program, and the variables that are compared."""
    target = t.target("globals")
    names = ["main." + name for name in target.line().split()]
    others = [name for name in OTHERS if t.goprobectl("read", "-p", target.pid, name).wait() == 0]
    check(len(names) > 70 and len(others) > 8, "variables: %s", names + others)
    return target, names + others


def parts(names):
    """As many as the program has functions to show them."""
    return [names[i:i + 104] for i in range(0, len(names), 104)]


@case("read: a variable is shown as attach shows it, in text and JSON, with all limits", slow=True)
def read_is_attach(t):
    t.may_take(1200)
    target, names = started(t)
    wrong = []
    for limits in times(LIMITS, LIMITS[:4], LIMITS[:2]):
        options = [x for pair in zip(("--depth", "--elements", "--string-limit"), limits) for x in pair]
        for some in parts(names):
            want = attached(t, target, some, BUDGET + options)
            for form, shown in want.items():
                wrong += differences("%s %s" % (form, limits), read(t, target, some, options, form), shown, some, limits[1])
    check(not wrong, "%d differences:\n%s", len(wrong), "\n".join(wrong))
    check(nothing_probed(), "something is still probed")


# What errors say, however far their texts are from them.
ERRORS = {
    "main.Refused": '&main.refused{s: &main.status{s: &main.said{Code: 7, Text: "over quota", Token: <redacted>}}}',
    "main.Attempts": '&main.attempt{N: 1, Err: &main.attempt{N: 2, Err: &main.attempt{N: 3, Err: &main.refused{s: &main.status{s: '
                     '&main.said{Code: 7, Text: "too late", Token: <redacted>}}}}}}',
    "main.Failures": 'main.failures{&main.coded{Code: 6}, &main.refused{s: &main.status{s: &main.said{Code: 7, Text: "no such tenant", '
                     'Token: <redacted>}}}, &main.attempt{N: 4, Err: *errors.errorString("e")}}',
}


@case("attach and read: errors are followed until their texts come, at any --depth, and secrets in them are redacted")
def errors_say(t):
    target = t.target("globals")
    target.line()
    for depth in (1, 2):
        same(attached(t, target, list(ERRORS), ["--depth", depth], ["text"])["text"], ERRORS, "attach --depth %d" % depth)
        same(read(t, target, list(ERRORS), ["--depth", depth], "text"), ERRORS, "read --depth %d" % depth)


@case("watch: a variable is shown as attach shows it, within the same budgets", slow=True)
def watch_is_attach(t):
    t.may_take(600)
    target, names = started(t)
    wrong = []
    for some in parts(names):
        want = attached(t, target, some, [], ["json"])["json"]
        got = members(t.goprobectl("watch", "-o", "json", "--count", 1, "-p", target.pid, *some).finish())
        wrong += differences("watch", got, want, some, LIMITS[0][1])
    check(not wrong, "%d differences:\n%s", len(wrong), "\n".join(wrong))
