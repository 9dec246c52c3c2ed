// A kernel's source, and beside each line what a profile counted there.
import {ask} from "./data.js";
import {code, element, facts, link, section, table} from "./dom.js";
import {digits, moment} from "./words.js";

// A longer source is shown as text, and the lines that were counted as a table.
const MOST_LINES = 3000;
// A line is marked where it needs so much more than its ideal, or so large a share diverges.
const WASTE = 1.25;
const DIVERGENT = 10;

// Each may name the column of its ideal, and how it is bad.
const COLUMNS = {
  instructions_percent: {head: "Instructions, %"},
  latency_percent: {head: "Waiting, %"},
  sectors_per_request: {head: "Sectors a request", ideal: "ideal_sectors_per_request",
    cause: "Uncoalesced", bad: (value, ideal) => value > WASTE * ideal},
  shared_passes_per_request: {head: "Shared cycles a request",
    ideal: "ideal_shared_passes_per_request", cause: "Bank conflicts",
    bad: (value, ideal) => value > WASTE * ideal},
  divergent_percent: {head: "Divergent, %", cause: "Divergent",
    bad: value => value >= DIVERGENT},
  bytes: {head: "Bytes"},
  used_percent: {head: "Elements used, %", cause: "Masked elements", bad: value => value < 75},
  sectors_per_ideal_sector: {head: "Sectors for each ideal one", cause: "Uncoalesced",
    bad: value => value > WASTE},
  flops: {head: "Operations"},
};

/** The columns that there are words for, with the places of their values in a row. */
function known({columns}) {
  return Object.entries(COLUMNS).filter(([name]) => columns.includes(name))
      .map(([name, column]) => ({...column, at: columns.indexOf(name),
        idealAt: columns.indexOf(column.ideal)}));
}

/** {text, bad} of one counter; null where the line made no such request. */
function counter(column, row) {
  const value = row[column.at];
  if (typeof value !== "number") {
    return null;
  }
  const ideal = row[column.idealAt];
  const text = digits(value) + (typeof ideal === "number" ? " of ideal " + digits(ideal) : "");
  return {text, bad: column.bad?.(value, ideal ?? 0) ?? false};
}

function cell(found) {
  return found && (found.bad ? element("span", {class: "verdict bad"}, "\u25b2 " + found.text)
      : found.text);
}

/** Which lines lose by which cause; null where none does. */
function causes(columns, rows) {
  const pairs = columns.filter(column => column.cause).map(column => {
    const lines = rows.filter(row => counter(column, row)?.bad).map(row => row[0]);
    return [column.cause, lines.length ? (lines.length > 1 ? "lines " : "line ") +
        lines.slice(0, 12).join(", ") + (lines.length > 12 ? ", \u2026" : "") : null];
  });
  return pairs.some(([, lines]) => lines) ? facts(pairs) : null;
}

function annotated(lines, counters) {
  const columns = known(counters);
  const byLine = new Map(counters.rows.map(row => [row[0], row]));
  const numbers = lines.length <= MOST_LINES ? lines.map((_, at) => at + 1)
      : [...byLine.keys()].filter(number => number <= lines.length).slice(0, MOST_LINES);
  const rows = numbers.map(number => {
    const row = byLine.get(number);
    return [String(number), ...columns.map(column => row ? cell(counter(column, row)) : ""),
      element("code", {class: "line"}, lines[number - 1])];
  });
  return [causes(columns, counters.rows),
    table("Source with counters", ["Line", ...columns.map(column => column.head), "Source"], rows)];
}

/** Source with the numbers that diagnostics name. */
function numbered(lines) {
  const width = String(lines.length).length;
  return code(lines.map((line, at) => String(at + 1).padStart(width) + "  " + line).join("\n"),
      "Source");
}

/**
 * The parts of a view that show the source. @param found  A kernel: {source, source_left_out}.
 * @param counters  {evidence_id, device, created_at, columns, rows} or null.
 */
export function sourceParts(found, counters) {
  const lines = found.source.replace(/\n$/, "").split("\n");
  const left = found.source_left_out;
  const counted = counters?.rows.length > 0;
  return [
    counters ? element("p", {}, counted ? "Counted by a " : "Nothing was counted by line in the ",
        link("evidence", counters.evidence_id, "profile"), " on " + counters.device + ", ",
        moment(counters.created_at), ".") : null,
    ...(counted ? annotated(lines, counters) : [numbered(lines)]),
    counted && lines.length > MOST_LINES ? numbered(lines) : null,
    left ? element("p", {}, digits(left) + " more bytes.") : null].filter(Boolean);
}

/** The source alone, with the counters of one profile or of the newest. */
export async function source([id, evidence], signal) {
  const [found, counters] = await Promise.all([ask(["kernel", id], {}, signal),
    ask(["kernel", id, "counters"], {evidence}, signal)]);
  return {title: "Source of " + (found.name || found.id), body: [
    facts([["Kernel", link("kernel", found.id, found.name)]]),
    counters ? null : element("p", {}, "It was not profiled: there are no counters."),
    section("Source", ...sourceParts(found, counters))].filter(Boolean)};
}
