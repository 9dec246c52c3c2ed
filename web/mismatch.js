// Where an output is wrong: a map of its elements, coloured by the size of their errors, with the
// place that was recognised outlined.
import {drawn, element, facts, folded, section, table} from "./dom.js";
import {digits} from "./words.js";

const MOST_WIDTH = 448;
const MOST_CELL = 24;
const LEAST_SIDE = 96;
const MARK = 8;
const UNSIZED = 9;
const UNSIZED_WORDS = "never written, or no number";
const HIGHEST = 8;
const REGIONS = 4;
const MOST_CELLS = 128;
const MOST_BOXES = 64;

/** Whether it is a map as a judge makes it: any archive may be imported. */
function isMap(map) {
  const across = map?.levels?.[0]?.length;
  return Array.isArray(map?.levels) && map.levels.length <= MOST_CELLS && across > 0 &&
      across <= MOST_CELLS && map.rows > 0 && map.columns > 0 && Array.isArray(map.shape) &&
      map.levels.every(line => typeof line === "string" && line.length === across) &&
      Array.isArray(map.outline) && map.outline.length <= MOST_BOXES &&
      map.outline.every(Array.isArray);
}

/** Pixels: cells are squares, and wider or higher where there are few of them. */
function sizeOf(map, room) {
  const across = map.levels[0].length;
  const down = map.levels.length;
  const unit = Math.floor(Math.min(room, MOST_WIDTH) / Math.max(across, down));
  const square = Math.max(2, Math.min(unit, MOST_CELL));
  const side = cells => Math.max(square, Math.min(MOST_CELL, Math.floor(LEAST_SIDE / cells)));
  const [wide, high] = [side(across), side(down)];
  return {width: across * wide, height: down * high, wide, high};
}

/** A line of cells as one element for each run of a level. */
function runs(line, row, size) {
  const parts = [];
  for (let from = 0, to = 0; from < line.length; from = to) {
    while (to < line.length && line[to] === line[from]) {
      ++to;
    }
    if (line[from] !== "0") {
      parts.push(drawn("rect", {x: from * size.wide, y: row * size.high, height: size.high,
        width: (to - from) * size.wide, class: "level" + line[from]}));
    }
  }
  return parts;
}

/** A box of elements in pixels, never too small to be seen. */
function boxed([firstRow, lastRow, firstColumn, lastColumn], map, size) {
  const span = (first, last, all, pixels) => {
    const length = Math.max(3, (last - first + 1) / all * pixels);
    return [Math.min(first / all * pixels, pixels - length), length];
  };
  const [x, width] = span(firstColumn, lastColumn, map.columns, size.width);
  const [y, height] = span(firstRow, lastRow, map.rows, size.height);
  return {x, y, width, height};
}

function worstMark(worst, map, size) {
  const row = worst.index.slice(0, -1).reduce((at, one, dim) => at * map.shape[dim] + one, 0);
  const column = worst.index.at(-1) ?? 0;
  const place = (at, all, pixels) =>
    Math.max(0, Math.min((at + 0.5) / all * pixels - MARK / 2, pixels - MARK));
  const at = {width: MARK, height: MARK, x: place(column, map.columns, size.width),
    y: place(row, map.rows, size.height)};
  return [drawn("rect", {...at, class: "halo"}), drawn("rect", {...at, class: "worst"})];
}

function picture(map, words, worst) {
  const size = sizeOf(map, document.querySelector("main").clientWidth - 48);
  return drawn("svg", {width: size.width + 4, height: size.height + 4, class: "map", role: "img",
    viewBox: `-2 -2 ${size.width + 4} ${size.height + 4}`, "aria-label": words},
  drawn("rect", {x: 0, y: 0, width: size.width, height: size.height, class: "right"}),
  map.levels.map((line, row) => runs(line, row, size)),
  map.outline.map(box => drawn("rect", {...boxed(box, map, size), class: "outline"})),
  worstMark(worst, map, size));
}

