// SPDX-License-Identifier: Apache-2.0
// Charts of operations: a profiled run, traces, the ranks of a job, two traces.
"use strict";

const kMs = 1e6;

// ---- A profiled case: `page.charts.profiles`

// Formats sums over the profiled steps as values per step.
function perStep(steps, whole) {
  const of = (sum) => sum / Math.max(steps, 1);
  const all = steps > 0 ? " per step" : " in all";
  return {
    of,
    time: (ns) => words.duration(of(ns)) + all + (whole > 0 ? `, ${words.percent(ns / whole)}` : ""),
    calls: (count) => `${words.significant(of(count))} calls${steps > 0 ? " per step" : ""}`,
    all,
  };
}

// The times of a profile that are not 0 throughout: the views of its charts.
const timesOf = (has) => ["host", "device"].filter(has);
const timeViews = (times) => times.map((time) => `${time} time`);

// `calls`: columns name, parent, calls, host_ns, device_ns; times with what a call calls.
const timesOfCalls = ({ calls }) => timesOf((time) => calls[`${time}_ns`].some((ns) => ns > 0));
charts.flame = ({ profile }, page, view = 0) => {
  const { steps, calls } = page.charts.profiles[profile];
  const time = timesOfCalls({ calls })[view];
  const whole = calls[`${time}_ns`];
  const own = [...whole];
  calls.parent.forEach((parent, i) => { if (parent >= 0) own[parent] -= whole[i]; });
  const isStep = (i) => calls.parent[i] < 0 && calls.name[i] === "step";
  const roots = range(calls.name.length).filter((i) => calls.parent[i] < 0);
  const total = roots.reduce((sum, i) => sum + whole[i], 0);
  const told = perStep(steps, total);
  const first = roots.length > 1 ? 1 : 0;
  let phases = 0;
  const colourOf = (i) => {
    if (calls.parent[i] < 0 || calls.name[i] === "(others)") return colours.dim;
    return isStep(calls.parent[i]) ? colours.series[phases++ % colours.parts] : undefined;
  };
  const levels = [];
  const items = calls.name.map((name, i) => {
    levels.push(1 + (levels[calls.parent[i]] ?? 0));
    return {
      label: name,
      hover: [name, `with what it called: ${told.time(whole[i])}`, `by itself: ${told.time(own[i])}`,
              calls.calls[i] > 0 && told.calls(calls.calls[i]),
              time === "host" && calls.device_ns[i] > 0 &&
                `device time from it: ${words.duration(told.of(calls.device_ns[i]))}${told.all}`],
      parent: calls.parent[i] < 0 ? first - 1 : calls.parent[i] + first,
      value: told.of(own[i]) / kMs,
      colour: colourOf(i),
    };
  });
  if (first) items.unshift({ label: "all calls", hover: ["all calls", told.time(total)], parent: -1, value: 0 });
  return shapes.tree("icicle", items, Math.min(Math.max(60 + 34 * Math.max(...levels), 300), 900));
};
charts.flame.views = ({ profile }, page) => timeViews(timesOfCalls(page.charts.profiles[profile]));

// The areas of a step: its modules, as deep as can be told apart, with their ops. `ops`: columns
// module, name, ns, calls; outside_ns: time in no op. Parents come before their children.
function areasOf({ module: modules, name, ns, calls, outside_ns: outside }) {
  const kMost = 600; // modules, and ops
  const below = (module, depth) => (module === "(model)" ? [] : module.split(".").slice(0, depth));
  const count = (depth) => new Set(modules.map((module) => below(module, depth).join("."))).size;
  let depth = 16;
  while (depth > 1 && count(depth) > kMost) --depth;
  const areas = [{ label: "step", parent: -1, ns: 0 }];
  const known = new Map();
  const area = (key, made) => {
    if (!known.has(key)) known.set(key, areas.push({ ns: 0, ...made }) - 1);
    return known.get(key);
  };
  const areaOf = (module) => {
    if (!module) return area("none", { label: "(no module)", parent: 0 });
    return below(module, depth).reduce((parent, label, level, names) => {
      const path = names.slice(0, level + 1).join(".");
      return area(`module ${path}`, { label, path, parent, level });
    }, area("model", { label: "(model)", parent: 0 }));
  };
  const parents = modules.map(areaOf);
  if (outside > 0) areas.push({ label: "(outside ops)", parent: 0, ns: outside });
  // The first level with several modules has the colours.
  const split = areas.find(({ level }, at) => level !== undefined && areas.some((other, i) => i !== at && other.level === level))?.level ?? 0;
  areas.filter(({ level }) => level === split)
    .forEach((each, i) => { each.colour = colours.series[i % colours.parts]; });
  const ops = new Map();
  parents.forEach((parent, i) => {
    const key = `${parent} ${name[i]}`;
    const op = ops.get(key) || { label: name[i], parent, ns: 0, calls: 0 };
    ops.set(key, { ...op, ns: op.ns + ns[i], calls: op.calls + calls[i] });
  });
  const sorted = [...ops.values()].sort((a, b) => b.ns - a.ns);
  areas.push(...sorted.slice(0, kMost));
  for (const op of sorted.slice(kMost)) {
    const others = areas[area(`others ${op.parent}`, { label: "(others)", parent: op.parent, calls: 0 })];
    others.ns += op.ns;
    others.calls += op.calls;
  }
  return areas;
}

