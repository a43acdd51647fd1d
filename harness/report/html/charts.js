// SPDX-License-Identifier: Apache-2.0
// The charts by name: each is a function from a figure's request and the page's data to a Plotly
// figure. `page.content` is what the command prints as JSON; `page.charts` has the additional data
// of charts. This file has the charts of a run.
"use strict";
const charts = {};

// A case of a run, formatted for charts; `i`: index in `content.cases` and `charts.cases`.
const caseOf = (page, i) => {
  const [row, drawn] = [page.content.cases[i], page.charts.cases[i]];
  const { unit, measures, show, digits, tie } = page.charts;
  const id = row.case_id.slice(0, digits);
  const command = `${show} --case ${id}`;
  const tick = [...drawn.label].length <= 72 ? drawn.label : shapes.shortenedInside(`${id} ${drawn.label}`, 72);
  // [centre, low, high]; null if the case has no such number.
  const value = (measure) => drawn.values[measure] || null;
  const bounds = (measure) => (value(measure) && value(measure).length > 1 ? value(measure).slice(1) : null);
  const valueLine = (measure, place) => {
    if (!value(place)) return "";
    // If latencies are shown together with steps, the heading is that of the steps.
    const own = row.latency_p50_ns !== null && measure.own;
    const line = `${own ? `latency p50 [${unit.name}]` : measure.head} ${words.significant(value(place)[0])}`;
    return bounds(place) ? `${line}, ${drawn.spread} ${words.interval(...bounds(place))}` : line;
  };
  const hover = () =>
    shapes.hover(
      drawn.label,
      `case ${id}${drawn.best ? (tie ? ", tied best" : ", best") : ""}` +
        (row.smoke ? ", smoke run: not for comparison" : "") + (row.pass === "timing" ? "" : `, pass ${row.pass}`),
      row.step_ns === null ? drawn.without : measures.map(valueLine),
      words.counted(row.launches, "launch") +
        (row.failed_launches ? `, ${row.failed_launches} failed` : ""),
      command,
    );
  return { row, id, label: drawn.label, tick, best: Boolean(drawn.best), command, value, bounds, hover };
};
const kBestMark = "*";
const kNoNumber = "no number: failed, skipped or not recorded";
const crosses = (x, y, hovers, more) =>
  shapes.marks({ name: kNoNumber, x, y, hovers, symbol: "x", size: 9, colour: colours.bad, showlegend: true, ...more });

// ---- Sweep: one varying option as lines or dots, two as a heat map, three as small multiples.

// The cases of a sweep by their indices in `dimensions`, whose entries may be undefined.
function sweepOf(page, dimensions) {
  const { rows, dimensions: all } = page.charts.sweep;
  const chosen = dimensions.map((d) => (d === undefined ? null : all[d]));
  const at = new Map();
  rows.forEach((row, i) => {
    const key = chosen.map((each) => (each ? each.of[i] : 0)).join();
    if (!at.has(key)) at.set(key, caseOf(page, row));
  });
  return { chosen, sizes: chosen.map((each) => (each ? each.texts.length : 1)), find: (...places) => at.get(places.join()) };
}
const titlesOf = (dimension) => dimension && dimension.texts.map((text) => `${dimension.title}=${text}`);
const range = (count) => Array.from({ length: count }, (_, i) => i);

