# SPDX-License-Identifier: GPL-2.0
"""Compares a value as Delve reads it (canon.py) with the same as goprobectl prints it (docs/json.md)."""

import json
import re
import struct

# The receiver that a method value holds, as Delve and as goprobe name it.
RECEIVER = {".this": "receiver", "recv": "receiver", "R": "receiver"}

DESCRIBED = ("interface", "map", "chan", "func")


class Comparison:
    """Results of one or more comparisons: differences, and values that could not be compared."""

    def __init__(self, limits, fewer_captured=False):
        self.limits = limits        # {"string": bytes, "elements": count}, as given to goprobectl
        self.fewer_captured = fewer_captured    # goprobectl may know fewer of a closure's variables
        self.differences = []       # (path, Delve's, goprobe's)
        self.leaves = 0             # scalars, strings and nils that are equal
        self.delve_unread = []      # (path, why)
        self.goprobe_unread = []    # (path, why)

    def differ(self, path, expected, got):
        self.differences.append((path, expected, got))

    def equal(self, path, expected, got):
        if expected == got and isinstance(expected, bool) == isinstance(got, bool):
            self.leaves += 1
        else:
            self.differ(path, expected, got)

    def value(self, path, e, m):
        """e: Delve's value; m: the members that goprobectl has for it."""
        if e["kind"] == "unread":
            self.delve_unread.append((path, e["why"]))
            return
        if "unavailable" in m:
            self.goprobe_unread.append((path, m["unavailable"]))
            return
        if "value" not in m:
            self.differ(path, e["kind"], "no value: %s" % short(m))
            return
        got = m["value"]
        if e.get("nil") or got is None:
            self.equal(path, None if e.get("nil") else "not nil", None if got is None else "not nil")
            return
        try:
            getattr(self, e["kind"])(path, e, m, got)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as problem:
            self.differ(path, e["kind"], "%s (%s: %s)" % (short(got), type(problem).__name__, problem))

    def inner(self, path, e, got):
        self.value(path, e, members(e, got))

    def bool(self, path, e, m, got):
        self.equal(path, e["value"], got)

    int = bool

    def float(self, path, e, m, got):
        self.equal(path, e["value"], rounded(got, e["bits"]))

    def complex(self, path, e, m, got):
        self.equal(path, e["value"], [rounded(part, e["bits"]) for part in got])

    def string(self, path, e, m, got):
        self.text(path, e["value"], m, got, self.limits["string"])

    def bytes(self, path, e, m, got):
        self.text(path, e["value"], m, got, self.limits["elements"])

    def text(self, path, whole, m, got, limit):
        shown = data(got)
        if m.get("truncated"):
            self.equal(path + ".len", len(whole), m.get("len"))
            self.equal(path + ": bytes shown", min(limit, len(whole)), len(shown))
            whole = whole[:len(shown)]
        self.equal(path, whole, shown)

    @staticmethod
    def are_bytes(elements):
        return all(isinstance(x.get("value"), int) and 0 <= x["value"] < 256 for x in elements)

    def slice(self, path, e, m, got):
        want = e["elements"]
        if isinstance(got, str):
            if not self.are_bytes(want):
                self.differ(path, want, got)
                return
            self.text(path, "".join(chr(x["value"]) for x in want), m, got, self.limits["elements"])
            return
        if m.get("truncated"):
            self.equal(path + ".len", len(want), m.get("len"))
            self.equal(path + ": elements shown", min(self.limits["elements"], len(want)), len(got))
            want = want[:len(got)]
        self.sequence(path, want, got)

    def array(self, path, e, m, got):
        if not isinstance(got, str):
            self.sequence(path, e["elements"], got)
        elif self.are_bytes(e["elements"]):
            self.equal(path, "".join(chr(x["value"]) for x in e["elements"]), data(got))
        else:
            self.differ(path, e["elements"], got)

    def sequence(self, path, want, got):
        self.equal(path + ": number of elements", len(want), len(got))
        for i, (e, g) in enumerate(zip(want, got)):
            self.inner("%s[%d]" % (path, i), e, g)

    def struct(self, path, e, m, got):
        self.named(path, [f for f in e["fields"] if f[0] != "_"], got)

    def named(self, path, want, got):
        self.equal(path + ": names", [name for name, _ in want], list(got))
        for name, part in want:
            if name in got:
                self.inner("%s.%s" % (path, name), part, got[name])

    def pointer(self, path, e, m, got):
        if not re.match("0x[0-9a-f]+$", got):
            self.differ(path, "an address", got)
        elif "to" in m:
            self.inner("(*%s)" % path, e["value"], m["to"])
        elif e["value"]["kind"] == "unread" and e["value"]["why"] in ("cycle", "limit", "not followed"):
            self.delve_unread.append((path, e["value"]["why"]))
        else:
            self.goprobe_unread.append((path, "pointer not followed"))

    def unsafe(self, path, e, m, got):
        self.equal(path, True, re.match("0x[0-9a-f]+$", got) is not None)

    def interface(self, path, e, m, got):
        if e["value"]["type"]:
            self.equal(path + ": dynamic type", type_name(e["value"]["type"]), type_name(got["type"] or "?"))
        self.value("%s.(%s)" % (path, type_name(e["value"]["type"])), e["value"], got)

    def map(self, path, e, m, got):
        if "unavailable" in got:
            self.goprobe_unread.append((path, got["unavailable"]))
            return
        self.equal(path + ".len", len(e["entries"]), got["len"])
        if got.get("truncated"):
            if "reason" in got:
                self.goprobe_unread.append((path, got["reason"]))
            elif not got["entries"]:
                self.differ(path, "entries", "none")
        else:
            self.equal(path + ": number of entries", len(e["entries"]), len(got["entries"]))
        left = [[kept_beside(e["type"], "map[%s]", key), kept_beside(e["type"], "]%s", elem)] for key, elem in e["entries"]]
        # Those whose keys are unavailable, or cut, last: they fit others' places, too.
        for whole in True, False:
            for entry in got["entries"]:
                if clear(entry["key"]) == whole:
                    self.entry(path, left, entry)

    def entry(self, path, left, entry):
        """Take the entry with this key out of what is left; there must be one. Of several keys that are not equal to
        themselves (NaN) the one with this element, too."""
        fits = [i for i, (key, _) in enumerate(left) if self.trial(key, entry["key"]).equals()]
        if not fits:
            self.differ(path, "no such key", short(entry["key"]))
            return
        at = next((i for i in fits if self.trial(left[i][1], entry["value"]).equals()), fits[0])
        key, elem = left.pop(at)
        self.inner("key of " + path, key, entry["key"])
        self.inner("%s[%s]" % (path, short(entry["key"])), elem, entry["value"])

    def trial(self, e, got):
        """A comparison of its own."""
        c = type(self)(self.limits, self.fewer_captured)
        c.inner("", e, got)
        return c

    def equals(self):
        return not self.differences

    def chan(self, path, e, m, got):
        if "unavailable" in got:
            self.goprobe_unread.append((path, got["unavailable"]))
            return
        for name, want in ("len", len(e["elements"])), ("cap", e["cap"]), ("closed", e["closed"]), \
                ("receivers", e["receivers"]), ("senders", e["senders"]):
            self.equal("%s.%s" % (path, name), want, got[name])
        self.sequence(path, e["elements"], got["elements"])

    def func(self, path, e, m, got):
        if "unavailable" in got:
            self.goprobe_unread.append((path, got["unavailable"]))
            return
        self.equal(path, plain(e["value"]), plain(got["func"]))
        if "captured" in e and "captured" in got:
            self.captured(path, {name: v for name, v in e["captured"]}, got["captured"])

    def captured(self, path, want, got):
        """Delve shows a variable that is shared as the variable, goprobectl as the pointer that it is."""
        for name in [name for name, v in got.items() if isinstance(v, dict) and "unavailable" in v]:
            self.goprobe_unread.append(("%s.captured.%s" % (path, name), got[name]["unavailable"]))
            got = {n: v for n, v in got.items() if n != name}
            want.pop(name.lstrip("&"), None)
        for name in [name for name, v in got.items() if name.startswith("&") and "to" not in members({"kind": "pointer"}, v)]:
            self.goprobe_unread.append(("%s.captured.%s" % (path, name), "pointer not followed"))
            got = {n: v for n, v in got.items() if n != name}
            want.pop(name.lstrip("&"), None)
        got = {RECEIVER.get(name, name).lstrip("&"): members({"kind": "pointer"}, v)["to"] if name.startswith("&") else v
               for name, v in got.items()}
        want = {RECEIVER.get(name, name): v for name, v in want.items()}
        if self.fewer_captured:
            want = {name: v for name, v in want.items() if name in got}
        self.equal(path + ": captured", sorted(want), sorted(got))
        for name in sorted(set(want) & set(got)):
            self.inner("%s.captured.%s" % (path, name), want[name], got[name])


