// A tuning: how the best time fell, and which choices of parameters were how fast.
import {drawn, element, section, table} from "./dom.js";
import {digits} from "./words.js";

const HEIGHT = 200;
const LEFT = 70;
const BOTTOM = 26;
const TOP = 14;

function scale(low, high, from, to) {
  const span = high - low || 1;
  return value => from + (to - from) * (value - low) / span;
}

function label(x, y, words, anchor) {
  return drawn("text", {x, y, class: "tick", "text-anchor": anchor}, words);
}

/** The best time so far over the time of the search, in steps; null where nothing was timed. */
function convergence(found, width) {
  const points = found.convergence ?? [];
  if (!points.length) {
    return null;
  }
  const end = Math.max(found.pace?.search_s ?? 0, ...points.map(point => point.t_s));
  const most = points[0].best_us;
  const least = points.at(-1).best_us;
  const x = scale(0, end, LEFT, width - 10);
  const y = scale(Math.min(least, most * 0.9), most, HEIGHT - BOTTOM, TOP);
  const path = points.map((point, at) =>
    (at ? "H" : "M") + x(point.t_s) + (at ? " V" : " ") + y(point.best_us)).join(" ");
  const words = least === most ? `The best time was found in the first ${digits(points[0].t_s)} s`
      : `The best time fell from ${digits(most)} us to ${digits(least)} us ` +
      `in ${digits(end)} s`;
  return element("figure", {}, drawn("svg", {width, height: HEIGHT, role: "img",
    "aria-label": words},
  drawn("line", {class: "grid", x1: LEFT, x2: width - 10, y1: HEIGHT - BOTTOM,
    y2: HEIGHT - BOTTOM}),
  drawn("path", {class: "curve", d: path + " H" + x(end)}),
  label(LEFT - 6, y(most) + 4, digits(most) + " us", "end"),
  least === most ? null : label(LEFT - 6, y(least) + 4, digits(least) + " us", "end"),
  label(LEFT, HEIGHT - 8, "0 s", "middle"), label(width - 10, HEIGHT - 8, digits(end) + " s", "end")),
  element("figcaption", {}, words + "."));
}

/** An axis for each parameter and one for the time; a line for each point, the best one on top. */
function coordinates(points, names, width) {
  const axes = [...names, "us"];
  const value = (point, name) => name === "us" ? point.us : point.params[name];
  const x = scale(0, axes.length - 1, 30, width - 60);
  const ways = axes.map(name => {
    const all = [...new Set(points.map(point => value(point, name)))];
    const numbers = all.every(one => typeof one === "number");
    const steps = scale(0, Math.max(1, all.length - 1), HEIGHT - BOTTOM - 8, TOP + 14);
    return {all, numbers, y: numbers ? scale(Math.min(...all), Math.max(...all),
        HEIGHT - BOTTOM - 8, TOP + 14) : one => steps(all.indexOf(one))};
  });
  const line = point => axes.map((name, at) =>
    (at ? "L" : "M") + x(at) + " " + ways[at].y(value(point, name))).join(" ");
  return element("figure", {}, drawn("svg", {width, height: HEIGHT, role: "img",
    "aria-label": "Parameters and times of the fastest points; the table has the same"},
  axes.map((name, at) => [drawn("line", {class: "grid", x1: x(at), x2: x(at), y1: TOP + 8,
    y2: HEIGHT - BOTTOM}), label(x(at), HEIGHT - 8, name, "middle"),
  ...(ways[at].numbers ? [Math.min(...ways[at].all), Math.max(...ways[at].all)] : ways[at].all)
      .map(one => label(x(at) + 4, ways[at].y(one) - 3, digits(one), "start"))]),
  [...points].reverse().map((point, at) => drawn("path",
      {class: at === points.length - 1 ? "curve" : "curve other", d: line(point)}))),
  element("figcaption", {}, "The fastest points; the strong line is the best one."));
}

/** @param found  What `tune` found: {convergence, top, ...}. Null where it is no tuning. */
export function tunePart(found) {
  if (!found.top?.length) {
    return null;
  }
  const width = Math.min(700, document.querySelector("main").clientWidth - 32);
  const names = Object.keys(found.top[0].params);
  const rows = found.top.map(point => [...names.map(name => String(point.params[name])),
    digits(point.us) + " us", String(point.samples), point.validated ? "yes" : "no"]);
  return section("Tuning", convergence(found, width), coordinates(found.top, names, width),
      table("The fastest points", [...names, "Time", "Samples", "Validated"], rows));
}
