#include "sms_router/admin/page/Parts.h"

namespace router::page {

namespace {

const char* const colours = R"(
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --card: #ffffff; --text: #1c2530; --dim: #55606e; --edge: #dde2e8;
  --shade: #eef2f6; --rule: #7b8794; --blue: #0b62ad; --on-blue: #ffffff; --blue-back: #e4effa;
  --good: #0d6a3c; --good-back: #e6f4ec; --bad: #b1241c; --bad-back: #fdecea;
  --warn: #7d4d00; --warn-back: #fff3d9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161c; --card: #192029; --text: #e4e9ef; --dim: #a2adba; --edge: #2d3744;
    --shade: #232c37; --rule: #7f8b99; --blue: #6db5f7; --on-blue: #0c1a28; --blue-back: #17293a;
    --good: #6ad59b; --good-back: #15301f; --bad: #ff938a; --bad-back: #3a1b1a;
    --warn: #f6c667; --warn-back: #372a10;
  }
}
)";

const char* const text = R"(
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 56px; }
main.narrow { max-width: 460px; }
h1 { font-size: 26px; line-height: 1.25; margin: 2px 0 6px; }
h2 { font-size: 17px; margin: 0 0 10px; }
h2:focus { outline: none; }
p { margin: 0 0 4px; overflow-wrap: anywhere; }
.dim, .program { color: var(--dim); }
.program, .dim { font-size: 13px; }
.unseen {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
header { display: flex; flex-wrap: wrap; gap: 12px; justify-content: space-between;
  align-items: flex-end; margin-bottom: 18px; }
.state { display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: center; margin: 0; }
.lamp { width: 10px; height: 10px; border-radius: 50%; background: var(--rule); }
.lamp.on { background: var(--good); }
.lamp.alarming { background: var(--bad); }
.lamp.off { background: var(--bad); border-radius: 0; }
.banner { border-left: 4px solid; border-radius: 6px; padding: 9px 14px; margin: 0 0 12px;
  overflow-wrap: anywhere; }
.banner ul { margin: 0; padding-left: 18px; }
.banner.good, .good { color: var(--good); background: var(--good-back); }
.banner.bad, .bad { color: var(--bad); background: var(--bad-back); }
.warn { color: var(--warn); background: var(--warn-back); }
.off { color: var(--dim); background: var(--shade); }
.lamp.off { background: var(--bad); }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
)";

const char* const boxes = R"(
.card {
  background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  padding: 18px 20px; margin: 0 0 18px; min-width: 0;
}
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 18px; margin: 0 0 18px; }
.columns .card { margin: 0; }
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
  margin: 0 0 18px;
}
.tile {
  display: flex; flex-direction: column; min-width: 0; overflow: hidden; position: relative;
  background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  padding: 12px 16px;
}
.tile dt { color: var(--dim); font-size: 13px; }
.tile dd { margin: 0; display: flex; flex-direction: column; flex: 1; }
.tile b { font-size: 25px; line-height: 1.25; font-weight: 600; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums; }
.tile span { color: var(--dim); font-size: 13px; font-variant-numeric: tabular-nums; }
.tile.alarming { border-color: var(--bad); box-shadow: inset 4px 0 0 var(--bad); }
.tile.alarming b { color: var(--bad); }
.tile .axis { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 8px;
  margin-top: 8px; font-size: 12px; }
.tile .axis span { font-size: inherit; }
.spark { display: block; width: calc(100% + 32px); height: 34px; margin: auto -16px -12px;
  padding-top: 6px; color: var(--blue); overflow: visible; }
.spark .line { fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linejoin: round;
  vector-effect: non-scaling-stroke; }
.spark .area { fill: currentColor; opacity: .14; }
.facts { display: grid; grid-template-columns: 1fr max-content; gap: 4px 14px; margin: 0;
  font-size: 14px; font-variant-numeric: tabular-nums; }
.facts dt { color: var(--dim); }
.facts dd { margin: 0; text-align: right; }
@media (min-width: 1000px) { .columns { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (max-width: 560px) {
  main { padding: 18px 12px 40px; }
  .card { padding: 14px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 10px; }
  .tile { padding: 10px 12px; }
  .tile b { font-size: 22px; }
  .spark { width: calc(100% + 24px); margin: auto -12px -10px; }
}
)";

const char* const tables = R"(
table { border-collapse: collapse; width: 100%; font-size: 14px;
  font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 7px 14px 7px 0; border-bottom: 1px solid var(--edge);
  vertical-align: top; overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--dim); font-weight: 600; font-size: 13px; white-space: nowrap; }
