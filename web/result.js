// The result of a tool, whatever it has: inside the chat, and on the page for jobs.
import {element, facts, section, table} from "./dom.js";
import {measured, profiled} from "./evidence.js";
import {timelinePart} from "./timeline.js";
import {tunePart} from "./tune.js";
import {digits, times, verdict} from "./words.js";

/** The kernels of `workflow`: each row below what it was made from. */
function treePart(output) {
  return output.tree?.length ? section("Kernels", table("Kernels", ["Kernel", "Made by", "Verdict",
    "Speed-up"], output.tree.map(row => ["\u2003".repeat(row.depth ?? 0) + row.kernel_id, row.by,
    row.verdict && verdict(row.verdict), row.total === undefined ? "" : times(row.total)]))) : null;
}

function summary(output) {
  return [
    element("p", {class: "answer"}, output.verdict ? [verdict(output.verdict), " "] : null,
        output.summary ?? ""),
    facts([["Kernel", output.kernel_id], ["Device", output.device], ["Baseline", output.baseline],
      ["Speed-up", typeof output.ratio === "number" ? times(output.ratio) : null],
      ["Interval", output.ratio_ci
        ? times(output.ratio_ci[0]) + " to " + times(output.ratio_ci[1]) : null],
      ["Noise floor", typeof output.noise_floor === "number"
        ? digits(output.noise_floor * 100) + " %" : null],
      ["Evidence", output.evidence_id]])];
}

/**
 * The parts that the result has. @param output  The answer of the tool.
 * @param record  That of its evidence, which has more; undefined where there is none.
 */
export function resultParts(output, record) {
  const whole = record?.output ?? output;
  return [summary(output), timelinePart(whole), measured(whole, record?.mismatch_map),
    tunePart(record?.full ?? whole), record ? profiled(record) : null, treePart(output)]
      .flat().filter(Boolean);
}
