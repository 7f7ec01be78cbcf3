#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Give a file that goprobe exported to a reader. Exit status: 0, 1 if it does not read it, 77 if there is no such reader.

usage: check.py --list SUFFIX      prints the readers of such files
       check.py READER FILE
"""

import base64
import contextlib
import html
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Absent(Exception):
    """There is no such reader here."""


def same(got, want, what):
    if got != want:
        raise AssertionError("%s: %r, expected %r" % (what, got, want))


def command(name):
    path = shutil.which(name)
    if not path:
        raise Absent("no %s" % name)
    return path


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    if done.returncode:
        raise AssertionError("%s: exit status %d: %s" % (argv[0], done.returncode, done.stdout.decode(errors="replace")))
    return done.stdout.decode()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


@contextlib.contextmanager
def running(*argv):
    """A program that prints a line when it is ready, and ends with its standard input: that line, and its further output."""
    with tempfile.TemporaryFile("w+") as errors, \
            subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as p:
        try:
            line = p.stdout.readline().strip()
            errors.seek(0)
            assert line, "%s: %s" % (argv[0], errors.read())
            yield line, p
        finally:
            p.kill()


# --- trace events -----------------------------------------------------------

def rules(path):
    """The rules of the "Trace Event Format": members of each kind of event, slices that nest, arrows with two ends."""
    with open(path, encoding="utf-8") as f:
        trace = json.load(f)
    tracks, arrows = {}, {}
    for e in trace["traceEvents"]:
        for key, kind in (("ph", str), ("name", str), ("pid", int), ("tid", int)):
            assert isinstance(e[key], kind), e
        assert e["ph"] in "XMsfi", e
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name") and isinstance(e["args"]["name"], str), e
            continue
        assert isinstance(e["ts"], float) and e["ts"] < 2 ** 53 / 1000, e
        if e["ph"] == "X":
            assert e["dur"] >= 0 and isinstance(e["args"], dict) and isinstance(e["cat"], str), e
            tracks.setdefault((e["pid"], e["tid"]), []).append((round(1000 * e["ts"]), round(1000 * e["dur"])))
        elif e["ph"] in "sf":
            arrows.setdefault((e["cat"], e["name"], e["id"]), []).append(e)
    for slices in tracks.values():
        above = []
        for start, length in sorted(slices, key=lambda s: (s[0], -s[1])):
            while above and above[-1] <= start:
                above.pop()
            assert not above or start + length <= above[-1], "slices of a track overlap at %d" % start
            above.append(start + length)
    for ends in arrows.values():
        same([e["ph"] for e in ends], ["s", "f"], "ends of an arrow")
        for e in ends:
            at = round(1000 * e["ts"])
            assert any(s <= at <= s + n for s, n in tracks[e["pid"], e["tid"]]), "an arrow ends outside of calls: %s" % e


def trace_processor(path):
    """Perfetto's own reader. Its package on PyPI fetches it from elsewhere, so it has to be there."""
    shell = command("trace_processor_shell")
    with open(path, encoding="utf-8") as f:
        want = sum(e["ph"] == "X" for e in json.load(f)["traceEvents"])
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as sql:
        sql.write("select count(*) as n from slice where dur >= 0;")
        sql.flush()
        got = run(shell, "-q", sql.name, path)
    same(re.findall(r"^\d+$", got, re.M), [str(want)], "slices")


# --- OTLP ----------------------------------------------------------------------

def opentelemetry(path):
    """The messages of OpenTelemetry's protocol; in its JSON ids are hexadecimal, where that of protobuf has base64."""
    try:
        from google.protobuf import json_format
        from opentelemetry.proto.trace.v1 import trace_pb2
    except ImportError as e:
        raise Absent(str(e)) from None

    def to_base64(found):
        return '"%s":"%s"' % (found[1], base64.b64encode(bytes.fromhex(found[2])).decode())

    traces = set()
    with open(path, encoding="utf-8") as f:
        for line in f:
            text = re.sub(r'(?<=[{,])"(traceId|spanId|parentSpanId)":"([0-9a-f]+)"', to_base64, line)
            data = json_format.Parse(text, trace_pb2.TracesData())
            for of in data.resource_spans:
                names = {a.key: a.value for a in of.resource.attributes}
                assert names["service.name"].string_value and names["process.pid"].int_value > 0, names
                for scope in of.scope_spans:
                    check_spans(scope.spans, traces, trace_pb2)


