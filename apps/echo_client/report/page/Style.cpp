#include "echo_client/report/page/Page.h"

namespace load::page {

namespace {

const char* const colours = R"(
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --card: #ffffff; --text: #1c2530; --dim: #55606e; --edge: #dde2e8;
  --grid: #e9edf1; --shade: #f1f3f6; --code: #f4f6f8; --point: rgba(20, 40, 70, .07);
  --run0: #0b62ad; --run1: #b34a00; --run2: #00745a; --run3: #99357f; --run4: #6b5a00;
  --plan: #6a7481;
  --good: #0d6a3c; --good-back: #e6f4ec; --bad: #b1241c; --bad-back: #fdecea;
  --warn: #7d4d00; --warn-back: #fff3d9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161c; --card: #192029; --text: #e4e9ef; --dim: #a2adba; --edge: #2d3744;
    --grid: #27303b; --shade: #212a35; --code: #11161c; --point: rgba(200, 220, 255, .09);
    --run0: #6db5f7; --run1: #f5a35c; --run2: #4fcda3; --run3: #ea94cc; --run4: #d8c25a;
    --plan: #98a3b0;
    --good: #6ad59b; --good-back: #15301f; --bad: #ff938a; --bad-back: #3a1b1a;
    --warn: #f6c667; --warn-back: #372a10;
  }
}
)";

const char* const textRules = R"(
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 56px; }
h1 { font-size: 26px; line-height: 1.25; margin: 2px 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 2px; }
h3 { font-size: 14px; margin: 18px 0 6px; }
p { margin: 0 0 4px; overflow-wrap: anywhere; }
.dim, .program, .empty { color: var(--dim); }
.program { font-size: 13px; }
.card .dim { font-size: 13px; }
.empty { padding: 40px 0; text-align: center; }
header { margin-bottom: 18px; }
.banner { border-left: 4px solid; border-radius: 6px; padding: 9px 14px; margin: 0 0 10px; }
.good { color: var(--good); background: var(--good-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.invalid, .remark { color: var(--warn); background: var(--warn-back); }
.invalid { border: 2px solid; border-left-width: 6px; }
pre {
  margin: 0; padding: 10px 12px; border-radius: 6px; background: var(--code); overflow-x: auto;
  font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
}
.command { white-space: pre-wrap; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--run0); outline-offset: 2px; }
)";

const char* const boxes = R"(
.card {
  background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  padding: 18px 20px; margin: 0 0 18px; min-width: 0; break-inside: avoid;
}
.plots, .columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 18px; }
.plots { margin-bottom: 18px; }
.plots .card, .columns .card:last-child { margin: 0; }
@media (min-width: 1000px) {
  .plots, .columns { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(136px, 1fr)); gap: 12px;
  margin: 14px 0 16px;
}
.tile {
  background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  padding: 12px 16px; min-width: 0;
}
.tile dt { color: var(--dim); font-size: 13px; }
.tile dd { margin: 0; }
.tile b { display: block; font-size: 25px; line-height: 1.25; font-weight: 600;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tile span { color: var(--dim); font-size: 13px; }
.meanings { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px;
  margin: 0 0 20px; font-size: 14px; }
.meanings dt { font-weight: 600; }
.meanings dd { margin: 0; color: var(--dim); }
@media (max-width: 560px) {
  main { padding: 18px 12px 40px; }
  .card { padding: 14px 14px; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .meanings { grid-template-columns: 1fr; }
  .meanings dd { margin-bottom: 8px; }
}
)";

const char* const tables = R"(
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--dim); font-size: 13px; padding: 0 0 6px; }
th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--edge);
  vertical-align: top; }
thead th { color: var(--dim); font-weight: 600; font-size: 13px; }
tbody th { font-weight: 500; white-space: nowrap; }
td { white-space: nowrap; }
td:last-child { white-space: normal; }
tbody tr:last-child > * { border-bottom: 0; }
td.yes { color: var(--good); white-space: nowrap; }
td.no { color: var(--bad); white-space: nowrap; }
.unmeasured > * { color: var(--dim); }
section > .scroll + p, .scroll + .dim { margin-top: 8px; }
section[aria-label] > .scroll { margin: 4px 0 14px; }
section[aria-label] table { width: auto; }
section[aria-label] td { padding-right: 28px; }
details { margin-top: 8px; font-size: 13px; }
summary { cursor: pointer; color: var(--dim); }
details .scroll { max-height: 320px; overflow: auto; margin-top: 8px; }
details td, details th { white-space: nowrap; }
.loads td:nth-child(2) { width: 60%; vertical-align: middle; }
.loads td:last-child { white-space: nowrap; }
.load { height: 10px; border-radius: 5px; background: var(--grid); overflow: hidden; }
.load i { display: block; height: 100%; background: var(--run0); }
.load.over i { background: var(--bad); }
)";

const char* const drawings = R"(
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; list-style: none; margin: 8px 0 0;
  padding: 0; font-size: 13px; }
.legend li { overflow-wrap: anywhere; }
.swatch { width: 30px; height: 10px; margin-right: 6px; vertical-align: 0; }
.frame { padding: 26px 18px 44px 56px; }
svg.plot { display: block; width: 100%; height: 240px; overflow: visible; }
.plot text { fill: var(--dim); font-size: 12px; font-variant-numeric: tabular-nums; }
.plot text.x { text-anchor: middle; }
.plot text.y { text-anchor: end; }
.grid { stroke: var(--grid); stroke-width: 1; shape-rendering: crispEdges; }
.shade { fill: var(--shade); }
.hover { fill: transparent; }
.hover:hover { fill: var(--point); }
.run0 { color: var(--run0); }
.run1 { color: var(--run1); stroke-dasharray: 12 3; }
.run2 { color: var(--run2); stroke-dasharray: 9 3 2 3; }
.run3 { color: var(--run3); stroke-dasharray: 3 3; }
.run4 { color: var(--run4); stroke-dasharray: 9 3 2 3 2 3; }
.line, .key { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round;
  vector-effect: non-scaling-stroke; }
.dot, .band, .bar { fill: currentColor; stroke: none; }
.run0.p50 { stroke-width: 1.5; }
.run0.p90 { stroke-width: 1.5; stroke-dasharray: 6 4; }
.run0.p99 { stroke-width: 2.75; }
.run0.max { stroke-width: 1.5; stroke-dasharray: 1.5 3.5; }
.outline { stroke-width: 1.5; }
.key.bars { stroke-width: 10; }
.bar, .key.bars { opacity: .75; }
.bar { stroke: var(--card); stroke-width: .5; vector-effect: non-scaling-stroke; }
.bar:hover { opacity: 1; }
.area { opacity: .12; }
.fan1 { opacity: .3; } .fan2 { opacity: .2; } .fan3 { opacity: .1; }
.planned { color: var(--plan); stroke-width: 1.5; stroke-dasharray: 2 4; }
.service { stroke-width: 1.75; stroke-dasharray: 5 4; }
.best { color: var(--plan); stroke-width: 1.5; stroke-dasharray: 6 4; }
.held { color: var(--good); fill: currentColor; stroke: none; }
.failed { color: var(--bad); fill: none; stroke: currentColor; stroke-width: 2.5; }
.unknown { color: var(--warn); fill: none; stroke: currentColor; stroke-width: 2; }
@media (max-width: 560px) {
  .plot text.spare { display: none; }
  .frame { padding-left: 50px; padding-right: 8px; }
}
)";

}  // namespace

std::string style() {
    return std::string(colours) + textRules + boxes + tables + drawings;
}

}  // namespace load::page