charts.lines = ({ measure, x, line, panel }, page) => {
  const { chosen: [across, lines, panels], sizes, find } = sweepOf(page, [x, line, panel]);
  const named = new Set();
  const traces = [];
  for (const p of range(sizes[2])) {
    for (const l of range(sizes[1])) {
      const cases = range(sizes[0]).map((at) => find(at, l, p));
      const values = cases.map((each) => (each && each.value(measure) ? each.value(measure)[0] : null));
      if (values.every((value) => value === null)) continue;
      traces.push(shapes.line({
        name: lines ? `${lines.title}=${lines.texts[l]}` : "",
        x: across.places,
        y: values,
        place: l,
        mode: across.numbers ? "lines+markers+text" : "markers+text",
        error_y: shapes.intervals(values, cases.map((each) => each && each.bounds(measure)), look(l).colour),
        hovertext: cases.map((each, i) => (values[i] === null ? "" : each.hover())),
        hoverinfo: "text",
        text: cases.map((each, i) => (values[i] !== null && each.best ? kBestMark : "")),
        textposition: "top right",
        marker: { symbol: look(l).symbol, size: 9, color: look(l).colour },
        ...shapes.panelOf(p),
        legendgroup: String(l), // one legend entry toggles the line in all panels
        showlegend: Boolean(lines) && !named.has(l),
      }));
      named.add(l);
    }
  }
  let inLegend = true;
  for (const p of range(sizes[2])) {
    const failed = range(sizes[1]).flatMap((l) => range(sizes[0]).map((at) => [at, find(at, l, p)]))
      .filter(([, each]) => each && !each.value(measure));
    const marks = crosses(failed.map(([at]) => across.places[at]), failed.map(() => 0),
                          failed.map(([, each]) => each.hover()),
                          { ...shapes.panelOf(p), legendgroup: "crosses", showlegend: inLegend });
    if (marks) inLegend = false;
    traces.push(marks);
  }
  const xAxis = { title: across.title, kind: across.kind, names: across.texts, places: across.places };
  const yAxis = { title: page.charts.measures[measure].head, fromZero: true };
  return shapes.figure(traces, shapes.panels(sizes[2], xAxis, yAxis, titlesOf(panels)), sizes[2] > 1 ? 1.1 : 1.02);
};

charts.heat = ({ measure, x, y, panel }, page) => {
  const kMaxWritten = 300; // cells that show their number
  const { chosen: [panels, up, across], sizes, find } = sweepOf(page, [panel, y, x]);
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
  let inLegend = true;
  for (const p of range(sizes[0])) {
    const failed = range(sizes[1]).flatMap((row) => range(sizes[2]).map((column) => [row, column, find(p, row, column)]))
      .filter(([, , each]) => each && !each.value(measure));
    const marks = crosses(failed.map(([, column]) => column), failed.map(([row]) => row),
                          failed.map(([, , each]) => each.hover()),
                          { ...shapes.panelOf(p), legendgroup: "crosses", showlegend: inLegend });
    if (marks) inLegend = false;
    traces.push(marks);
  }
  // Cases that hardly differ look alike: the colour scale spans at least a fifth of the largest
  // value.
  const [low, high] = [Math.min(...drawn), Math.max(...drawn)];
  const scale = high > 0 && high - low < 0.2 * high ? { cmin: 0.8 * high, cmax: high } : {};
  return shapes.figure(traces, {
    ...shapes.panels(sizes[0], { title: across.title, names: across.texts, grid: false },
                     { title: up.title, names: up.texts, grid: false }, titlesOf(panels)),
    coloraxis: {
      colorscale: "Cividis", // increases in lightness for all kinds of colour vision
      ...scale,
      colorbar: { title: { text: shapes.plain(page.charts.measures[measure].head) } },
    },
  }, sizes[0] > 1 ? 1.1 : 1.02);
};

charts.dots = ({ measure, rows, series }, page) => {
  const cases = rows.map((row) => caseOf(page, row));
  const { sweep } = page.charts;
  const dimension = series === undefined ? null : sweep.dimensions[series];
  const groupOf = (row) => (dimension ? Math.max(dimension.of[sweep.rows.indexOf(row)] ?? 0, 0) : 0);
  const traces = range(dimension ? dimension.texts.length : 1).map((group) => {
    const places = range(rows.length).filter((i) => cases[i].value(measure) && groupOf(rows[i]) === group);
    const centres = places.map((i) => cases[i].value(measure)[0]);
    return shapes.marks({
      name: dimension ? dimension.texts[group] : "",
      x: centres,
      y: places,
      mode: "markers+text",
      error_x: shapes.intervals(centres, places.map((i) => cases[i].bounds(measure)), look(group).colour),
      hovers: places.map((i) => cases[i].hover()),
      text: places.map((i) => (cases[i].best ? kBestMark : "")),
      textposition: "top center",
      showlegend: Boolean(dimension),
      symbol: look(group).symbol,
      size: 9,
      colour: places.map((i) => (cases[i].best ? colours.best : look(group).colour)),
    });
  });
  // At the left edge on a separate axis, because these have no number.
  const without = range(rows.length).filter((i) => !cases[i].value(measure));
  traces.push(crosses(without.map(() => 0.01), without, without.map((i) => cases[i].hover()), { xaxis: "x2" }));
  return shapes.figure(traces, {
    xaxis: shapes.axis({ title: page.charts.measures[measure].head }),
    yaxis: shapes.axis({ names: cases.map((each) => each.tick), downwards: true }),
    ...(without.length && { xaxis2: { overlaying: "x", range: [0, 1], visible: false, fixedrange: true } }),
  });
};

