// The report of `profile`, which is Markdown of headings, tables and paragraphs, as elements.
import {element, table} from "./dom.js";

/** @param most  The last cell may be code with bars of its own. */
function cells(line, most) {
  const parts = line.replace(/^\|/, "").replace(/\|$/, "").split("|");
  const whole = parts.length <= most ? parts
      : [...parts.slice(0, most - 1), parts.slice(most - 1).join("|")];
  return whole.map(part => {
    const quoted = part.trim().match(/^(`+) ?(.*?) ?\1$/);
    return quoted ? element("code", {class: "line"}, quoted[2]) : part.trim();
  });
}

/** The first two lines are the heads and a rule. */
function tableOf([first, , ...rows], title) {
  const heads = cells(first, Infinity);
  return table(title, heads, rows.map(row => cells(row, heads.length)));
}

/** One block of lines between empty lines. */
function block(lines, title) {
  if (lines[0].startsWith("#")) {
    return element("h3", {}, lines[0].replace(/^#+ */, ""));
  }
  if (lines[0].startsWith("|") && lines.length > 1) {
    return tableOf(lines, title);
  }
  return element("p", {}, lines.join(" "));
}

/** @param text  The report; its first line, a heading, is left out. */
export function reportParts(text) {
  let title = "Report";
  return text.trim().split(/\n\s*\n/).slice(1).map(part => {
    const lines = part.split("\n").filter(line => line.trim());
    if (lines[0]?.startsWith("#")) {
      title = lines[0].replace(/^#+ */, "");
    }
    return lines.length ? block(lines, title) : null;
  }).filter(Boolean);
}
