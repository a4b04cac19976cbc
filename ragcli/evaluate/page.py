"""Style sheet and script of report.html. Neither holds "<" or "&", so the page is also XML."""

STYLE = """
:root { color-scheme: light dark; --bg: #ffffff; --text: #1c2024; --soft: #5b6470; --rule: #dfe3e8;
  --panel: #f6f7f9; --link: #0b5cad; --good: #146c43; --bad: #b02a37; --part: #8a5300;
  --c0: #0072b2; --c1: #c2410c; --c2: #00795c; --c3: #a1418a; --c4: #8a6d00; --c5: #2f7fb5;
  --c6: #5b5b5b; --c7: #7a3db8; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171a; --text: #e6e9ec; --soft: #a4adb8;
  --rule: #333a42; --panel: #1c2126; --link: #7db8f0; --good: #63d09b; --bad: #ff8a94;
  --part: #f2b35e; --c0: #56b4e9; --c1: #ff9a57; --c2: #3fd0a4; --c3: #e59ad2; --c4: #e6cc4d;
  --c5: #9ad0f5; --c6: #b8bec6; --c7: #c39bf2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem 1rem 4rem; max-width: 72rem; background: var(--bg);
  color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: .4rem 0; } .soft, small { color: var(--soft); }
section > .soft, details > .soft { font-size: .92rem; }
.wide { overflow-x: auto; }
.wide:focus-visible, summary:focus-visible, input:focus-visible, select:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .8rem .4rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--rule); }
thead th { font-weight: 600; font-size: .9rem; vertical-align: bottom; }
td.n { white-space: nowrap; } td.n small { display: block; line-height: 1.35; }
td.best > b { font-weight: 700; } td b { font-weight: 400; }
tbody th { font-weight: 600; white-space: nowrap; }
.modes th:first-child, .all th:first-child { position: sticky; left: 0; background: var(--bg); }
.key { width: .9em; height: .9em; margin-right: .4em; vertical-align: -.08em; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: .5rem 0;
  list-style: none; }
.checks { columns: 22rem; padding: 0; margin: .5rem 0; list-style: none; }
.plots { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
figure { margin: 0; padding: .8rem; background: var(--panel); border-radius: .5rem;
  align-self: start; }
figcaption { font-size: .9rem; color: var(--soft); margin-bottom: .5rem; }
.plot { display: block; width: 100%; max-width: 34rem; height: auto; font-size: 13px; }
.plot text { fill: var(--soft); } .plot .name { fill: var(--text); font-weight: 600; }
.rule { stroke: var(--rule); fill: none; }
.line { fill: none !important; stroke-width: 1.8; } .thin { stroke-width: 1; opacity: .45; }
.c0 { fill: var(--c0); stroke: var(--c0); } .c1 { fill: var(--c1); stroke: var(--c1); }
.c2 { fill: var(--c2); stroke: var(--c2); } .c3 { fill: var(--c3); stroke: var(--c3); }
.c4 { fill: var(--c4); stroke: var(--c4); } .c5 { fill: var(--c5); stroke: var(--c5); }
.c6 { fill: var(--c6); stroke: var(--c6); } .c7 { fill: var(--c7); stroke: var(--c7); }
.good { color: var(--good); } .bad { color: var(--bad); } .part { color: var(--part); }
form { display: flex; flex-wrap: wrap; gap: .6rem 1rem; margin: .5rem 0 1rem; align-items: end; }
label { display: block; font-size: .85rem; color: var(--soft); }
input, select { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--soft);
  border-radius: .35rem; padding: .35rem .5rem; max-width: 100%; min-height: 2.6rem; }
input { width: 18rem; } output { padding: .5rem 0; color: var(--soft); }
.cases { width: 100%; } .cases td:first-child { width: 100%; overflow-wrap: anywhere; }
.cases td { white-space: nowrap; } .cases td:first-child { white-space: normal; }
summary { cursor: pointer; } details p, details ul { margin: .3rem 0 .3rem 1.1rem; }
details ul { padding-left: 1rem; } .mono { font-family: ui-monospace, monospace; font-size: .88em; }
dt { font-weight: 600; } dd { margin: 0 0 .5rem; color: var(--soft); }
[hidden] { display: none !important; }
@media (max-width: 40rem) {
  body { font-size: 15px; }
  input, select, form div { width: 100%; }
  .cases thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); }
  .cases, .cases tbody, .cases tr, .cases td { display: block; }
  .cases tr { border-bottom: 1px solid var(--rule); padding: .5rem 0; }
  .cases td, .cases td:first-child { border: 0; padding: .1rem 0; width: auto;
    white-space: normal; }
  .cases td:not(:first-child) { display: inline-block; margin-right: 1.1rem; }
  .plot { font-size: 16px; }
  .cases td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
}
@media print { form { display: none; } body { max-width: none; } }
"""

SCRIPT = """
(function () {
  var form = document.getElementById("filter");
  if (!form) { return; }
  var rows = Array.from(document.querySelectorAll("#cases tbody tr"));
  function lacks(state) { return ["part", "bad"].includes(state); }
  var shows = {
    all: function () { return true; },
    missed: function (states) { return states.some(lacks); },
    nowhere: function (states) { return states.every(lacks); },
    differ: function (states) { return new Set(states).size !== 1; }
  };
  function update() {
    var words = form.words.value.toLowerCase();
    var kind = form.kind ? form.kind.value : "";
    var shown = rows.filter(function (row) {
      var fits = [
        row.textContent.toLowerCase().includes(words),
        kind === "" || row.dataset.kind === kind,
        shows[form.show.value](row.dataset.states.split(" "))
      ].every(Boolean);
      row.hidden = !fits;
      return fits;
    });
    document.getElementById("count").textContent = shown.length + " of " + rows.length + " shown";
  }
  form.addEventListener("input", update);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.hidden = false;
  update();
})();
"""
