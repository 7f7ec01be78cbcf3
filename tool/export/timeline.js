// SPDX-License-Identifier: GPL-2.0
// What a timeline does: it draws the page's trace events, zooms, searches. What a program chose, such as a name, is only ever text to it.
const LANE = 18, GAP = 4, RULER = 22, BAR = 28, LETTER = 7.3;
const get = id => document.getElementById(id), map = get('map'), ink = map.getContext('2d');
const trace = JSON.parse(get('events').textContent), tracks = new Map(), arrows = new Map(), programs = new Map(), lost = [];

// --- calls ----------------------------------------------------------------------------

// Calls of a track are in lanes, by depth; those of a lane do not overlap. .row: where it is shown, or null.
function track(e) {
  const key = e.pid + '.' + e.tid;
  if (!tracks.has(key))
    tracks.set(key, {pid: e.pid, name: String(e.tid), calls: [], lanes: [], row: null, brief: false});
  return tracks.get(key);
}
for (const e of trace.traceEvents) {
  if (e.ph === 'M' && e.name === 'process_name')
    programs.set(e.pid, e.args.name);
  else if (e.ph === 'M')
    track(e).name = e.args.name;
  else if (e.ph === 'i')
    lost.push(e);
  else if (e.ph === 'X')
    track(e).calls.push({e, track: track(e), from: e.ts, until: e.ts + e.dur, depth: 0});
  else
    arrows.set(e.id, Object.assign(arrows.get(e.id) || {}, {[e.ph]: e}));
}
let from = Infinity, until = -Infinity, calls = 0;
for (const t of tracks.values()) {
  const open = [];
  t.calls.sort((a, b) => a.from - b.from || b.until - a.until);
  for (const c of t.calls) {
    while (open.length && open[open.length - 1].until <= c.from && open[open.length - 1] !== c)
      open.pop();
    c.depth = open.length;
    open.push(c);
    (t.lanes[c.depth] = t.lanes[c.depth] || []).push(c);
    from = Math.min(from, c.from);
    until = Math.max(until, c.until);
    calls++;
  }
}
if (from > until)
  from = 0, until = 1;
until = Math.max(until, from + 0.001);
const sorted = Array.from(tracks.values()).filter(t => t.calls.length).sort((a, b) => a.calls[0].from - b.calls[0].from);
// "goroutine 7: main.worker"
for (const t of sorted) {
  const colon = t.name.indexOf(': ');
  t.who = colon < 0 ? t.name : t.name.slice(0, colon);
  t.what = colon < 0 ? '' : t.name.slice(colon + 2);
}
const several = programs.size > 1;
// Of many goroutines only the outermost calls are shown at first.
for (const t of sorted)
  t.brief = sorted.length > 100;

// The first call of a lane that ends behind @us.
function first(lane, us) {
  let low = 0, high = lane.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (lane[mid].until > us)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

// --- what is shown --------------------------------------------------------------------

// Microseconds at both sides, pixels above the picture, and rows: tracks with the lanes that have calls there.
let left = from, right = until, scrolled = 0, rows = [], height = 0, width = 0, tall = 0, gutter = 0;
let fold = true, wanted = null, hits = [], hit = -1, shown = null, kept = false;
const x = us => gutter + (us - left) / (right - left) * (width - gutter);
const time = px => left + (px - gutter) / (width - gutter) * (right - left);

function is_used(lane) {
  const i = first(lane, left);
  return i < lane.length ? lane[i].from < right : left === from && lane[lane.length - 1].until === left;
}
function lay_out() {
  rows = [];
  height = 0;
  for (const t of sorted) {
    let n = 0;
    while (n < (t.brief ? 1 : t.lanes.length) && is_used(t.lanes[n]))
      n++;
    t.row = n || !fold ? {t, n: n || 1, y: height} : null;
    if (!t.row)
      continue;
    rows.push(t.row);
    height += t.row.n * LANE + GAP;
  }
}
function row_at(py) {
  let low = 0, high = rows.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (rows[mid].y + rows[mid].n * LANE + GAP > py - RULER + scrolled)
      high = mid;
    else
      low = mid + 1;
  }
  return rows[low] || null;
}
// Show other times. Rows come and go: the one at @py stays where it is.
function set_times(a, span, py) {
  const row = row_at(py === undefined ? RULER : py), y = row ? row.y : 0;
  span = Math.min(until - from, Math.max(0.001, span));
  left = Math.max(from, Math.min(a, until - span));
  right = left + span;
  lay_out();
  if (row && row.t.row)
    scrolled += row.t.row.y - y;
  draw();
}

