// SPDX-License-Identifier: Apache-2.0
// What a browser can say of a page: each name below is a question that pages.py asks.
const questions = {
  // Texts with less than 4.5 : 1 to what lies behind them (3 : 1 where they are large).
  contrast() {
    const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
    const channel = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ratio = (a, b) => {
      const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    const behind = (element) => {
      for (let each = element; each; each = each.parentElement) {
        const colour = numbers(getComputedStyle(each).backgroundColor);
        if (colour.length === 3 || colour[3] > 0.99) return colour;
      }
      return [255, 255, 255];
    };
    const weak = [];
    const look = (element, colour, text) => {
      const style = getComputedStyle(element);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const found = ratio(numbers(colour), behind(element));
      if (found < (large ? 3 : 4.5)) weak.push(`${found.toFixed(2)} ${element.tagName} ${text.slice(0, 60)}`);
    };
    for (const element of document.body.querySelectorAll("*")) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (!own || element.closest("svg, script, style, .plot") || !element.getClientRects().length) continue;
      look(element, getComputedStyle(element).color, element.textContent);
    }
    const around = ".xtick text, .ytick text, .g-xtitle text, .g-ytitle text, .legendtext, .annotation-text";
    for (const text of document.querySelectorAll(around)) {
      look(text, getComputedStyle(text).fill, text.textContent);
    }
    return weak;
  },

  // What sticks out to the right where the page must not scroll sideways.
  overflow() {
    const width = document.documentElement.clientWidth;
    const clipped = (element) => {
      for (let each = element.parentElement; each && each !== document.body; each = each.parentElement) {
        if (getComputedStyle(each).overflowX !== "visible") return true;
      }
      return false;
    };
    const out = [...document.body.querySelectorAll("*")].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && box.right > width + 1 && !element.closest("svg") && !clipped(element);
    });
    const names = out.slice(0, 5).map((each) => `${each.tagName}.${each.className} ${each.textContent.slice(0, 40)}`);
    return document.documentElement.scrollWidth > width + 1 || names.length
      ? [`${document.documentElement.scrollWidth} of ${width} px`, ...names] : [];
  },

  // Charts whose names leave them less than half of their width.
  narrow() {
    return [...document.querySelectorAll(".plot.drawn")].filter((plot) => {
      const size = plot._fullLayout && plot._fullLayout._size;
      return plot.clientWidth && plot._fullLayout.xaxis && size && size.w < plot.clientWidth / 2;
    }).map((plot) => `${plot.id}: ${Math.round(plot._fullLayout._size.w)} of ${plot.clientWidth} px`);
  },

  // Texts of a chart's axes, titles and notes that lie on each other. Slanted ones are far wider than they look.
  covered() {
    const inside = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    const found = [];
    for (const plot of document.querySelectorAll(".plot.drawn")) {
      if (!plot.clientWidth) continue;
      const texts = [...plot.querySelectorAll(".xtick text, .ytick text, .annotation text, .g-xtitle text, .g-ytitle text, .legendtext, .cbtitle text")]
        .filter((each) => each.getClientRects().length && each.textContent.trim())
        .filter((each) => (/rotate\((-?[\d.]+)/.exec(each.getAttribute("transform")) || [0, 0])[1] % 90 === 0)
        .map((each) => ({ text: each.textContent, box: each.getBoundingClientRect() }));
      texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
        if (inside(a.box, b.box)) found.push(`${plot.id}: ${a.text} / ${b.text}`);
      }));
    }
    return found.slice(0, 10);
  },

  // What a text must never become.
  foreign() {
    const own = document.querySelectorAll("script").length;
    return {
      elements: [...document.body.querySelectorAll("img, iframe, object, embed, form, link, base, meta")].map(
        (each) => each.outerHTML.slice(0, 100)),
      links: [...document.querySelectorAll("a")].map(
        (each) => each.getAttribute("href") || each.getAttribute("xlink:href") || "").filter(
        (href) => href && !href.startsWith("#")),
      handlers: [...document.querySelectorAll("*")].filter(
        (each) => [...each.attributes].some((attribute) => attribute.name.startsWith("on"))).length,
      scripts: own,
    };
  },

  headings() {
    return [...document.querySelectorAll("h1, h2, h3, h4")].map((each) => Number(each.tagName[1]));
  },

  // Controls that a reader of the screen would hear no name of.
  nameless() {
    return [...document.querySelectorAll("button, input, a, [role=img], [role=region]")].filter((each) => {
      const by = each.getAttribute("aria-labelledby");
      return !(each.textContent.trim() || each.getAttribute("aria-label") ||
        (each.id && document.querySelector(`label[for="${each.id}"]`)) ||
        (by && document.getElementById(by)?.textContent.trim()));
    }).filter((each) => !each.closest(".modebar")).map((each) => each.outerHTML.slice(0, 100));
  },

  twice() {
    const ids = [...document.querySelectorAll("[id]")].filter((each) => !each.closest("svg")).map((each) => each.id);
    return ids.filter((id, i) => ids.indexOf(id) !== i);
  },

  tables() {
    return [...document.querySelectorAll(".table-box table")].map((table) => ({
      id: table.id,
      title: document.getElementById(table.parentElement.getAttribute("aria-labelledby")).textContent,
      heads: [...table.tHead.rows[0].cells].map((cell) => cell.textContent),
      rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
      values: [...table.tBodies[0].rows].map((row) => [...row.cells].map(
        (cell) => (cell.dataset.v === undefined ? null : Number(cell.dataset.v)))),
    }));
  },
};
