# SPDX-License-Identifier: GPL-2.0
"""Timelines: what their pages show, and do. What is drawn is seen by the texts that reach the canvas."""

import json

# What the rows' scripts use: the texts of a drawing, by where they are; what the user does; the details.
TOOLS = r"""
const put = CanvasRenderingContext2D.prototype.fillText;
let texts = [];
CanvasRenderingContext2D.prototype.fillText = function (s, x, y) { texts.push({s, x, y}); put.call(this, s, x, y); };
const drawn = () => { texts = []; draw(); return texts; };
const names = () => drawn().filter(t => t.x >= 15 && t.x < gutter && t.y > RULER).map(t => t.s);
const labels = () => drawn().filter(t => t.x >= gutter && t.y > RULER).map(t => t.s);
const ticks = () => drawn().filter(t => t.x >= gutter && t.y < RULER).map(t => t.s);
const press = (key, more) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, ...more}));
const mouse = (kind, x, y, more) => map.dispatchEvent(new MouseEvent(kind, {bubbles: true, clientX: x, clientY: y + BAR, ...more}));
const box = get('detail'), details = () => box.style.display === 'none' ? null : box.textContent.split('\n');
const about = () => get('about').textContent;
const type = text => { get('find').value = text; get('find').dispatchEvent(new Event('input')); return about(); };
const us = v => Math.round(1000 * (v - from)) / 1000;
"""

BASE = 81234567890.123


def call(tid, name, ts, dur, **args):
    return {"ph": "X", "name": name, "pid": 7, "tid": tid, "cat": "call", "ts": round(BASE + ts, 3), "dur": dur,
            "args": {"thread": 9, "ended": "return", **args}}


def named(tid, name):
    return {"ph": "M", "name": "thread_name", "pid": 7, "tid": tid, "args": {"name": name}}


PROGRAM = {"ph": "M", "name": "process_name", "pid": 7, "tid": 1, "args": {"name": "kv"}}
KV = [
    PROGRAM, named(1, "goroutine 1: main.serve"), named(2, "goroutine 2: v3rpc.(*kvServer).Put"), named(3, "goroutine 3: raft.tick"),
    call(1, "main.serve", 0, 1000000.0), call(1, "main.parse", 1000, 2000.0),
    call(2, "v3rpc.(*kvServer).Put", 400000, 200000.0, func="go.example/kv/api/v3rpc.(*kvServer).Put", args={"r": "&pb.Put{Key: \"<b>\"}"},
         results={"err": "nil"}),
    call(2, "mvcc.(*store).Put", 450000, 100000.0),
    call(3, "raft.tick", 900000, 0.2), call(3, "raft.tick", 999999, 0.5),
]


def row(claim, script, want, events=None, **more):
    text = json.dumps({"traceEvents": KV if events is None else events})
    return dict(claim="timeline: " + claim, draw="timeline", input=text, tools=TOOLS, script=script, want=want, **more)


CROWD = [PROGRAM] + [e for g in range(5000) for e in (named(g, "goroutine %d: main.worker" % g), call(g, "main.worker", g * 100, 90.0),
                                                      call(g, "main.step", g * 100 + 10, 50.0))]

