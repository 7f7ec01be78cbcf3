# SPDX-License-Identifier: GPL-2.0
"""Formats of other programs, compared with what goprobe prints of the same program as JSON."""

import http.server
import json
import os
import re
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
import xml.etree.ElementTree

from cases_count import started
from cases_graph import FUNCTIONS, TRACED, Graph, graph, paths
from cases_stack import TAGGED, stressed
from lib import case, check, same, wait_for

SVG = "{http://www.w3.org/2000/svg}"


def frames(svg):
    """The functions of a picture: name, number, and where they are: left and right in millionths of a percent, and height."""
    found = []
    for e in xml.etree.ElementTree.fromstring(svg.encode()).iter(SVG + "svg"):
        if e.get("class") != "f":
            continue
        name, _, rest = e.find(SVG + "title").text.rpartition(": ")
        left, width = (round(1000000 * float(e.get(key).rstrip("%"))) for key in ("x", "width"))
        found.append((name, rest, left, left + width, int(e.get("y"))))
    return found


def check_stacked(found):
    """Each function stands below one that is at least as wide."""
    for name, _, left, right, y in found:
        check(name == "all" or any(o[2] <= left and right <= o[3] and o[4] == y - 18 for o in found), "%s stands below nothing", name)


@case("export: a flame graph of stacks has all calls, each function below its caller")
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
    # Frames without a width in the file are left out.
    check(0 < len(found) <= len(want) + 1, "%d functions of %d paths", len(found), len(want))
    check({name for name, *_ in found} - {"all"} <= {p[-1] for p in want}, "functions: %s", found)


def spans_of_chrome(text):
    """Each call of trace events, or of a page that has them: function, process, track, start and end in ns, and what is known of it."""
    if text.startswith("<!DOCTYPE html>"):
        text = text.partition('id="events">')[2].partition("</script>")[0]
    trace = json.loads(text)
    found = []
    for e in trace["traceEvents"]:
        if e["ph"] == "X":
            start = round(1000 * e["ts"])
            found.append((e["name"], e["pid"], e["tid"], start, start + round(1000 * e["dur"]), e["args"]))
    arrows = [e for e in trace["traceEvents"] if e["ph"] in "sf"]
    return found, arrows


def spans_of_otlp(text):
    """The spans of each line, with their attributes as a dictionary."""
    trees = []
    for line in text.splitlines():
        spans = []
        for of in json.loads(line)["resourceSpans"]:
            for scope in of["scopeSpans"]:
                spans += scope["spans"]
        for s in spans:
            s["attributes"] = {a["key"]: next(iter(a["value"].values())) for a in s["attributes"]}
        trees.append(spans)
    return trees


def shapes(spans):
    """The shape of a tree of spans, as cases_graph.shape() has it without ends; "go" where another goroutine begins."""
    def text(s, goid):
        mine = s["attributes"]["goprobe.goroutine.id"]
        below = [c for c in spans if c.get("parentSpanId") == s["spanId"]]
        name = ("go " if mine != goid and goid else "") + s["name"].removeprefix("main.")
        return name + ("(%s)" % " ".join(text(c, mine) for c in below) if below else "")

    return [text(s, None) for s in spans if "parentSpanId" not in s]


KNOWN = ("root(leaf slow fib(fib(fib fib) fib) guard(risky(leaf boom)) go worker(go deeper(leaf) inner(leaf)) leaf)", "tardy(leaf)", "served(leaf)")
PROGRAM = (FUNCTIONS % TRACED, "--")


