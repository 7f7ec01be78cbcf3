# SPDX-License-Identifier: GPL-2.0
"""Keys, values and conditions of registers that a detour can't evaluate: calls without a trap are counted by them or recorded (tests/targets/numbers)."""

import signal
import time
from collections import Counter

from cases_count import started
from cases_by import keys_of
from cases_trapless import are_jumps, points, summary_of, traps
from cases_trapless_records import args_of, ask, attached, program, work_through_changes
from cases_value import expected, got
from lib import case, check, of_kind, parse, same, times, wait_for

CALLS = 3000
THREADS = 4


def counting(t, target, *args, jumps=True):
    """A command that counts main.add, once that is a jump."""
    process = started(t, "count", "-p", target.pid, "-o", "json", "--trapless", "always", *args)
    found = points(target.pid)
    if jumps:
        wait_for("breakpoints becoming jumps", lambda: are_jumps(target, found))
    return process


def finish(process):
    process.signal(signal.SIGINT)
    lines = parse("\n".join(process.finish()))
    return lines, summary_of(lines)


def few_traps(summary, hits):
    """Few hits took a trap: those that find no free note."""
    check(summary["without_trap"] + summary["with_trap"] == hits, "hits: %s", summary)
    check(summary["with_trap"] <= hits // 50 + 20, "with a trap: %s", summary)


# What is asked for, and which calls count with which key: None if a call does not count.
KEYS = (
    (("--by", "low"), lambda n, who, low, odd, big: (low,)),
    (("--by", "who", "--by", "odd"), lambda n, who, low, odd, big: (who, odd) if who % 3 == 0 else None, "if who % 3 == 0"),
    (("--by", "n % 7"), lambda n, who, low, odd, big: (n % 7,)),
    (("--by", "big >> 3 & 1", "--by", "-n / 1000"), lambda n, who, low, odd, big: (big >> 3 & 1, -(n // 1000)) if odd or low > 250 else None, "if odd || low > 250"),
)


@case("trapless: calls are counted by keys that are made of registers, with any condition on registers, without a trap")
def keys(t):
    with program(t) as target:
        for options, key, *condition in KEYS:
            process = counting(t, target, *options, " ".join(["main.add"] + condition))
            ask(target, "calls 1 %d" % CALLS)
            lines, summary = finish(process)
            found = [key(*args_of(n, 0)) for n in range(CALLS)]
            want = Counter(k for k in found if k is not None)
            same(keys_of(lines, "count_key"), dict(want), "calls by %s" % (options,))
            same((summary["calls"], summary["filtered"], summary["no_key"]), (sum(want.values()), found.count(None), 0), "%s: summary" % (options,))
            few_traps(summary, CALLS)


@case("trapless: values of registers are summed up, without a trap, as with one")
def values(t):
    asked = ((("--hist", "who"), lambda a: a[1], True, None), (("--hist", "low", "--linear", "0,200,50"), lambda a: a[2], False, (0, 200, 50)),
             (("--hist", "big"), lambda a: a[4], False, None))
    with program(t) as target:
        for options, value, signed, linear in asked:
            process = counting(t, target, *options, "main.add")
            ask(target, "calls 1 %d" % CALLS)
            lines, summary = finish(process)
            want = expected([value(args_of(n, 0)) for n in range(CALLS)], signed, linear)
            same(got(of_kind(lines, "count")[0]), want, "values of %s" % (options,))
            few_traps(summary, CALLS)


@case("trapless: a condition on registers that is more than comparisons with constants needs no trap, and what can't be evaluated is counted")
def conditions(t):
    asked = (("n + 1 > 100 && (low == 7 || n % 3 == 1 && odd)", lambda n, who, low, odd, big: n + 1 > 100 and (low == 7 or n % 3 == 1 and odd)),
             ("100 / who > 3", lambda n, who, low, odd, big: None if who == 0 else int(100 / who) > 3))
    with program(t) as target:
        for condition, passes in asked:
            process = counting(t, target, "main.add if " + condition)
            ask(target, "calls 1 %d" % CALLS)
            lines, summary = finish(process)
            found = [passes(*args_of(n, 0)) for n in range(CALLS)]
            same({e["func"]: e["calls"] for e in of_kind(lines, "count")}, {"main.add": found.count(True)}, "calls if " + condition)
            same((summary["filtered"], summary["undecided"]), (found.count(False), found.count(None)), "summary")
            check(summary["without_trap"] >= CALLS - CALLS // 50 - 20, "without a trap: %s", summary)


@case("trapless: threads that count by key at once, while others read, are all counted")
def at_once(t):
    with program(t) as target:
        process = counting(t, target, "--by", "low", "-i", "100ms", "main.add")
        for _ in range(3):
            ask(target, "calls %d %d" % (THREADS, CALLS))
        lines, summary = finish(process)
        want = Counter((args_of(n, i)[2],) for _ in range(3) for i in range(THREADS) for n in range(CALLS))
        # The last line of each key counts.
        same(keys_of(lines, "count_key"), dict(want), "calls by key")
        same(summary["calls"], 3 * THREADS * CALLS, "calls")
        check(summary["without_trap"] > 3 * THREADS * CALLS // 2, "without a trap: %s", summary)


def count_keys_through_changes(t, target, least):
    process = counting(t, target, "--by", "low", "--by", "goid", "main.add")
    callers, again = work_through_changes(t, target, least, "forever 2")
    lines, summary = finish(process)
    # There are millions: of each goroutine one in 256 has such a low byte.
    want = {(low, c["goid"]): len(range(low, c["calls"], 256)) for c in callers for low in range(min(256, c["calls"]))}
    same(keys_of(lines, "count_key"), want, "calls by key")
    check(summary["without_trap"] > 0 and summary["with_trap"] > 0, "ways of hits: %s", summary)
    return again, summary


@case("trapless: calls are counted by key exactly through changes of jumps", slow=True)
def changes(t):
    with program(t) as target:
        count_keys_through_changes(t, target, times(100, 10))


@case("trapless: a trace that counts by key and is stopped under load leaves nothing behind, and its keys and its calls agree")
def stopped(t):
    with program(t) as target:
        target.send("forever %d" % THREADS)
        for _ in range(5):
            process = counting(t, target, "--by", "low", "main.add")
            lines, summary = finish(process)
            same(sum(e["calls"] for e in of_kind(lines, "count_key")), summary["calls"], "calls by key, and all")
        target.send("stop")
        target.line()


@case("trapless: calls that are counted by key without a trap take time, and more of it than --max-load allows ends the command")
def overload(t):
    with program(t) as target:
        target.send("forever 2")
        process = t.goprobectl("count", "-p", target.pid, "-o", "json", "--trapless", "always", "--max-load", "10", "--by", "low", "main.add")
        lines = parse("\n".join(process.finish(4)))
        check("--max-load" in process.stderr(), "it said: %s", process.stderr())
        # A busy machine makes fewer calls until the breaker has looked.
        summary = summary_of(lines)
        check(summary["without_trap"] > 20000 + summary["with_trap"], "without a trap: %s", summary)
        target.send("stop")
        target.line()


@case("trapless: the goroutine is a key and a condition that needs no trap")
def goroutines(t):
    with program(t) as target:
        process = counting(t, target, "--by", "goid", "main.add")
        callers = ask(target, "calls %d %d" % (THREADS, CALLS))
        lines, summary = finish(process)
        same(keys_of(lines, "count_key"), {(c["goid"],): CALLS for c in callers}, "calls by goroutine")
        check(summary["without_trap"] > THREADS * CALLS // 2, "without a trap: %s", summary)
        process = counting(t, target, "main.add if goid == 1")
        ask(target, "calls 1 %d" % CALLS)
        target.send("slow 3 1")
        same([target.line() for _ in range(3)], 3 * ["called"], "what the program says")
        lines, summary = finish(process)
        same((summary["calls"], summary["filtered"]), (3, CALLS), "calls of goroutine 1, and of others")
        few_traps(summary, CALLS + 3)


@case("trapless: calls that pass any condition on registers, and a sample of calls, are recorded without a trap")
def recorded(t):
    def passes(n, who, low, odd, big):
        return odd and n % 5 == 1 or low % 16 == 3

    with program(t) as target:
        trace = attached(t, target, "--no-return", "main.add if odd && n % 5 == 1 || low % 16 == 3")
        callers = ask(target, "calls %d 1000" % THREADS)
        trace = trace.interrupt()
        for i, c in enumerate(callers):
            want = [args_of(n, i) for n in range(1000) if passes(*args_of(n, i))]
            same([[a["value"] for a in e["args"]] for e in trace.calls if e["goid"] == c["goid"]], want, "arguments of goroutine %d" % i)
        same(trace.summary["filtered"] + len(trace.calls), THREADS * 1000, "calls")
        check(trace.summary["without_trap"] > THREADS * 1000 // 2, "without a trap: %s", trace.summary)
        trace = attached(t, target, "--no-return", "--sample", "1/10", "main.add")
        ask(target, "calls 1 %d" % CALLS)
        trace = trace.interrupt()
        # Each processor takes blocks of 61 numbers.
        check(CALLS // 10 - 61 <= len(trace.calls) <= CALLS // 10 + 61, "calls of a sample: %d", len(trace.calls))
        same(trace.summary["sampled"] + len(trace.calls), CALLS, "calls, and those left out")
        check(trace.summary["without_trap"] >= CALLS - CALLS // 50 - 20, "without a trap: %s", trace.summary)


@case("trapless: auto makes jumps of what is called often, though no call has a key, or none can be decided about")
def hot(t):
    with program(t) as target:
        for condition, member in ("who * 2 == 1", "filtered"), ("100 / (n - n) == 3", "undecided"):
            process = started(t, "count", "-p", target.pid, "-o", "json", "--trapless", "auto", "--by", "who", "main.add if " + condition)
            found = points(target.pid)
            ask(target, "calls 1 50")
            time.sleep(0.3)
            check(not are_jumps(target, found), "50 calls make a jump")
            ask(target, "calls 1 1000")
            wait_for("a jump", lambda: are_jumps(target, found))
            ask(target, "calls 1 1000")
            summary = finish(process)[1]
            same((summary["calls"], summary["keys"], summary[member]), (0, 0, 2050), "calls, keys, and calls that do not count")
            check(summary["without_trap"] > 900, "few hits were without a trap: %s", summary)


@case("trapless: keys of memory or of the thread keep the trap, so do conditions too long to be evaluated many at a time, and list says why")
def keep(t):
    with program(t) as target:
        for key in "s", "tid":
            process = counting(t, target, "--by", key, "main.name", jumps=False)
            same(traps(t), {"main.name": "condition"}, "why hits take a trap")
            target.send("names 500")
            target.line()
            lines, summary = finish(process)
            same((sum(e["calls"] for e in of_kind(lines, "count_key")), summary["without_trap"]), (500, 0), "calls by key, and those without a trap")
        process = counting(t, target, "main.add if " + " || ".join("n * n == %d" % (n * n) for n in range(40)), jumps=False)
        same(traps(t), {"main.add": "condition"}, "why hits take a trap")
        ask(target, "calls 1 500")
        summary = finish(process)[1]
        same((summary["calls"], summary["filtered"], summary["without_trap"]), (40, 460, 0), "calls that pass, others, and those without a trap")
