// SPDX-License-Identifier: GPL-2.0
// What the pages of flame graphs and timelines share: names that are cut, and searched.
'use strict';

// Where the package of a name ends, and where its last part begins: "http.(*conn).serve.func1" has "serve.func1".
function parts(name) {
  const dots = [];
  let deep = 0, slash = -1;
  for (let i = 0; i < name.length; i++) {
    if ('[({'.includes(name[i]))
      deep++;
    else if ('])}'.includes(name[i]))
      deep--;
    else if (name[i] === '/' && !deep)
      slash = i, dots.length = 0;
    else if (name[i] === '.' && !deep && i)
      dots.push(i + 1);
  }
  while (dots.length > 1 && /^(func|gowrap|deferwrap)?\d+(-range\d+)?(\.|$)/.test(name.slice(dots[dots.length - 1])))
    dots.pop();
  return dots.length ? [name, name.slice(dots[0]), name.slice(dots[dots.length - 1])] : [name, name.slice(slash + 1)];
}

// What fits into @n characters: the name, without its package, its last part, or both ends of that.
function fit(name, n) {
  const ways = name.length > n ? parts(name) : [name], last = Array.from(ways[ways.length - 1]);
  for (const way of ways)
    if (way.length <= n)
      return way;
  const end = Math.floor((n - 1) / 2);
  return n < 4 ? '' : last.slice(0, n - 1 - end).join('') + '\u2026' + last.slice(last.length - end).join('');
}

// The text itself counts, too: "v3rpc.(*kvServer).Put" is no regular expression. Without capitals case does not matter.
function matcher(text) {
  const any = text === text.toLowerCase(), has = s => (any ? s.toLowerCase() : s).includes(text);
  let regex = null;
  try {
    regex = new RegExp(text, any ? 'i' : '');
  } catch {
    return has;
  }
  return s => has(s) || regex.test(s);
}