// One line per case over all dimensions, coloured by quarters of speed. Drawn as lines of a
// scatter: Plotly's own parallel coordinates need WebGL and eval, which the page does not allow.
charts.parallel = ({ measure }, page) => {
  const kWritten = 12; // labels per axis
  const { rows, dimensions } = page.charts.sweep;
  const { head, rate } = page.charts.measures[measure];
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
  const order = known.filter((i) => !cases[i].best).sort((a, b) => (rate ? values[b] - values[a] : values[a] - values[b]));
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
  return shapes.figure(traces, {
    xaxis: shapes.axis({ names: [...dimensions.map((each) => each.title), head], grid: false }),
    yaxis: { visible: false, range: [-0.06, 1.06], fixedrange: true },
    shapes: range(dimensions.length + 1).map((x) => shapes.upright(x, "solid", { yref: "y", layer: "below" })),
    annotations: [
      ...dimensions.flatMap(({ texts }, d) =>
        range(texts.length).filter((i) => i % Math.ceil(texts.length / kWritten) === 0)
          .map((i) => note(texts[i], d, place(i, texts.length), true))),
      ...range(5).map((i) => note(words.significant(low + (i / 4) * (high - low)), dimensions.length, i / 4, false)),
    ],
  });
};

// ---- Anatomy of a step

// data_wait is hatched and `other` grey; a phase looks the same in all figures of a page.
function phaseLooks(cases) {
  const looks = { data_wait: { colour: colours.bad, hatch: "/" }, other: { colour: colours.dim } };
  let place = 0;
  for (const kind of ["phases", "device_phases", "side_phases"]) {
    for (const name of cases.flatMap(({ row }) => Object.keys(row[kind] || {}))) {
      if (Object.hasOwn(looks, name)) continue;
      looks[name] = { colour: look(place % colours.parts).colour, hatch: place < colours.parts ? "" : "x" };
      ++place;
    }
  }
  return looks;
}

