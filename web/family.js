// The relatives of a kernel as a graph: a row for each, in the order in which they came about.
//
// A kernel has one parent at most, so the graph is a tree, and needs no general layout: the child
// that leads to the kernel in question, or else the one with the most descendants, stays in its
// parent's column; the others stand to the right of it, above.
import {address, drawn, element, link} from "./dom.js";
import {bestStanding, times, verdict} from "./words.js";

const ROW = 30;
const COLUMN = 18;
const MOST_COLUMNS = 10;

function treeOf(members) {
  const nodes = new Map(members.map(kernel => [kernel.id, {kernel, children: [], size: 1}]));
  const roots = [];
  for (const node of nodes.values()) {
    node.parent = nodes.get(node.kernel.parent) ?? null;
    (node.parent ? node.parent.children : roots).push(node);
  }
  // Members stand behind their parents.
  for (const node of [...nodes.values()].reverse()) {
    if (node.parent) {
      node.parent.size += node.size;
    }
  }
  return {nodes, roots};
}

/** Rows and columns of all nodes. No recursion: a line may have hundreds of kernels. */
export function laidOut(members, id) {
  const {nodes, roots} = treeOf(members);
  const line = new Set();
  for (let node = nodes.get(id); node; node = node.parent) {
    line.add(node);
  }
  const rank = node => (line.has(node) ? 1e9 : 0) + node.size;
  const placed = [];
  const open = roots.reverse().map(node => ({node, column: 0}));
  while (open.length) {
    const {node, column} = open.pop();
    Object.assign(node, {row: placed.length, column: Math.min(column, MOST_COLUMNS)});
    placed.push(node);
    const children = [...node.children].sort((one, other) => rank(other) - rank(one));
    children.forEach((child, index) => open.push({node: child, column: column + (index ? 1 : 0)}));
  }
  return placed;
}

function centre(node) {
  return {x: COLUMN / 2 + node.column * COLUMN, y: ROW / 2 + node.row * ROW};
}

function edge(node) {
  const from = centre(node.parent);
  const to = centre(node);
  const bend = to.x === from.x ? "" : `V${to.y - ROW / 2} L${to.x} ${to.y - ROW / 4}`;
  return drawn("path", {class: "edge", d: `M${from.x} ${from.y} ${bend} V${to.y}`});
}

function dot(node, id) {
  const {x, y} = centre(node);
  const standing = bestStanding(node.kernel);
  const kind = !standing ? "open" : standing.passed ? "good" : "bad";
  return drawn("circle", {cx: x, cy: y, r: node.kernel.id === id ? 6 : 4, class: "dot " + kind});
}

/** The way from the parent: a pass or an edit, which leads to the diff. */
function madeBy(kernel) {
  const {pass} = kernel;
  const words = pass ? `${pass.transformation}, pass ${pass.pass} of ${pass.passes}` : "edit";
  return element("a", {href: address("diff", kernel.parent, kernel.id),
    "aria-label": `what ${words} changed in ${kernel.name || kernel.id}`}, words);
}

function row(node, id) {
  const {kernel} = node;
  const standing = bestStanding(kernel);
  const name = link("kernel", kernel.id, kernel.name);
  if (kernel.id === id) {
    name.setAttribute("aria-current", "true");
  }
  return element("li", {}, name, " ", node.parent ? madeBy(kernel) : null, " ",
      standing ? verdict(standing.verdict, standing.meaning) : "not judged", " ",
      standing?.speed?.total ? times(standing.speed.total) : null);
}

/** @param family  {members, cut}.  @param id  The kernel that it is about. */
export function familyGraph(family, id) {
  const placed = laidOut(family.members, id);
  const columns = 1 + Math.max(...placed.map(node => node.column));
  const picture = drawn("svg", {width: columns * COLUMN, height: placed.length * ROW,
    "aria-hidden": "true"}, placed.filter(node => node.parent).map(edge),
  placed.map(node => dot(node, id)));
  const list = element("ol", {}, placed.map(node => row(node, id)));
  list.style.paddingLeft = columns * COLUMN + 6 + "px";
  return element("div", {class: "family"}, picture, list,
      family.cut ? element("p", {}, "There are more relatives than these.") : null);
}
