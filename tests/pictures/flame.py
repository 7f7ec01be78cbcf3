# SPDX-License-Identifier: GPL-2.0
"""Flame graphs: what their pages show, and do."""

# What the rows' scripts use: frames by name, what the user does, and what is seen.
TOOLS = r"""
const frames = Array.from(document.querySelectorAll('svg.f'));
const name = e => e.getAttribute('aria-label').replace(/: [^:]*$/, '');
const frame = n => frames.find(e => name(e) === n);
const label = n => frame(n).querySelector('text').textContent;
const click = n => frame(n).dispatchEvent(new MouseEvent('click', {bubbles: true}));
const press = (key, more) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, ...more}));
const find = document.querySelector('input'), said = document.querySelector('output');
const search = text => { find.value = text; find.dispatchEvent(new Event('input')); return said.textContent; };
const seen = () => frames.filter(e => e.style.display !== 'none' && e.getBoundingClientRect().width > 1).map(name);
const width = n => Math.round(1000 * frame(n).getBoundingClientRect().width / document.documentElement.getBoundingClientRect().width);
const hits = () => frames.filter(e => e.classList.contains('hit')).map(name);
const tip = document.querySelector('.tip'), details = () => tip.parentNode.style.display === 'none' ? null : tip.textContent.split('\n');
const reset = document.querySelector('button');
"""

KV = "go.example/kv/api/v3rpc.(*kvServer)."
STACKS = """\
main.main;%(kv)sPut;go.example/kv/mvcc.(*store).Put 600
main.main;%(kv)sPut 100
main.main;%(kv)sRange;go.example/kv/mvcc.(*store).Range.func1 200
runtime.gcBgMarkWorker 100
""" % {"kv": KV}


def row(claim, script, want, stacks=STACKS, draw="call", **more):
    return dict(claim="flame graph: " + claim, draw=draw, input=stacks, tools=TOOLS, script=script, want=want, **more)