charts.anatomy = ({ rows, phases, shares, step }, page) => {
  const { unit } = page.charts;
  const cases = rows.map((row) => caseOf(page, row));
  const looks = phaseLooks(cases);
  const phaseOf = ({ row }, name) => row[phases] && Object.hasOwn(row[phases], name) && row[phases][name];
  const names = [...new Set(cases.flatMap(({ row }) => Object.keys(row[phases] || {})))];
  const rank = (name) => ({ data_wait: 0, other: 2 })[name] ?? 1;
  names.sort((a, b) => rank(a) - rank(b));
  const traces = names.map((name) => {
    const places = range(cases.length).filter((i) => phaseOf(cases[i], name));
    return shapes.bars({
      name,
      ...looks[name],
      places,
      lengths: places.map((i) => (shares ? 100 * phaseOf(cases[i], name).share : phaseOf(cases[i], name).ns / unit.ns)),
      hovers: places.map((i) => {
        const { ns, share } = phaseOf(cases[i], name);
        return shapes.hover(`${name} ${words.significant(ns / unit.ns)} ${unit.name}, ${words.percent(share)} of the step`,
                            cases[i].label, `case ${cases[i].id}`, cases[i].command);
      }),
    });
  });
  const ticks = (name, ends, hover, look, more = () => ({})) => {
    const places = range(cases.length).filter((i) => ends(cases[i]) > 0);
    const x = places.map((i) => ends(cases[i]));
    traces.push(shapes.marks({ name, x, y: places, hovers: places.map((i) => hover(cases[i])), size: 12, ...look,
                               ...more(places, x) }));
  };
  const tick = { symbol: "line-ns-open", colour: colours.dim };
  // The epoch gap is part of the wait, which begins at 0: the mark is at the end of that part.
  if (!shares && phases === "phases") {
    ticks("epoch gap, part of data_wait", ({ row }) => row.epoch_gap_per_step_ns / unit.ns, ({ row, label }) =>
      shapes.hover(`epoch gap: ${words.duration(row.epoch_gap_ns)} at each border, ` +
        `${words.duration(row.epoch_gap_per_step_ns)} spread over the steps; part of data_wait`, label), tick);
  }
  // The table's number with its interval, which a bar cannot show.
  if (!shares && step) {
    const measure = page.charts.measures.findIndex((each) => !each.rate);
    const of = (each) => each.row.latency_p50_ns === null && each.value(measure);
    ticks(page.charts.head, (each) => of(each)?.[0], (each) => each.hover(), tick, (places, x) =>
      ({ error_x: shapes.intervals(x, places.map((i) => cases[i].bounds(measure))) }));
  }
  // At the end of the bars, by the worst finding; findings are sorted by severity.
  if (!shares && phases !== "side_phases") {
    const kNamed = 3;
    const end = ({ row }) => Object.values(row[phases] || {}).reduce((sum, { ns }) => sum + ns, 0) / unit.ns;
    const hover = ({ row: { findings }, label }) => shapes.hover(
      findings.slice(0, kNamed).map(({ severity, text, id }) => `${severity}: ${text || id}`),
      findings.length > kNamed ? `and ${findings.length - kNamed} more` : "", label);
    for (const [name, serious, colour] of [["problem or warning", true, colours.bad], ["info", false, colours.plain]]) {
      const found = ({ row }) => row.findings.length && (row.findings[0].severity !== "info") === serious;
      ticks(name, (each) => (found(each) ? end(each) : 0), hover, { symbol: "triangle-left", colour });
    }
  }
  return shapes.figure(traces, {
    barmode: "stack",
    xaxis: shapes.axis({ title: shares ? "share of the step [%]" : `per step [${unit.name}]`, fromZero: true }),
    yaxis: shapes.axis({ names: cases.map((each) => each.tick), downwards: true, grid: false }),
  });
};

// ---- Distribution of the steps of a case, and the steps over time

