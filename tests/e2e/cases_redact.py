# SPDX-License-Identifier: GPL-2.0
"""Redaction: no output and no recording has a byte of what tests/targets/secrets calls by the name of a secret. With
--no-redact they have it, so the search can find it."""

import os
import re
import struct

from cases_count import started
from lib import Skip, case, check, parse, same, wait_for

NUMBER = 4000123412341234
# As text, and as memory has it.
TEXT, DIGITS, INTEGER, FLOAT = b"5ec2e7", b"%d" % NUMBER, struct.pack("<q", NUMBER), struct.pack("<d", NUMBER)
SECRETS = [TEXT, DIGITS, INTEGER, FLOAT]
PLAIN = [b"plain-name", b"plain-receipt", b"plain-first", b"plain-second", b"plain-header", b"plain-id", b"plain-context"]
FUNCTIONS = r"/^main\.(login|pay|by[A-Z].*|held|panics)$/"
# Fields that are not redacted, and how deep they are.
DEEP = ("--depth", 4, "--objects", 1024, "--bytes", 16384)


def target(t):
    if not os.path.exists(os.path.join(t.targets, "secrets")):
        raise Skip("secrets was not built with this toolchain")
    if "stripped" in t.label:
        raise Skip("names of parameters are in the debug information")
    return t.target("secrets")


def traced(t, command, *args, to="--output", rounds=2):
    """What a command has written to a file. The types that the first round shows are known in the second one."""
    path = os.path.join(t.tmp, "written")
    program = target(t)
    process = t.goprobectl(command, *(str(a) for a in args[:-1]), to, path, "-p", str(program.pid), args[-1])
    wait_for("%s: attaching" % process, lambda: process.ended() or "tracing " in process.stderr())
    for _ in range(rounds):
        program.send()
        same(program.line(), "done", "what the program says of a round")
        wait_for("records", lambda: process.ended() or os.path.getsize(path) or to == "--output")
    process.signal(2)
    process.finish()
    program.finish()
    with open(path, "rb") as f:
        return f.read()


def captures(t):
    """Is it known what closures have captured?"""
    return int(re.match(r"go1\.(\d+)", t.label).group(1)) >= 23


def check_redacted(data, what, plain=tuple(PLAIN)):
    found = [s for s in SECRETS if s in data]
    check(not found, "%s has %s: %s", what, found, data[max(0, data.find((found or [b""])[0]) - 200):][:400])
    lacks = [s for s in plain if s not in data]
    check(not lacks, "%s lacks %s, which is no secret: %s", what, lacks, data[:2000])


def check_shown(data, what, wanted):
    lacks = [s for s in wanted if s not in data]
    check(not lacks, "with --no-redact %s lacks %s: %s", what, lacks, data[:2000])


@case("redaction: a recording has no byte of a secret, whatever holds it; its replay says that it is redacted")
def recorded(t):
    path = os.path.join(t.tmp, "written")
    data = traced(t, "attach", *DEEP, FUNCTIONS, to="--record")
    check_redacted(data, "the recording")
    text = "\n".join(t.goprobectl("replay", path).finish()).encode()
    check_redacted(text, "its replay")
    check(text.count(b"<redacted>") > 50, "%d values are redacted: %s", text.count(b"<redacted>"), text[:2000])
    for shown in (b'login(name="plain-name", password=<redacted>, tries=3)', b"pay(cardNumber=<redacted>, cents=250, cvc=<redacted>)",
                  b"(token=<redacted>, err=nil)", b'"Authorization": <redacted>', b'"Accept": {"plain-header"}',
                  b'"api_key": <redacted>', b"Old: []main.Password{<redacted>, <redacted>}",
                  b"secret: <redacted>" if captures(t) else b"byFunction(f=main.closure.func1"):
        check(shown in text, "the replay lacks %s: %s", shown, text[:4000])
    for form in "chrome", "otlp", "json", "{func} {args.password} {args.u} {results.token}":
        check_redacted("\n".join(t.goprobectl("replay", "-o", form, path).finish()).encode(), "replay -o " + form,
                       PLAIN[2:3] if form[0] == "{" else PLAIN)


@case("redaction: with --no-redact the same recording has every secret, and so has its replay")
def recorded_whole(t):
    path = os.path.join(t.tmp, "written")
    check_shown(traced(t, "attach", *DEEP, "--no-redact", FUNCTIONS, to="--record"), "the recording",
                [TEXT + b"-" + s for s in (b"argument", b"result", b"password", b"key", b"token", b"holder", b"old", b"map",
                                           b"extra", b"dynamic", b"cookie", b"sent", b"value", b"held", b"context")] +
                [b"Bearer 5ec2e7-header", INTEGER, FLOAT] + captures(t) * [TEXT + b"-captured"])
    text = "\n".join(t.goprobectl("replay", path).finish()).encode()
    check_shown(text, "its replay", [TEXT, DIGITS, *PLAIN])
    check(b"<redacted>" not in text, "something is redacted: %s", text)


