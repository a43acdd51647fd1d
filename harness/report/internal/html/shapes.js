// SPDX-License-Identifier: Apache-2.0
// The building blocks of all charts: colours, texts, axes and shapes. A shape returns Plotly
// traces; figure() puts them on axes. Figures set no colours for text, paper or grid: page.js adds
// those of the theme.
"use strict";

// Okabe and Ito (2008) and two darker variants, distinguishable with colour vision deficiency; each
// has a contrast of at least 3 with a white and with a nearly black page (WCAG 1.4.11).
const colours = {
  series: ["#0072B2", "#D55E00", "#CC79A7", "#B87F00", "#3A93C9", "#7F7F7F"],
  best: "#009E73",
  bad: "#DC3545",
  plain: "#0072B2",
  dim: "#7F7F7F",
  parts: 5, // number of colours for phases and modules: series without grey
};

// Colours repeat after six series; dash and symbol then change.
const look = (place) => {
  const round = Math.floor(place / colours.series.length);
  return {
    colour: colours.series[place % colours.series.length],
    dash: ["solid", "dash", "dot", "dashdot"][round % 4],
    symbol: ["circle", "square", "diamond", "triangle-up", "cross"][round % 5],
  };
};

const shapes = (() => {
  const kTickCells = 72;
  const kMaxTicks = 50; // more names would overlap
  const kInvisible =
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;
  const escaped = (c) => {
    if ("\n\t\r".includes(c)) return { "\n": "\\n", "\t": "\\t", "\r": "\\r" }[c];
    const code = c.codePointAt(0);
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  };

  // At most `cells` characters, the cut marked by "…".
  function shortened(text, cells) {
    const characters = [...text.slice(0, 4 * cells)];
    if (characters.length <= cells && text.length <= 4 * cells) return text;
    return `${characters.slice(0, cells - 1).join("").trimEnd()}…`;
  }
  // The same, but cuts the middle: the end of a name is more distinctive.
  function shortenedInside(text, cells) {
    const characters = [...text];
    if (characters.length <= cells) return text;
    const head = Math.floor((cells + 1) / 3);
    return shortened(text, head) + characters.slice(head - cells).join("");
  }

  // Escapes untrusted text for Plotly: its pseudo-HTML (<b>, <a>, &amp;) and templates (%{x}).
  const plain = (text, cells = 120) =>
    shortened(String(text).slice(0, 4 * cells + 4).replace(kInvisible, escaped), cells)
      .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/%(?=\{)/g, "&#37;");
  const hover = (...lines) => lines.flat().filter(Boolean).map((line) => plain(line)).join("<br>");

  // `names`: labels at `places`, or at 0, 1, 2…; very many labels are thinned out. `domain`: the
  // part of the figure, [0.5, 1]; `matches`: shares the range of that axis.
  function axis({ title, kind = "linear", fromZero, names, places, downwards, grid = true, ...more } = {}) {
    const made = { type: kind, automargin: true, ...more };
    if (title) made.title = { text: plain(title), standoff: 12 };  // clear of the names
    if (fromZero) made.rangemode = "tozero";
    if (names && names.length) {
      const each = Math.ceil(names.length / kMaxTicks);
      const kept = names.map((_, i) => i).filter((i) => i % each === 0);
      made.tickmode = "array";
      made.ticktext = kept.map((i) => plain(shortenedInside(names[i].replace(kInvisible, escaped), kTickCells)));
      made.tickvals = kept.map((i) => (places ? places[i] : i));
      if (!places) made.zeroline = false;
    }
    if (downwards) made.autorange = "reversed";
    if (!grid) made.showgrid = false;
    return made;
  }

  // With a line for each name of the vertical axis, unless `layout` has a height.
  const figure = (data, layout, legendAt = 1.02) => ({
    data: data.filter(Boolean),
    layout: {
      height: layout.yaxis?.tickvals ? 150 + 28 * (Math.max(...layout.yaxis.tickvals) + 1) : 420,
      hovermode: "closest",
      margin: { l: 60, r: 20, t: 20, b: 50 },
      legend: { orientation: "h", x: 0, y: legendAt, yanchor: "bottom", traceorder: "normal" },
      ...layout,
    },
  });

  // [[low, high] or null, …] as error bars of marks at `centres`; non-finite ends are omitted.
  function intervals(centres, bounds, colour) {
    const below = bounds.map((each, i) => (each && Number.isFinite(each[0]) ? centres[i] - each[0] : null));
    const above = bounds.map((each, i) => (each && Number.isFinite(each[1]) ? each[1] - centres[i] : null));
    if ([...below, ...above].every((each) => each === null)) return undefined;
    return { type: "data", symmetric: false, array: above, arrayminus: below, ...(colour && { color: colour }) };
  }

  const pattern = (shape) => (shape ? { pattern: { shape } } : {});

  // Bars of one part, over all rows of a figure; `across`: horizontal.
  function bars({ name, lengths, places, hovers, colour, hatch, across = true, ...more }) {
    const at = places || lengths.map((_, i) => i);
    return {
      type: "bar",
      ...(name && { name: plain(name, 60) }),
      ...(across && { orientation: "h" }),
      x: across ? lengths : at,
      y: across ? at : lengths,
      hovertext: hovers,
      hoverinfo: "text",
      marker: { color: colour, ...pattern(hatch) },
      ...more,
    };
  }

  // Marks of one look with intervals; null if there are none.
  function marks({ name, x, y, hovers, symbol = "circle", colour, size = 10, ...more }) {
    if (!x.length) return null;
    return {
      type: "scatter",
      mode: "markers",
      ...(name && { name: plain(name, 60) }),
      x,
      y,
      ...(hovers && { hovertext: hovers, hoverinfo: "text" }),
      marker: { symbol, size, color: colour },
      ...more,
    };
  }

  function line({ name, x, y, place = 0, colour = look(place).colour, dash = look(place).dash, width, shape, ...more }) {
    return {
      type: "scatter",
      mode: "lines",
      ...(name && { name: plain(name, 60) }),
      x,
      y,
      line: { color: colour, ...(dash && { dash }), ...(width && { width }), ...(shape && { shape }) },
      ...more,
    };
  }

  // Cells of rows and columns; `text`: optional text in the cells.
  const heat = ({ z, text, hovers, ...more }) => ({
    type: "heatmap",
    z,
    ...(text && { text, texttemplate: "%{text}" }),
    hovertext: hovers,
    hoverinfo: "text",
    xgap: 2,
    ygap: 2,
    ...more,
  });

  // A tree of times as nested areas: a "treemap", or an "icicle", a flame graph from the top.
  // `items`: [{label, hover: lines, parent: index or -1, value, colour}], parents before their
  // children; `value` excludes children; without a colour an item gets its parent's.
  function tree(type, items, height = 480) {
    const hues = [];
    items.forEach((item, i) => hues.push(item.colour || (item.parent < 0 ? colours.dim : hues[item.parent])));
    return figure([{
      type,
      ids: items.map((_, i) => String(i)),
      labels: items.map((item) => plain(item.label, 60)),
      parents: items.map((item) => (item.parent < 0 ? "" : String(item.parent))),
      values: items.map((item) => Math.max(item.value, 0)),
      branchvalues: "remainder",
      hovertext: items.map((item) => hover(item.hover)),
      hoverinfo: "text",
      textinfo: "label+percent root",
      ...(type === "icicle" ? { tiling: { orientation: "v", pad: 1 }, sort: false } : { tiling: { pad: 2 } }),
      marker: { colors: hues, line: { color: "#FFFFFF", width: 1 } },
      pathbar: { visible: true },
    }], { height });
  }

  // Small multiples: the axes of `count` plots in a grid, all with the same range, with titles
  // above them and axis titles at the outer ones.
  function panels(count, x, y, titles) {
    const columns = count === 4 ? 2 : Math.min(count, 3);
    const rows = Math.ceil(count / columns);
    const part = (place, parts, gap) => {
      const length = (1 - gap * (parts - 1)) / parts;
      const begin = place * (length + gap);
      return [begin, Math.min(1, begin + length)];
    };
    const layout = titles ? { annotations: [] } : {};
    for (let i = 0; i < count; ++i) {
      const number = i ? String(i + 1) : "";
      const [column, row] = [i % columns, Math.floor(i / columns)];
      const shared = (letter) => (i ? { matches: letter } : {});
      const across = count > 1 ? { domain: part(column, columns, 0.08) } : {};
      const up = count > 1 ? { domain: part(rows - 1 - row, rows, 0.32 / rows) } : {};
      const lowest = i + columns >= count;
      layout[`xaxis${number}`] = axis({ ...x, title: lowest && x.title, ...across, anchor: `y${number}`, ...shared("x") });
      layout[`yaxis${number}`] = axis({ ...y, title: !column && y.title, ...up, anchor: `x${number}`, ...shared("y") });
      if (titles) {
        layout.annotations.push({
          text: plain(titles[i], 50), showarrow: false, x: 0.5, y: 1, yanchor: "bottom",
          xref: `x${number} domain`, yref: `y${number} domain`,
        });
      }
    }
    return layout;
  }
  const panelOf = (i) => ({ xaxis: i ? `x${i + 1}` : "x", yaxis: i ? `y${i + 1}` : "y" });

  // A vertical line through the whole height.
  const upright = (at, dash = "dot", more = {}) =>
    ({ type: "line", x0: at, x1: at, y0: 0, y1: 1, yref: "paper", line: { color: colours.dim, dash, width: 1 }, ...more });

  // Indices of the values to draw: the smallest and the largest of each stretch.
  function thinned(values, points) {
    if (values.length <= points) return values.map((_, i) => i);
    const stretches = Math.floor((Math.max(points, 4) - 2) / 2);
    const between = values.length - 2;
    const kept = [0];
    for (let stretch = 0; stretch < stretches; ++stretch) {
      const [begin, end] = [stretch, stretch + 1].map((each) => 1 + Math.floor((between * each) / stretches));
      let [low, high] = [begin, begin];
      for (let i = begin; i < end; ++i) {
        if (values[i] < values[low]) low = i;
        if (values[i] >= values[high]) high = i;
      }
      kept.push(...new Set([Math.min(low, high), Math.max(low, high)]));
    }
    kept.push(values.length - 1);
    return kept;
  }

  return { plain, hover, shortenedInside, axis, figure, intervals, bars, marks, line, heat, tree,
           panels, panelOf, upright, thinned };
})();
