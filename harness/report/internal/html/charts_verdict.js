// SPDX-License-Identifier: Apache-2.0
// Charts of a verdict.
"use strict";

const comparisonOf = (page, place) => (page.content.comparisons || [page.content])[place];

// An axis range that includes all values.
function around(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return [low - 0.05 * (high - low), high + 0.05 * (high - low)];
}

// Forest plot: changes with their intervals, one per row, over a band for the margin.
const kForestKinds = [
  ["worse", colours.bad, "triangle-right"],
  ["better", colours.best, "triangle-left"],
  ["perhaps worse", colours.bad, "triangle-right-open"],
  ["perhaps better", colours.best, "triangle-left-open"],
  ["ok: within the margin", colours.plain, "circle"],
  ["not decided", colours.dim, "circle-open"],
  ["decides nothing", colours.dim, "x-thin-open"],
];
function forestKind({ decides, verdict, slower }) {
  if (!decides) return 6;
  const kinds = { regression: 0, improvement: 1, suspect: slower ? 2 : 3, ok: 4 };
  return kinds[verdict] ?? 5;
}

// The rows of a chart with one line per row: of too many the first by `rank`, with a note.
function mostOf(rows, rank) {
  const kMost = 60;
  if (rows.length <= kMost) return { rows, note: "" };
  return {
    rows: [...rows].sort((a, b) => rank(a) - rank(b)).slice(0, kMost),
    note: `The ${kMost} of ${rows.length} rows that matter most; the table has all.`,
  };
}

// `names`: of the cases.
charts.forest = ({ comparison: place, names: cases }, page) => {
  const comparison = comparisonOf(page, place);
  const all = comparison.cases.flatMap(({ metrics }, i) =>
    metrics.map((metric) => ({ ...metric, label: `${cases[i]}, ${metric.name}` })));
  const known = all.filter(({ change }) => Number.isFinite(change));
  const serious = ["regression", "suspect", "improvement", "invalid", "inconclusive", "ok"];
  const { rows: metrics, note: left } = mostOf(known, ({ verdict }) => serious.indexOf(verdict));
  const open = metrics.filter((each) => !Number.isFinite(each.change_high)).length;
  const note = [
    left,
    all.length > known.length && `${words.counted(all.length - known.length, "row")} without a change to draw: see the table.`,
    open && `${words.counted(open, "row")} without an interval: there were too few launches for one.`,
  ].filter(Boolean).join(" ");
  const control = comparison.aa_control.change === undefined ? null : comparison.aa_control;
  const percent = (share) => 100 * share;
  const bounds = (each) => (each.change_high === null ? null : [percent(each.change_low), percent(each.change_high)]);
  const hover = (metric) => shapes.hover(
    metric.label,
    `${words.amount(metric.base_median, metric.unit)} -> ${words.amount(metric.candidate_median, metric.unit)}`,
    `change ${words.change(metric.change)}, ${percent(comparison.confidence)} % interval ` +
      words.changes(metric.change_low, metric.change_high),
    metric.corrected_change !== null && `corrected for having been claimed: ${words.change(metric.corrected_change)}`,
    `margin ${Number(percent(metric.margin).toFixed(2))} %` +
      (metric.p_adjusted === null ? "" : `, p adjusted ${metric.p_adjusted < 0.001 ? "<0.001" : metric.p_adjusted.toFixed(3)}`),
    metric.verdict + (metric.verdict === "suspect" ? (metric.slower ? ": worse" : ": better") : "") +
      (metric.decides ? "" : ", decides nothing"),
    words.counted(metric.pairs, "pair"),
  );
  const margins = shapes.bars({
    name: "margin: does not matter",
    lengths: metrics.map(({ margin }) => 2 * percent(margin)),
    base: metrics.map(({ margin }) => -percent(margin)),
    width: 0.8,
    colour: colours.dim,
    hoverinfo: "skip",
  });
  margins.marker.opacity = 0.3;
  const kinds = kForestKinds.map(([name, colour, symbol], kind) => {
    const places = range(metrics.length).filter((i) => forestKind(metrics[i]) === kind);
    const x = places.map((i) => percent(metrics[i].change));
    return shapes.marks({ name, colour, symbol, x, y: places, hovers: places.map((i) => hover(metrics[i])),
                          error_x: shapes.intervals(x, places.map((i) => bounds(metrics[i]))) });
  });
  const itself = control && shapes.marks({
    name: "base against itself", colour: look(2).colour, symbol: "diamond", x: [percent(control.change)], y: [metrics.length],
    error_x: shapes.intervals([percent(control.change)], [bounds(control)]),
    hovers: [shapes.hover("base against itself, step",
                          `${words.change(control.change)}, interval ${words.changes(control.change_low, control.change_high)}`,
                          "what this campaign says where nothing changed")],
  });
  const names = [...metrics.map(({ label }) => label), ...(control ? ["base against itself, step"] : [])];
  // The changes determine the axis: a wide margin of another metric extends beyond it.
  const margin = Math.min(...metrics.map((metric) => percent(metric.margin)));
  const ends = [...metrics, ...(control ? [control] : [])].flatMap((each) => [percent(each.change), ...(bounds(each) || [])]);
  return {
    ...shapes.figure([margins, ...kinds, itself], {
      xaxis: shapes.axis({ title: "change [%]; 0: as before", range: around([-margin, 0, margin, ...ends]) }),
      yaxis: shapes.axis({ names, downwards: true }),
    }),
    note,
  };
};

// The phases that changed a step, by the median of each change: bars to the right took longer.
charts.cause = ({ comparison, case: place, step }, page) => {
  const { cause } = comparisonOf(page, comparison).cases[place];
  const ms = (ns) => ns / 1e6;
  const lengths = cause.map((each) => ms(each.change_ns));
  return shapes.figure([shapes.bars({
    lengths,
    colour: cause.map((each) => (each.change_ns > 0 ? colours.bad : colours.best)),
    error_x: shapes.intervals(lengths, cause.map((each) => Number.isFinite(each.change_ns_low) && Number.isFinite(each.change_ns_high) &&
      [ms(each.change_ns_low), ms(each.change_ns_high)]), colours.dim),
    hovers: cause.map((each) => shapes.hover(
      `${each.phase}: ${words.signedDuration(each.change_ns)}, ${words.significant(100 * each.share, 2)} % of the change`,
      `${words.duration(each.base_ns)} -> ${words.duration(each.candidate_ns)}`,
      Number.isFinite(each.change_ns_high) &&
        `interval ${words.signedDuration(each.change_ns_low)} to ${words.signedDuration(each.change_ns_high)}`)),
  })], {
    xaxis: shapes.axis({ title: `change of the ${step} [ms]` }),
    yaxis: shapes.axis({ names: cause.map((each) => each.phase), downwards: true }),
    showlegend: false,
  });
};