def check_known(text, kind):
    """It is what the program "trees" does, three times."""
    if kind == "otlp":
        trees = spans_of_otlp(text)
        same(sorted(s for t in trees for s in shapes(t)), sorted(KNOWN * 3), "trees")
        by_name = {s["name"]: s for s in trees[0]}
        root, boom = by_name["main.root"], by_name["main.boom"]
        same((root["attributes"]["goprobe.args.n"], root["attributes"]["goprobe.results.~r0"]), ("0", "1"), "values of root")
        same((boom["status"], boom["attributes"]["error.type"]), ({"code": 2}, "panic"), "a panic")
        check(boom["events"][0]["attributes"][1]["value"]["stringValue"], "no message of the panic: %s", boom)
        check(root["attributes"]["code.file.path"].endswith("main.go") and int(root["attributes"]["code.line.number"]) > 0, "where root is: %s", root)
        check("status" not in root, "root has not failed: %s", root)
        return
    found, arrows = spans_of_chrome(text)
    same(len(found), 3 * 22, "calls")
    same(len(arrows), 3 * 4, "ends of arrows")
    root = [f for f in found if f[0] == "main.root"]
    same([(f[5]["args"]["n"], f[5]["results"]) for f in root], [(str(i), {"~r0": str(i + 1)}) for i in range(3)], "values of root")
    for name, _, _, start, end, about in found:
        above = [f for f in root if f[3] <= start and end <= f[4]]
        check(above or name not in ("main.slow", "main.fib", "main.boom"), "%s is in no call of root", name)
        same(about["ended"], {"main.boom": "panic", "main.risky": "panic"}.get(name, "return"), "how %s ended" % name)


@case("export: call trees as trace events, as a timeline and as OTLP traces, live, with --quiet, and of a recording")
def spans(t):
    program = t.binary("trees")
    record = os.path.join(t.tmp, "calls.rec")
    t.goprobectl("attach", "--record", record, "--creator", "--depth", 0, *PROGRAM, program, 3).finish()
    for kind in "otlp", "chrome", "timeline":
        check_known(Graph(t, "-o", kind, "--quiet", *PROGRAM, program, 3, json=False).text(), kind)
        path = os.path.join(t.tmp, "live")
        t.goprobectl("attach", "-o", kind, "--output", path, *PROGRAM, program, 3).finish()
        with open(path, encoding="utf-8") as f:
            check_known(f.read(), kind)
        first, again = ("\n".join(t.goprobectl("replay", "-o", kind, record).finish()) for _ in range(2))
        check_known(first, kind)
        same(first, again, "a second replay")


def opened(process):
    """The picture that a command with --open serves: its address and its text."""
    url = wait_for("an address", lambda: re.search(r"open (http://127\.0\.0\.1:\d+/[0-9a-f]{32}/\S+) in a browser", process.stderr()))[1]
    for other in "/", "/" + url.rpartition("/")[2]:
        try:
            urllib.request.urlopen("/".join(url.split("/")[:3]) + other, timeout=60)
            check(False, "there is %s, too", other)
        except urllib.error.HTTPError as e:
            same((e.code, e.read()), (404, b"there is no such page\n"), "another page")
    with urllib.request.urlopen(url, timeout=60) as answer:
        return url, answer.headers["Content-Type"], answer.read().decode()


@case("export: --open serves a picture once, at an address that nobody can guess, and ends")
def open_picture(t):
    record, kept = os.path.join(t.tmp, "calls.rec"), os.path.join(t.tmp, "kept.html")
    t.goprobectl("attach", "--record", record, "--creator", "--depth", 0, *PROGRAM, t.binary("trees"), 3).finish()
    for command, name, kind in (("replay", "--open", record), "timeline.html", "text/html; charset=utf-8"), \
            (("replay", "--open", "--output", kept, record), "timeline.html", "text/html; charset=utf-8"), \
            (("graph", "--open", *PROGRAM, t.binary("trees"), 3), "flamegraph.svg", "image/svg+xml"), \
            (("stack", "--open", "-q", *PROGRAM, t.binary("trees"), 3), "flamegraph.svg", "image/svg+xml"):
        process = t.goprobectl(*command)
        url, got, text = opened(process)
        same((url.rpartition("/")[2], got), (name, kind), "name and type of %s" % command[0])
        if command[0] == "replay":
            check_known(text, "timeline")
        else:
            check({f for f, *_ in frames(text)} > {"all"}, "no functions: %s", text)
        lines = process.finish()
        check(not any("<" in line for line in lines), "standard output of %s: %s", command[0], lines)
        try:
            urllib.request.urlopen(url, timeout=60)
            check(False, "%s is served twice", url)
        except urllib.error.URLError as e:
            check(not isinstance(e, urllib.error.HTTPError), "it is served twice: %s", e)
    with open(kept, encoding="utf-8") as f:
        check_known(f.read(), "timeline")