// --- drawing --------------------------------------------------------------------------

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const paint = () => dark.matches ?
  {ground: '#17191d', text: '#eee', faint: '#aab', line: '#333842', grey: '#33363c', tone: ' 36% ', light: [31, 37], arrow: '#99c', panic: '#b22', lost: '#f44'} :
  {ground: '#fff', text: '#111', faint: '#555', line: '#e4e4ea', grey: '#e4e4e4', tone: ' 62% ', light: [80, 73], arrow: '#668', panic: '#f77', lost: '#d00'};
let ink_of = paint();

function duration(us) {
  const unit = us < 1 ? [1e3, 'ns'] : us < 1e3 ? [1, 'us'] : us < 1e6 ? [1e-3, 'ms'] : [1e-6, 's'];
  return Number((us * unit[0]).toPrecision(4)) + unit[1];
}
// Functions of a package have colours that are alike.
const hues = new Map(), sum_of = text => Array.from(text).reduce((sum, ch) => (sum * 31 + ch.codePointAt(0)) % 9973, 7);
function hue(name) {
  if (!hues.has(name)) {
    const dot = name.indexOf('.', name.lastIndexOf('/') + 1);
    hues.set(name, sum_of(dot < 0 ? name : name.slice(0, dot)) % 360 + sum_of(name) % 50);
  }
  return hues.get(name);
}
function colour(c) {
  if (wanted && !is_hit(c))
    return ink_of.grey;
  return c.e.args.ended === 'panic' ? ink_of.panic : 'hsl(' + hue(c.e.name) + ink_of.tone + ink_of.light[c.depth % 2] + '%)';
}
function put_text(text, at, y, space, color) {
  const short = fit(text, Math.floor(space / LETTER));
  ink.fillStyle = color;
  if (short)
    ink.fillText(short, at, y);
  return short.length * LETTER;
}
function draw_lane(lane, y) {
  for (let i = first(lane, left); i < lane.length && lane[i].from < right; i++) {
    const c = lane[i], a = Math.max(gutter, x(c.from)), b = Math.min(width, x(c.until));
    ink.fillStyle = colour(c);
    ink.fillRect(a, y, Math.max(1, b - a - 0.5), LANE - 1);
    if (c === shown) {
      ink.strokeStyle = ink_of.text;
      ink.strokeRect(a + 0.5, y + 0.5, Math.max(1, b - a - 1.5), LANE - 2);
    }
    if (b - a > 30) {
      const used = put_text(c.e.name, a + 3, y + 13, b - a - 6, ink_of.text), long = duration(c.e.dur);
      if (used && used + (long.length + 2) * LETTER < b - a - 6)
        put_text(long, a + 3 + used + 2 * LETTER, y + 13, b - a, ink_of.faint);
    } else if (b - a < 1) {
      // Many calls can be in one pixel: the next one is behind it.
      i = Math.max(i, first(lane, time(a + 1)) - 1);
    }
  }
}
// Below each other if there is space for that, else the function alone, which says more.
function draw_name(row, y) {
  const t = row.t, who = (several ? programs.get(t.pid) + ' ' + t.pid + ' ' : '') + t.who, space = gutter - 18;
  ink.fillStyle = ink_of.faint;
  if (t.lanes.length > 1)
    ink.fillText(t.brief ? '\u25b8' : '\u25be', 3, y + 13);
  if (row.n > 1 || !t.what) {
    put_text(t.what || who, 15, y + 13, space, ink_of.text);
    if (t.what)
      put_text(who, 15, y + 13 + LANE, space, ink_of.faint);
    return;
  }
  const number = who.replace('goroutine ', '').length + 1, used = put_text(t.what, 15, y + 13, space - number * LETTER, ink_of.text);
  put_text(who.replace('goroutine ', ''), 15 + used + LETTER, y + 13, space - used, ink_of.faint);
}
// A time since the beginning, with as many digits as distinguish it from one @step later.
function moment(us, step) {
  const [scale, unit] = right - from < 1 ? [1e3, 'ns'] : right - from < 1e3 ? [1, 'us'] : right - from < 1e6 ? [1e-3, 'ms'] : [1e-6, 's'];
  return (us * scale).toFixed(Math.max(0, Math.min(12, -Math.floor(Math.log10(step * scale) + 1e-9)))) + unit;
}
// Steps of 1, 2 or 5, so far from each other that their labels have space: some are in sight at any zoom.
function tick_step() {
  const least = (right - left) / Math.max(2, (width - gutter) / 120), power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(n => n * power).find(step => step >= least * 0.999);
}
function draw_ruler() {
  const step = tick_step();
  ink.fillStyle = ink_of.ground;
  ink.fillRect(0, 0, width, RULER);
  for (let n = Math.ceil((left - from) / step * 5 - 1e-6); from + n * step / 5 <= right; n++) {
    const at = x(from + n * step / 5);
    ink.fillStyle = ink_of.faint;
    ink.fillRect(at, n % 5 ? 18 : 4, 1, n % 5 ? 4 : RULER - 4);
    if (n % 5 === 0)
      ink.fillText(moment(n * step / 5, step), at + 3, 13);
  }
  ink.fillStyle = ink_of.ground;
  ink.fillRect(0, 0, gutter, RULER);
  put_text(duration(right - left) + ' shown', 3, 13, gutter, ink_of.faint);
}
function draw_arrows() {
  ink.strokeStyle = ink_of.arrow;
  for (const a of arrows.values()) {
    const s = a.s && track(a.s).row, f = a.f && track(a.f).row;
    if (!s || !f || x(a.f.ts) < gutter || x(a.s.ts) > width)
      continue;
    ink.beginPath();
    ink.moveTo(Math.max(gutter, x(a.s.ts)), RULER + s.y - scrolled + LANE / 2);
    ink.lineTo(x(a.f.ts), RULER + f.y - scrolled);
    ink.stroke();
  }
}
function draw() {
  const dots = window.devicePixelRatio || 1;
  width = window.innerWidth;
  tall = window.innerHeight - BAR;
  gutter = Math.round(Math.min(260, Math.max(96, width * 0.22)));
  map.style.width = width + 'px';
  map.style.height = tall + 'px';
  map.width = width * dots;
  map.height = tall * dots;
  ink.setTransform(dots, 0, 0, dots, 0, 0);
  ink.font = '12px monospace';
  scrolled = Math.max(0, Math.min(scrolled, height + RULER - tall));
  ink.fillStyle = ink_of.ground;
  ink.fillRect(0, 0, width, tall);
  for (const row of rows) {
    const y = RULER + row.y - scrolled;
    if (y > tall || y + row.n * LANE + GAP < RULER)
      continue;
    for (let i = 0; i < row.n; i++)
      draw_lane(row.t.lanes[i], y + i * LANE);
    draw_name(row, y);
    ink.fillStyle = ink_of.line;
    ink.fillRect(0, y + row.n * LANE + GAP / 2 - 1, width, 1);
  }
  ink.fillStyle = ink_of.line;
  ink.fillRect(gutter - 1, 0, 1, tall);
  draw_arrows();
  ink.fillStyle = ink_of.lost;
  for (const l of lost)
    if (l.ts >= left && l.ts <= right)
      ink.fillRect(x(l.ts), 0, 2, tall);
  if (height + RULER > tall) {
    ink.fillStyle = ink_of.faint;
    ink.fillRect(width - 4, RULER + scrolled / height * (tall - RULER), 4, Math.max(8, (tall - RULER) ** 2 / height));
  }
  draw_ruler();
  say();
}
function say() {
  const number = n => n.toLocaleString('en');
  map.dataset.calls = wanted ? hits.length : calls;
  get('about').textContent = (wanted ? (hit < 0 ? '' : number(hit + 1) + ' of ') + number(hits.length) + (hits.length === 1 ? ' match' : ' matches') :
    number(calls) + ' calls') + ', ' + number(rows.length) + ' of ' + number(sorted.length) + ' goroutines' +
    (rows.length < sorted.length ? ': the others have no calls here' : '') + (lost.length ? '; records lost at red lines' : '');
  get('about').title = get('about').textContent;
}

