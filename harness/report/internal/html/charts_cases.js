// SPDX-License-Identifier: Apache-2.0
// The charts by name: each is a function from a figure's request and the page's data to a Plotly
// figure, perhaps with a `note`. `page.content` is what the command prints as JSON; `page.charts`
// has the additional data of charts. A chart with `views`, the names of its alternatives, gets the
// index of the chosen one as its third argument. This file has the cases of a run, by their options.
"use strict";
const charts = {};

const range = (count) => Array.from({ length: count }, (_, i) => i);
const isRate = ({ key }) => !key.endsWith("_ns");
const kSpreads = { interval_95: () => "95 % interval", range: (n) => `range (n=${n})`, within_one_launch: () => "within one launch" };

// [centre, low, high] of a case in the unit of a measure, without ends where there is no interval;
// null if the case has no such number.
function valueOf(row, measure) {
  const centre = isRate(measure) ? row[measure.key] : row.latency_p50_ns ?? row.step_ns;
  if (centre === null) return null;
  const work = centre * row.step_ns;
  const ends = isRate(measure) ? [work / row.high_ns, work / row.low_ns] : [row.low_ns, row.high_ns];
  // The interval of a case with a latency is that of the latency.
  const without = row.spread === "none" || (isRate(measure) && row.latency_p50_ns !== null);
  return (without ? [centre] : [centre, ...ends]).map((each) => each / measure.unit);
}

// A case of a run, formatted for charts; `i`: index in `content.cases`.
const caseOf = (page, i) => {
  const row = page.content.cases[i];
  const { unit, measures, show, digits, labels, marked } = page.charts;
  const [id, label, best] = [row.case_id.slice(0, digits), labels[i], marked[i] > 0];
  const command = `${show} --case ${id}`;
  const tick = [...label].length <= 72 ? label : shapes.shortenedInside(`${id} ${label}`, 72);
  const value = (measure) => valueOf(row, measures[measure]);
  const bounds = (measure) => (value(measure)?.length > 1 ? value(measure).slice(1) : null);
  const valueLine = (measure, place) => {
    if (!value(place)) return "";
    // If latencies are shown together with steps, the heading is that of the steps.
    const own = row.latency_p50_ns !== null && measure.key === "step_ns";
    const line = `${own ? `latency p50 [${unit.name}]` : measure.head} ${words.significant(value(place)[0])}`;
    return bounds(place) ? `${line}, ${kSpreads[row.spread](row.launches)} ${words.interval(...bounds(place))}` : line;
  };
  const hover = () =>
    shapes.hover(
      label,
      `case ${id}${best ? (marked.indexOf(1) < marked.lastIndexOf(1) ? ", tied best" : ", best") : ""}` +
        (row.smoke ? ", smoke run: not for comparison" : "") + (row.pass === "timing" ? "" : `, pass ${row.pass}`),
      row.step_ns === null ? [row.outcome, row.reason].filter(Boolean).join(": ") : measures.map(valueLine),
      words.counted(row.launches, "launch") +
        (row.failed_launches ? `, ${row.failed_launches} failed` : ""),
      command,
    );
  return { row, id, label, tick, best, command, value, bounds, hover };
};

// The places of all cases, best first by a measure; those without a number last.
function ranked(page, measure) {
  const of = page.charts.measures[measure];
  const keys = page.content.cases.map((row) => (valueOf(row, of)?.[0] ?? (isRate(of) ? -Infinity : Infinity)) * (isRate(of) ? -1 : 1));
  return range(keys.length).sort((a, b) => (keys[a] === keys[b] ? a - b : keys[a] - keys[b]));
}
const kBestMark = "*";
const kNoNumber = "no number: failed, skipped or not recorded";
const crosses = (x, y, hovers, more) =>
  shapes.marks({ name: kNoNumber, x, y, hovers, symbol: "x", size: 9, colour: colours.bad, showlegend: true, ...more });

// ---- Sweep: one varying option as lines or dots, two as a heat map, three as small multiples, more
// as parallel axes