def collector(path):
    """OpenTelemetry's collector gets the spans from goprobectl's client: the same ones, with the same attributes."""
    program, address = os.environ["COLLECTOR"], "127.0.0.1:%d" % free_port()
    if not os.path.exists(program):
        raise Absent("no collector of OpenTelemetry")
    with running(program, address) as (_, p):
        run(os.environ["PEER"], "send", "http://" + address, path)
        received = p.communicate(timeout=60)[0].splitlines()

    def spans(lines):
        found = []
        for line in lines:
            for of in json.loads(line)["resourceSpans"]:
                for scope in of["scopeSpans"]:
                    found += [(json.dumps(of["resource"], sort_keys=True), json.dumps(s, sort_keys=True)) for s in scope["spans"]]
        return sorted(found)

    with open(path, encoding="utf-8") as f:
        want = spans(f)
    # The collector writes what is empty.
    got = [(r, s.replace(', "status": {}', "").replace(', "traceState": ""', "")) for r, s in spans(received)]
    same(got, want, "spans")


def check_spans(spans, traces, pb):
    ids = {s.span_id for s in spans}
    same(len(ids), len(spans), "different ids")
    same(len({s.trace_id for s in spans}), 1, "traces of a tree")
    assert spans[0].trace_id not in traces, "two trees are one trace"
    traces.add(spans[0].trace_id)
    same([s.parent_span_id for s in spans].count(b""), 1, "spans without a parent")
    for s in spans:
        same((len(s.trace_id), len(s.span_id)), (16, 8), "bytes of ids")
        assert not s.parent_span_id or s.parent_span_id in ids, "no parent of %s" % s.name
        assert 0 < s.start_time_unix_nano <= s.end_time_unix_nano, s
        keys = [a.key for a in s.attributes]
        same(sorted(set(keys)), sorted(keys), "attributes that differ")
        assert "code.function.name" in keys and s.kind == pb.Span.SPAN_KIND_INTERNAL, s
        same(s.status.code == pb.Status.STATUS_CODE_ERROR, "error.type" in keys, "an error's status")


# --- SVG -----------------------------------------------------------------------