def kept_beside(map_type, place, v):
    """Delve (to 1.24) shows the pointer by which a bucket holds a key or element of more than 128 bytes."""
    if v["kind"] == "pointer" and "value" in v and place % v["type"] not in map_type and place % v["type"][1:] in map_type:
        return v["value"]
    return v


def members(e, got):
    """A value inside another value: itself, or an object with its attributes."""
    if isinstance(got, dict) and "type" in got and not (e["kind"] in DESCRIBED and "address" in got):
        return got
    return {"value": got}


def clear(got):
    """Whether all of a value is known, as far as goprobectl says."""
    if isinstance(got, list):
        return all(map(clear, got))
    if not isinstance(got, dict):
        return True
    return "unavailable" not in got and not got.get("truncated") and all(map(clear, got.values()))


def rounded(x, bits):
    x = float(x)
    if bits == 32:
        x = struct.unpack("f", struct.pack("f", x))[0]
    return repr(x)


def data(text):
    """goprobectl's string as Latin-1 of its bytes."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def short(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 200 else text[:200] + " ..."


def plain(function):
    """A function's name as line tables write it: without type arguments."""
    depth, kept = 0, []
    for c in function:
        depth -= c == "]"
        if not depth:
            kept.append(c)
        if c == "[":
            depth += 1
            kept += ["..."] if depth == 1 else []
    return "".join(kept)


def type_name(name):
    """Without the paths of packages, nor that of a field that is not exported, and with one of several ways to write the same."""
    name = re.sub(r"[\w.~%-]+/", "", name)
    name = re.sub(r"(?<=[{;] )\w+\.(?=[a-z_]\w* )", "", name)
    name = re.sub(r"\binterface \{\}", "any", name)
    return re.sub(r"\buint8\b", "byte", name)