const timesOfOps = (profile) => timesOf((time) => profile[`${time}_ops`]);
charts.areas = ({ profile: place }, page, view = 0) => {
  const profile = page.charts.profiles[place];
  const areas = areasOf(profile[`${timesOfOps(profile)[view]}_ops`]);
  const sums = areas.map(({ ns }) => ns);
  for (let i = sums.length - 1; i > 0; --i) sums[areas[i].parent] += sums[i];
  const told = perStep(profile.steps, sums[0]);
  return shapes.tree("treemap", areas.map(({ label, path, parent, ns, calls, colour }, i) => ({
    label,
    hover: [path || label, told.time(calls === undefined ? sums[i] : ns), calls > 0 && told.calls(calls),
            label === "(outside ops)" && "host time of the steps in no op: Python, C++, waiting"],
    parent,
    value: told.of(ns) / kMs,
    colour,
  })));
};
charts.areas.views = ({ profile }, page) => timeViews(timesOfOps(page.charts.profiles[profile]));

// `memory`: lines of {name, at_ns, bytes, peak: 0 or 1, where: texts}.
charts.memory = ({ profile }, page) => {
  const lines = page.charts.profiles[profile].memory;
  const traces = lines.map(({ name, at_ns: at, bytes, peak, where }, i) => shapes.line({
    name, x: at.map((ns) => ns / kMs), y: bytes.map((each) => each / 2 ** 20), place: i, shape: "hv", mode: "lines+markers",
    hovertext: at.map((ns, k) => shapes.hover(
      `${name}: ${words.bytes(bytes[k])}${peak[k] ? ", its peak" : ""}`,
      `${words.duration(ns)} after the first record`, where[k])),
    hoverinfo: "text",
    marker: { color: look(i).colour, size: at.map((_, k) => (peak[k] ? 11 : 3)) },
  }));
  return shapes.figure(traces, {
    xaxis: shapes.axis({ title: "time since the first record [ms]" }),
    yaxis: shapes.axis({ title: "allocated [MiB]", fromZero: true }),
    showlegend: lines.length > 1,
  });
};

// ---- A trace. `parts`: the words of those that occur in any step, by their keys.

// The device's work has plain colours and idle time patterns, so that they differ without colours.
const kPartLooks = {
  compute_ns: [0, ""], communication_ns: [4, ""], copy_ns: [2, ""], idle_data_loading_ns: [1, "/"], idle_synchronise_ns: [3, "/"],
  idle_copy_call_ns: [2, "/"], idle_launch_ns: [1, "x"], idle_backward_ns: [0, "/"], idle_host_op_ns: [3, "x"],
  idle_other_thread_ns: [2, "x"], idle_unattributed_ns: [5, "."],
};
const overlaid = ([hue, shape]) => ({ color: colours.series[hue], ...(shape && { pattern: { shape, fillmode: "overlay", size: 6 } }) });