def xml_parser(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    same(root.tag, SVG + "svg", "root")
    for e in root.iter():
        for key, value in e.attrib.items():
            assert "://" not in value, "it needs a network: %s=%s" % (key, value)


def chromium(*args):
    with tempfile.TemporaryDirectory() as home:
        return run(command("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + home, "--window-size=1200,600", *args)


def browser(path):
    """Chromium shows all functions, and the picture's script gets to its end: tests/pictures is about what that does."""
    want = [e.find(SVG + "title").text for e in xml.etree.ElementTree.parse(path).getroot().iter(SVG + "svg") if e.get("class") == "f"]
    shown = chromium("--dump-dom", "file://" + os.path.abspath(path))
    labels = re.findall(r'<svg class="f"[^>]* aria-label="([^"]*)"', shown)
    same([html.unescape(v) for v in labels], want, "functions")
    assert not want or re.search(r'<svg [^>]*class="f"[^>]*tabindex="0"', shown), "no function can be reached by keys"


def timeline(path):
    """Chromium draws all calls of the page, which loads nothing, and finds those with a name."""
    try:
        from PIL import Image
    except ImportError as e:
        raise Absent(str(e)) from None
    with open(path, encoding="utf-8") as f:
        text = f.read()
    head, _, rest = text.partition('id="events">')
    data, _, tail = rest.partition("</script>")
    for part in head, tail:
        assert not re.search(r"://|\bsrc=|\bhref=|url\(|import\b", part), "it needs a network"
    names = [e["name"] for e in json.loads(data)["traceEvents"] if e["ph"] == "X"]

    def shown(folder, script):
        page = os.path.join(folder, "page.html")
        with open(page, "w", encoding="utf-8") as f:
            f.write(text.replace("</body>", "<script>%s</script></body>" % script))
        # What a script changes is in the page only if none has failed.
        return int(re.search(r'<canvas [^>]*data-calls="(\d+)"', chromium("--dump-dom", "file://" + page))[1])

    with tempfile.TemporaryDirectory() as folder:
        same(shown(folder, ""), len(names), "calls")
        same(shown(folder, "get('find').value = 'main.a'; get('find').oninput()"), sum("main.a" in n for n in names), "calls with a name")
        picture = os.path.join(folder, "picture.png")
        chromium("--screenshot=" + picture, "file://" + os.path.join(folder, "page.html"))
        with Image.open(picture) as image:
            colours = [c for n, c in image.convert("RGB").crop((0, 28, 1200, 600)).getcolors(1 << 24) if n > 500]
        # Names that are not looked for are grey; the others have the colour of their package.
        same(any(max(c) - min(c) > 40 for c in colours), any("main.a" in n for n in names), "coloured calls")


# --- OpenMetrics ----------------------------------------------------------------

def samples(path):
    with open(path, encoding="utf-8") as f:
        return [line for line in f.read().splitlines() if line and line[0] != "#"]


def prometheus_client(path):
    try:
        from prometheus_client.openmetrics import parser
    except ImportError as e:
        raise Absent(str(e)) from None
    with open(path, encoding="utf-8") as f:
        families = list(parser.text_fd_to_metric_families(f))
    same(sum(len(m.samples) for m in families), len(samples(path)), "samples")
    for m in families:
        assert m.type in ("counter", "gauge", "histogram") and m.documentation, m


def promtool(path):
    """The parser of Prometheus itself: it makes a database of the samples, which need a time for that."""
    tool = command("promtool")
    with tempfile.TemporaryDirectory() as folder:
        timed, database = os.path.join(folder, "timed"), os.path.join(folder, "database")
        with open(path, encoding="utf-8") as f, open(timed, "w", encoding="utf-8") as to:
            for line in f:
                to.write(line if line[0] == "#" else line.rstrip() + " 1700000000\n")
        run(tool, "tsdb", "create-blocks-from", "openmetrics", timed, database)
        os.mkdir(os.path.join(database, "wal"))
        same(len(run(tool, "tsdb", "dump", database).splitlines()), len(samples(path)), "samples in the database")


def prometheus(path):
    """Prometheus scrapes the text from goprobectl's server, and has all samples."""
    server, tool, port = command("prometheus"), command("promtool"), free_port()
    with running(os.environ["PEER"], "serve", path) as (url, _), tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "config.yml")
        with open(config, "w", encoding="utf-8") as f:
            json.dump({"scrape_configs": [{"job_name": "goprobe", "scrape_interval": "1s",
                                           "static_configs": [{"targets": [url.split("/")[2]]}]}]}, f)
        p = subprocess.Popen([server, "--config.file=" + config, "--storage.tsdb.path=" + folder, "--web.listen-address=127.0.0.1:%d" % port],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            check_scraped(tool, port, samples(path))
        finally:
            p.terminate()
            p.wait(60)


def check_scraped(tool, port, want):
    end, got = time.monotonic() + 120, []
    query = (tool, "query", "instant", "http://127.0.0.1:%d" % port, '{job="goprobe",__name__=~"goprobe.*"}')
    while len(got) < len(want) and time.monotonic() < end:
        time.sleep(1)
        done = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=False)
        got = done.stdout.decode().splitlines()
    same(len(got), len(want), "samples in Prometheus")
    same(sorted(float(line.split(" => ")[1].split(" @")[0]) for line in got), sorted(float(line.rpartition(" ")[2]) for line in want), "values")


READERS = {
    "chrome": {"rules": rules, "trace_processor": trace_processor},
    "openmetrics": {"prometheus_client": prometheus_client, "promtool": promtool, "prometheus": prometheus},
    "otlp": {"opentelemetry-proto": opentelemetry, "collector": collector},
    "timeline": {"chromium": timeline},
    "svg": {"xml": xml_parser, "chromium": browser},
}


def main(args):
    if args[0] == "--list":
        print("\n".join(READERS.get(args[1], {})))
        return 0
    try:
        READERS[args[1].rpartition(".")[2]][args[0]](args[1])
    except Absent as e:
        print(e)
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