FLAME = [
    row("labels are short names, and details at the pointer have the whole one with shares of all, caller and zoomed function", """
const over = n => { const r = frame(n).getBoundingClientRect();
  frame(n).dispatchEvent(new MouseEvent('mousemove', {bubbles: true, clientX: r.left + 5, clientY: r.top + 5})); return details(); };
got.label = label('%(kv)sPut');
got.before = details();
got.put = over('%(kv)sPut');
click('main.main');
got.zoomed = over('go.example/kv/mvcc.(*store).Put');
const box = tip.getBoundingClientRect();
got.near = Math.abs(box.left - frame('go.example/kv/mvcc.(*store).Put').getBoundingClientRect().left) < 40;
got.inside = box.right <= innerWidth && box.bottom <= innerHeight;
""" % {"kv": KV}, {
        "label": "v3rpc.(*kvServer).Put", "before": None,
        "put": [KV + "Put", "700 calls, 70.0 % of all", "77.7 % of main.main"],
        "zoomed": ["go.example/kv/mvcc.(*store).Put", "600 calls, 60.0 % of all", "85.7 % of v3rpc.(*kvServer).Put", "66.6 % of main.main"],
        "near": True, "inside": True}),
    row("a click zooms, Escape and a button reset that", """
got.hidden = reset.hidden;
click('%(kv)sRange');
got.seen = seen();
got.widths = [width('all'), width('%(kv)sRange')];
got.up = frame('main.main').classList.contains('up');
got.said = said.textContent;
got.button = reset.textContent;
press('Escape');
got.all = [seen().length, width('%(kv)sRange'), reset.hidden];
click('runtime.gcBgMarkWorker');
reset.click();
got.again = seen().length;
""" % {"kv": KV}, {
        "hidden": True, "seen": ["all", "main.main", KV + "Range", "go.example/kv/mvcc.(*store).Range.func1"], "widths": [1000, 1000], "up": True,
        "said": "v3rpc.(*kvServer).Range: 20.0 % of all", "button": "Reset zoom", "all": [7, 200, True], "again": 7}),
    row("a search takes a regular expression, a text, and either case; what is below a match counts once", """
got.regex = [search('kvServer.*(Put|Range)$'), hits().length];
got.text = [search('v3rpc.(*kvServer).Put'), hits().length];
got.nested = [search('main|mvcc'), hits().length];
got.path = search('go.example/kv/mvcc');
got.anycase = search('GCBG'.toLowerCase());
got.capitals = search('GCBG');
got.none = [search('nosuch'), hits().length];
got.empty = [search(''), hits().length];
click('%(kv)sPut');
got.zoomed = search('store');
""" % {"kv": KV}, {
        "regex": ["90.0 % of all in 2 matches", 2], "text": ["70.0 % of all in 1 match", 1], "nested": ["90.0 % of all in 3 matches", 3],
        "path": "80.0 % of all in 2 matches", "anycase": "10.0 % of all in 1 match", "capitals": "0.0 % of all in 0 matches",
        "none": ["0.0 % of all in 0 matches", 0], "empty": ["", 0], "zoomed": "85.7 % of v3rpc.(*kvServer).Put in 1 match"}),
    row("keys move, zoom, search and go from match to match", """
const at = () => name(document.activeElement);
frames[0].focus();
const move = key => { press(key); return at(); };
got.moves = ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp'].map(move);
got.details = details()[0];
press('Enter');
got.zoomed = width('main.main');
press('/');
got.find = document.activeElement === find;
search('mvcc');
got.next = [press('Enter') && 0, at(), (press('n'), at()), (press('n'), at()), (press('N'), at())].slice(1);
press('f', {ctrlKey: true});
got.again = document.activeElement === find;
press('Escape');
got.cleared = [find.value, hits().length];
""", {
        "moves": ["main.main", "runtime.gcBgMarkWorker", "main.main", KV + "Put", "go.example/kv/mvcc.(*store).Put", KV + "Put", "main.main"],
        "details": "main.main", "zoomed": 1000, "find": True,
        "next": ["go.example/kv/mvcc.(*store).Put", "go.example/kv/mvcc.(*store).Range.func1", "go.example/kv/mvcc.(*store).Put",
                 "go.example/kv/mvcc.(*store).Range.func1"],
        "again": True, "cleared": ["", 0]}),
    row("what does not fit loses its package, then its middle, and has no half letters", """
const of = n => label('go.example/kv/' + n);
got.labels = ['a.(*T).Longest', 'b.(*Type).Wanted', 'c.(*T).processUnaryRequest', 'd.Serve.func1.2', 'e.F', 'f.Map[go.shape.int].Get'].map(of);
const slack = e => e.getBoundingClientRect().width - e.querySelector('text').getComputedTextLength();
got.cut = frames.filter(e => slack(e) < 4).map(name);
""", {
        "labels": ["a.(*T).Longest", "(*Type).Wanted", "proce\u2026uest", "Serve.func1.2", "F", "Get"], "cut": []},
        stacks="go.example/kv/a.(*T).Longest 300\ngo.example/kv/b.(*Type).Wanted 145\ngo.example/kv/c.(*T).processUnaryRequest 100\n"
               "go.example/kv/d.Serve.func1.2 125\ngo.example/kv/e.F 20\ngo.example/kv/f.Map[go.shape.int].Get 80\nmain.rest 230\n", size=(800, 600)),
    row("names are text, whatever they hold", """
got.name = name(frames[1]);
got.label = frames[1].querySelector('text').textContent;
got.elements = document.querySelectorAll('script, img, b').length;
got.search = search('<b>');
click(got.name);
got.details = details()[0];
""", {
        "name": "main.(*T[\"]]><b>&amp,</title></svg>\"]).a", "label": "main.(*T[\"]]><b>&amp,</title></svg>\"]).a", "elements": 2,
        "search": "100.0 % of all in 1 match", "details": "main.(*T[\"]]><b>&amp,</title></svg>\"]).a"},
        stacks="main.(*T[\"]]><b>&amp,</title></svg>\"]).a 1\n"),
    row("what is left out is said: how much, and its share", """
got.note = document.querySelector('.note').textContent;
got.frames = frames.length;
""", {"note": "left out: 20000 frames of less than 2 calls, with 66.6 % of all", "frames": 2},
        stacks="main.wide 10000\n" + "".join("main.f%d 1\n" % i for i in range(20000))),
    row("of few functions nothing is left out, however narrow", """
got.note = document.querySelectorAll('.note').length;
click('main.narrow');
got.width = width('main.narrow');
""", {"note": 0, "width": 1000}, stacks="main.narrow 1\nmain.wide 9999999\n"),
    row("it is dark where the user has that, and texts keep their contrast", """
const rgb = (e, of) => getComputedStyle(e)[of].match(/[0-9.]+/g).slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const light = (e, of) => rgb(e, of).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
got.ground = light(document.querySelector('.ground'), 'fill') < 0.02;
const contrast = f => { const a = light(f.querySelector('rect'), 'fill'), b = light(f.querySelector('text'), 'fill');
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
got.readable = frames.every(f => contrast(f) > 4.5);
got.colours = new Set(frames.map(f => f.querySelector('rect').getAttribute('class'))).size;
""", {"ground": True, "readable": True, "colours": 12}, stacks="".join("p%d.f 1\n" % i for i in range(100)), dark=True),
    row("it is light elsewhere, and texts keep their contrast", """
const rgb = (e, of) => getComputedStyle(e)[of].match(/[0-9.]+/g).slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const light = (e, of) => rgb(e, of).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
got.ground = light(document.querySelector('.ground'), 'fill') > 0.98;
got.readable = frames.every(f => (light(f.querySelector('rect'), 'fill') + 0.05) / (light(f.querySelector('text'), 'fill') + 0.05) > 4.5);
""", {"ground": True, "readable": True}, stacks="".join("p%d.f 1\n" % i for i in range(100))),
    row("nothing of a phone's width is beyond the window", """
click('%(kv)sPut');
search('kvServer');
got.beyond = Array.from(document.querySelectorAll('input, button, output, .tip, svg.f')).filter(e => e.getBoundingClientRect().right > innerWidth + 1).length;
got.said = said.getBoundingClientRect().width > 40;
""" % {"kv": KV}, {"beyond": 0, "said": True}, size=(500, 700)),
    row("of nothing it says so", "got.texts = Array.from(document.querySelectorAll('text'), e => e.textContent);",
        {"texts": ["calls by stack: nothing was counted"]}, stacks="").copy(),
]