const kNearAxis = "The axis begins near the smallest value, not at 0.";

// A direction in which the cases differ, by its value in each row: numbers are sorted and have their
// places on an axis, other values are numbered by appearance.
function dimensionOf(title, values) {
  const kWide = 50; // largest over smallest: a linear axis would hide the small ones
  const distinct = [...new Set(values)];
  const numbers = distinct.every(Number.isFinite);
  if (numbers) distinct.sort((a, b) => a - b);
  const [low, high] = [distinct[0], distinct.at(-1)];
  const log = numbers && distinct.length > 2 && low > 0 &&
    (high >= kWide * low || distinct.every((value) => Number.isInteger(Math.log2(value / low))));
  const index = new Map(distinct.map((value, i) => [value, i]));
  return {
    title,
    numbers,
    kind: log ? "log" : "linear",
    texts: distinct.map((value) => (value === null ? "not set" : shapes.shortenedInside(String(value), 240))),
    places: numbers ? distinct : range(distinct.length),
    of: values.map((value) => index.get(value)),
  };
}

// The dimensions of a sweep: options, those that always change together as one, and at last the
// runs, arms or passes. `order`: numbers before words, then by the number of values.
function sweepOf(page) {
  const { options, series, series_title: title, sweep } = page.charts;
  if (sweep) return sweep;
  const kMost = 2000; // cases: only the best ones
  const rows = ranked(page, 0).slice(0, kMost).sort((a, b) => a - b);
  const dimensions = [];
  for (const [name, short] of options) {
    const made = dimensionOf(short, rows.map((row) => page.content.cases[row].options[name] ?? null));
    const [count, pairs] = [made.texts.length, (other) => new Set(made.of.map((value, i) => `${value} ${other.of[i]}`)).size];
    if (count < 2) continue;
    const partner = dimensions.find((other) => other.texts.length === count && pairs(other) === count);
    if (partner) {
      partner.title += ` / ${short}`;
      partner.texts = partner.texts.map((text, i) => `${text} / ${made.texts[made.of[partner.of.indexOf(i)]]}`);
    } else {
      dimensions.push(made);
    }
  }
  const order = range(dimensions.length).sort((a, b) => dimensions[b].numbers - dimensions[a].numbers ||
    dimensions[b].texts.length - dimensions[a].texts.length || a - b);
  const runs = dimensionOf(title, rows.map((row) => series[row]));
  const several = runs.texts.length > 1;
  if (several) order.push(dimensions.push(runs) - 1);
  return (page.charts.sweep = { rows, dimensions, order, runs: several ? runs : null });
}

// The ways to draw a sweep: [name, chart, its roles].
function waysToDraw(page) {
  const [kMaxLines, kMaxPanels, kMaxAllLines] = [14, 12, 48];
  const { dimensions, order, runs } = sweepOf(page);
  const size = (at) => (at < order.length ? dimensions[order[at]].texts.length : 1);
  const options = dimensions.length - (runs ? 1 : 0);
  if (!options || (options === 1 && !dimensions[0].numbers)) return [["each case", dots, {}]];
  const [x, line, panel] = order;
  const fits = order.length <= 3 && (order.length < 2 || size(1) <= kMaxLines) && size(2) <= kMaxPanels;
  const ways = [];
  if (order.length > 3 || (order.length === 3 && !fits)) ways.push(["all options", parallel, {}]);
  else if (options > 1 || !fits) ways.push(["heat map", heat, { x, y: line, panel }]);
  if (fits && (order.length < 2 || size(1) * size(2) <= kMaxAllLines)) ways.push(["lines", lines, { x, line, panel }]);
  if (order.length > 2) ways.push(["best cases", dots, { most: 30 }]);
  return ways;
}

