/**
 * The report: one HTML file that needs no network and runs no script. It begins with an overview of
 * all scenarios, with a bar for Klieg and for each peer; then comes each scenario with its plots
 * and figures.
 */
import { isAtRest } from "../machine/rest.ts";
import { compareResults, findObjections } from "./comparison.ts";
import { pageStyle } from "./page-style.ts";
import { colorCount, drawPlot, escapeHtml } from "./plot.ts";
import type { BenchResult, Figure, ScenarioResult, Series } from "./result.ts";
import { median } from "./statistics.ts";
import { describeCircumstances, describeFigure, describeNumber } from "./table.ts";

export function writePage(result: BenchResult, against?: BenchResult): string {
  const peers = namePeers(result);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Klieg bench, ${escapeHtml(result.date)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header><h1>Klieg bench</h1>
<p>${escapeHtml(describeCircumstances(result))}</p>
${writeWarnings(result)}</header>
<main>
${writeOverview(result, peers)}
${against === undefined ? "" : writeComparison(against, result)}
${result.scenarios.map((each) => writeScenario(each, assignColors(each, peers))).join("\n")}
</main>
</body>
</html>
`;
}

/** Colour index of each series of a scenario, by the series' name. */
type Colors = ReadonlyMap<string, number>;

/**
 * Assigns colours: a peer has the same colour in all scenarios, from the second one on; Klieg's
 * series have the first one and then the last ones.
 */
function assignColors(scenario: ScenarioResult, peers: readonly string[]): Colors {
  const colors = new Map<string, number>();
  let own = 0;
  for (const { name, lacks } of scenario.series ?? []) {
    const color = lacks === undefined ? colorCount - own : 1 + peers.indexOf(name);
    if (lacks === undefined) own++;
    colors.set(name, color % colorCount);
  }
  return colors;
}

function namePeers({ scenarios }: BenchResult): string[] {
  const all = scenarios.flatMap(({ series = [] }) => series);
  return [...new Set(all.filter(({ lacks }) => lacks !== undefined).map(({ name }) => name))];
}

function writeWarnings({ scenarios }: BenchResult): string {
  const restless = scenarios.filter(({ others }) => !isAtRest(others)).map(({ name }) => name);
  const unsound = scenarios.filter(({ isSound }) => !isSound).map(({ name }) => name);
  return [
    ...(restless.length === 0
      ? []
      : [
          `The machine worked for others too in: ${restless.join(", ")}. ` +
            "Absolute figures are not to be trusted; ratios of one run are better, not good.",
        ]),
    ...(unsound.length === 0
      ? []
      : [`Wrong answers in: ${unsound.join(", ")}. Their figures count for nothing.`]),
  ]
    .map((warning) => `<p class="warning">${escapeHtml(warning)}</p>`)
    .join("\n");
}

/** Draws each scenario's first figure, one bar per series, as long as its share of the largest. */
function writeOverview({ scenarios }: BenchResult, peers: readonly string[]): string {
  const groups = scenarios.flatMap((scenario) => {
    const { name, series = [] } = scenario;
    const headline = series[0]?.figures[0];
    if (headline === undefined) return [];
    return [
      `<h3><a href="#${name}">${name}</a></h3>${writeBars(series, headline.name, assignColors(scenario, peers))}`,
    ];
  });
  if (groups.length === 0) return "";
  return `<section><h2>What this machine can do</h2><div class="cards">
${groups.map((group) => `<div class="card">${group}</div>`).join("\n")}</div></section>`;
}

function writeBars(series: readonly Series[], name: string, colors: Colors): string {
  const bars = series.flatMap((each) => {
    const figure = each.figures.find((candidate) => candidate.name === name);
    return figure === undefined ? [] : [{ owner: each.name, figure, value: median(figure.rounds) }];
  });
  const [first] = bars;
  if (first === undefined) return "";
  const most = Math.max(...bars.map(({ value }) => value));
  const rows = bars.map(({ owner, value }) => {
    const share = most > 0 ? Math.max(0.5, (100 * value) / most) : 0;
    const color = `var(--color-${colors.get(owner) ?? 0})`;
    return (
      `<div class="bar"><span class="who">${escapeHtml(owner)}</span>` +
      `<span class="track"><span style="width: ${share.toFixed(1)}%; background: ${color}"></span>` +
      `</span><b>${describeNumber(value)}</b></div>`
    );
  });
  const { unit, better } = first.figure;
  return `<p class="unit">${escapeHtml(`${name}, ${unit}; ${better} is better`)}</p>${rows.join("")}`;
}

function writeScenario(scenario: ScenarioResult, colors: Colors): string {
  const { name, question, excludes, series = [], lines } = scenario;
  const titles = new Set(series.flatMap(({ curves }) => curves.map(({ title }) => title)));
  const plots = [...titles].map((title) => writePlot(title, series, colors));
  const lacks = series.flatMap((each) =>
    each.lacks === undefined
      ? []
      : [`<li><b>${escapeHtml(each.name)}</b> ${escapeHtml(each.lacks)}</li>`],
  );
  return `<section id="${name}"><h2>${name}</h2>
<p>${escapeHtml(question)}</p>
<p class="unit">Not measured: ${escapeHtml(excludes)}</p>
${series.length > 1 ? writeLegend(series, colors) : ""}
<div class="cards">${plots.map((plot) => `<div class="card">${plot}</div>`).join("\n")}</div>
${writeTable(series)}
${lacks.length === 0 ? "" : `<h3>What the peers do not do</h3><ul>${lacks.join("")}</ul>`}
${lines.length === 0 ? "" : `<pre>${escapeHtml(lines.join("\n"))}</pre>`}
</section>`;
}

function writePlot(title: string, series: readonly Series[], colors: Colors): string {
  const lines = series.flatMap(({ name, curves }) =>
    curves
      .filter((curve) => curve.title === title && curve.points.length > 0)
      .map((curve) => ({ name, color: colors.get(name) ?? 0, curve })),
  );
  const unit = lines[0]?.curve.y.label ?? "";
  return `<h3>${escapeHtml(title)}</h3><p class="unit">${escapeHtml(unit)}</p>${drawPlot(title, lines)}`;
}

function writeLegend(series: readonly Series[], colors: Colors): string {
  const keys = series.map(
    ({ name }) =>
      `<span class="key"><i style="background: var(--color-${colors.get(name) ?? 0})"></i>` +
      `${escapeHtml(name)}</span>`,
  );
  return `<p class="legend">${keys.join(" ")}</p>`;
}

function writeTable(series: readonly Series[]): string {
  const names = [...new Set(series.flatMap(({ figures }) => figures.map(({ name }) => name)))];
  if (names.length === 0) return "";
  const find = ({ figures }: Series, name: string): Figure | undefined =>
    figures.find((figure) => figure.name === name);
  const rows = names.map((name) => {
    const unit = series.map((each) => find(each, name)?.unit).find((each) => each !== undefined);
    const cells = series.map((each) => {
      const figure = find(each, name);
      return `<td>${figure === undefined ? "" : describeFigure(figure)}</td>`;
    });
    const head = `${escapeHtml(name)} <span class="unit">${escapeHtml(unit ?? "")}</span>`;
    return `<tr><th scope="row">${head}</th>${cells.join("")}</tr>`;
  });
  const heads = series.map(({ name }) => `<th scope="col">${escapeHtml(name)}</th>`);
  return `<div class="wide"><table><thead><tr><td></td>${heads.join("")}</tr></thead>
<tbody>${rows.join("\n")}</tbody></table></div>`;
}

function writeComparison(before: BenchResult, after: BenchResult): string {
  const compared = compareResults(before, after);
  const rows = compared.map(
    ({ scenario, series, figure, unit, before: old, after: now, gain, change }) =>
      `<tr class="${change}"><th scope="row">${escapeHtml(`${scenario}, ${series}: ${figure}`)} ` +
      `<span class="unit">${escapeHtml(unit)}</span></th><td>${describeNumber(old)}</td>` +
      `<td>${describeNumber(now)}</td><td>${gain.toFixed(2)} ${change}</td></tr>`,
  );
  const warnings = findObjections(before, after).map(
    (objection) => `<p class="warning">${escapeHtml(objection)}</p>`,
  );
  return `<section><h2>Against ${escapeHtml(before.commit)} of ${escapeHtml(before.date)}</h2>
${warnings.join("")}<div class="wide"><table><thead><tr><td></td><th scope="col">before</th>
<th scope="col">now</th><th scope="col">gain</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table></div></section>`;
}
