// SPDX-License-Identifier: Apache-2.0
// Charts of a run: phases, steps, launches, ranks.
"use strict";

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

charts.anatomy = ({ rows, phases }, page, shares = 0) => {
  const { unit } = page.charts;
  const cases = rows.map((row) => caseOf(page, row));
  const step = phases === (cases.some(({ row }) => row.device_phases) ? "device_phases" : "phases");
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
    const measure = page.charts.measures.findIndex((each) => !isRate(each));
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

charts.anatomy.views = () => ["times", "shares"];

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
  const overTime = launches.map(({ launch, index, steps }, i) => shapes.line({
    name: `launch ${launch}`, x: index ?? range(steps.length), y: steps, mode: mode(steps), place: i, width: 1.5, legendgroup: String(i),
    showlegend: false, hovertemplate: `launch ${launch}, step %{x}<br>%{y} ${unit.name}<extra></extra>`, ...lower,
  }));
  const flagged = flags.map((name, bit) => {
    const unknown = bit + 1 === flags.length; // the last one has all other bits
    const marked = launches.flatMap(({ index, steps, flags: bits = [] }) => range(bits.length)
      .filter((i) => (bits[i] >> bit) & (unknown ? ~0 : 1)).map((i) => [index?.[i] ?? i, steps[i]]));
    return shapes.marks({
      name: `${name}, ${words.counted(marked.length, "step")}`, x: marked.map(([x]) => x), y: marked.map(([, y]) => y),
      showlegend: true, size: 8, colour: colours.bad, symbol: ["diamond", "square", "triangle-up", "star", "cross"][bit % 5],
      hovertemplate: `${shapes.plain(name)}<br>step %{x}: %{y} ${unit.name}<extra></extra>`, ...lower,
    });
  });
  const percentiles = ["p50", "p90", "p99"].map((name) => [name, row[`step_${name}_ns`] / unit.ns]).filter(([, at]) => at > 0);
  const what = `${row.latency_p50_ns === null ? "step, host clock" : "latency"} [${unit.name}]`;
  return shapes.figure([...distributions, ...overTime, ...flagged], {
    height: 620,
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

// [name, symbol, flags]; the last kind has all other flags.
const kDoubts = [
  ["machine busy", "square-open", ["waited_for_cpu", "steal", "cpu_quota"]], ["GPU slowed down", "diamond-open", ["throttled"]],
  ["warm-up or drift", "circle-open", ["warmup_too_short", "drifting"]], ["other doubt", "hexagon-open"],
];

function launchesOf(page) {
  const { rows, meanings } = page.charts.launches;
  // Over runs of several days a time axis would be mostly empty.
  const byTime = page.content.runs.length < 2 && rows.every(({ started }) => Date.parse(started));
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
                        ran.started && `started ${ran.started}`, (ran.flags || []).map((flag) => meanings[flag]), of.command);
  };
  return { rows, place, axis, share, hover };
}

// Where there are many cases, only distances from them show changes over time.
const relativeFirst = (page) => page.content.cases.length > 4;

charts.launches = (_, page, view = 0) => {
  const [kOwnColour, kMost] = [12, 2000]; // cases, launches
  const points = Math.min(page.charts.points, kMost);
  const relative = relativeFirst(page) !== Boolean(view);
  const { rows, place, axis, share, hover } = launchesOf(page);
  const { unit, head } = page.charts;
  const coloured = ranked(page, 0).slice(0, kOwnColour).sort((a, b) => a - b);
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
  const kindOf = (flag) => (kDoubts.findIndex(([, , flags]) => flags?.includes(flag)) + kDoubts.length) % kDoubts.length;
  kDoubts.forEach(([name, symbol], kind) => {
    const ringed = measured.filter((at) => (rows[at].flags || []).some((flag) => kindOf(flag) === kind));
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
  return {
    ...shapes.figure(traces, {
      xaxis: shapes.axis(axis),
      yaxis: shapes.axis({ title: relative ? "from its case [%]" : head }),
      ...(missing.length && { yaxis2: { overlaying: "y", range: [0, 1], visible: false, fixedrange: true } }),
    }),
    note: [!relative && kNearAxis, measured.length > points && `About ${words.significant(points)} of ${words.counted(measured.length, "launch")} ` +
      "are drawn: of each stretch the smallest and the largest, and all with a doubt."].filter(Boolean).join(" "),
  };
};
charts.launches.views = (_, page) => {
  const names = [page.charts.measures.find((each) => !isRate(each)).name, "from its case"];
  return relativeFirst(page) ? names.reverse() : names;
};

// The state of the machine during the launches.
charts.machine = (_, page, view = 0) => {
  const { name, title, values } = page.charts.launches.machine[view];
  const { place, axis, hover } = launchesOf(page);
  const members = range(values.length).filter((at) => values[at] !== null);
  const kept = shapes.thinned(members.map((at) => values[at]), 500).map((i) => members[i]);
  return shapes.figure([shapes.line({
    name, x: kept.map(place), y: kept.map((at) => values[at]), mode: "lines+markers", dash: "", width: 1, showlegend: false,
    hovertext: kept.map((at) => hover(at, `${title} ${words.significant(values[at])}`)), hoverinfo: "text",
  })], { height: 360, xaxis: shapes.axis(axis), yaxis: shapes.axis({ title, fromZero: true }) });
};
charts.machine.views = (_, page) => page.charts.launches.machine.map(({ name }) => name);

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
  })], { height: Math.min(640, 260 + 36 * ranks.length), xaxis: axis("is waited for"), yaxis: axis("waits", { downwards: true }) });
};