charts.sweep = (_, page, view = 0) => {
  const ways = waysToDraw(page);
  const [, draw, roles] = ways[view % ways.length];
  const drawn = draw({ measure: Math.floor(view / ways.length), ...roles }, page);
  const [count, all] = [sweepOf(page).rows.length, page.content.cases.length];
  const note = count < all && draw !== dots && `Drawn are the ${words.significant(count)} best of ${words.counted(all, "case")}; the data of this page has all.`;
  return { ...drawn, note: [drawn.note, note].filter(Boolean).join(" ") };
};
charts.sweep.views = (_, page) => {
  const ways = waysToDraw(page);
  return page.charts.measures.flatMap(({ name }) => ways.map(([way]) => (ways.length > 1 ? `${way}: ${name}` : name)));
};

// The cases of a sweep by their indices in these dimensions, which may be undefined.
function casesBy(page, places) {
  const { rows, dimensions } = sweepOf(page);
  const chosen = places.map((place) => (place === undefined ? null : dimensions[place]));
  const at = new Map();
  rows.forEach((row, i) => {
    const key = chosen.map((each) => (each ? each.of[i] : 0)).join();
    if (!at.has(key)) at.set(key, caseOf(page, row));
  });
  const hidden = rows.length - at.size;
  return {
    chosen,
    sizes: chosen.map((each) => (each ? each.texts.length : 1)),
    find: (...indices) => at.get(indices.join()),
    note: hidden && `${words.counted(hidden, "case")} with the same options as another one not drawn; the table has all.`,
  };
}
const titlesOf = (dimension) => dimension && dimension.texts.map((text) => `${dimension.title}=${text}`);
// Small multiples have up to three columns, four of them two.
const heightOf = (panels, one) => {
  const rows = Math.ceil(panels / (panels === 4 ? 2 : Math.min(panels, 3)));
  return rows === 1 ? one : Math.round((rows * one * 2) / 3 + one / 3);
};

// Marks of the cases without a number, in each panel at their places; the first has the legend.
const crossesOf = (count, measure, cells) => {
  let inLegend = true;
  return range(count).map((p) => {
    const failed = cells(p).filter(([each]) => each && !each.value(measure));
    const marks = crosses(failed.map(([, x]) => x), failed.map(([, , y]) => y), failed.map(([each]) => each.hover()),
                          { ...shapes.panelOf(p), legendgroup: "crosses", showlegend: inLegend });
    if (marks) inLegend = false;
    return marks;
  });
};

function lines({ measure, x, line, panel }, page) {
  const { chosen: [across, each, panels], sizes, find, note } = casesBy(page, [x, line, panel]);
  const named = new Set();
  const traces = [];
  for (const p of range(sizes[2])) {
    for (const l of range(sizes[1])) {
      const cases = range(sizes[0]).map((at) => find(at, l, p));
      const values = cases.map((one) => (one && one.value(measure) ? one.value(measure)[0] : null));
      if (values.every((value) => value === null)) continue;
      traces.push(shapes.line({
        name: each ? `${each.title}=${each.texts[l]}` : "",
        x: across.places,
        y: values,
        place: l,
        mode: across.numbers ? "lines+markers+text" : "markers+text",
        error_y: shapes.intervals(values, cases.map((one) => one && one.bounds(measure)), look(l).colour),
        hovertext: cases.map((one, i) => (values[i] === null ? "" : one.hover())),
        hoverinfo: "text",
        text: cases.map((one, i) => (values[i] !== null && one.best ? kBestMark : "")),
        textposition: "top right",
        marker: { symbol: look(l).symbol, size: 9, color: look(l).colour },
        ...shapes.panelOf(p),
        legendgroup: String(l), // one legend entry toggles the line in all panels
        showlegend: Boolean(each) && !named.has(l),
      }));
      named.add(l);
    }
  }
  traces.push(...crossesOf(sizes[2], measure, (p) => range(sizes[1]).flatMap((l) => range(sizes[0]).map((at) =>
    [find(at, l, p), across.places[at], 0]))));
  const xAxis = { title: across.title, kind: across.kind, names: across.texts, places: across.places };
  const yAxis = { title: page.charts.measures[measure].head, fromZero: true };
  return {
    ...shapes.figure(traces, { height: heightOf(sizes[2], 420), ...shapes.panels(sizes[2], xAxis, yAxis, titlesOf(panels)) },
                     sizes[2] > 1 ? 1.1 : 1.02),
    note,
  };
}

