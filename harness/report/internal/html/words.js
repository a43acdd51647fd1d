// SPDX-License-Identifier: Apache-2.0
// Formats numbers with the same precision rules as the tables of the page.
"use strict";
const words = (() => {
  const kTimeUnits = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
  const kByteUnits = ["B", "KiB", "MiB", "GiB", "TiB"];

  const decimalsFor = (value, digits) =>
    value === 0 ? 0 : Math.min(Math.max(digits - 1 - Math.floor(Math.log10(Math.abs(value))), 0), 12);
  const fixed = (value, decimals) => value.toFixed(decimals).replace(/^-(?=[0.]*$)/, "");
  const separated = (text) => text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

  // 0.00123, 1.23, 12.3, 1,230; never with an exponent.
  function significant(value, digits = 3) {
    if (!Number.isFinite(value)) return "?";
    const text = fixed(value, decimalsFor(value, digits));
    // 9.996 rounds up to 10.00, which has one digit too many.
    return separated(fixed(value, Math.min(decimalsFor(value, digits), decimalsFor(Number(text), digits))));
  }

  // Uses as many digits as the ends need to differ: "[41.2, 44.9]", "[1,195 to 1,209]".
  function interval(low, high) {
    let digits = 3;
    while (digits < 6 && low !== high && significant(low, digits) === significant(high, digits)) ++digits;
    const ends = [significant(low, digits), significant(high, digits)];
    return `[${ends.join(ends.join("").includes(",") ? " to " : ", ")}]`;
  }

  function duration(ns) {
    const [name, unit] = kTimeUnits.findLast(([, each]) => Math.abs(ns) >= each) || kTimeUnits[0];
    return `${significant(ns / unit)} ${name}`;
  }
  const signedDuration = (ns) => (ns < 0 ? "-" : "+") + duration(Math.abs(ns));

  function bytes(count) {
    let unit = 0;
    for (; Math.abs(count) >= 1024 && unit + 1 < kByteUnits.length; ++unit) count /= 1024;
    return `${significant(count)} ${kByteUnits[unit]}`;
  }

  // A share: "12.3 %", "0.25 %", "100 %".
  function percent(share) {
    const value = Math.abs(share * 100);
    if (value === 0) return "0 %";
    return `${fixed(share * 100, value < 0.995 ? 2 : value < 99.95 ? 1 : 0)} %`;
  }
  // A relative change: "+1.23 %".
  function change(share) {
    if (!Number.isFinite(share)) return "?";
    const text = fixed(100 * share, Math.abs(share) < 0.09995 ? 2 : 1);
    return `${text.startsWith("-") ? "" : "+"}${text} %`;
  }
  const changes = (low, high) =>
    Number.isFinite(low) && Number.isFinite(high) ? `[${change(low)}, ${change(high)}]`.replace(/ %/g, "") : "-";

  // "53.2 ms", "1.50 GiB", "1,230 samples/s".
  function amount(value, unit) {
    if (unit === "ns") return duration(value);
    return unit === "bytes" ? bytes(value) : `${significant(value)} ${unit}`.trim();
  }

  function counted(count, noun) {
    const many = /(ch|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`;
    return `${separated(String(count))} ${count === 1 ? noun : many}`;
  }

  // The unit for a list of times: that of the median.
  function timeUnit(times) {
    const sorted = times.filter(Number.isFinite).sort((a, b) => a - b);
    const middle = Math.abs(sorted[sorted.length >> 1] ?? 1e6);
    const [name, ns] = kTimeUnits.findLast(([, each]) => middle >= each) || kTimeUnits[0];
    return { name, ns };
  }

  return { significant, interval, duration, signedDuration, bytes, percent, change, changes, amount, counted, timeUnit };
})();
