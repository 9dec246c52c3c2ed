// Where an output is wrong: the pattern that was recognised, and the worst element in its place.
import {drawn, element, facts, section} from "./dom.js";
import {digits} from "./words.js";

const SIDE = 160;

/** The place of the worst element among all of the last two dimensions that are known. */
function place(worst, extent) {
  const at = worst.index.slice(-2);
  const [row, column] = at.length === 2 ? at : [0, at[0]];
  const x = extent.column ? column / extent.column * SIDE : 0;
  const y = extent.row ? row / extent.row * SIDE : 0;
  return {x: Math.min(x, SIDE - 6), y: Math.min(y, SIDE - 6), row, column};
}

/** The extents that a pattern's words name: "the last 7 of 167 rows", "the last of 257 columns". */
export function extents(pattern) {
  const of = word => Number((pattern.match(new RegExp(`of (\\d+) ${word}`)) ?? [])[1] ?? 0);
  const last = word => Number(
      (pattern.match(new RegExp(`last (?:(\\d+) )?of \\d+ ${word}`)) ?? [])[1] ?? 1);
  const rows = of("rows");
  const columns = of("columns");
  return {row: rows, column: columns,
    lastRows: rows && /last (\d+ )?of \d+ rows/.test(pattern) ? last("rows") : 0,
    lastColumns: columns && /last (\d+ )?of \d+ columns/.test(pattern) ? last("columns") : 0};
}

function map(worst, pattern) {
  const extent = extents(pattern);
  if (!extent.row && !extent.column) {
    return null;
  }
  const rows = extent.row ? Math.max(3, extent.lastRows / extent.row * SIDE) : 0;
  const columns = extent.column ? Math.max(3, extent.lastColumns / extent.column * SIDE) : 0;
  const at = place(worst, extent);
  const words = `Map of the output: ${pattern}`;
  return drawn("svg", {width: SIDE + 2, height: SIDE + 2, class: "map", role: "img",
    "aria-label": words},
  drawn("rect", {x: 1, y: 1, width: SIDE, height: SIDE, class: "right"}),
  extent.lastRows ? drawn("rect", {x: 1, y: 1 + SIDE - rows, width: SIDE, height: rows,
    class: "wrong"}) : null,
  extent.lastColumns ? drawn("rect", {x: 1 + SIDE - columns, y: 1, width: columns, height: SIDE,
    class: "wrong"}) : null,
  drawn("rect", {x: 1 + at.x, y: 1 + at.y, width: 6, height: 6, class: "worst"}));
}

/** Null where the outputs were right. @param output  Of a validation. */
export function mismatchPart(output) {
  const {mismatch, worst} = output;
  if (!mismatch || !worst) {
    return null;
  }
  const picture = map(worst, mismatch.pattern);
  return section("Where the output is wrong",
      picture && element("figure", {}, picture, element("figcaption", {},
          "Red: the part that the pattern names. Framed: the worst element.")),
      facts([["Output", worst.output], ["Pattern", mismatch.pattern], ["What helps", mismatch.hint],
        ["Wrong", `${mismatch.count} elements, ${digits(mismatch.share * 100)} %`],
        ["Worst element", `${worst.output}[${worst.index.join(", ")}]`],
        ["It is", String(worst.got)], ["It should be", String(worst.want)],
        ["Inputs", Object.entries(worst.workload).map(([name, size]) => `${name} = ${size}`)
            .join(", ") + `, ${worst.distribution}`]]));
}
