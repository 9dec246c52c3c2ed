// One kernel: how it stands, how it came to be, its source, and all evidence.
import {ask} from "./data.js";
import {code, element, facts, folded, link, section, table} from "./dom.js";
import {diffText} from "./difference.js";
import {familyGraph} from "./family.js";
import {more} from "./more.js";
import {sourceParts} from "./source.js";
import {digits, moment, speedUp, timedVerdict, times, verdict} from "./words.js";

function standingRow(standing) {
  const {speed} = standing;
  return [standing.device, verdict(standing.verdict, standing.meaning),
    [standing.message || speedUp(speed), " ", timedVerdict(speed)],
    speed?.low === undefined ? "" : times(speed.low) + " to " + times(speed.high),
    speed?.noise_floor === undefined ? "" : digits(speed.noise_floor * 100) + " %",
    link("evidence", standing.evidence_id, "evidence")];
}

function evidenceRow(row) {
  return [link("evidence", row.id, row.kind), verdict(row.verdict, row.meaning), row.device,
    moment(row.created_at)];
}

function labels(found) {
  return found.labels.length ? element("ul", {}, found.labels.map(label => element("li", {},
      label.kind + ": " + label.text + (label.imported ? " (imported)" : "")))) : null;
}

async function history(found, signal) {
  const family = await ask(["kernel", found.id, "family"], {}, signal);
  return section("How it came to be", familyGraph(family, found.id));
}

async function change(found, signal) {
  if (!found.parent) {
    return null;
  }
  const diff = await ask(["kernel", found.id, "diff"], {from: found.parent}, signal);
  return section("What was changed", element("p", {}, "Since ",
      link("kernel", found.parent, found.parent)), diffText(diff));
}

async function evidenceList(found, signal) {
  const fetch = mark => ask(["kernel", found.id, "evidence"], {mark}, signal);
  const first = await fetch("");
  const list = table("Evidence", ["Evidence", "Verdict", "Device", "When"],
      first.rows.map(evidenceRow));
  return section("Evidence", list, more(list, first, fetch, evidenceRow));
}

export async function kernel([id], signal) {
  const found = await ask(["kernel", id], {}, signal);
  const [past, changed, counters] = await Promise.all([history(found, signal),
    change(found, signal), ask(["kernel", found.id, "counters"], {}, signal)]);
  const evidence = await evidenceList(found, signal);
  const standings = found.standings.length
      ? table("How it stands", ["Device", "Verdict", "Result", "Interval", "Noise floor", ""],
          found.standings.map(standingRow))
      : element("p", {}, "It was not judged here yet.");
  return {title: found.name || found.id, body: [
    facts([["Kernel", element("code", {}, found.id)],
      ["Solves", link("problem", found.problem_id, found.problem_name)],
      ["Language", found.plan?.language], ["Since", moment(found.created_at)]]),
    labels(found), section("How it stands", standings), past, changed,
    section("Source", ...sourceParts(found, counters),
        element("p", {}, link("source", found.id, "The source alone")),
        folded("Launches, parameters and constraints",
            code(JSON.stringify(found.plan, null, 2), "Launches, parameters and constraints"))),
    evidence,
  ].filter(Boolean)};
}