tbody th { font-weight: 500; min-width: 120px; }
tbody tr:last-child > * { border-bottom: 0; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.error { color: var(--dim); font-size: 13px; min-width: 120px; }
td.do { text-align: right; }
tr.detail > td { padding: 0 0 10px 18px; }
tr.open > * { border-bottom-color: transparent; }
.detail table { background: var(--shade); border-radius: 8px; font-size: 13px; }
.detail th, .detail td { padding: 5px 12px; }
.detail td:last-child { padding-right: 12px; }
.badge { display: inline-block; border-radius: 9px; padding: 0 9px; font-size: 13px;
  white-space: nowrap; }
.use { display: block; white-space: nowrap; }
.bar { display: block; height: 6px; width: 100%; min-width: 90px; border-radius: 3px;
  background: var(--shade); overflow: hidden; margin: 4px 0 0; }
.bar i { display: block; height: 100%; width: 0; background: var(--blue); }
.bar.full i { background: var(--bad); }
.none { color: var(--dim); padding: 8px 0 2px; margin: 0; }
)";

// Each row becomes a block of its own: three labelled figures to a line.
const char* const narrowTables = R"(
@media (max-width: 760px) {
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); }
  .rows, .rows tbody, .rows th, .rows td { display: block; }
  .rows tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 6px 12px;
    padding: 10px 0; border-bottom: 1px solid var(--edge); }
  .rows > tbody > tr:last-child, .rows tr.open { border-bottom: 0; }
  .rows th, .rows td { border: 0; padding: 0; min-width: 0; }
  .rows th, .rows td.error, .rows td.do, .rows tr.detail > td { grid-column: 1 / -1; }
  .rows td[data-label]::before { content: attr(data-label); display: block; color: var(--dim);
    font-size: 12px; line-height: 1.3; }
  .rows td.number { text-align: left; white-space: normal; }
  .rows td.blank { display: none; }
  .rows .bar { min-width: 0; max-width: 90px; }
  .rows td.do button { width: 100%; }
  .rows tr.detail { padding: 0 0 10px; }
  .detail .rows { padding: 0 12px; }
  .detail .rows tr { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
)";

const char* const controls = R"(
button, input { font: inherit; color: var(--text); background: var(--card); min-height: 34px;
  border: 1px solid var(--rule); border-radius: 7px; padding: 4px 14px; max-width: 100%; }
button { cursor: pointer; white-space: nowrap; }
button:hover { background: var(--shade); }
button[aria-busy=true] { cursor: progress; color: var(--dim); }
button.main { background: var(--blue); border-color: var(--blue); color: var(--on-blue); }
button.main:hover { text-decoration: underline; }
button.more { display: inline-flex; align-items: baseline; border: 0; background: none;
  padding: 0 4px 0 0; min-height: 24px; text-align: left; white-space: normal;
  overflow-wrap: anywhere; border-radius: 4px; font-weight: 500; }
button.more::before { content: "\25B8"; flex: none; width: 18px; color: var(--dim); }
button.more[aria-expanded=true]::before { content: "\25BE"; }
button.more:hover { text-decoration: underline; }
.address { padding-left: 18px; font-weight: 400; }
label { display: block; color: var(--dim); font-size: 13px; margin: 0 0 2px; }
input { width: 100%; padding: 4px 10px; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr));
  gap: 10px 14px; margin-bottom: 12px; }
.above { display: flex; flex-wrap: wrap; gap: 8px 14px; justify-content: space-between;
  align-items: center; margin-bottom: 6px; }
.above h2 { margin: 0; }
.above input { width: 200px; }
.narrow form input { margin-bottom: 12px; }
#lines { margin: 12px 0 0; padding: 0; list-style: none; overflow-wrap: anywhere; font-size: 14px; }
#lines li { padding: 3px 0 3px 10px; border-left: 3px solid var(--edge); }
#lines .end { font-weight: 600; border-left-color: var(--blue); }
@media (max-width: 560px) { button, input { min-height: 40px; } button.more { min-height: 30px; } }
)";

}  // namespace

std::string style() {
    return std::string(colours) + text + boxes + tables + narrowTables + controls;
}

}  // namespace router::page