function heat({ measure, x, y, panel }, page) {
  const kMaxWritten = 300; // cells that show their number
  const { chosen: [panels, up, across], sizes, find, note } = casesBy(page, [panel, y, x]);
  const written = sizes[0] * sizes[1] * sizes[2] <= kMaxWritten;
  // Cases that tie with the best get its colour.
  const best = page.charts.best === undefined ? null : caseOf(page, page.charts.best).value(measure);
  const cells = (p, of, without) => range(sizes[1]).map((row) => range(sizes[2]).map((column) => {
    const each = find(p, row, column);
    return each && each.value(measure) ? of(each, each.value(measure)[0]) : without;
  }));
  const traces = range(sizes[0]).map((p) => shapes.heat({
    z: cells(p, (each, value) => (each.best && best ? best[0] : value), null),
    text: written && cells(p, (each, value) => words.significant(value) + (each.best ? ` ${kBestMark}` : ""), ""),
    hovers: cells(p, (each) => each.hover(), ""),
    coloraxis: "coloraxis",
    hoverongaps: false,
    ...shapes.panelOf(p),
  }));
  const drawn = traces.flatMap((trace) => trace.z.flat()).filter((value) => value !== null);
  traces.push(...crossesOf(sizes[0], measure, (p) => range(sizes[1]).flatMap((row) => range(sizes[2]).map((column) =>
    [find(p, row, column), column, row]))));
  // Cases that hardly differ look alike: the colour scale spans at least a fifth of the largest
  // value.
  const [low, high] = [Math.min(...drawn), Math.max(...drawn)];
  const scale = high > 0 && high - low < 0.2 * high ? { cmin: 0.8 * high, cmax: high } : {};
  const height = heightOf(sizes[0], Math.min(Math.max(44 * sizes[1] + 140, 300), 900));
  return {
    ...shapes.figure(traces, {
      height,
      ...shapes.panels(sizes[0], { title: across.title, names: across.texts, grid: false },
                       { title: up.title, names: up.texts, grid: false }, titlesOf(panels)),
      coloraxis: {
        colorscale: "Cividis", // increases in lightness for all kinds of colour vision
        ...scale,
        colorbar: { title: { text: shapes.plain(page.charts.measures[measure].head) } },
      },
    }, sizes[0] > 1 ? 1.1 : 1.02),
    note,
  };
}

// All cases in the order of the table; of many the best, best first.
function dots({ measure, most = 60 }, page) {
  const all = page.content.cases.length;
  const whole = most >= 60 && all <= most;
  const rows = whole ? range(all) : ranked(page, measure).slice(0, most);
  const cases = rows.map((row) => caseOf(page, row));
  const { runs, rows: drawn } = sweepOf(page);
  const groupOf = (row) => (runs ? runs.of[drawn.indexOf(row)] ?? 0 : 0);
  const traces = range(runs ? runs.texts.length : 1).map((group) => {
    const places = range(rows.length).filter((i) => cases[i].value(measure) && groupOf(rows[i]) === group);
    const centres = places.map((i) => cases[i].value(measure)[0]);
    return shapes.marks({
      name: runs ? runs.texts[group] : "",
      x: centres,
      y: places,
      mode: "markers+text",
      error_x: shapes.intervals(centres, places.map((i) => cases[i].bounds(measure)), look(group).colour),
      hovers: places.map((i) => cases[i].hover()),
      text: places.map((i) => (cases[i].best ? kBestMark : "")),
      textposition: "top center",
      showlegend: Boolean(runs),
      symbol: look(group).symbol,
      size: 9,
      colour: places.map((i) => (cases[i].best ? colours.best : look(group).colour)),
    });
  });
  // At the left edge on a separate axis, because these have no number.
  const without = range(rows.length).filter((i) => !cases[i].value(measure));
  traces.push(crosses(without.map(() => 0.01), without, without.map((i) => cases[i].hover()), { xaxis: "x2" }));
  return {
    ...shapes.figure(traces, {
      xaxis: shapes.axis({ title: page.charts.measures[measure].head }),
      yaxis: shapes.axis({ names: cases.map((each) => each.tick), downwards: true }),
      ...(without.length && { xaxis2: { overlaying: "x", range: [0, 1], visible: false, fixedrange: true } }),
    }),
    note: `${rows.length < all ? `The best ${rows.length} of ${words.counted(all, "case")}. ` : ""}${kNearAxis}`,
  };
}