charts.distribution = ({ case: place, launches, flags }, page) => {
  const kInLegend = 8; // launches
  const { unit } = page.charts;
  const { row } = caseOf(page, place);
  const lower = { xaxis: "x2", yaxis: "y2" };
  const mode = (values) => (values.length === 1 ? "markers" : "lines");
  const distributions = launches.map(({ launch, steps, times, shares }, i) => {
    const values = times || [...steps].sort((a, b) => a - b);
    return shapes.line({
      name: `launch ${launch}`, x: values, y: shares || values.map((_, at) => (100 * (at + 1)) / values.length),
      mode: mode(values), place: i, width: 1.5, shape: "hv", legendgroup: String(i), showlegend: launches.length <= kInLegend,
      hovertemplate: `launch ${launch}<br>%{y:.1f} % of its steps take at most %{x} ${unit.name}<extra></extra>`,
    });
  });
  const overTime = launches.map(({ launch, at, steps }, i) => shapes.line({
    name: `launch ${launch}`, x: at, y: steps, mode: mode(steps), place: i, width: 1.5, legendgroup: String(i),
    showlegend: false, hovertemplate: `launch ${launch}, step %{x}<br>%{y} ${unit.name}<extra></extra>`, ...lower,
  }));
  const flagged = flags.map(({ name, kind, count, at, steps }) => shapes.marks({
    name: `${name}, ${words.counted(count, "step")}${steps.length < count ? `, ${steps.length} drawn` : ""}`,
    x: at, y: steps, showlegend: true, size: 8, colour: colours.bad,
    symbol: ["diamond", "square", "triangle-up", "star", "cross"][kind % 5],
    hovertemplate: `${shapes.plain(name)}<br>step %{x}: %{y} ${unit.name}<extra></extra>`, ...lower,
  }));
  const percentiles = ["p50", "p90", "p99"].map((name) => [name, row[`step_${name}_ns`] / unit.ns]).filter(([, at]) => at > 0);
  const what = `${row.latency_p50_ns === null ? "step, host clock" : "latency"} [${unit.name}]`;
  return shapes.figure([...distributions, ...overTime, ...flagged], {
    xaxis: shapes.axis({ title: what, domain: [0, 1], anchor: "y" }),
    yaxis: shapes.axis({ title: "steps at most as long [%]", fromZero: true, domain: [0.58, 1], anchor: "x" }),
    xaxis2: shapes.axis({ title: "step since set-up", domain: [0, 1], anchor: "y2" }),
    yaxis2: shapes.axis({ title: `step [${unit.name}]`, fromZero: true, domain: [0, 0.4], anchor: "x2" }),
    // The same percentiles as in the table: medians over the launches.
    shapes: percentiles.map(([, at]) => shapes.upright(at, "dot", { yref: "y domain" })),
    // Each label is one line lower, because p50 and p90 may be close together.
    annotations: percentiles.map(([name, at], i) => ({
      text: `${name} ${words.significant(at)}`, x: at, y: 0.36 - 0.15 * i, yref: "y domain", showarrow: false,
      xanchor: "left", xshift: 3,
    })),
  });
};

// ---- Launches in the order they ran

const kDoubts = [["machine busy", "square-open"], ["GPU slowed down", "diamond-open"], ["warm-up or drift", "circle-open"],
                 ["other doubt", "hexagon-open"]];

function launchesOf(page) {
  const { rows, flags, by_time: byTime } = page.charts.launches;
  // Plotly shows no time zone; the axis title names it.
  const place = (at) => (byTime ? rows[at].started.replace(/Z$/, "") : at + 1);
  const axis = byTime ? { title: "start of the launch (UTC)", kind: "date" } : { title: "launch, in the order they ran" };
  const headline = ({ row }) => row.latency_p50_ns ?? row.step_ns;
  const share = (ran) => ran.ns / headline(caseOf(page, ran.case)) - 1;
  const hover = (at, ...first) => {
    const ran = rows[at];
    const of = caseOf(page, ran.case);
    const number = () => `${page.charts.head} ${words.significant(ran.ns / page.charts.unit.ns)}, ${words.change(share(ran))} from its case`;
    return shapes.hover(first, of.label, `case ${of.id}, launch ${ran.launch}`, ran.ns ? number() : ran.why,
                        ran.started && `started ${ran.started}`, (ran.flags || []).map((flag) => flags[flag].meaning), of.command);
  };
  return { rows, flags, place, axis, share, hover };
}

