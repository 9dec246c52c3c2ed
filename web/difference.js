// The lines that were changed between two kernels.
import {ask} from "./data.js";
import {element, facts, link} from "./dom.js";

const CLASSES = {"+": "added", "-": "removed", "@": "hunk"};

/** @param diff  {text, added, removed}. */
export function diffText(diff) {
  if (!diff.text) {
    return element("p", {}, "The source is the same: only launches, parameters or names differ.");
  }
  const lines = diff.text.replace(/\n$/, "").split("\n");
  return element("pre", {tabindex: "0", role: "region", "aria-label": "Changed lines"},
      lines.map(line => element("span", {class: CLASSES[line[0]]}, line + "\n")));
}

export async function difference([from, to], signal) {
  const diff = await ask(["kernel", to, "diff"], {from}, signal);
  return {title: "What was changed", body: [
    facts([["From", link("kernel", diff.from, diff.from)], ["To", link("kernel", diff.to, diff.to)],
      ["Lines", `${diff.added} added, ${diff.removed} removed`]]), diffText(diff)]};
}
