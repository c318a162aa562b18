/** The report's style: light and dark colour schemes, readable from a phone's width up. */

/** Series colours are distinguishable with colour blindness (Okabe and Ito's palette). */
export const pageStyle = `
:root {
  --page: #fbfaf8; --card: #ffffff; --text: #1d1f26; --faint: #5c616e; --grid: #e3e1dc;
  --warning: #fff1d6; --better: #00634b; --worse: #a63a00;
  --color-0: #c2410c; --color-1: #0072b2; --color-2: #009e73; --color-3: #b5478f;
  --color-4: #8a6d00; --color-5: #3f8fc4; --color-6: #5c616e; --color-7: #6b3fa0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161c; --card: #1c1f28; --text: #eceae4; --faint: #a3a8b5; --grid: #323744;
    --warning: #44330f; --better: #5fd3b0; --worse: #ff9d6b;
    --color-0: #ff8a4c; --color-1: #5db3ee; --color-2: #3fd0a4; --color-3: #e38cc6;
    --color-4: #e6c84f; --color-5: #9ccbf0; --color-6: #a3a8b5; --color-7: #b99aed;
  }
}
* { box-sizing: border-box }
body { margin: 0; padding: 16px; background: var(--page); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif }
header, main { max-width: 1160px; margin: 0 auto }
h1 { font-size: 24px; margin: 0 0 4px }
h2 { font-size: 19px; margin: 36px 0 4px }
h3 { font-size: 15px; margin: 0 0 2px }
p { margin: 4px 0 }
a { color: inherit }
.unit, header p { color: var(--faint); font-size: 13px; font-weight: 400 }
.warning, header .warning { background: var(--warning); color: var(--text); padding: 8px 12px;
  border-radius: 6px; margin: 8px 0 }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr));
  gap: 12px; margin: 12px 0 }
.card { background: var(--card); border: 1px solid var(--grid); border-radius: 8px; padding: 12px;
  min-width: 0 }
.bar { display: grid; grid-template-columns: 112px 1fr 64px; gap: 8px; align-items: center;
  font-size: 13px; margin: 5px 0 }
.who { overflow-wrap: anywhere; line-height: 1.2 }
.track { height: 12px; background: var(--grid); border-radius: 3px; overflow: hidden }
.track span { display: block; height: 100% }
.bar b { text-align: right; font-variant-numeric: tabular-nums }
svg { display: block; width: 100%; height: auto }
.grid { stroke: var(--grid) }
.tick, .axis { fill: var(--faint); font-size: 11px }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
.legend { font-size: 13px }
.key { display: inline-block; margin-right: 12px }
.key i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 5px;
  vertical-align: -1px }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 13px; margin: 8px 0; width: 100% }
th, td { padding: 4px 10px 4px 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--grid); font-variant-numeric: tabular-nums }
th[scope=row] { text-align: left; font-weight: 500; white-space: normal; min-width: 150px }
.better td:last-child { color: var(--better) }
.worse td:last-child { color: var(--worse) }
ul { padding-left: 18px; font-size: 13px }
pre { background: var(--card); border: 1px solid var(--grid); border-radius: 8px; padding: 10px;
  overflow-x: auto; font-size: 12px }
`;