/** What a level reaches up to. */
function reach(level, map) {
  return map.largest / 4 ** (HIGHEST - level);
}

function legend(map) {
  const found = new Set(map.levels.join(""));
  const entry = (name, words) => element("li", {},
      element("span", {class: "swatch " + name, "aria-hidden": "true"}), words);
  const levels = [...found].filter(level => level > "0").sort().map(Number);
  return element("ul", {class: "legend", "aria-label": "Colours of the map"},
      entry("right", "right"),
      levels.map((level, at) => entry("level" + level, level === UNSIZED ? UNSIZED_WORDS
          : (at ? "up to " : "error up to ") + digits(reach(level, map)))),
      map.outline.length ? entry("outline", "the pattern") : null, entry("worst", "the worst"));
}

/** "0 to 41" of the elements that some cells stand for. */
function range(from, to, cells, elements) {
  const first = Math.ceil(from * elements / cells);
  const last = Math.ceil(to * elements / cells) - 1;
  return first === last ? String(first) : `${first} to ${last}`;
}

/** The map in words: of up to 16 regions those where something is wrong. */
function inWords(map) {
  const down = map.levels.length;
  const across = map.levels[0].length;
  const cuts = cells => [...new Set(Array.from({length: REGIONS + 1},
      (_, at) => Math.round(at * cells / REGIONS)))];
  const rows = [];
  const rowCuts = cuts(down);
  const columnCuts = cuts(across);
  for (let r = 0; r + 1 < rowCuts.length; ++r) {
    for (let c = 0; c + 1 < columnCuts.length; ++c) {
      const text = map.levels.slice(rowCuts[r], rowCuts[r + 1])
          .map(line => line.slice(columnCuts[c], columnCuts[c + 1])).join("");
      const wrong = text.replaceAll("0", "");
      const level = Number([...wrong].sort().at(-1) ?? 0);
      if (level > 0) {
        rows.push([range(rowCuts[r], rowCuts[r + 1], down, map.rows),
          range(columnCuts[c], columnCuts[c + 1], across, map.columns),
          digits(wrong.length / text.length * 100) + " %",
          level === UNSIZED ? UNSIZED_WORDS : "up to " + digits(reach(level, map))]);
      }
    }
  }
  return folded("The map in words",
      table("The map in words", ["Rows", "Columns", "Places that are wrong", "Error"], rows),
      element("p", {}, "Everywhere else the output is right."));
}

function heatMap(map, output) {
  const {mismatch, worst} = output;
  const cell = map.rows > map.levels.length || map.columns > map.levels[0].length
      ? "Each place stands for several elements, and shows the largest error among them. " : "";
  const flat = map.shape.length > 2 ? "All but the last dimension are rows. " : "";
  const extent = map.rows === 1 ? `${map.columns} elements`
      : `${map.rows} rows, ${map.columns} columns`;
  const words = `Map of ${worst.output}, ${map.shape.join(" x ")}: ${mismatch.pattern}`;
  return element("figure", {}, picture(map, words, worst), legend(map),
      element("figcaption", {}, `${worst.output}: ${extent}. ` + flat + cell), inWords(map));
}

/**
 * Null where the outputs were right. @param output  Of a validation. @param map  Of its record:
 * {shape, rows, columns, levels, largest, outline}; older records have none.
 */
export function mismatchPart(output, map) {
  const {mismatch, worst} = output;
  if (!mismatch || !worst) {
    return null;
  }
  return section("Where the output is wrong", isMap(map) ? heatMap(map, output) : null,
      facts([["Output", worst.output], ["Pattern", mismatch.pattern], ["What helps", mismatch.hint],
        ["Wrong", `${mismatch.count} elements, ${digits(mismatch.share * 100)} %`],
        ["Worst element", `${worst.output}[${worst.index.join(", ")}]`],
        ["It is", String(worst.got)], ["It should be", String(worst.want)],
        ["Inputs", Object.entries(worst.workload).map(([name, size]) => `${name} = ${size}`)
            .join(", ") + `, ${worst.distribution}`]]));
}
