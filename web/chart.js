// Speed-ups with their intervals and noise floors, one row for each kernel.
import {address, drawn, element} from "./dom.js";
import {digits, times} from "./words.js";

const ROW = 24;
const TOP = 8;
const BOTTOM = 28;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** A row: its interval and its floor against the reference, whatever its baseline was. */
function rowOf(kernel) {
  const {speed} = kernel.standings[0];
  const base = speed.total / speed.least;
  const floor = 1 + (speed.noise_floor ?? 0);
  return {
    kernel, exact: speed.against === "reference",
    low: (speed.low ?? speed.least) * base,
    high: (speed.high ?? speed.ratio ?? speed.least) * base,
    at: (speed.ratio ?? speed.least) * base,
    noiseLow: base / floor, noiseHigh: base * floor, noisy: speed.noise_floor !== undefined,
  };
}

/** A logarithmic scale over all rows: twice as fast is as far from 1 as half as fast. */
function scaleOf(rows, left, right) {
  const low = Math.min(1, ...rows.map(row => Math.min(row.low, row.noiseLow))) / 1.1;
  const high = Math.max(1, ...rows.map(row => Math.max(row.high, row.noiseHigh))) * 1.1;
  const x = value => left + (right - left) * Math.log(value / low) / Math.log(high / low);
  return {x, ticks: STEPS.filter(step => step >= low && step <= high)};
}

function shortened(text, most) {
  return text.length > most ? text.slice(0, most - 1) + "\u2026" : text;
}

function drawnRow(row, index, x, left, right) {
  const y = TOP + index * ROW + ROW / 2;
  const name = row.kernel.name || row.kernel.id;
  const said = `${name}: ${times(row.at)}, interval ${digits(row.low)} to ${digits(row.high)}` +
      (row.noisy ? `, noise ${digits(row.noiseLow)} to ${digits(row.noiseHigh)}` : "") +
      (row.exact ? "" : ", by way of its baseline");
  return drawn("a", {href: address("kernel", row.kernel.id), "aria-label": said},
      drawn("title", {}, said),
      drawn("rect", {x: 0, y: y - ROW / 2, width: right, height: ROW, class: "hit"}),
      row.noisy ? drawn("rect", {class: "noise", x: x(row.noiseLow), y: y - 8, height: 16,
        width: Math.max(1, x(row.noiseHigh) - x(row.noiseLow))}) : null,
      drawn("line", {class: "interval", x1: x(row.low), x2: x(row.high), y1: y, y2: y}),
      drawn("circle", {class: row.exact ? "exact" : "derived", cx: x(row.at), cy: y, r: 4}),
      drawn("text", {x: 0, y: y + 4, class: "label"}, shortened(name, left / 7.5)));
}

/**
 * The chart of kernels that have a speed-up against the reference; null where none has.
 * @param width  In pixels.
 */
export function speedChart(kernels, width) {
  const rows = kernels.filter(one => one.standings[0]?.speed?.total).map(rowOf)
      .sort((one, other) => other.at - one.at);
  if (!rows.length) {
    return null;
  }
  const left = Math.min(200, width * 0.35);
  const right = width - 8;
  const {x, ticks} = scaleOf(rows, left, right);
  const bottom = TOP + rows.length * ROW;
  const grid = ticks.map(tick => [
    drawn("line", {class: tick === 1 ? "one" : "grid", x1: x(tick), x2: x(tick), y1: TOP,
      y2: bottom}),
    drawn("text", {x: x(tick), y: bottom + 16, class: "tick"}, digits(tick) + "x")]);
  const picture = drawn("svg", {width, height: bottom + BOTTOM, class: "chart", role: "group",
    "aria-label": "Speed-up against the reference"}, grid,
  rows.map((row, index) => drawnRow(row, index, x, left, right)));
  return element("figure", {}, picture, element("figcaption", {},
      "Speed-up against the reference (line: interval of the measurement; band: what the " +
      "device shows as a difference between equals, around the baseline; hollow: timed " +
      "against another kernel)."));
}
