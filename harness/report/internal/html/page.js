// SPDX-License-Identifier: Apache-2.0
// The behaviour of a report page: draws figures when they come into view, sorts and filters tables,
// switches colours, downloads the data. It makes no network requests.
"use strict";
(() => {
  const root = document.documentElement;
  const phone = window.matchMedia("(max-width: 40rem)");
  const touched = window.matchMedia("(pointer: coarse)").matches;
  const config = {
    displaylogo: false,
    responsive: true,
    showSendToCloud: false,
    modeBarButtonsToRemove: ["sendDataToCloud", "select2d", "lasso2d"],
  };

  function make(tag, attributes, text) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  async function textOf(script) {
    if (script.dataset.encoding !== "gzip+base64") return script.textContent;
    const packed = atob(script.textContent);
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  // Plotly is a separate script, or packed into one that is run here.
  const plotly = (async () => {
    const packed = document.getElementById("plotly-packed");
    if (packed) {
      const text = await textOf(packed);
      document.head.append(make("script", {}, text));
    }
    return window.Plotly;
  })();

  // The value of a style sheet colour in the current theme.
  function colour(name) {
    const probe = make("span", { hidden: "" });
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }

  function template() {
    const [text, soft, rule, raised] = ["--text", "--soft", "--rule", "--raised"].map(colour);
    const none = "rgba(0,0,0,0)";
    const axis = { gridcolor: rule, linecolor: soft, zerolinecolor: soft, tickcolor: soft };
    const button = { bgcolor: raised, bordercolor: soft, font: { color: text } };
    const bar = { colorbar: { outlinecolor: rule, tickcolor: soft } };
    return {
      data: { parcoords: [{ line: bar }], heatmap: [bar] },
      layout: {
        font: { color: text, family: getComputedStyle(document.body).fontFamily, size: 13 },
        paper_bgcolor: none,
        plot_bgcolor: none,
        xaxis: { ...axis, ticklabelstandoff: 6 },  // clear of the other axis's lowest label
        yaxis: axis,
        hoverlabel: { bgcolor: raised, bordercolor: soft, font: { color: text }, align: "left" },
        modebar: { bgcolor: none, color: soft, activecolor: text },
        updatemenudefaults: button,
      },
    };
  }

  const axesOf = (layout, letter) =>
    Object.keys(layout).filter((key) => new RegExp(`^${letter}axis\\d*$`).test(key));

  // Stacks side-by-side plots vertically.
  function stackPanels(layout) {
    const across = axesOf(layout, "x").filter((key) => layout[key].domain);
    if (new Set(across.map((key) => layout[key].domain[0])).size < 2) return;
    const titleOf = (keys) => keys.map((key) => layout[key].title).find((title) => title);
    const up = across.map((key) => `yaxis${key.slice("xaxis".length)}`);
    const titles = [titleOf(across), titleOf(up)];
    across.forEach((key, i) => {
      const top = 1 - i / across.length;
      const title = i + 1 === across.length ? titles[0] : undefined;  // only the lowest has a title
      layout[key] = { ...layout[key], domain: [0, 1], title };
      layout[up[i]] = { ...layout[up[i]], title: titles[1], domain: [top - 0.62 / across.length, top] };
    });
    layout.height = across.length * 230 + 60;
  }

  const kCell = 7.3;  // pixels per letter of a name
  const kMostOfNames = 0.35;  // share of a figure's width

  // Cuts the middle, because the end of a name is more distinctive.
  function cutInside(text, width) {
    const cells = Math.floor(width / kCell);
    if (text.length <= cells) return text;
    const begin = Math.floor(cells / 3);
    return `${text.slice(0, begin)}…${text.slice(begin + 1 - cells)}`;
  }

  // Puts row names above the rows if they take too much room at the side.
  function putNamesAbove(layout, data, width) {
    const annotations = [...(layout.annotations || [])];
    for (const key of axesOf(layout, "y")) {
      const axis = layout[key];
      if (!axis.ticktext || axis.showticklabels === false) continue;
      const rows = data.filter((trace) => (trace.yaxis || "y") === key.replace("axis", ""));
      const longest = Math.max(...axis.ticktext.map((text) => text.length));
      if (longest * kCell < width * kMostOfNames) continue;
      if (rows.some((trace) => trace.type === "heatmap")) {
        const ticktext = axis.ticktext.map((text) => cutInside(text, width * kMostOfNames));
        layout[key] = { ...axis, ticktext };
        continue;
      }
      layout[key] = { ...axis, showticklabels: false };
      const bar = 0.35;  // share of a row's height
      const heads = 110;
      layout.margin = { ...layout.margin, l: 12, r: 12 };
      layout.height = Math.max(layout.height, 46 * axis.ticktext.length + heads);
      const yshift = Math.max(11, ((layout.height - heads) / axis.ticktext.length) * (bar / 2) + 3);
      // A single row needs no name.
      const names = axis.ticktext.length > 1 ? axis.ticktext : [];
      names.map((text) => cutInside(text, width - 24)).forEach((text, i) =>
        annotations.push({
          text, x: 0, xref: "paper", xanchor: "left", y: axis.tickvals[i], yref: key.replace("axis", ""),
          yanchor: "bottom", yshift, showarrow: false, font: { size: 12 }, bgcolor: colour("--page"),
        }),
      );
      for (const trace of rows) if (trace.type === "bar") trace.width = bar;
    }
    layout.annotations = annotations;
  }

  // Fits a figure to this width, by default the page's.
  function fitted(figure, plot, width) {
    const data = figure.data.map((trace) => ({ ...trace }));
    const layout = { ...figure.layout, template: template(), autosize: true };
    // Hide text that would be too small; the hover has it.
    layout.uniformtext = { mode: "hide", minsize: 10 };
    if (touched) layout.dragmode = false;
    if (width) layout.width = width;
    if (data.every((trace) => !trace.x && !trace.y && !trace.dimensions)) {  // has no axes
      layout.margin = { ...layout.margin, l: 8, r: 8 };
    }
    if (phone.matches) stackPanels(layout);
    putNamesAbove(layout, data, width || plot.clientWidth);
    if (phone.matches) {
      // A legend with more entries than fit in a row becomes a column above the plot.
      const named = data.filter((trace) => trace.name && trace.showlegend !== false).length;
      if (named > 2) layout.height += 20 * named;
      // The colour bar is above the plot, not at its side.
      const titled = (layout.annotations || []).some((each) => /domain$/.test(each.yref));
      const y = titled ? 1.02 + 40 / layout.height : 1.02;
      const flat = { orientation: "h", thickness: 12, y, yanchor: "bottom" };
      const bar = (layout.coloraxis || {}).colorbar;
      if (bar) {
        const title = { ...bar.title, side: "top" };
        layout.coloraxis = { ...layout.coloraxis, colorbar: { ...bar, ...flat, title } };
      }
    }
    plot.style.minHeight = `${layout.height}px`;
    return [data, layout, { ...config, displayModeBar: phone.matches ? false : "hover" }];
  }

  // The charts' data, parsed when the first chart comes into view.
  let read;
  const pageData = () =>
    (read ||= textOf(document.getElementById("stepbench-data")).then((text) => JSON.parse(text)));

  const drawn = new Map();

  function show(plot, figure, library) {
    drawn.set(plot, figure);
    plot.parentElement.querySelector(".of-view")?.remove();
    if (figure.note) plot.parentElement.append(make("p", { class: "note of-view" }, figure.note));
    return library.react(plot, ...fitted(figure, plot));
  }

  // A list of the alternatives of a chart, of which it shows one.
  function addViews(plot, names, choose) {
    const list = make("select", { class: "views", "aria-label": "What is drawn" });
    list.append(...names.map((name, i) => make("option", { value: i }, name)));
    list.addEventListener("change", () => choose(Number(list.value)));
    plot.before(list);
  }

  async function draw(plot) {
    if (plot.dataset.state) return;
    plot.dataset.state = "drawing";
    try {
      const { chart, ...asked } = JSON.parse(await textOf(document.getElementById(plot.dataset.figure)));
      const data = await pageData();
      const library = await plotly;
      if (!library) throw new Error("the page holds no Plotly");
      const choose = (view) => show(plot, charts[chart](asked, data, view), library);
      const names = charts[chart].views ? charts[chart].views(asked, data) : [];
      if (names.length > 1) addViews(plot, names, choose);
      const first = drawn.size === 0;
      await choose(0);
      plot.classList.add("drawn");
      plot.dataset.state = "drawn";
      if (first) performance.mark("first-chart");
    } catch (error) {
      plot.dataset.state = "failed";
      plot.style.minHeight = "0";
      plot.append(make("p", { class: "bad" }, `This chart could not be drawn: ${error.message}`));
    }
  }

  // Draws one at a time, so that the page can be scrolled meanwhile.
  let queue = Promise.resolve();
  function drawSoon(plot) {
    queue = queue.then(() => new Promise((next) => setTimeout(next))).then(() => draw(plot));
  }

  function watchPlots() {
    const plots = [...document.querySelectorAll(".plot[data-figure]")];
    if (!("IntersectionObserver" in window)) {
      plots.forEach(drawSoon);
      return;
    }
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          observer.unobserve(entry.target);
          drawSoon(entry.target);
        }
      },
      { rootMargin: "400px" },
    );
    plots.forEach((plot) => observer.observe(plot));
  }

  // After a change of colours or of width, which is the page's by default.
  function refit(width) {
    for (const [plot, figure] of drawn) window.Plotly.react(plot, ...fitted(figure, plot, width));
  }

  phone.addEventListener("change", () => refit());

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);

  function addThemeButton(tools) {
    const button = make("button", { type: "button", id: "theme" });
    const name = () => (button.textContent = isDark() ? "Light colours" : "Dark colours");
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      name();
      refit();
    });
    dark.addEventListener("change", () => {
      name();
      refit();
    });
    name();
    tools.append(button);
  }

  function addDownload(tools) {
    const data = document.getElementById("stepbench-data");
    const button = make("button", { type: "button", id: "download" }, "Download the data (JSON)");
    button.addEventListener("click", async () => {
      const blob = new Blob([await textOf(data)], { type: "application/json" });
      const link = make("a", { href: URL.createObjectURL(blob), download: "stepbench-report.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
    tools.append(button);
  }

  const kPaper = 680;

  // For printing: figures as wide as the paper, in light colours.
  function watchPrint() {
    let theme;
    window.addEventListener("beforeprint", () => {
      theme = root.dataset.theme;
      root.dataset.theme = "light";
      refit(kPaper);
      document.querySelectorAll(".plot[data-figure]").forEach(draw);
    });
    window.addEventListener("afterprint", () => {
      if (theme) root.dataset.theme = theme;
      else delete root.dataset.theme;
      refit();
    });
  }

  // Sorts by a column; missing values come last in either order.
  function sortBy(table, head, column) {
    const number = head.classList.contains("number");
    const ascending = head.getAttribute("aria-sort") !== "ascending";
    const key = (row) => {
      const cell = row.cells[column];
      return number ? Number(cell.dataset.v ?? NaN) : cell.textContent;
    };
    const missing = (value) => (number ? Number.isNaN(value) : value === "-" || value === "");
    const order = new Intl.Collator(undefined, { numeric: true });
    const compare = number ? (a, b) => a - b : order.compare;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: key(row) }));
    rows.sort((a, b) => {
      if (missing(a.key) || missing(b.key)) return missing(a.key) - missing(b.key);
      return (ascending ? 1 : -1) * compare(a.key, b.key);
    });
    body.append(...rows.map((each) => each.row));
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent) return;
      const button = make("button", { type: "button" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, head, column));
    });
  }

  // Shows only rows that contain every word of the filter.
  function addFilter(table) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 6) return;
    const id = `${table.id}-filter`;
    const input = make("input", { type: "search", id, placeholder: "words of a row" });
    const count = make("span", { class: "count", role: "status" });
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) ++shown;
      }
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    });
    const controls = make("div", { class: "controls" });
    controls.append(make("label", { for: id }, "Filter"), input, count);
    table.parentElement.before(controls);
  }

  // Opens the folded parts that contain the target of a link.
  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const inside = target && target.querySelector(":scope > details");  // of a chapter
    for (let each = inside || target; each; each = each.parentElement) {
      if (each.tagName === "DETAILS") each.open = true;
    }
    if (inside || (target && target.closest("details"))) target.scrollIntoView();
  }

  const tools = document.getElementById("tools");
  addThemeButton(tools);
  addDownload(tools);
  for (const table of document.querySelectorAll(".table-box table")) {
    makeSortable(table);
    addFilter(table);
  }
  window.addEventListener("hashchange", openTarget);
  if (location.hash) openTarget();
  watchPrint();
  watchPlots();
})();