charts.trace_steps = ({ trace, idle: place, parts }, page) => {
  const kMost = 400;
  const { idle, steps: { steps, counted } } = page.content[trace];
  const report = idle[place];
  const all = Math.min(steps.length, report.wall_ns.length);
  const shown = range(Math.min(all, kMost));
  const name = ({ number, truncated, edge }, i) => `step ${number}` + (truncated ? ", cut off by the end of the recording" : "") +
    (counted.includes(i) ? "" : edge ? ", first or last: in no mean" : ", in no mean");
  const share = (ns, of) => words.duration(ns) + (of > 0 ? `, ${words.percent(ns / of)} of ${words.duration(of)}` : "");
  const traces = Object.entries(parts).map(([key, title]) => shapes.bars({
    name: title, across: false, places: shown.map((i) => steps[i].number), lengths: shown.map((i) => report[key][i] / kMs),
    hovers: shown.map((i) => shapes.hover(name(steps[i], i), `${title} ${share(report[key][i], report.wall_ns[i])}`)),
    marker: overlaid(kPartLooks[key] ?? [5, ""]),
  }));
  return {
    ...shapes.figure(traces, {
      barmode: "stack",
      xaxis: shapes.axis({ title: "step" }),
      yaxis: shapes.axis({ title: "time [ms]", fromZero: true }),
    }),
    note: shown.length < all && `The first ${shown.length} of ${words.counted(all, "step")}.`,
  };
};

// ---- The ranks of a job

const kRankLooks = { "own work": [0, ""], "waiting for others": [3, "/"], exchanging: [2, "x"] };
const rankLook = (name) => overlaid(kRankLooks[name]);

charts.ranks = ({ job }, page) => {
  const { rows, straggler } = page.content[job].ranks;
  const traces = [["own work", "work_ns"], ["waiting for others", "wait_ns"]].map(([name, key]) => shapes.bars({
    name, across: false, lengths: rows.map((row) => row[key] / kMs), marker: rankLook(name),
    hovers: rows.map((row) => shapes.hover(
      `rank ${row.rank}`, `${name} ${words.duration(row[key])} of a step of ${words.duration(row.step_ns)}`,
      `entered last in ${words.counted(row.entered_last, "collective")}, slowest in ${words.counted(row.slowest_in, "step")}`,
      Number.isFinite(row.hidden_share) && `${words.percent(row.hidden_share)} of its communication is hidden`)),
  }));
  const names = rows.map(({ rank }) => `${rank}${straggler && straggler.rank === rank ? " (straggler)" : ""}`);
  return shapes.figure(traces, {
    barmode: "stack",
    xaxis: shapes.axis({ title: "rank", names }),
    yaxis: shapes.axis({ title: "mean per step [ms]", fromZero: true }),
  });
};

// One step of all ranks. `lanes`: {kind: [[begin_ns, end_ns], …] per rank}.
charts.lanes = ({ ranks, lanes, one_clock: oneClock }) => shapes.figure(
  Object.keys(kRankLooks).map((name) => {
    const pieces = ranks.flatMap((rank, at) => lanes[name][at].map(([begin, end]) => ({ rank, at, begin, end })));
    return shapes.bars({
      name, base: pieces.map(({ begin }) => begin / kMs), lengths: pieces.map(({ begin, end }) => (end - begin) / kMs),
      places: pieces.map(({ at }) => at), marker: rankLook(name),
      hovers: pieces.map(({ rank, begin, end }) => shapes.hover(`rank ${rank}: ${name} ${words.duration(end - begin)}`,
                                                               `from ${words.duration(begin)} to ${words.duration(end)}`)),
    });
  }), {
    barmode: "overlay",
    xaxis: shapes.axis({ title: `since the ${oneClock ? "first rank" : "rank"} began the step [ms]` }),
    yaxis: shapes.axis({ names: ranks.map((rank) => `rank ${rank}`), downwards: true, grid: false }),
  });

// ---- Two traces: what grew and what shrank. `rows`: table of the diff; `names`: of its first
// rows.

charts.differences = ({ diff, rows: table, names }, page) => {
  const rows = page.content[diff].diff[table].slice(0, names.length);
  const changed = (row) => row.change !== "none";
  return shapes.figure([shapes.bars({
    lengths: rows.map((row) => row.difference_ns / kMs),
    hovers: rows.map((row, i) => shapes.hover(names[i],
      `${words.duration(row.base_ns)} -> ${words.duration(row.new_ns)}, ${words.signedDuration(row.difference_ns)} per step` +
      (row.noise_ns === null ? "" : `; counts from ${words.duration(row.noise_ns)} on`) +
      `: ${changed(row) ? row.change : "no more than the steps differ by"}`)),
    colour: rows.map((row) => (!changed(row) ? colours.dim : row.difference_ns > 0 ? colours.bad : colours.best)),
  })], {
    xaxis: shapes.axis({ title: "new less base, per step [ms]" }),
    yaxis: shapes.axis({ names, downwards: true }),
    showlegend: false,
  });
};
