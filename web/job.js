// The answer of a job that went on when its call had ended.
import {ask} from "./data.js";
import {code, element, facts, folded, link} from "./dom.js";
import {resultParts} from "./result.js";
import {moment} from "./words.js";

/** The record of the evidence that the answer names; undefined where it names none. */
async function recordOf(output, signal) {
  if (!output?.evidence_id) {
    return undefined;
  }
  const {record} = await ask(["evidence", output.evidence_id], {}, signal);
  return record === undefined ? undefined : JSON.parse(record);
}

export async function job([id], signal) {
  const found = await ask(["job", id], {}, signal);
  const {output} = found;
  const record = await recordOf(output, signal);
  return {title: found.tool + ": " + found.status, body: [
    facts([["Job", element("code", {}, found.id)], ["Since", moment(found.created_at)],
      ["Evidence", output?.evidence_id ? link("evidence", output.evidence_id) : null]]),
    found.error ? element("p", {class: "bad"}, found.error) : null,
    ...(output ? resultParts(output, record) : []),
    !output && !found.error ? element("p", {}, "It has no answer yet.") : null,
    output ? folded("The whole answer", code(JSON.stringify(output, null, 2), "The answer")) : null,
  ].filter(Boolean)};
}