TIMELINE = [
    row("rows have the names of their outermost functions, and numbers of goroutines", """
got.names = names();
got.about = about();
""", {"names": ["main.serve", "goroutine 1", "v3rpc.(*kvServer).Put", "goroutine 2", "raft.tick", "3"], "about": "6 calls, 3 of 3 goroutines"}),
    row("rows without calls in the shown time are folded, which is said, and a box shows them", """
set_times(from + 700000, 150000);
got.names = names();
got.about = about();
get('fold').click();
got.unfolded = names();
got.all = about();
""", {"names": ["main.serve", "1"], "about": "6 calls, 1 of 3 goroutines: the others have no calls here",
          "unfolded": ["main.serve", "1", "v3rpc.(*kvServer).Put", "2", "raft.tick", "3"], "all": "6 calls, 3 of 3 goroutines"}),
    row("a zoom keeps the row at the pointer where it is", """
const y = RULER + tracks.get('7.2').row.y - scrolled + 5;
for (let i = 0; i < 8; i++)
  map.dispatchEvent(new WheelEvent('wheel', {clientX: x(from + 420000), clientY: y + BAR, deltaY: -1, ctrlKey: true, bubbles: true, cancelable: true}));
got.span = right - left < 200000;
got.row = row_at(y).t.name;
""", {"span": True, "row": "goroutine 2: v3rpc.(*kvServer).Put"}),
    row("labels of ticks are there at any zoom, and differ", """
const counts = [], same = [];
for (let span = until - from; span > 0.001; span /= 7.3) {
  set_times(from + 400000, span);
  const t = ticks();
  counts.push(t.length);
  same.push(new Set(t).size === t.length);
}
got.zooms = counts.length;
got.least = Math.min(...counts) >= 2;
got.most = Math.max(...counts) <= 15;
got.differ = same.every(v => v);
set_times(from, until - from);
got.whole = ticks().slice(0, 3);
set_times(from + 400000, 0.01);
got.deep = ticks().slice(0, 2);
""", {"zooms": 11, "least": True, "most": True, "differ": True, "whole": ["0.0s", "0.2s", "0.4s"],
          "deep": ["400.000000ms", "400.000002ms"]}),
    row("the next match is one key away, and is shown where it is", """
got.search = type('raft.tick');
press('/');
got.find = document.activeElement === get('find');
press('Enter');
got.first = [us(shown.from), us(left) <= 900000 && us(right) > 900000, about(), details()[0]];
get('next').click();
got.second = [us(shown.from), about()];
get('next').click();
got.again = us(shown.from);
got.wide = x(shown.until) - x(shown.from) > 20;
press('Enter', {shiftKey: true});
got.back = us(shown.from);
press('Escape');
got.cleared = [get('find').value, about()];
""", {"search": "2 matches, 3 of 3 goroutines", "find": True,
          "first": [900000, True, "1 of 2 matches, 2 of 3 goroutines: the others have no calls here", "raft.tick"],
          "second": [999999, "2 of 2 matches, 2 of 3 goroutines: the others have no calls here"], "again": 900000, "wide": True, "back": 999999,
          "cleared": ["", "6 calls, 2 of 3 goroutines: the others have no calls here"]}),
    row("a search takes a text, a regular expression, and the whole path", """
got.found = ['(*kvServer).Put', 'kvserver|main\\\\.', 'go.example/kv', 'nosuch', '('].map(type);
got.names = Array.from(get('names').children, e => e.value);
""", {"found": ["1 match, 3 of 3 goroutines", "3 matches, 3 of 3 goroutines", "1 match, 3 of 3 goroutines", "0 matches, 3 of 3 goroutines",
                "2 matches, 3 of 3 goroutines"],
          "names": ["main.serve", "v3rpc.(*kvServer).Put", "mvcc.(*store).Put", "main.parse", "raft.tick"]}),
    row("details stand at the pointer, with values, and a click keeps them", """
const px = x(from + 420000), py = RULER + tracks.get('7.2').row.y + 5;
mouse('mousemove', px, py);
got.details = details();
const r = box.getBoundingClientRect();
got.near = Math.abs(r.left - px) < 40 && Math.abs(r.top - py - BAR) < 40;
mouse('mousemove', px, 600);
got.away = details();
mouse('mousedown', px, py);
mouse('click', px, py);
mouse('mousemove', px, 600);
got.kept = details()[0];
press('Escape');
got.gone = details();
""", {"details": ["go.example/kv/api/v3rpc.(*kvServer).Put", "200ms, from 0.400000000s, kv 7, goroutine 2: v3rpc.(*kvServer).Put",
                  "r = &pb.Put{Key: \"<b>\"}", "returned err = nil", "thread: 9"],
          "near": True, "away": None, "kept": "go.example/kv/api/v3rpc.(*kvServer).Put", "gone": None}),
    row("keys zoom, move, and show all; a click on a name folds its row", """
const span = () => Math.round(right - left);
got.all = span();
press('+');
got.zoomed = [span(), us(left)];
press('ArrowRight');
got.moved = us(left);
press('-');
press('Escape');
got.again = [span(), us(left)];
const lanes = () => tracks.get('7.1').row.n;
got.lanes = lanes();
mouse('mousedown', 20, RULER + 5);
mouse('click', 20, RULER + 5);
got.brief = lanes();
press('c');
press('c');
got.opened = lanes();
""", {"all": 1000000, "zoomed": [500000, 250000], "moved": 350000, "again": [1000000, 0], "lanes": 2, "brief": 1, "opened": 2}),
    row("of 5000 goroutines each has one line at first, all can be reached, and a match opens its row", """
got.about = about();
got.shown = names().length > 40;
got.brief = rows.every(r => r.n === 1);
press('End');
got.last = names().includes('4999');
press('Home');
type('step');
hit = 2499;
press('n');
got.found = [shown.track.name, shown.track.row.n, names().includes('goroutine 2500'), about()];
const start = performance.now();
for (let i = 0; i < 20; i++)
  set_times(from + i * 1000, 300000);
got.quick = (performance.now() - start) / 20 < 500;
""", {"about": "10,000 calls, 5,000 of 5,000 goroutines", "shown": True, "brief": True, "last": True,
          "found": ["goroutine 2500: main.worker", 2, True, "2,501 of 5,000 matches, 3 of 5,000 goroutines: the others have no calls here"],
          "quick": True}, CROWD),
    row("it is dark where the user has that", """
const at = (px, py) => Array.from(ink.getImageData(px, py, 1, 1).data.slice(0, 3));
got.ground = Math.max(...at(2, 600)) < 60;
got.call = Math.max(...at(x(from + 500000), RULER + 3)) < 150;
got.body = getComputedStyle(document.body).backgroundColor;
""", {"ground": True, "call": True, "body": "rgb(23, 25, 29)"}, dark=True),
    row("names are text, whatever they hold", """
mouse('mousemove', x(from + 500), RULER + 5);
got.details = details()[0];
got.elements = document.querySelectorAll('b, img').length;
got.labels = labels()[0];
""", {"details": "main.(*T[</script><b>]).a", "elements": 0, "labels": "main.(*T[</script><b>]).a"},
        [PROGRAM, named(1, "goroutine 1: main.(*T[</script><b>]).a"), call(1, "main.(*T[</script><b>]).a", 0, 1000.0)]),
    row("nothing of a phone's width is beyond the window", """
got.beyond = Array.from(document.querySelectorAll('#bar *')).filter(e => e.getBoundingClientRect().right > innerWidth + 1).length;
got.names = names()[2];
""", {"beyond": 0, "names": "Put"}, size=(500, 700)),
    row("of nothing it is a page, too", "got.about = about(); got.ticks = ticks().length > 1;", {"about": "0 calls, 0 of 0 goroutines", "ticks": True}, []),
]