@case("redaction: attach prints no secret in any format")
def attached(t):
    for args in ((), ("--pretty",), ("--no-zero",), ("-o", "json"), ("-o", "chrome"), ("-o", "otlp")):
        check_redacted(traced(t, "attach", *DEEP, *args, FUNCTIONS), "attach %s" % (args,))
    check_shown(traced(t, "attach", *DEEP, "--no-redact", FUNCTIONS), "attach", [TEXT, DIGITS, *PLAIN])


@case("redaction: calls that wait for their return have no secret, and conditions can test it")
def conditions(t):
    for spec, n in (('main.held if password == "5ec2e7-held" && kept == 2', 1), ("main.login if len(token) > 3", 1),
                    ("main.pay if cardNumber == %d" % NUMBER, 1), ("main.byPointer if u.CVV > 5", 1)):
        data = traced(t, "attach", "-o", "json", spec, rounds=1)
        check_redacted(data, spec, ())
        calls = [e for e in parse(data.decode()) if e["kind"] == "call"]
        same(len(calls), n, "calls that fulfil " + spec)
        check(b'"unavailable":"redacted"' in data, "%s: nothing is redacted: %s", spec, data)


@case("redaction: expressions that lead to a secret are redacted, others next to it are not")
def expressions(t):
    data = traced(t, "attach", "main.bySession(s.ID, s.Password, s.Cards[1].Number, s.Header[\"Cookie\"], s.Header[\"Accept\"], "
                  "len(s.Password), s.User.Extra, s.CVV / 10)", rounds=1)
    check_redacted(data, "the list", (b's.ID="plain-id", s.Password=<redacted>, s.Cards[1].Number=<redacted>, '
                                      b's.Header["Cookie"]=<redacted>, s.Header["Accept"]=[]string{"plain-header"}, '
                                      b"len(s.Password)=15, ",
                                      b"s.CVV / 10=<redacted>"))


@case("redaction: a name that is added is redacted, as a parameter, a field and a key")
def added(t):
    data = traced(t, "attach", *DEEP, "--redact", "name,accept", "--redact", "ID", r"/^main\.(login|bySession)$/")
    check_redacted(data, "attach --redact", (b"name=<redacted>", b"Name: <redacted>", b'"Accept": <redacted>', b"ID: <redacted>"))
    shown = [p for p in (b"plain-name", b"plain-first", b"plain-second", b"plain-header") if p in data]
    check(not shown, "%s is shown: %s", shown, data)


@case("redaction: graph has no secret in any format")
def graphs(t):
    for args in ((), ("-o", "json"), ("-o", "chrome"), ("-o", "otlp")):
        check_redacted(traced(t, "graph", "--follow", 4, *args, FUNCTIONS), "graph %s" % (args,), PLAIN[:2])
    check_shown(traced(t, "graph", "--follow", 4, "--no-redact", FUNCTIONS), "graph", [TEXT, DIGITS])


@case("redaction: variables are redacted where memory is read without the module")
def variables(t):
    program = target(t)
    everything = ("main.current", "main.apiToken", "main.headers", "main.limit", "main.current.Name", "main.current.CVV",
                  'main.headers["Cookie"]', "main.current.Cards[0].Number")
    for form in "text", "json":
        for command in ("read", "--depth", "4"), ("watch", "--count", "1"):
            args = (*command, "-o", form, "-p", program.pid, *everything)
            text = "\n".join(t.goprobectl(*(str(a) for a in args)).finish()).encode()
            check_redacted(text, command[0], (b"plain-current", b"plain-header"))
            text = "\n".join(t.goprobectl(args[0], "--no-redact", *(str(a) for a in args[1:])).finish()).encode()
            check_shown(text, command[0], [TEXT + b"-variable", TEXT + b"-password", DIGITS])
    for form in "text", "json":
        args = ("goroutines", "-o", form, "-p", str(program.pid))
        text = "\n".join(t.goprobectl(*args).finish()).encode()
        check_redacted(text, "goroutines", (b"<redacted>", b"plain-label"))
        check_shown("\n".join(t.goprobectl(*args, "--no-redact").finish()).encode(), "goroutines", [TEXT + b"-label"])
    shown = "\n".join(t.goprobectl("write", "--dry-run", "-p", str(program.pid), "main.current.CVV = 5", "main.limit = 5").finish())
    same(shown, "would set main.current.CVV = <redacted> (was <redacted>)\nwould set main.limit = 5 (was 7)", "write --dry-run")


@case("redaction: a secret is no key of --by, with one message that names --no-redact")
def keys(t):
    program = target(t)
    for command, by, spec in (("count", "password", "main.login"), ("latency", "cents + cardNumber", "main.pay"),
                              ("count", "u.Password", "main.byPointer"), ("latency", "token", "main.login"), ("stack", "password", "main.login")):
        refused = t.goprobectl(command, "--by", by, "-p", str(program.pid), spec)
        same(refused.finish(status=1), [], "output of what is refused")
        check("'%s' is redacted, so it can't be a key" % by in refused.stderr() and "--no-redact" in refused.stderr(),
              "%s --by %s: %s", command, by, refused.stderr())
    counting = started(t, "count", "--no-redact", "--by", "password", "-p", program.pid, "main.login")
    program.send()
    same(program.line(), "done", "what the program says of a round")
    counting.signal(2)
    text = "\n".join(counting.finish())
    check('password="5ec2e7-argument"' in text, "count --no-redact: %s", text)
