// SPDX-License-Identifier: Apache-2.0
// Charts of a night, and of a series over its nights.
"use strict";

// The change of each series of a night against its usual value, those that moved first.
charts.night = (_, page) => {
  const groups = [
    ["regression", colours.bad, "triangle-right"],
    ["improvement", colours.best, "triangle-left"],
    ["suspect", look(3).colour, "diamond"],
    ["alert that was accepted or closed", colours.dim, "square"],
    ["ok", colours.plain, "circle"],
  ];
  const groupOf = (each) => ({ regression: 0, improvement: 1, suspect: 2 })[each.state] ?? (each.alert ? 3 : 4);
  const known = page.content.series.filter((each) => Number.isFinite(each.change))
    .sort((a, b) => groupOf(a) - groupOf(b) || Math.abs(b.change) - Math.abs(a.change));
  const { rows: series, note } = mostOf(known, () => 0);
  const bounds = (each) =>
    Number.isFinite(each.change_low) && Number.isFinite(each.change_high) ? [100 * each.change_low, 100 * each.change_high] : null;
  const amount = (value, unit) => (Number.isFinite(value) ? words.amount(value, unit) : "-");
  const hover = (each) => shapes.hover(
    each.name, each.state,
    `${amount(each.value, each.unit)}, usual ${amount(each.usual, each.unit)}, ${words.change(each.change)}`,
    bounds(each) && `${words.changes(each.change_low, each.change_high)}, ${words.counted(each.pairs ?? 0, "pair")}`,
    each.alert);
  const traces = groups.map(([name, colour, symbol], group) => {
    const places = range(series.length).filter((i) => groupOf(series[i]) === group);
    const x = places.map((i) => 100 * series[i].change);
    return shapes.marks({ name, colour, symbol, x, y: places, hovers: places.map((i) => hover(series[i])),
                          error_x: shapes.intervals(x, places.map((i) => bounds(series[i]))) });
  });
  // The axis includes 0 and the margins, so that small changes look small.
  const margins = series.map((each) => 100 * each.margin).filter(Number.isFinite);
  const ends = series.flatMap((each) => [0, 100 * each.change, ...(bounds(each) || [])]);
  const margin = margins.length ? [-1, 1].map((sign) => sign * Math.min(...margins)) : [];
  return {
    ...shapes.figure(traces, {
      xaxis: shapes.axis({ title: "tonight against the usual [%]", range: around([...ends, ...margins, ...margins.map((each) => -each)]) }),
      yaxis: shapes.axis({ names: series.map((each) => each.name), downwards: true }),
      shapes: [shapes.upright(0, "solid"), ...margin.map((at) => shapes.upright(at))],
    }),
    note,
  };
};

// A series over its nights: values with intervals, usual values and marks of states.
charts.series = ({ id, title }, page) => {
  const known = (page.charts && page.charts.series) || page.content.series || [page.content];
  const series = known.find((each) => each.id === id);
  const alerts = new Map([...(page.content.alerts || []), ...(series.alerts || [])].map((each) => [each.id, each]));
  const nights = series.nights.filter((night) => Number.isFinite(night.value));
  const unit = series.unit === "ns" ? words.timeUnit(nights.map((night) => night.value))
    : series.unit === "bytes" ? { name: "MiB", ns: 2 ** 20 } : { name: series.unit, ns: 1 };
  const accepted = (night) => alerts.get(night.alert)?.state === "accepted";
  const hover = (night) => shapes.hover(
    night.started_utc,
    words.amount(night.value, series.unit) + (night.low < night.high
      ? `, 95 % interval ${words.amount(night.low, series.unit)} to ${words.amount(night.high, series.unit)}` : ""),
    words.counted(night.launches, "launch"),
    Number.isFinite(night.usual) && `usual then ${words.amount(night.usual, series.unit)}, ${words.change(night.value / night.usual - 1)}`,
    [night.git_sha && `commit ${night.git_sha.slice(0, 8)}`, night.build_id && `build ${night.build_id.slice(0, 8)}`]
      .filter(Boolean).join(", "),
    night.waited_for_cpu_share !== undefined && `busy machine: waited ${words.percent(night.waited_for_cpu_share)} of its time for a CPU`,
    night.note, night.alert && `alert ${night.alert}`, `run ${night.run_id}`);
  const x = (list) => list.map((night) => night.started_utc);
  const y = (list) => list.map((night) => night.value / unit.ns);
  const values = shapes.marks({
    name: "value with its interval", x: x(nights), y: y(nights), hovers: nights.map(hover), mode: "lines+markers",
    colour: colours.plain, size: 5, line: { color: colours.plain, width: 1 },
    error_y: shapes.intervals(y(nights), nights.map(({ low, high }) => low < high && [low / unit.ns, high / unit.ns])),
  });
  const usual = nights.map((night) => (Number.isFinite(night.usual) ? night.usual / unit.ns : null));
  const level = usual.some((each) => each !== null) && shapes.line({
    name: "usual then", x: x(nights), y: usual, colour: colours.dim, dash: "dot", shape: "hv", hoverinfo: "skip",
  });
  const marks = [
    ["improvement", colours.best, "triangle-down", (night) => night.state === "improvement"],
    ["suspect", look(3).colour, "circle-open", (night) => night.state === "suspect"],
    ["alert", colours.bad, "triangle-up", (night) => night.alert && !accepted(night)],
    ["alert that was accepted", colours.dim, "square", (night) => night.alert && accepted(night)],
    ["busy machine", look(2).colour, "x-open", (night) => night.waited_for_cpu_share !== undefined],
    ["note", look(5).colour, "star-open", (night) => night.note],
  ].map(([name, colour, symbol, marked]) => {
    const list = nights.filter(marked);
    return shapes.marks({ name, colour, symbol, x: x(list), y: y(list), hovers: list.map(hover), size: 12 });
  });
  // Plotly's axis reaches 0 if the values come close to it.
  const [low, high] = [Math.min, Math.max].map((most) =>
    most(...nights.flatMap((each) => [each.value, each.low, each.high].filter(Number.isFinite))));
  const missing = series.nights.length - nights.length;
  const note = [
    missing && `${words.counted(missing, "night")} without a value ${missing === 1 ? "is" : "are"} left out.`,
    low > 0 && low > 0.07 * (high - low) && "The axis does not begin at 0.",
  ].filter(Boolean).join(" ");
  // At least days: with a single night the axis would show microseconds.
  const [first, last] = [nights[0], nights.at(-1)].map((night) => Date.parse(night.started_utc));
  const days = 36 * 3600e3;
  const few = last - first < days ? { range: [first - days, last + days].map((at) => new Date(at).toISOString()) } : {};
  return {
    ...shapes.figure([values, level, ...marks], {
      height: 360,
      xaxis: shapes.axis({ title: "night (UTC)", kind: "date", ...few }),
      yaxis: shapes.axis({ title: unit.name ? `${title} [${unit.name}]` : title }),
    }),
    note,
  };
};