// --- search ---------------------------------------------------------------------------

const found = new Map();
function is_hit(c) {
  const whole = c.e.args.func || c.e.name;
  if (!found.has(whole))
    found.set(whole, wanted(c.e.name) || wanted(whole));
  return found.get(whole);
}
function search(text) {
  wanted = text ? matcher(text) : null;
  found.clear();
  hit = -1;
  hits = [];
  for (const t of wanted ? sorted : [])
    for (const c of t.calls)
      if (is_hit(c))
        hits.push(c);
  hits.sort((a, b) => a.from - b.from);
  draw();
}
// The next match behind the one before, or behind the left side; so wide that it can be seen.
function next_hit(step) {
  if (!hits.length)
    return;
  if (hit < 0)
    hit = Math.max(0, hits.findIndex(c => c.from >= left)) - (step > 0 ? 1 : 0);
  hit = (hit + step + hits.length) % hits.length;
  go_to(hits[hit]);
}
function go_to(c) {
  const span = right - left, long = c.until - c.from;
  shown = c;
  if (long < span / 200 || long > span)
    set_times(c.from - Math.max(long, 0.001) * 2, Math.max(long, 0.001) * 5);
  else if (c.from < left || c.until > right)
    set_times(c.from - (span - long) / 2, span);
  if (c.track.brief) {
    c.track.brief = false;
    lay_out();
  }
  const y = c.track.row.y + c.depth * LANE;
  if (y < scrolled || y + 2 * LANE > scrolled + tall - RULER)
    scrolled = y - (tall - RULER) / 3;
  draw();
  show(c, x(Math.max(c.from, left)), RULER + y - scrolled + LANE / 2, true);
}