charts.launches = ({ relative, points }, page) => {
  const { rows, flags, place, axis, share, hover } = launchesOf(page);
  const { unit, head, launches: { coloured } } = page.charts;
  const height = (at) => (relative ? 100 * share(rows[at]) : rows[at].ns / unit.ns);
  const measured = range(rows.length).filter((at) => rows[at].ns);
  const others = measured.filter((at) => !coloured.includes(rows[at].case));
  const each = Math.floor((others.length ? points / 2 : points) / coloured.length);
  const trace = (name, members, most, look, line) => {
    const kept = shapes.thinned(members.map(height), most).map((i) => members[i]);
    return shapes.marks({
      name, x: kept.map(place), y: kept.map(height), hovers: kept.map((at) => hover(at)), mode: line ? "lines+markers" : "markers",
      showlegend: true, size: 7, colour: look.colour, symbol: look.symbol,
      ...(line && { line: { color: look.colour, dash: "dot", width: 1 } }),
    });
  };
  const traces = [trace("other cases", others, points / 2, { colour: colours.dim, symbol: "circle" }, false)];
  coloured.forEach((row, i) => {
    const members = measured.filter((at) => rows[at].case === row);
    traces.push(trace(caseOf(page, row).tick, members, each, look(i), true));
  });
  kDoubts.forEach(([name, symbol], kind) => {
    const ringed = measured.filter((at) => (rows[at].flags || []).some((flag) => flags[flag].kind === kind));
    traces.push(shapes.marks({ name, x: ringed.map(place), y: ringed.map(height), hovers: ringed.map((at) => hover(at)),
                               showlegend: true, symbol, size: 14, colour: colours.bad }));
  });
  // On a separate axis, because these have no number.
  const without = (name, members, symbol, colour) => shapes.marks({
    name: `${name}: no number`, x: members.map(place), y: members.map(() => 0.02), yaxis: "y2",
    hovers: members.map((at) => hover(at)), showlegend: true, symbol, size: 10, colour,
  });
  const missing = range(rows.length).filter((at) => !rows[at].ns);
  traces.push(without("failed", missing.filter((at) => !rows[at].skipped), "x", colours.bad),
              without("skipped", missing.filter((at) => rows[at].skipped), "line-ew-open", colours.dim));
  return shapes.figure(traces, {
    xaxis: shapes.axis(axis),
    yaxis: shapes.axis({ title: relative ? "from its case [%]" : head }),
    ...(missing.length && { yaxis2: { overlaying: "y", range: [0, 1], visible: false, fixedrange: true } }),
  });
};

// The state of the machine during the launches.
charts.machine = ({ field, name, title, points }, page) => {
  const { place, axis, hover } = launchesOf(page);
  const column = page.charts.launches.machine[field];
  const members = range(column.length).filter((at) => column[at] !== null);
  const value = (at) => column[at];
  const kept = shapes.thinned(members.map(value), points).map((i) => members[i]);
  return shapes.figure([shapes.line({
    name, x: kept.map(place), y: kept.map(value), mode: "lines+markers", dash: "", width: 1, showlegend: false,
    hovertext: kept.map((at) => hover(at, `${title} ${words.significant(value(at))}`)), hoverinfo: "text",
  })], { xaxis: shapes.axis(axis), yaxis: shapes.axis({ title, fromZero: true }) });
};

// ---- Ranks of a run, and who waits for whom

charts.rank_phases = ({ ranks, step_ns: steps, parts }) => {
  let place = 0;
  const traces = parts.map(({ name, ns }) => {
    const { colour } = name === "other" ? { colour: colours.dim } : look(place);
    const hatch = place < colours.parts ? "" : "x";
    if (name !== "other") ++place;
    return shapes.bars({
      name, colour, hatch, lengths: ns.map((each) => each / 1e6),
      hovers: ns.map((each, i) => shapes.hover(`rank ${ranks[i]}: ${name} ${words.duration(each)}`,
                                               `of a step of ${words.duration(steps[i])}`)),
    });
  });
  return shapes.figure(traces, {
    barmode: "stack",
    xaxis: shapes.axis({ title: "per step [ms]", fromZero: true }),
    yaxis: shapes.axis({ names: ranks.map((rank) => `rank ${rank}`), downwards: true, grid: false }),
  });
};

charts.waits = ({ ranks, ns }) => {
  const kMaxWritten = 12; // ranks
  const written = ranks.length <= kMaxWritten;
  const names = ranks.map((rank) => `rank ${rank}`);
  const axis = (title, more) => shapes.axis({ title, names, grid: false, ...more });
  return shapes.figure([shapes.heat({
    z: ns.map((row) => row.map((each) => each / 1e6)),
    text: written && ns.map((row, i) => row.map((each, j) => (i === j ? "" : each > 0 ? words.duration(each) : "0"))),
    hovers: ns.map((row, i) => row.map((each, j) => shapes.hover(
      i === j ? `${names[i]} waits for nobody here` : `${names[i]} waits ${words.duration(each)} per step for ${names[j]}`))),
    colorscale: "Cividis",
    showscale: !written,
    colorbar: { title: { text: "ms" } },
  })], { xaxis: axis("is waited for"), yaxis: axis("waits", { downwards: true }) });
};
