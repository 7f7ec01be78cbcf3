# SPDX-License-Identifier: GPL-2.0
"""A value as Delve reads it, without addresses: what does not change from run to run.

A value is a dictionary:

    kind        bool, int, float, complex, string, bytes, slice, array, struct, pointer, interface, map, chan, func,
                unsafe, unread
    type        as Delve writes it
    nil         True, of what can be nil and is
    value       bool: True; int: an integer; float: its repr; complex: two of them; string, bytes: Latin-1 of the bytes;
                func: the name; pointer, interface: the value it leads to
    bits        of a float or complex part: 32 or 64
    elements    of slices, arrays, channels (the oldest first)
    fields      of a struct: [name, value]
    entries     of a map: [key, value], in no order
    cap, closed, receivers, senders    of a channel
    captured    of a closure: [name, value], if Delve knows them
    why         of unread: the reason
"""

import struct

from delve import (BOOL, INT, INT64, UINT, UINT8, UINTPTR, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128, ARRAY, CHAN, FUNC, INTERFACE,
                   MAP, PTR, SLICE, STRING, STRUCT, UNSAFE_POINTER, INVALID, Trouble)

DEPTH = 10          # pointers, interfaces, slices, maps, channels followed one after another
OBJECTS = 3000      # values of one argument
WAITERS = 1000

# Not followed: the scheduler's own, from which everything can be reached.
CLOSED_WORLD = ("runtime.", "*runtime.", "internal/abi.", "sync.poolLocal")


# Why this test, not Delve, leaves something unread.
OWN_LIMITS = ("limit", "cycle", "not followed")