// --- details --------------------------------------------------------------------------

function details(c) {
  const {func, args, results, ended, ...rest} = c.e.args, t = c.track;
  const lines = [func || c.e.name, duration(c.e.dur) + ', from ' + moment(c.from - from, 0.001) + ', ' +
    (programs.get(t.pid) || '') + ' ' + t.pid + ', ' + t.name];
  for (const [name, value] of Object.entries(args || {}))
    lines.push(name + ' = ' + value);
  for (const [name, value] of Object.entries(results || {}))
    lines.push('returned ' + name + ' = ' + value);
  if (ended && ended !== 'return')
    lines.push('ended: ' + ended);
  for (const [name, value] of Object.entries(rest))
    lines.push(name + ': ' + (typeof value === 'string' ? value : JSON.stringify(value)));
  return lines.join('\n');
}
// At the pointer, within the window. @keep: until Escape or a click.
function show(c, px, py, keep) {
  const box = get('detail'), other = c !== shown;
  shown = c;
  kept = !!keep && !!c;
  box.className = kept ? 'kept' : '';
  box.style.display = c ? 'block' : 'none';
  if (c) {
    box.textContent = details(c);
    const r = box.getBoundingClientRect(), y = py + BAR;
    box.style.left = Math.max(4, Math.min(px + 12, window.innerWidth - r.width - 4)) + 'px';
    box.style.top = Math.max(4, y + 16 + r.height < window.innerHeight ? y + 16 : y - r.height - 10) + 'px';
  }
  if (other)
    draw();
}
function call_at(px, py) {
  const row = py > RULER && px > gutter ? row_at(py) : null, us = time(px);
  const lane = row && row.t.lanes[Math.min(row.n - 1, Math.floor((py - RULER + scrolled - row.y) / LANE))], i = lane ? first(lane, us) : 0;
  return lane && lane[i] && x(lane[i].from) <= px + 1 ? lane[i] : null;
}

// --- the pointer and keys ---------------------------------------------------------------

