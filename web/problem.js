// One problem: its fastest kernel, why the last one was rejected, and all its kernels.
import {ask} from "./data.js";
import {code, element, facts, folded, link, section, table} from "./dom.js";
import {more} from "./more.js";
import {speedChart} from "./chart.js";
import {moment, speedUp, timedVerdict, times, verdict} from "./words.js";

function standingCells(kernel) {
  const standing = kernel.standings[0];
  return [link("kernel", kernel.id, kernel.name),
    [verdict(standing.verdict, standing.meaning), " ", timedVerdict(standing.speed)]];
}

function passedRow(kernel) {
  const {speed, evidence_id} = kernel.standings[0];
  const interval = speed?.low === undefined ? "" : times(speed.low) + " to " + times(speed.high);
  const against = !speed || speed.against === "reference" ? "the reference"
      : link("kernel", speed.against, speed.against);
  return [...standingCells(kernel), speedUp(speed), interval, speed ? against : "",
    link("evidence", evidence_id, "evidence"), moment(kernel.created_at)];
}

function failedRow(kernel) {
  const {message, meaning, evidence_id} = kernel.standings[0];
  return [...standingCells(kernel), message || meaning, link("evidence", evidence_id, "evidence"),
    moment(kernel.created_at)];
}

function newestRow(kernel) {
  const where = kernel.standings.map(standing => element("div", {},
      standing.device + ": ", verdict(standing.verdict, standing.meaning)));
  return [link("kernel", kernel.id, kernel.name), where.length ? where : "not judged",
    moment(kernel.created_at)];
}

/** Within a page: kernels that were timed against others rank by what that comes to, too. */
function fastestFirst(one, other) {
  const total = kernel => kernel.standings[0]?.speed?.total ?? 0;
  return total(other) - total(one);
}

const PASSED = ["Kernel", "Verdict", "Speed-up", "Interval", "Timed against", "", "Since"];
const FAILED = ["Kernel", "Verdict", "Why", "", "Since"];
const NEWEST = ["Kernel", "Verdict", "Since"];

/** One list of kernels with its button for more; null where it is empty. */
async function list(id, caption, heads, row, values, signal) {
  const fetch = mark => ask(["problem", id, "kernels"], {...values, mark}, signal);
  const first = await fetch("");
  if (values.order === "passed") {
    first.rows.sort(fastestFirst);
  }
  const shown = table(caption, heads, first.rows.map(row));
  return {rows: first.rows, node: first.rows.length
      ? element("div", {}, shown, more(shown, first, fetch, row)) : null};
}

function answer(found) {
  const words = found.fastest.map(kernel => element("p", {class: "answer"},
      "Fastest on " + kernel.standings[0].device + ": ", link("kernel", kernel.id, kernel.name),
      ", " + speedUp(kernel.standings[0].speed) + " ",
      timedVerdict(kernel.standings[0].speed)));
  for (const kernel of found.rejected) {
    const {device, message, meaning} = kernel.standings[0];
    words.push(element("p", {class: "answer"}, "Last rejected on " + device + ": ",
        link("kernel", kernel.id, kernel.name), ", ", verdict(kernel.standings[0].verdict, meaning),
        ": " + (message || meaning)));
  }
  return words;
}

async function onDevice(id, device, signal) {
  const values = {device};
  const [passed, failed] = await Promise.all([
    list(id, "Kernels that passed on " + device, PASSED, passedRow,
        {...values, order: "passed"}, signal),
    list(id, "Kernels that failed on " + device, FAILED, failedRow,
        {...values, order: "failed"}, signal)]);
  const width = Math.min(900, document.querySelector("main").clientWidth);
  return section("On " + device, speedChart(passed.rows, width),
      passed.node ? element("h3", {}, "Passed") : null, passed.node,
      failed.node ? element("h3", {}, "Failed") : null, failed.node);
}

export async function problem([id], signal) {
  const found = await ask(["problem", id], {}, signal);
  const devices = await Promise.all(found.devices.map(one => onDevice(found.id, one, signal)));
  const newest = await list(found.id, "All kernels, the newest first", NEWEST, newestRow,
      {order: "newest"}, signal);
  return {title: found.name || found.id, body: [
    facts([["Problem", element("code", {}, found.id)], ["Since", moment(found.created_at)]]),
    ...answer(found), ...devices,
    newest.node ? section("All kernels, the newest first", newest.node) : null,
    section("The problem", folded("As it was sent",
        code(JSON.stringify(found.form, null, 2), "The problem"))),
  ].filter(Boolean)};
}