class Reader:
    """Reads one argument; where Delve stopped, asks on."""

    def __init__(self, delve):
        self.delve = delve
        self.objects = 0
        self.path = []      # (address, type) of what is being read: a cycle ends there

    def value(self, v, depth=0):
        self.objects += 1
        if v.get("unreadable"):
            return {"kind": "unread", "type": v["type"], "why": v["unreadable"]}
        try:
            return self.by_kind(v, depth)
        except Trouble as e:
            return {"kind": "unread", "type": v["type"], "why": str(e).split("\n")[0]}

    def by_kind(self, v, depth):
        kind, out = v["kind"], {"type": v["type"]}
        if kind == BOOL:
            return dict(out, kind="bool", value=v["value"] == "true")
        if INT <= kind <= UINTPTR:
            return dict(out, kind="int", value=integer(v["value"]))
        if kind in (FLOAT32, FLOAT64):
            bits = 32 if kind == FLOAT32 else 64
            return dict(out, kind="float", bits=bits, value=number(v["value"], bits))
        if kind in (COMPLEX64, COMPLEX128):
            bits = 32 if kind == COMPLEX64 else 64
            return dict(out, kind="complex", bits=bits, value=[number(c["value"], bits) for c in v["children"]])
        if kind == STRING:
            return dict(out, kind="string", value=self.string(v))
        if kind in (SLICE, ARRAY):
            return self.sequence(v, out, depth)
        if kind == STRUCT:
            return self.struct(v, out, depth)
        if kind == PTR:
            return self.pointer(v, out, depth)
        if kind == UNSAFE_POINTER:
            target = v["children"][0]["addr"] if v["children"] else int(v["value"] or "0", 0)
            return dict(out, kind="unsafe", **({"nil": True} if target == 0 else {}))
        if kind == INTERFACE:
            return self.interface(v, out, depth)
        if kind == MAP:
            return self.map(v, out, depth)
        if kind == CHAN:
            return self.channel(v, out, depth)
        if kind == FUNC:
            return self.function(v, out, depth)
        return dict(out, kind="unread", why="kind %d" % kind)

    def string(self, v):
        if v["len"] == 0:
            return ""
        text = v["value"]
        if "\ufffd" in text or len(text.encode()) != v["len"]:
            return self.delve.memory(v["base"], v["len"]).decode("latin-1")
        return text.encode().decode("latin-1")

    def loaded(self, v):
        """v itself, if a load gave only its address."""
        return self.delve.at(v["addr"], v["type"]) if v.get("onlyAddr") else v

    def whole(self, v):
        """v with its parts, if it has any and one load did not reach them."""
        if v.get("onlyAddr") or v["len"] and not v["children"]:
            return self.delve.at(v["addr"], v["type"])
        return v

    def stops(self, type_name, depth):
        if depth >= DEPTH or self.objects > OBJECTS:
            return "limit"
        if type_name.startswith(CLOSED_WORLD):
            return "not followed"
        return None

    def sequence(self, v, out, depth):
        out["kind"] = "slice" if v["kind"] == SLICE else "array"
        v = self.loaded(v)
        if v["kind"] == SLICE and v["base"] == 0 and v["len"] == 0:
            return dict(out, nil=True)
        why = self.stops(v["type"], depth)
        if why and v["len"] and v["kind"] == SLICE:
            return {"kind": "unread", "type": v["type"], "why": why}
        v = self.whole(v)
        if len(v["children"]) != v["len"]:
            return {"kind": "unread", "type": v["type"], "why": "%d of %d elements" % (len(v["children"]), v["len"])}
        if v["kind"] == SLICE and v["len"] and all(c["kind"] == UINT8 for c in v["children"]):
            return dict(out, kind="bytes", value="".join(chr(integer(c["value"])) for c in v["children"]))
        step = 1 if v["kind"] == SLICE else 0
        return dict(out, elements=[self.value(c, depth + step) for c in v["children"]])

    def struct(self, v, out, depth):
        v = self.whole(v)
        return dict(out, kind="struct", fields=[[c["name"], self.value(c, depth)] for c in v["children"]])

    def target(self, v, depth):
        """The value that a pointer or an interface leads to."""
        why = self.stops(v["type"], depth)
        if why:
            return {"kind": "unread", "type": v["type"], "why": why}
        place = (v["addr"], v["type"])
        if place in self.path:
            return {"kind": "unread", "type": v["type"], "why": "cycle"}
        self.path.append(place)
        try:
            if v.get("onlyAddr"):
                v = self.delve.at(v["addr"], v["type"])
            return self.value(v, depth + 1)
        finally:
            self.path.pop()

    def pointer(self, v, out, depth):
        out["kind"] = "pointer"
        if not v["children"] or v["children"][0]["addr"] == 0:
            return dict(out, nil=True)
        return dict(out, value=self.target(v["children"][0], depth))

    def interface(self, v, out, depth):
        out["kind"] = "interface"
        if not v["children"] or v["children"][0]["kind"] == INVALID and v["children"][0]["addr"] == 0:
            return dict(out, nil=True)
        data = v["children"][0]
        if data.get("unreadable"):
            return dict(out, value=self.value(data, depth))
        if data["kind"] in (PTR, MAP, CHAN, FUNC, UNSAFE_POINTER) and not data.get("onlyAddr"):
            # The data word is the value.
            return dict(out, value=self.value(data, depth))
        return dict(out, value=self.target(data, depth))

    def map(self, v, out, depth):
        out["kind"] = "map"
        v = self.loaded(v)
        if v["base"] == 0 and v["len"] == 0:
            return dict(out, nil=True)
        why = self.stops(v["type"], depth)
        if why and v["len"]:
            return {"kind": "unread", "type": v["type"], "why": why}
        v = self.whole(v)
        if len(v["children"]) != 2 * v["len"]:
            return {"kind": "unread", "type": v["type"], "why": "%d of %d entries" % (len(v["children"]) // 2, v["len"])}
        both = [self.value(c, depth + 1) for c in v["children"]]
        return dict(out, entries=[list(pair) for pair in zip(both[::2], both[1::2])])

    def channel(self, v, out, depth):
        out["kind"] = "chan"
        v = self.loaded(v)
        if not v["children"]:
            return dict(out, nil=True)
        why = self.stops(v["type"], depth)
        if why:
            return {"kind": "unread", "type": v["type"], "why": why}
        hchan = {c["name"]: c for c in v["children"]}
        count, cap = (integer(hchan[name]["value"]) for name in ("qcount", "dataqsiz"))
        oldest = integer(hchan["recvx"]["value"])
        elements = []
        if count:
            array = hchan["buf"]["children"][0]
            array = self.whole(array)
            elements = [self.value(array["children"][(oldest + i) % cap], depth + 1) for i in range(count)]
        return dict(out, elements=elements, cap=cap, closed=integer(hchan["closed"]["value"]) != 0,
                    receivers=self.waiters(hchan["recvq"]), senders=self.waiters(hchan["sendq"]))

    def waiters(self, queue):
        """The length of a list of runtime.sudog, whose second word is the next one."""
        at, n = self.delve.word(queue["addr"]), 0
        while at and n < WAITERS:
            at, n = self.delve.word(at + 8), n + 1
        return n

    def function(self, v, out, depth):
        out["kind"] = "func"
        if not v["value"]:
            return dict(out, nil=True)
        out["value"] = v["value"]
        if v["children"]:
            out["captured"] = [[c["name"], self.value(c, depth + 1)] for c in v["children"]]
        return out


def integer(text):
    """5, or the constant's name and then it: November (11)."""
    if text.endswith(")"):
        text = text[text.rindex("(") + 1:-1]
    return int(text)


def number(text, bits):
    x = float(text)
    if bits == 32:
        x = struct.unpack("f", struct.pack("f", x))[0]
    return repr(x)