const zoom = (factor, at, py) => set_times(at - (at - left) * Math.min(factor, (until - from) / (right - left)), (right - left) * factor, py);
const middle = () => (left + right) / 2;
const show_all = () => { scrolled = 0; show(null); set_times(from, until - from); };
function toggle(some) {
  const brief = !some.every(t => t.brief);
  for (const t of some)
    t.brief = brief;
  lay_out();
  draw();
}
let drag = null;
map.onmousedown = e => { drag = {x: e.offsetX, y: e.offsetY, moved: false}; };
window.onmouseup = () => { setTimeout(() => { drag = null; }); };
map.onclick = e => {
  const row = e.offsetX < gutter && e.offsetY > RULER ? row_at(e.offsetY) : null;
  if (drag && drag.moved)
    return;
  if (row)
    toggle([row.t]);
  else
    show(call_at(e.offsetX, e.offsetY), e.offsetX, e.offsetY, true);
};
map.onmousemove = e => {
  if (drag && (drag.moved || Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 3)) {
    scrolled -= e.offsetY - drag.y;
    const by = (drag.x - e.offsetX) / (width - gutter) * (right - left);
    drag = {x: e.offsetX, y: e.offsetY, moved: true};
    set_times(left + by, right - left, e.offsetY);
  } else if (!kept) {
    show(call_at(e.offsetX, e.offsetY), e.offsetX, e.offsetY);
  }
};
map.onmouseleave = () => { if (!kept) show(null); };
map.ondblclick = e => {
  const c = call_at(e.offsetX, e.offsetY);
  if (c)
    set_times(c.from, c.until - c.from, e.offsetY);
};
map.onwheel = e => {
  e.preventDefault();
  if (e.ctrlKey)
    return zoom(e.deltaY > 0 ? 1.25 : 0.8, time(e.offsetX), e.offsetY);
  scrolled += e.deltaY;
  set_times(left + e.deltaX / (width - gutter) * (right - left), right - left, e.offsetY);
};
const scroll = by => { scrolled += by; draw(); };
const keys = {
  ArrowLeft: () => set_times(left - (right - left) / 5, right - left),
  ArrowRight: () => set_times(left + (right - left) / 5, right - left),
  ArrowUp: () => scroll(-3 * LANE),
  ArrowDown: () => scroll(3 * LANE),
  PageUp: () => scroll(RULER - tall),
  PageDown: () => scroll(tall - RULER),
  Home: () => scroll(-Infinity),
  End: () => scroll(Infinity),
  '+': () => zoom(0.5, middle()),
  '-': () => zoom(2, middle()),
  Escape: () => kept ? show(null) : show_all(),
  Enter: () => shown && set_times(shown.from, shown.until - shown.from),
  '/': () => get('find').focus(),
  n: () => next_hit(1),
  N: () => next_hit(-1),
  c: () => toggle(sorted),
};
document.onkeydown = e => {
  if (e.ctrlKey && e.key === 'f')
    return get('find').focus(), e.preventDefault();
  if (e.ctrlKey || e.altKey || e.metaKey)
    return;
  if (e.target === get('find')) {
    if (e.key === 'Enter')
      next_hit(e.shiftKey ? -1 : 1);
    else if (e.key === 'Escape')
      get('find').value = '', search(''), get('find').blur();
    else
      return;
  } else if (keys[e.key] && !(e.target.tagName === 'BUTTON' && e.key === 'Enter')) {
    keys[e.key]();
  } else {
    return;
  }
  e.preventDefault();
};
get('find').oninput = () => search(get('find').value);
get('next').onclick = () => next_hit(1);
get('in').onclick = () => zoom(0.5, middle());
get('out').onclick = () => zoom(2, middle());
get('all').onclick = show_all;
get('fold').onclick = () => { fold = get('fold').checked; lay_out(); draw(); };
window.onresize = draw;
dark.onchange = () => { ink_of = paint(); draw(); };

// Names that can be searched, those with most time first.
const sums = new Map();
for (const t of sorted)
  for (const c of t.calls)
    sums.set(c.e.name, (sums.get(c.e.name) || 0) + c.e.dur);
for (const [name] of Array.from(sums).sort((a, b) => b[1] - a[1]).slice(0, 500))
  get('names').append(Object.assign(document.createElement('option'), {value: name}));
lay_out();
draw();
