# SPDX-License-Identifier: GPL-2.0
"""Delve, headless: a program under its control, and what it reads of it.

Delve's own protocol: JSON-RPC, api version 2 (service/rpc2 in Delve's source).
"""

import base64
import json
import re
import select
import socket
import subprocess
import time

DEADLINE = 300      # seconds for one answer

# reflect.Kind, as Delve numbers what it reads.
(INVALID, BOOL, INT, INT8, INT16, INT32, INT64, UINT, UINT8, UINT16, UINT32, UINT64, UINTPTR, FLOAT32, FLOAT64, COMPLEX64,
 COMPLEX128, ARRAY, CHAN, FUNC, INTERFACE, MAP, PTR, SLICE, STRING, STRUCT, UNSAFE_POINTER) = range(27)

RESULT = 1 << 4     # a variable's flags: it is a result

# One load reaches this deep; what lies deeper is asked for where it is wanted. Nothing is cut at any other limit.
LOAD = {"FollowPointers": True, "MaxVariableRecurse": 2, "MaxStringLen": 4096, "MaxArrayValues": 2048, "MaxStructFields": -1}


class Trouble(Exception):
    """Delve could not do what it was asked."""


class Delve:
    """A program that it starts, or a process, by its number, that it attaches to, whatever Go has built it."""

    def __init__(self, dlv, program):
        self.attached = isinstance(program, int)
        self.process = subprocess.Popen(
            [dlv, "attach" if self.attached else "exec", "--headless", "--api-version=2", "--listen=127.0.0.1:0",
             *(["--check-go-version=false"] if self.attached else []), str(program)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.number = 0
        said = b""
        end = time.monotonic() + DEADLINE
        while True:
            m = re.search(rb"listening at: \S*?(127\.0\.0\.1):(\d+)\s", said)
            if m:
                break
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise Trouble("%s did not start" % dlv)
            data = self.process.stdout.read1(65536)
            if not data:
                raise Trouble("%s ended: %s" % (dlv, said.decode(errors="replace").strip()))
            said += data
        self.socket = socket.create_connection((m.group(1).decode(), int(m.group(2))), timeout=DEADLINE)
        self.answers = self.socket.makefile("rb")

    def ask(self, method, **parameters):
        self.number += 1
        request = {"method": "RPCServer." + method, "params": [parameters], "id": self.number}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        line = self.answers.readline()
        if not line:
            raise Trouble("Delve hung up on %s" % method)
        answer = json.loads(line)
        if answer.get("error"):
            raise Trouble("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def functions(self, pattern):
        return self.ask("ListFunctions", Filter=pattern)["Funcs"] or []

    def entries(self, function):
        """[(pc, file)] of a function: after its prologue."""
        try:
            found = self.ask("FindLocation", Scope={"GoroutineID": -1}, Loc=function, IncludeNonExecutableLines=False)
        except Trouble:
            return []
        return [(pc, where.get("file", "")) for where in found["Locations"] or [] for pc in where.get("pcs") or [where["pc"]]]

    def exits(self, function):
        try:
            return self.ask("FunctionReturnLocations", FnName=function)["Addrs"] or []
        except Trouble:
            return []

    def stop_at(self, address):
        """The breakpoint's number."""
        return self.ask("CreateBreakpoint", Breakpoint={"addr": address})["Breakpoint"]["id"]

    def go_past(self, breakpoint):
        self.ask("ClearBreakpoint", Id=breakpoint)

    def step(self):
        """One instruction of the goroutine that it is in."""
        self.ask("Command", name="stepInstruction")

    def go_on(self):
        """Address where it stopped at a breakpoint, or None when the program has ended."""
        state = self.ask("Command", name="continue")["State"]
        if state.get("exited"):
            return None
        thread = state["currentThread"]
        if not thread.get("breakPoint"):
            raise Trouble("stopped at %#x, where there is no breakpoint" % thread["pc"])
        return thread["pc"]

    def arguments(self):
        """Arguments and results of the function it is in."""
        return self.ask("ListFunctionArgs", Scope={"GoroutineID": -1, "Frame": 0}, Cfg=LOAD)["Args"] or []

    def at(self, address, type_name):
        """The value of this type that is there."""
        expression = '*(*"%s")(%#x)' % (type_name, address)
        return self.ask("Eval", Scope={"GoroutineID": -1, "Frame": 0}, Expr=expression, Cfg=LOAD)["Variable"]

    def memory(self, address, size):
        data = b""
        while len(data) < size:     # 1,000 bytes is the most that Delve gives at once
            n = min(1000, size - len(data))
            part = base64.b64decode(self.ask("ExamineMemory", Address=address + len(data), Length=n)["Mem"])
            if len(part) != n:
                raise Trouble("memory at %#x: %d bytes, not %d" % (address + len(data), len(part), n))
            data += part
        return data

    def word(self, address):
        return int.from_bytes(self.memory(address, 8), "little")

    def close(self):
        try:
            self.ask("Detach", Kill=not self.attached)
            self.process.wait(20)
        except (Trouble, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.socket.close()
        self.process.stdout.close()
