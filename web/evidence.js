// One measurement: what was found, with which inputs, and how to measure it again.
import {ask} from "./data.js";
import {address, code, element, facts, folded, link, section, table} from "./dom.js";
import {mismatchPart} from "./mismatch.js";
import {reportParts} from "./report.js";
import {tunePart} from "./tune.js";
import {digits, moment, times, verdict} from "./words.js";

function sizes(workload) {
  return Object.entries(workload ?? {}).map(([name, value]) => name + " = " + value).join(", ");
}

function runRow(run) {
  const more = [run.order ? "order " + run.order : "", run.device ?? "",
    run.shrunk_from ? "shrunk from " + sizes(run.shrunk_from) : ""].filter(Boolean).join("; ");
  return [sizes(run.workload), run.distribution, verdict(run.verdict),
    digits(run.max_abs_error), digits(run.max_rel_error), more];
}

function timeRow(row) {
  return [sizes(row.workload), digits(row.median_us) + " us",
    digits(row.p5_us) + " to " + digits(row.p95_us) + " us",
    row.baseline_median_us === undefined ? "" : digits(row.baseline_median_us) + " us",
    row.ratio === undefined ? "" : times(row.ratio),
    row.ratio_ci ? times(row.ratio_ci[0]) + " to " + times(row.ratio_ci[1]) : "",
    row.roofline_percent ? digits(row.roofline_percent) + " % of " + row.roofline_bound : "",
    String(row.samples)];
}

function fault(found) {
  return found && section("Fault", facts([["What", found.message],
    ["Where", found.line === undefined ? null : `${found.file} line ${found.line}`],
    ["Buffer", found.buffer ? `${found.buffer}[${found.index}]` : null],
    ["Block", found.block?.join(", ")], ["Thread", found.thread?.join(", ")]]));
}

function findings(output) {
  const texts = (output.findings ?? []).map(finding => finding.kind + ": " + finding.message)
      .concat((output.diagnostics ?? []).map(one => [
        one.severity, one.line === undefined ? "" : "line " + one.line, one.message]
          .filter(Boolean).join(" ")));
  return texts.length ? section("Findings", element("ul", {},
      texts.map(text => element("li", {}, text)))) : null;
}

/** Draws what it can: records may come from other archives, and hold what no judge has written. */
function sound(draw) {
  try {
    return draw();
  } catch {
    return element("p", {class: "bad"}, "A part of this record is not as it should be.");
  }
}

/**
 * Parts that several kinds of evidence have; each is left out where the record has none.
 * @param map  The record's mismatch_map, where it has one.
 */
export function measured(output, map) {
  return [
    () => mismatchPart(output, map), () => fault(output.fault), () => findings(output),
    () => output.runs?.length ? section("Runs", table("Runs", ["Inputs", "Distribution", "Verdict",
      "Largest error", "Relative", "More"], output.runs.map(runRow))) : null,
    () => output.workloads?.some(row => row.median_us) ? section("Times", table("Times", ["Inputs",
      "Median", "5 % to 95 %", "Baseline", "Speed-up", "Interval", "Limit", "Samples"],
    output.workloads.map(timeRow))) : null].map(sound);
}

/** In words for those who do not see the picture. @param found  {bound, percent}. */
function share(found) {
  return typeof found?.percent === "number"
      ? `: ${digits(found.percent)} % of what ${found.bound} allows` : "";
}

/** What `profile` drew and wrote. An image runs no scripts, whatever is in it. */
export function profiled(record) {
  return [
    record.roofline ? section("Roofline", element("img", {class: "roofline",
      alt: "The kernel's place under the limits of the device" + share(record.output?.roofline),
      src: "data:image/svg+xml," + encodeURIComponent(record.roofline)})) : null,
    record.report ? section("Report", ...reportParts(record.report)) : null];
}

function baseline(output) {
  if (!output.baseline) {
    return null;
  }
  return output.baseline.startsWith("krn_") ? link("kernel", output.baseline, output.baseline)
      : output.baseline;
}

export async function evidence([id], signal) {
  const found = await ask(["evidence", id], {}, signal);
  const record = (found.record === undefined ? null : JSON.parse(found.record)) ?? {};
  const output = record.output ?? {};
  const whole = found.record === undefined
      ? element("p", {}, digits(found.record_bytes) + " bytes, too long for this page: " +
          "read evidence://" + found.id)
      : folded("As it is stored", code(found.record, "The record"));
  return {title: found.kind + ": " + found.verdict, body: [
    element("p", {class: "answer"}, verdict(found.verdict, found.meaning), " ",
        output.message || found.meaning),
    facts([["Evidence", element("code", {}, found.id)],
      ["Kernel", link("kernel", found.kernel_id, found.kernel_id)],
      ["Device", [record.device?.name, found.device].filter(Boolean).join(", ")],
      ["When", moment(found.created_at)], ["Level", record.level],
      ["Baseline", baseline(output)],
      ["Speed-up", output.ratio === undefined ? null : times(output.ratio)],
      ["Interval", output.ratio_ci
        ? times(output.ratio_ci[0]) + " to " + times(output.ratio_ci[1]) : null],
      ["Noise floor", output.noise_floor === undefined ? null
        : digits(output.noise_floor * 100) + " %"],
      ["Seed", found.seed]]),
    record.lines ? element("p", {}, element("a", {href: address("source", found.kernel_id, found.id)},
        "The source with the counters of each line")) : null,
    ...measured(output, record.mismatch_map), tunePart(record.full ?? output), ...profiled(record),
    found.again ? section("How to measure it again", code(found.again, "Command")) : null,
    section("The record", whole),
  ].filter(Boolean)};
}
