// Numbers, times and verdicts as people read them.
import {element} from "./dom.js";

/** Three significant digits. */
export function digits(value) {
  if (typeof value !== "number") {
    return String(value);
  }
  return value.toLocaleString("en", {maximumSignificantDigits: 3});
}

export function times(value) {
  return digits(value) + "x";
}

/** "2026-11-29 02:13" of the time here; the whole one is its title. */
export function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    return text || "";
  }
  const two = number => String(number).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return element("time", {datetime: date.toISOString(), title: date.toISOString()},
      day + " " + two(date.getHours()) + ":" + two(date.getMinutes()));
}

export function seconds(value) {
  return value < 60 ? digits(value) + " s" : Math.round(value / 60) + " min";
}

// Verdicts that are neither good nor bad news.
const OPEN = new Set(["equivalent", "inconclusive", "resolution_limited", "slower", "timeout",
  "unsupported", "invalid_reference", "imported", "unchanged", "none", "no_baseline", "skipped"]);
const GOOD = new Set(["passed", "compiled", "faster", "profiled", "evaluated"]);

/** A verdict with a sign, so that colour is not all that tells. */
export function verdict(name, meaning) {
  const kind = GOOD.has(name) ? "good" : OPEN.has(name) ? "open" : "bad";
  const sign = {good: "\u2713 ", open: "\u2013 ", bad: "\u2717 "}[kind];
  return element("span", {class: "verdict " + kind, title: meaning}, sign + name);
}

/** The verdict of the benchmark: whether the speed-up is more than noise. Null where there is none. */
export function timedVerdict(speed) {
  return speed?.verdict ? verdict(speed.verdict, speed.meaning) : null;
}

/** The speed-up against the reference, and how it is known. */
export function speedUp(speed) {
  if (!speed) {
    return "not timed";
  }
  if (speed.total === undefined) {
    return "at least " + times(speed.least) + " against another kernel";
  }
  return "at least " + times(speed.total) +
      (speed.against === "reference" ? "" : ", by way of another kernel");
}

/** The best standing of a kernel to show where there is room for one. */
export function bestStanding(kernel) {
  return [...kernel.standings].sort((one, other) =>
      (other.passed - one.passed) || ((other.speed?.total ?? 0) - (one.speed?.total ?? 0)))[0];
}