class Collector(http.server.ThreadingHTTPServer):
    """A collector on loopback: it answers the first request with 503, for 2 s, and keeps the trees of the others. With TLS if there is a certificate."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.times.append(time.monotonic())
            self.server.requests.append((self.path, self.headers["Content-Type"], self.headers["Host"]))
            self.server.tenants.add(self.headers["tenant"])
            accepted = len(self.server.requests) > 1
            if accepted:
                self.server.lines += [json.dumps({"resourceSpans": [of]}) for of in body["resourceSpans"]]
            self.send_response(200 if accepted else 503)
            self.send_header("Content-Type", "application/json")
            if not accepted:
                self.send_header("Retry-After", "2")
            self.end_headers()
            self.wfile.write(b'{"partialSuccess":{}}')

        def log_message(self, *args):
            pass

    def __init__(self, *certificate):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.requests, self.times, self.lines, self.tenants = [], [], [], set()
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.host = "127.0.0.1:%d" % self.server_port
        threading.Thread(target=self.serve_forever, daemon=True).start()


@case("export: spans are sent to a collector, live and of a recording; a request that it is too busy for is repeated when it says")
def spans_sent(t):
    record = os.path.join(t.tmp, "calls.rec")
    t.goprobectl("attach", "--record", record, "--creator", "--depth", 0, *PROGRAM, t.binary("trees"), 3).finish()
    for args in (("graph", "-o", "otlp"), ("attach", "-o", "otlp"), ("replay", "-o", "otlp")):
        with Collector() as collector:
            what = (record,) if args[0] == "replay" else (*PROGRAM, t.binary("trees"), 3)
            sender = t.goprobectl(*args, "--output", "http://" + collector.host, *what)
            sender.finish()
            collector.shutdown()
        check("sent 66 spans to http://%s" % collector.host in sender.stderr(), "%s: %s", args, sender.stderr())
        check(collector.times[1] - collector.times[0] >= 2, "asked to wait 2 s, it came again at %s", collector.times)
        same(set(collector.requests), {("/v1/traces", "application/json", collector.host)}, "requests of %s" % args[0])
        resources = [of["resource"]["attributes"] for line in collector.lines for of in json.loads(line)["resourceSpans"]]
        same({a["value"]["stringValue"] for r in resources for a in r if a["key"] == "host.name"},
             set() if args[0] == "replay" else {os.uname().nodename}, "hosts of %s" % args[0])
        check_known("\n".join(collector.lines), "otlp")


@case("export: spans are sent by https, with headers of the environment, to a collector whose certificate is trusted")
def spans_https(t):
    def made(name):
        certificate, key = (os.path.join(t.tmp, name + end) for end in (".crt", ".key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name,
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        return certificate, key

    ours, theirs = made("ours"), made("theirs")
    with Collector(*ours) as collector:
        sender, refused = (t.goprobectl(
            "graph", "-o", "otlp", "--output", "https://%s/v1/traces" % collector.host, *PROGRAM, t.binary("trees"), 3,
            env=dict(os.environ, OTEL_EXPORTER_OTLP_CERTIFICATE=trusted, OTEL_EXPORTER_OTLP_HEADERS="tenant=a%2Cb")) for trusted in (ours[0], theirs[0]))
        sender.finish()
        refused.finish(status=1)
        collector.shutdown()
    check("sent 66 spans to https://" in sender.stderr(), "the end: %s", sender.stderr())
    same(collector.tenants, {"a,b"}, "headers")
    check_known("\n".join(collector.lines), "otlp")
    check("no collector at https://" in refused.stderr() and "certificate" in refused.stderr(), "not trusted: %s", refused.stderr())


@case("export: a collector that does not answer delays nothing, and the spans that it does not get are counted",
      slow=True)
def spans_dropped(t):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = "http://127.0.0.1:%d" % silent.getsockname()[1]
        sender = t.goprobectl("graph", "-q", "-o", "otlp", "--output", url, *PROGRAM, t.binary("trees"), 3)
        sender.finish(status=1)
        check("warning: 66 of 66 spans were dropped, not sent to %s: it has not answered" % url in sender.stderr() or
              "warning: 66 of 66 spans were dropped, not sent to %s: Operation timed out" % url in sender.stderr(), "spans: %s", sender.stderr())
    refused = t.goprobectl("graph", "-o", "otlp", "--output", url, *PROGRAM, t.binary("trees"), 3)
    refused.finish(status=1)
    check("no collector at %s: Connection refused" % url in refused.stderr(), "nobody listens: %s", refused.stderr())


@case("export: a recording without --creator has trees that end at go statements")
def spans_without_creator(t):
    record = os.path.join(t.tmp, "calls.rec")
    t.goprobectl("attach", "--record", record, *PROGRAM, t.binary("trees"), 1).finish()
    trees = spans_of_otlp("\n".join(t.goprobectl("replay", "-o", "otlp", record).finish()))
    got = sorted(s for tree in trees for s in shapes(tree))
    want = sorted(("root(leaf slow fib(fib(fib fib) fib) guard(risky(leaf boom)) leaf)", "worker(inner(leaf))", "deeper(leaf)") + KNOWN[1:])
    same(got, want, "trees")


@case("export: a call that returns an error is a span with an error, of its type; parameters without names differ")
def span_error(t):
    text = Graph(t, "-o", "otlp", "main.multi", "main.blanks", "--", t.binary("types"), json=False).text()
    by_name = {s["name"]: s for tree in spans_of_otlp(text) for s in tree}
    multi, blanks = by_name["main.multi"], by_name["main.blanks"]
    same((multi["status"], multi["attributes"]["error.type"]), ({"code": 2}, "*errors.errorString"), "a failed call")
    check("three" in multi["attributes"]["goprobe.results.~r2"], "the error: %s", multi)
    keys = [k for k in blanks["attributes"] if k.startswith("goprobe.args.")]
    # Debug information of Go 1.19 has one of several parameters with the same name.
    check(keys in (["goprobe.args._0", "goprobe.args._1", "goprobe.args.x"], ["goprobe.args._0", "goprobe.args.x"]), "parameters: %s", keys)


def metrics(text, program, pid=r"\d+"):
    """Samples by name and labels, but those that say whose they are; the text ends as it must."""
    lines = text.splitlines()
    same((lines[-1], lines.count("# EOF")), ("# EOF", 1), "the end of the text")
    whose = re.compile('{host="%s",program="%s",pid="%s",' % (re.escape(os.uname().nodename), program, pid))
    samples = [line for line in lines if line[0] != "#"]
    same([s for s in samples if not whose.search(s)], [], "samples that do not say whose they are")
    return {whose.sub("{", s).rpartition(" ")[0]: float(s.rpartition(" ")[2]) for s in samples}


@case("export: metrics of count and latency have the numbers that the program itself counts, in a file that is replaced")
def openmetrics(t):
    path = os.path.join(t.tmp, "calls.prom")
    for command in "count", "latency":
        target = t.target("stress", "-hold", "-goroutines", 20, "-depth", 60)
        process = started(t, command, "-p", target.pid, "-i", "100ms", "-o", "openmetrics", "--output", path, *TAGGED)
        wait_for("the file", lambda: os.path.exists(path))
        first = os.stat(path).st_ino
        wait_for("another file", lambda: os.stat(path).st_ino != first)
        target.send()
        want = json.loads(target.line())["functions"]
        target.finish()
        same(process.finish(), [], "standard output")
        with open(path, encoding="utf-8") as f:
            got = metrics(f.read(), "stress", target.pid)
        same({f: got['goprobe_calls_total{func="%s"}' % f] for f in TAGGED}, {f: want[f]["calls"] for f in TAGGED}, "calls")
        if command == "latency":
            duration = "goprobe_call_duration_seconds"
            for f in TAGGED:
                same([got['%s_count{func="%s"}' % (duration, f)], got['%s_bucket{func="%s",le="+Inf"}' % (duration, f)]], [want[f]["returns"]] * 2, f)
                check(got['%s_sum{func="%s"}' % (duration, f)] > 0, "no time of %s", f)
        same(os.listdir(os.path.dirname(path)).count("calls.prom"), 1, "files")
        check(not [n for n in os.listdir(t.tmp) if n.endswith(".new")], "a file is left over: %s", os.listdir(t.tmp))
        os.unlink(path)


def served(process):
    """The address of the metrics that a command serves."""
    return wait_for("its address", lambda: re.search(r"serving (http://127\.0\.0\.1:\d+/metrics)$", process.stderr(), re.M)).group(1)


def scraped(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        same(answer.headers["Content-Type"], "application/openmetrics-text; version=1.0.0; charset=utf-8", "type of the metrics")
        return metrics(answer.read().decode(), "counter")


@case("export: metrics over HTTP have the numbers that the program itself counts, while other clients are slow")
def openmetrics_http(t):
    calls = 'goprobe_calls_total{func="main.doWork"}'
    duration = "goprobe_call_duration_seconds"
    for command in "count", "latency":
        target = t.target("counter", "-hold", 1000)
        process = started(t, command, "-p", target.pid, "--listen", 0, "main.doWork")
        url = served(process)
        port = int(url.split(":")[2].split("/")[0])
        slow = []
        for _ in range(12):
            slow.append(socket.create_connection(("127.0.0.1", port)))
            slow[-1].send(b"G")
        same({n: v for n, v in scraped(url).items() if v}, {}, "before a call")
        target.send()
        same(target.line(), "counter=1000", "the program's own count")
        got = wait_for("new metrics", lambda: (lambda m: m.get(calls) and m)(scraped(url)))
        same(got[calls], 1000, "calls")
        if command == "latency":
            same(got[duration + '_count{func="main.doWork"}'], 1000, "returns")
            check(got[duration + '_sum{func="main.doWork"}'] > 0, "no time: %s", got)
        try:
            urllib.request.urlopen(url + "x", timeout=60)
            check(False, "there is another page")
        except urllib.error.HTTPError as e:
            same(e.code, 404, "another page")
        taken = t.goprobectl("count", "--listen", port, "main.*", "--", t.binary("trees"), 1)
        taken.finish(status=1)
        check("Address already in use" in taken.stderr() and "another program has the port" in taken.stderr(), "a port that is taken: %s", taken.stderr())
        target.finish()
        process.finish()
        check("1000 calls of 1 function" in process.stderr(), "the end: %s", process.stderr())
        for s in slow:
            s.close()


@case("export: metrics by key have labels, and an output that is not a regular file gets them directly")
def openmetrics_keys(t):
    out = "\n".join(t.goprobectl("count", "-q", "-o", "openmetrics", "--output", "/dev/stdout", "--by", "n", "main.leaf", "--", t.binary("trees"), 2).finish())
    same(metrics(out[out.index("# TYPE"):out.index("# EOF") + 5], "trees"), {'goprobe_calls_total{func="main.leaf",key1_n="%d"}' % i: 7 for i in range(2)}, "calls by key")
    check(os.path.islink("/dev/stdout"), "/dev/stdout was replaced")
