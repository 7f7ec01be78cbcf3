// SPDX-License-Identifier: GPL-2.0
// What a flame graph does in a browser: zoom, search, details, keys. Names of functions are only ever text to it.
(() => {
const svg = document.currentScript.parentNode, TOP = +svg.dataset.top, LEVEL = +svg.dataset.level;
const XHTML = 'http://www.w3.org/1999/xhtml';
const ground = svg.querySelector('.ground');

// --- frames ---------------------------------------------------------------------------

// Callers stand before what they call, in the file and in this list. .end: the first one that is not below it.
const frames = Array.from(svg.querySelectorAll('svg.f'), (e, index) => {
  const title = e.querySelector('title'), colon = title.textContent.lastIndexOf(': ');
  return {
    e, index, label: e.querySelector('text'), x: parseFloat(e.getAttribute('x')), w: parseFloat(e.getAttribute('width')),
    level: (e.getAttribute('y') - TOP) / LEVEL, value: Number(e.dataset.v), name: title.textContent.slice(0, colon),
    about: title.textContent.slice(colon + 2), short: e.querySelector('text').textContent, up: null, end: 0, hit: false,
  };
});
const path = [];
for (const f of frames) {
  while (path.length > f.level)
    path.pop().end = f.index;
  f.up = path[f.level - 1] || null;
  path.push(f);
  // Browsers would show a title besides the details.
  f.e.setAttribute('aria-label', f.name + ': ' + f.about);
  f.e.setAttribute('role', 'button');
  f.e.setAttribute('tabindex', f.index ? -1 : 0);
  f.e.querySelector('title').remove();
}
for (const f of path)
  f.end = frames.length;
const all = frames[0];
let zoomed = all;

// As row_share() has it.
const share = (part, of) => (of ? Math.floor(1000 * part / of) / 10 : 0).toFixed(1) + ' %';

// --- labels ---------------------------------------------------------------------------

let letter = 7.2;
function put_labels() {
  const width = ground.getBoundingClientRect().width;
  for (const f of frames) {
    const space = (parseFloat(f.e.getAttribute('width')) / 100 * width - 6) / letter;
    if (f.e.style.display !== 'none')
      f.label.textContent = fit(f.short, Math.floor(space));
  }
}

// --- zoom -----------------------------------------------------------------------------

const inside = (f, to) => f.index >= to.index && f.index < to.end;
function zoom(to) {
  const above = new Set();
  let levels = 0;
  for (let f = to.up; f; f = f.up)
    above.add(f);
  for (const f of frames) {
    const up = above.has(f), shown = up || inside(f, to);
    f.e.style.display = shown ? '' : 'none';
    f.e.classList.toggle('up', up);
    if (!shown)
      continue;
    levels = Math.max(levels, f.level + 1);
    f.e.setAttribute('x', (up ? 0 : (f.x - to.x) / to.w * 100) + '%');
    f.e.setAttribute('width', (up ? 100 : f.w / to.w * 100) + '%');
  }
  svg.setAttribute('height', TOP + levels * LEVEL + LEVEL);
  zoomed = to;
  reset.hidden = to === all;
  put_labels();
  say();
}

// --- search ---------------------------------------------------------------------------

function search() {
  const wanted = find.value && matcher(find.value);
  for (const f of frames) {
    f.hit = !!wanted && f !== all && (wanted(f.short) || wanted(f.name));
    f.e.classList.toggle('hit', f.hit);
  }
  say();
}

// What is below a hit counts with it.
function matched(of) {
  let sum = 0, n = 0;
  for (let i = of.index, until = 0; i < of.end; i++) {
    n += frames[i].hit;
    if (!frames[i].hit || i < until)
      continue;
    sum += frames[i].value;
    until = frames[i].end;
  }
  return {sum, n};
}

function say() {
  const hits = matched(zoomed);
  let text = zoomed === all ? '' : zoomed.short + ': ' + share(zoomed.value, all.value) + ' of all';
  if (find.value)
    text = share(hits.sum, zoomed.value) + ' of ' + zoomed.short + ' in ' + hits.n + (hits.n === 1 ? ' match' : ' matches');
  said.textContent = text;
  said.title = text;
}

function next_hit(step) {
  const hits = frames.filter(f => f.hit && f.e.style.display !== 'none');
  if (!hits.length)
    return;
  const at = hits.findIndex(f => f === current), n = at < 0 ? (step > 0 ? 0 : hits.length - 1) : at + step;
  focus(hits[(n + hits.length) % hits.length]);
}

// --- what stands above ----------------------------------------------------------------

function make(kind, options, parent) {
  const e = Object.assign(document.createElementNS(XHTML, kind), options);
  parent.append(e);
  return e;
}
function overlay(name) {
  const e = document.createElementNS(svg.namespaceURI, 'foreignObject');
  e.setAttribute('class', name);
  svg.append(e);
  return e;
}
const above = overlay('controls'), bar = make('div', {className: 'bar'}, above);
above.setAttribute('y', 22);
above.setAttribute('width', '100%');
above.setAttribute('height', 26);
const find = make('input', {type: 'search', placeholder: 'search: / ', title: 'a text or a regular expression; Enter: the next match'}, bar);
find.setAttribute('aria-label', 'search functions');
const reset = make('button', {textContent: 'Reset zoom', hidden: true, title: 'Escape'}, bar);
const said = make('output', {}, bar);
const box = overlay('over'), tip = make('div', {className: 'tip'}, box);

// --- details --------------------------------------------------------------------------

function details(f) {
  const lines = [f.name, f.about + ' of all'];
  if (f.up && f.up !== all)
    lines.push(share(f.value, f.up.value) + ' of ' + f.up.short);
  if (zoomed !== all && zoomed !== f.up && zoomed !== f && inside(f, zoomed))
    lines.push(share(f.value, zoomed.value) + ' of ' + zoomed.short);
  return lines.join('\n');
}

// At a place of the window, within the window.
function show(f, x, y) {
  const at = svg.getBoundingClientRect(), most = Math.min(520, at.width - 8);
  box.style.display = f ? '' : 'none';
  if (!f)
    return;
  tip.textContent = details(f);
  box.setAttribute('width', most);
  box.setAttribute('height', 1000);
  const {width, height} = tip.getBoundingClientRect(), below = y + 20 + height < window.innerHeight;
  box.setAttribute('height', height + 2);
  box.setAttribute('x', Math.max(4, Math.min(x + 12 - at.left, at.width - width - 4)));
  box.setAttribute('y', Math.max(2, below ? y + 16 : y - height - 10) - at.top);
}

// --- the pointer and keys ---------------------------------------------------------------

let current = all;
function focus(f) {
  if (!f)
    return;
  current.e.setAttribute('tabindex', -1);
  current = f;
  f.e.setAttribute('tabindex', 0);
  f.e.focus();
  shown_at(f);
}
function shown_at(f) {
  const r = f.e.querySelector('rect').getBoundingClientRect();
  show(f, Math.max(0, r.left), r.bottom - 12);
}
// The shown frame of the same level that stands beside @f.
function beside(f, step) {
  for (let i = f.index + step; i >= 0 && i < frames.length; i += step)
    if (frames[i].level === f.level && frames[i].e.style.display !== 'none')
      return frames[i];
  return null;
}
function widest(f) {
  let best = null;
  for (let i = f.index + 1; i < f.end; i++)
    if (frames[i].up === f && frames[i].e.style.display !== 'none' && (!best || frames[i].value > best.value))
      best = frames[i];
  return best;
}
const keys = {
  ArrowUp: () => focus(current.up),
  ArrowDown: () => focus(widest(current)),
  ArrowLeft: () => focus(beside(current, -1)),
  ArrowRight: () => focus(beside(current, 1)),
  Enter: () => zoom(current),
  ' ': () => zoom(current),
  Escape: () => { zoom(all); show(null); },
  '/': () => find.focus(),
  n: () => next_hit(1),
  N: () => next_hit(-1),
};
function pressed(e) {
  if (e.ctrlKey && e.key === 'f')
    return find.focus(), e.preventDefault();
  if (e.ctrlKey || e.altKey || e.metaKey)
    return;
  if (e.target === find) {
    if (e.key === 'Enter')
      next_hit(e.shiftKey ? -1 : 1);
    else if (e.key === 'Escape')
      find.value = '', search(), focus(current);
    else
      return;
  } else if (keys[e.key] && e.target !== reset) {
    keys[e.key]();
  } else {
    return;
  }
  e.preventDefault();
}
if (all) {
  for (const f of frames) {
    f.e.addEventListener('click', () => { zoom(f); focus(f); });
    f.e.addEventListener('mousemove', e => show(f, e.clientX, e.clientY));
    f.e.addEventListener('focus', () => shown_at(f));
    f.e.addEventListener('blur', () => show(null));
  }
  svg.addEventListener('mouseleave', () => show(null));
  ground.addEventListener('mousemove', () => show(null));
  document.addEventListener('keydown', pressed);
  find.addEventListener('input', search);
  reset.addEventListener('click', () => { zoom(all); focus(all); });
  // The controls stay in sight.
  document.addEventListener('scroll', () => above.setAttribute('y', Math.max(22, -svg.getBoundingClientRect().top)));
  window.addEventListener('resize', put_labels);
  show(null);
  letter = all.label.getComputedTextLength() / all.short.length || letter;
  zoom(all);
}
})();
