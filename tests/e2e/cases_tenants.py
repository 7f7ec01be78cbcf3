# SPDX-License-Identifier: GPL-2.0
"""Keys and conditions from headers, metadata, contexts and statements, compared with a program's own log: tests/targets/tenants."""

import collections
import json

from cases_cond import interrupt
from cases_count import started
from lib import case, check, nothing_probed, of_kind, same

SPIN_NS = 20000

# A key, and its value in a call of the log; NotImplemented: it is undecided.
KEYS = [
    ('r.Header["X-Tenant"][0]', lambda c: c["tenant"] or NotImplemented),
    ('md["x-tenant"][0]', lambda c: c["tenant"] or NotImplemented),
    ('len(r.Header["X-Tenant"])', lambda c: 2 if c["tenant"] else 0),
    ('ctx.Value("tenant").(string)', lambda c: NotImplemented if c["deep"] or not c["tenant"] else c["tenant"]),
    ('ctx.Value(main.tenantKey{}).(string)', lambda c: NotImplemented if c["deep"] or not c["tenant"] else c["tenant"]),
    ('ctx.Value(main.userKey("user")).(string)', lambda c: NotImplemented if c["deep"] else c["user"]),
    ('ctx.Value(main.userPointer).(string)', lambda c: NotImplemented if c["deep"] else c["user"]),
    ('ctx.Value(main.shardKey(7)).(int)', lambda c: NotImplemented if c["deep"] else c["shard"]),
    ('ctx.Value(main.shardKey(7))', lambda c: NotImplemented if c["deep"] else "int"),
    ('ctx.Value(main.shardKey(8))', lambda c: NotImplemented if c["deep"] else None),
    ('r.sizes[-5]', lambda c: c["shard"]),
    ('r.sizes[1]', lambda c: 0),
    ('r.flags["debug"]', lambda c: c["debug"]),
    ('r.names[1000]', lambda c: c["user"]),
    ('statement', lambda c: c["statement"]),
    ('contains(sql, "acme")', lambda c: c["tenant"] == "acme"),
]

# A condition, and whether it holds for a call; None: it is undecided.
CONDITIONS = [
    ('r.Header["X-Tenant"][0] == "globex"', lambda c: c["tenant"] == "globex" if c["tenant"] else None),
    ('len(r.Header["X-Tenant"]) == 0', lambda c: not c["tenant"]),
    ('len(r.Header["X-Tenant"]) > 0 && md["x-tenant"][0] != "acme"', lambda c: c["tenant"] not in ("", "acme")),
    ('ctx.Value("tenant") != nil', lambda c: None if c["deep"] else bool(c["tenant"])),
    ('ctx.Value("tenant").(string) == "initech"',
     lambda c: None if c["deep"] or not c["tenant"] else c["tenant"] == "initech"),
    ('ctx.Value(main.shardKey(7)).(int) > 3 && r.flags["debug"]', lambda c: None if c["deep"] else c["shard"] > 3 and c["debug"]),
    ('contains(statement, "= \'acme")', lambda c: c["tenant"] == "acme"),
    ('!contains(sql, "globex")', lambda c: c["tenant"] != "globex"),
    (r"matches(sql, /(?i)^select [02] from .* '(acme|init\w+)'$/)",
     lambda c: c["tenant"] in ("acme", "initech") and "SELECT 1" not in c["statement"]),
    (r"matches(statement, /^SELECT \d FROM/) && hasSuffix(statement, \"''\")".replace('\\"', '"'), lambda c: not c["tenant"]),
    ('statement == "SELECT 1 FROM orders WHERE tenant = \'acme\'"',
     lambda c: c["statement"] == "SELECT 1 FROM orders WHERE tenant = 'acme'"),
    ('r.limits["cpu"].hard >= 0', lambda c: True),
    ('r.limits["gpu"].hard >= 0', lambda c: None),
]


def log(target):
    target.send()
    return json.loads(target.line())


@case("tenants: counts by headers, metadata, values of contexts and []byte are those that the program has counted")
def keys(t):
    target = t.target("tenants")
    for i in range(0, len(KEYS), 8):
        batch = KEYS[i:i + 8]
        running = [started(t, "count", "-p", target.pid, "-o", "json", "--by", expr, "main.serve") for expr, _ in batch]
        calls = log(target)
        for (expr, value), process in zip(batch, running):
            lines = interrupt(process)
            got = {e["key"][0]["value"]: e["calls"] for e in of_kind(lines, "count_key")}
            values = [value(c) for c in calls]
            same(got, dict(collections.Counter(v for v in values if v is not NotImplemented)), expr)
            summary = of_kind(lines, "summary")[0]
            same(summary["undecided"], values.count(NotImplemented), "%s: undecided" % expr)
    check(nothing_probed(), "something is still probed")


@case("tenants: conditions on headers, metadata, contexts and statements let those calls pass for which they hold")
def conditions(t):
    target = t.target("tenants")
    for i in range(0, len(CONDITIONS), 7):
        batch = CONDITIONS[i:i + 7]
        running = [started(t, "count", "-p", target.pid, "-o", "json", "main.serve if " + text) for text, _ in batch]
        calls = log(target)
        for (text, holds), process in zip(batch, running):
            lines = interrupt(process)
            verdicts = [holds(c) for c in calls]
            same(sum(e["calls"] for e in of_kind(lines, "count")), verdicts.count(True), text)
            same(of_kind(lines, "summary")[0]["undecided"], verdicts.count(None), "%s: undecided" % text)


@case("tenants: durations by header are those of the tenant's calls, and none is left out")
def times(t):
    target = t.target("tenants")
    process = started(t, "latency", "-p", target.pid, "-o", "json", "--by", 'r.Header["X-Tenant"][0]', "main.serve")
    calls = log(target)
    rows = {e["key"][0]["value"]: e for e in of_kind(interrupt(process), "latency_key")}
    same(sorted(rows), ["acme", "globex", "initech"], "tenants")
    for tenant, row in rows.items():
        its = [c for c in calls if c["tenant"] == tenant]
        same(row["calls"], len(its), "%s: calls" % tenant)
        check(3 * SPIN_NS * len(its) <= row["sum_ns"] <= sum(c["ns"] for c in its), "%s: %s ns, by its own clock %s",
              tenant, row["sum_ns"], sum(c["ns"] for c in its))


@case("tenants: attach shows values of contexts, and the calls of one tenant")
def shown(t):
    target = t.target("tenants")
    attach = t.attach("-p", target.pid, "-o", "json",
                      'main.serve(ctx.Value("tenant").(string), ctx.Value(main.shardKey(7)))() if md["x-tenant"][0] == "acme"').attached()
    calls = [c for c in log(target) if c["tenant"] == "acme"]
    trace = attach.interrupt()
    got = [[a.get("value", a.get("unavailable")) for a in e["args"]] for e in trace.calls]
    same(len(got), len(calls), "calls")
    for values, c in zip(got, calls):
        check(c["deep"] or (values[0] == c["tenant"] and str(c["shard"]) in json.dumps(values[1])), "%s, in a call with %s", values, c)