// One line per case over all dimensions, coloured by quarters of speed. Drawn as lines of a
// scatter: Plotly's own parallel coordinates need WebGL and eval, which the page does not allow.
function parallel({ measure }, page) {
  const kWritten = 12; // labels per axis
  const { rows, dimensions } = sweepOf(page);
  const of = page.charts.measures[measure];
  const cases = rows.map((row) => caseOf(page, row));
  const values = cases.map((each) => (each.value(measure) ? each.value(measure)[0] : null));
  const known = range(rows.length).filter((i) => values[i] !== null);
  const [low, high] = [Math.min(...known.map((i) => values[i])), Math.max(...known.map((i) => values[i]))];
  const height = (value) => (high > low ? (value - low) / (high - low) : 0.5);
  const place = (value, count) => (count < 2 ? 0.5 : value / (count - 1));
  const groups = [
    { name: "slowest quarter", colour: look(1).colour, width: 1, members: [] },
    { name: "middle half", colour: colours.dim, width: 1, members: [] },
    { name: "fastest quarter", colour: colours.plain, width: 1, members: [] },
    { name: `best ${kBestMark}`, colour: colours.best, width: 3, members: known.filter((i) => cases[i].best) },
  ];
  const order = known.filter((i) => !cases[i].best).sort((a, b) => (isRate(of) ? values[b] - values[a] : values[a] - values[b]));
  order.forEach((i, at) => groups[[2, 1, 1, 0][Math.floor((at * 4) / order.length)]].members.push(i));
  const traces = groups.filter((group) => group.members.length).map(({ name, colour, width, members }) => {
    const ends = members.map((i) => values[i]);
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    return shapes.line({
      name: `${name}, ${from === to ? words.significant(from) : words.interval(from, to)}`,
      x: members.flatMap(() => [...range(dimensions.length + 1), null]),
      y: members.flatMap((i) => [...dimensions.map((d) => place(d.of[i], d.texts.length)), height(values[i]), null]),
      colour,
      width,
      mode: "lines+markers",
      opacity: width > 1 ? 1 : 0.6,
      hovertext: members.flatMap((i) => [...dimensions.map(() => ""), cases[i].hover(), ""]),
      hoverinfo: "text",
      marker: { size: 5 },
      dash: "",
      showlegend: true,
    });
  });
  const note = (text, x, y, left) => ({
    text: shapes.plain(text, 20), showarrow: false, x, y, xanchor: left ? "left" : "right", xshift: left ? 6 : -6,
    font: { size: 11 },
  });
  const missing = rows.length - known.length;
  return {
    ...shapes.figure(traces, {
      height: 520,
      xaxis: shapes.axis({ names: [...dimensions.map((each) => each.title), of.head], grid: false }),
      yaxis: { visible: false, range: [-0.06, 1.06], fixedrange: true },
      shapes: range(dimensions.length + 1).map((x) => shapes.upright(x, "solid", { yref: "y", layer: "below" })),
      annotations: [
        ...dimensions.flatMap(({ texts }, d) =>
          range(texts.length).filter((i) => i % Math.ceil(texts.length / kWritten) === 0)
            .map((i) => note(texts[i], d, place(i, texts.length), true))),
        ...range(5).map((i) => note(words.significant(low + (i / 4) * (high - low)), dimensions.length, i / 4, false)),
      ],
    }),
    note: missing && `${words.counted(missing, "case")} without a number (failed, skipped) not drawn.`,
  };
}
