(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("data").textContent);
  var nodes = data.nodes, trace = data.trace;
  var canvas = document.getElementById("canvas"), ctx = canvas.getContext("2d");
  var side = document.getElementById("side"), find = document.getElementById("find");
  var view = { x: 0, y: 0, k: 1 }, least = 1, chosen = -1, queued = false, style = {};
  var near = nodes.map(function () { return []; }), below = nodes.map(function () { return []; });
  var tops = [], onPath = new Set(trace ? trace.path : []);
  var seeds = new Set(trace ? trace.seeds : []);
  data.edges.forEach(function (e) {
    near[e[0]].push([e[1], e[2]]); near[e[1]].push([e[0], e[2]]); });
  nodes.forEach(function (n, i) { (n.parent < 0 ? tops : below[n.parent]).push(i); });
  var levels = Math.max.apply(null, nodes.map(function (n) { return n.level; }).concat([0]));
  var COLOURS = 8, NAMED = 40, FAINT = 2500, byFolder = false;
  var entities = nodes.map(function (n, i) { return i; }).filter(function (i) {
    return !nodes[i].level; });
  // What is most connected has its name at every zoom.
  var named = new Set(entities.slice().sort(function (a, b) {
    return near[b].length - near[a].length; }).slice(0, NAMED));
  var faint = data.edges.filter(function (e) { return !nodes[e[0]].level; }).slice(0, FAINT);
  var folderAt = {};
  data.folders.forEach(function (f, i) { folderAt[f[0]] = i; });
  nodes.forEach(function (n) { n.home = [n.x, n.y]; });
  function group(n) {
    if (byFolder) { var at = folderAt[n.folder || "/"]; return at === undefined ? -1 : at; }
    return n.community === undefined ? -1 : n.community;
  }
  function ink(at) { return "c" + (at < 0 || at >= COLOURS ? COLOURS : at); }
  function colour(n) { return style[ink(group(n))]; }
  function radius() { return byFolder ? data.folder_radius : data.radius; }
  function readStyle() {
    var from = getComputedStyle(document.documentElement);
    ["bg", "text", "soft", "rule", "link", "mark", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7",
      "c8"].forEach(
      function (name) { style[name] = from.getPropertyValue("--" + name).trim(); });
    draw();
  }
  function resize() {
    var box = canvas.parentNode.getBoundingClientRect(), sharp = window.devicePixelRatio || 1;
    if (box.width < 2 || box.height < 2) { return; }
    var first = !canvas.dataset.ready, old = least;
    canvas.width = box.width * sharp; canvas.height = box.height * sharp;
    least = Math.min(box.width, box.height) / (2.1 * Math.max(radius(), 1));
    if (first) { canvas.dataset.ready = "1"; view.k = least; } else { view.k *= least / old; }
    draw();
  }
  function size() { var s = window.devicePixelRatio || 1;
    return [canvas.width / s, canvas.height / s, s]; }
  function sx(n) { return (n.x - view.x) * view.k + size()[0] / 2; }
  function sy(n) { return (n.y - view.y) * view.k + size()[1] / 2; }
  function draw() { if (!queued) { queued = true; requestAnimationFrame(paint); } }
  function ring(x, y, r) { ctx.beginPath(); ctx.arc(x, y, Math.max(r, .5), 0, 6.2832); }
  function paint() {
    queued = false;
    var s = size(), w = s[0], h = s[1], labels = [];
    ctx.setTransform(s[2], 0, 0, s[2], 0, 0); ctx.clearRect(0, 0, w, h);
    faint.forEach(function (e) { if (shown(e[0]) && shown(e[1])) {
      line(nodes[e[0]], nodes[e[1]], 1, group(nodes[e[0]]) === group(nodes[e[1]])
        ? colour(nodes[e[0]]) : style.soft, chosen >= 0 || trace ? .1 : .2); } });
    if (byFolder) { data.folders.forEach(function (f) {
      ring((f[1] - view.x) * view.k + w / 2, (f[2] - view.y) * view.k + h / 2, f[3] * view.k);
      ctx.lineWidth = 1; ctx.strokeStyle = style.soft; ctx.stroke();
      labels.push([1e6 + f[3], { name: f[0], level: 1 }, (f[1] - view.x) * view.k + w / 2,
        (f[2] - view.y) * view.k + h / 2, f[3] * view.k]); }); }
    nodes.forEach(function (n, i) {
      var x = sx(n), y = sy(n), r = n.r * view.k;
      if (byFolder && n.level) { return; }
      if (x + r < 0 || y + r < 0 || x - r > w || y - r > h 
        || (r < .4 && !named.has(i))) { return; }
      var marked = i === chosen || onPath.has(i);
      ring(x, y, r);
      if (n.level) {
        ctx.globalAlpha = 1; ctx.lineWidth = marked ? 2.5 : 1;
        ctx.strokeStyle = marked ? style.mark : style.rule;
        ctx.globalAlpha = marked ? .10 : .05; ctx.fillStyle = marked ? style.mark : style.text;
        ctx.fill(); ctx.globalAlpha = 1; ctx.stroke();
      } else {
        ctx.globalAlpha = chosen >= 0 || trace ? (marked ? 1 : .5) : .8;
        ctx.fillStyle = colour(n); ctx.fill(); ctx.globalAlpha = 1;
        if (marked) { ctx.lineWidth = 2.5; ctx.strokeStyle = style.mark; ctx.stroke(); }
      }
      var open = n.level && r > Math.min(w, h) * .6;
      if (!open && (r > 18 || marked || named.has(i))) {
        labels.push([marked ? 1e9 + r : named.has(i) ? 1e5 + near[i].length : r, n, x, y, r]); }
    });
    if (chosen >= 0) { lines(chosen); }
    if (trace) { way.forEach(function (e) {
      line(nodes[e[0]], nodes[e[1]], 2.5, style.mark, .85); }); }
    write(labels, w, h);
    document.getElementById("scale").textContent = nodes.length.toLocaleString("en") + " nodes, " +
      data.edges.length.toLocaleString("en") + " relations; names said once are left out";
  }
  function shown(i) { var n = nodes[i], s = size(), x = sx(n), y = sy(n);
    return x > -200 && y > -200 && x < s[0] + 200 && y < s[1] + 200; }
  // The way of the question: from where it began over relations, or up to a cluster.
  var way = [];
  if (trace) { trace.path.forEach(function (i) {
    if (onPath.has(nodes[i].parent)) { way.push([i, nodes[i].parent]); }
    if (nodes[i].level || seeds.has(i)) { return; }
    var from = near[i].filter(function (e) { return seeds.has(e[0]); });
    if (!from.length) { from = near[i].filter(function (e) { return onPath.has(e[0]); }); }
    from.slice(0, 3).forEach(function (e) { way.push([e[0], i]); }); });
    trace.seeds.forEach(function (i) { near[i].forEach(function (e) {
      if (seeds.has(e[0]) && e[0] > i) { way.push([i, e[0]]); } }); }); }
  function line(a, b, width, ink, alpha) {
    ctx.globalAlpha = alpha; ctx.lineWidth = width; ctx.strokeStyle = ink;
    // To a cluster's name, not to its middle, where some other entity stands.
    function end(n) { return sy(n) - (n.level ? n.r * view.k * .86 : 0); }
    ctx.beginPath(); ctx.moveTo(sx(a), end(a)); ctx.lineTo(sx(b), end(b)); ctx.stroke();
    ctx.globalAlpha = 1;
  }
  function lines(i) {
    near[i].slice(0, 40).forEach(function (e) {
      line(nodes[i], nodes[e[0]], Math.min(.7 + Math.log2(e[1]) / 2, 3), style.link, .5); });
  }
  function write(labels, w, h) {
    var taken = [];
    labels.sort(function (a, b) { return b[0] - a[0]; });
    ctx.textAlign = "center"; ctx.textBaseline = "middle"; ctx.lineJoin = "round";
    labels.slice(0, 160).forEach(function (l) {
      var n = l[1], px = n.level ? 13 : 12, name = n.name;
      ctx.font = (n.level ? "600 " : "") + px + "px system-ui, sans-serif";
      var most = Math.max(l[4] * 2.4, 120);
      while (name.length > 4 && ctx.measureText(name).width > most) {
        name = name.slice(0, Math.max(4, Math.floor(name.length * .8) - 1)).trim() + "…";
        if (name.length <= 6) { break; } }
      var half = ctx.measureText(name).width / 2 + 2;
      var y = n.level ? l[3] - l[4] * .86 : l[3], box = [l[2] - half, y - 8, l[2] + half, y + 8];
      if (box[2] < 0 || box[0] > w || box[3] < 0 || box[1] > h) { return; }
      if (taken.some(function (t) { return box[0] < t[2] && t[0] < box[2] && box[1] < t[3]
        && t[1] < box[3]; })) { return; }
      taken.push(box);
      ctx.lineWidth = 3; ctx.strokeStyle = style.bg; ctx.strokeText(name, l[2], y);
      ctx.fillStyle = style.text; ctx.fillText(name, l[2], y);
    });
  }
  function zoom(by, x, y) {
    var s = size(), cx = x === undefined ? s[0] / 2 : x, cy = y === undefined ? s[1] / 2 : y;
    var k = Math.min(Math.max(view.k * by, least * .7), least * 3000);
    view.x += (cx - s[0] / 2) * (1 / view.k - 1 / k);
    view.y += (cy - s[1] / 2) * (1 / view.k - 1 / k);
    view.k = k; draw();
  }
  function at(px, py) {
    var best = -1;
    nodes.forEach(function (n, i) {
      if (Math.hypot(sx(n) - px, sy(n) - py) <= Math.max(n.r * view.k, n.level ? 0 : 4)
        && (best < 0 || n.r < nodes[best].r)) { best = i; } });
    return best;
  }
  function el(tag, text, kind) { var e = document.createElement(tag);
    if (text !== undefined) { e.textContent = text; } if (kind) { e.className = kind; } return e; }
  function link(i, more) {
    var item = el("li"), b = el("button", nodes[i].name); b.type = "button";
    b.addEventListener("click", function () { choose(i, true); });
    item.append(b); if (more) { item.append(el("span", "  " + more, "soft")); } return item;
  }
  function list(title, items) {
    if (!items.length) { return; }
    var ul = el("ul"); side.append(el("h3", title));
    items.forEach(function (item) { ul.append(item); }); side.append(ul);
  }
  var opened = new Set();
  function passage(p) {
    var item = el("li"), d = el("details"), text = el("pre"), head = el("summary", p[0]);
    // A quote is opened once: further passages may hold it, too.
    p[2].forEach(function (part) {
      if (part[1] && !opened.has(part[1])) { d.open = true; opened.add(part[1]); } });
    if (p[1]) { head.append(el("span", "  " + p[1], "soft")); }
    p[2].forEach(function (part) {
      if (!part[1]) { text.append(part[0]); return; }
      text.append(el("mark", part[0]), el("sup", "[" + part[1] + "]")); });
    d.append(head, text); item.append(d); return item;
  }
  function times(n) { return n === 1 ? "1 sentence" : n.toLocaleString("en") + " sentences"; }
  function choose(i, go) {
    chosen = i; side.replaceChildren(); side.scrollTop = 0;
    if (i < 0) { overview(); draw(); return; }
    var n = nodes[i], up = [], p = n.parent;
    while (p >= 0) { up.unshift(p); p = nodes[p].parent; }
    side.append(el("h2", n.name));
    side.append(el("p", n.level ? "aggregated entity, level " + n.level :
      (n.label || "name") + ", said " + n.mentions.toLocaleString("en") + " times", "soft"));
    if (n.text) { side.append(el("p", n.text)); }
    if (n.findings) { list("Findings", n.findings.map(function (f) { return el("li", f); })); }
    list("Inside", up.map(function (u) { return link(u); }));
    list("Members", below[i].slice(0, 60).map(function (m) {
      return link(m, nodes[m].level ? "" : nodes[m].mentions); }));
    list("Relations", near[i].slice(0, 40).map(function (e) { return link(e[0], times(e[1])); }));
    var held = (n.chunks || []).map(function (c) {
      var d = el("details"), chunk = data.chunks[c];
      d.append(el("summary", chunk[0] + ":" + chunk[1])); d.append(el("pre", chunk[2]));
      var li = el("li"); li.append(d); return li; });
    list("Chunks that say it most", held);
    if (go) { var s = size(); view.x = n.x; view.y = n.y;
      view.k = Math.min(s[0], s[1]) / ((n.level ? 2.4 : 26) * n.r); }
    draw();
  }
  function overview() {
    if (trace) {
      opened.clear();
      side.append(el("h2", trace.question));
      if (trace.short) { side.append(el("p", trace.short, "short")); }
      if (trace.answer) { side.append(el("p", trace.answer, "answer")); }
      list("Passages, with the quotes of the answer", trace.passages.map(passage));
      list("It began at", trace.seeds.map(function (i) { return link(i); }));
      list("and went over", trace.path.filter(function (i) { return !seeds.has(i); })
        .map(function (i) { return link(i, "level " + nodes[i].level); }));
    } else {
      side.append(el("h2", levels ? levels + " level" + (levels > 1 ? "s" : "") +
        " over the entities" : "The entities"));
    }
    side.append(el("p", byFolder ? "A circle is a folder, with the names that it says most." :
      "Colours are groups of names that share sentences; small groups are grey. Lines are the "
      + "strongest relations.", "soft"));
    list(byFolder ? "Folders" : "Groups", groups().map(function (g) {
      var item = el("li"), dot = el("span", "", "dot");
      dot.style.background = "var(--" + ink(g[0]) + ")"; item.append(dot);
      if (byFolder) { item.append(el("span", data.folders[g[0]][0] + "  ", "soft")); }
      g[1].slice(0, 5).forEach(function (i, at) {
        if (at) { item.append(", "); }
        var b = el("button", nodes[i].name); b.type = "button";
        b.addEventListener("click", function () { choose(i, true); }); item.append(b); });
      return item; }));
    list(levels ? "Largest clusters" : "Said most", tops.concat(levels ? below[tops[0]] : [])
      .slice(0, 60).map(function (i) { return link(i); }));
  }
  function groups() {
    var found = new Map();
    entities.forEach(function (i) { var at = group(nodes[i]);
      if (at >= 0) { if (!found.has(at)) { found.set(at, []); } found.get(at).push(i); } });
    return Array.from(found).sort(function (a, b) { return b[1].length - a[1].length
      || a[0] - b[0]; }).slice(0, byFolder ? 40 : COLOURS);
  }
  function turn() {
    byFolder = !byFolder;
    document.getElementById("folders").setAttribute("aria-pressed", String(byFolder));
    nodes.forEach(function (n) { var to = byFolder ? n.folder_at : n.home;
      n.x = to[0]; n.y = to[1]; });
    resize(); all();
  }
  function search() {
    var words = find.value.trim().toLowerCase();
    if (!words) { choose(-1); return; }
    var found = [];
    nodes.forEach(function (n, i) {
      var name = n.name.toLowerCase(), where = name.indexOf(words);
      if (where < 0) { return; }
      found.push([name === words ? 0 : where ? 2 : 1, -(n.mentions || 1e6 * n.level), i]); });
    found.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });
    chosen = -1; side.replaceChildren();
    side.append(el("h2", found.length + " found"));
    var ul = el("ul"); ul.id = "found"; side.append(ul);
    found.slice(0, 60).forEach(function (f) { var n = nodes[f[2]];
      ul.append(link(f[2], n.level ? "level " + n.level : n.mentions)); });
    draw(); return found;
  }
  find.addEventListener("input", search);
  find.form.addEventListener("submit", function (e) { e.preventDefault(); var f = search();
    if (f && f.length) { choose(f[0][2], true); } });
  var pointers = new Map(), moved = 0, spread = 0;
  function gap() { var p = Array.from(pointers.values());
    return Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]); }
  canvas.addEventListener("pointerdown", function (e) { canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]); moved = 0;
    if (pointers.size === 2) { spread = gap(); } });
  canvas.addEventListener("pointermove", function (e) {
    var from = pointers.get(e.pointerId);
    if (!from) { canvas.style.cursor = at(e.offsetX, e.offsetY) < 0 ? "grab" : "pointer"; return; }
    var dx = e.offsetX - from[0], dy = e.offsetY - from[1];
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]); moved += Math.abs(dx) + Math.abs(dy);
    if (pointers.size === 2) {
      var g = gap(); if (spread > 0) { zoom(g / spread); } spread = g; return; }
    view.x -= dx / view.k; view.y -= dy / view.k; draw();
  });
  canvas.addEventListener("pointerup", function (e) {
    pointers.delete(e.pointerId);
    if (moved < 6) { choose(at(e.offsetX, e.offsetY)); } });
  canvas.addEventListener("pointercancel", function (e) { pointers.delete(e.pointerId); });
  canvas.addEventListener("wheel", function (e) { e.preventDefault();
    zoom(Math.exp(-e.deltaY * (e.deltaMode ? .05 : .0015)), e.offsetX, e.offsetY); },
    { passive: false });
  canvas.addEventListener("keydown", function (e) {
    var step = 60 / view.k, go = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
      ArrowDown: [0, 1] }[e.key];
    if (go) { view.x += go[0] * step; view.y += go[1] * step; draw(); e.preventDefault(); }
    if (e.key === "+" || e.key === "=") { zoom(1.3); } if (e.key === "-") { zoom(1 / 1.3); }
    if (e.key === "Enter") { var s = size(); choose(at(s[0] / 2, s[1] / 2)); }
  });
  document.addEventListener("keydown", function (e) {
    if (e.key === "/" && e.target !== find) { find.focus(); e.preventDefault(); }
    if (e.key === "Escape") { find.value = ""; choose(-1); } });
  function all() { view.x = 0; view.y = 0; view.k = least; find.value = ""; choose(-1); }
  document.getElementById("in").addEventListener("click", function () { zoom(1.5); });
  document.getElementById("out").addEventListener("click", function () { zoom(1 / 1.5); });
  document.getElementById("all").addEventListener("click", all);
  document.getElementById("folders").addEventListener("click", turn);
  if (trace) { document.body.className = "answered"; side.parentNode.prepend(side); }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readStyle);
  new ResizeObserver(resize).observe(canvas.parentNode);
  resize(); readStyle(); choose(-1);
  if (location.hash.length > 1) { find.value = decodeURIComponent(location.hash.slice(1));
    var hit = search(); if (hit && hit.length) { choose(hit[0][2], true); } }
  document.body.dataset.ready = "1";
})();
