// The last events before a race or a deadlock: a row for each in the order of time, a column for
// each worker and engine, and the two places that conflict marked.
import {drawn, element, section} from "./dom.js";

const ROW = 24;
const COLUMN = 22;
const MOST_EVENTS = 64;
const MOST_WORKERS = 64;

// None of these has Object's own names: the words come from an answer.
const WORDS = {__proto__: null, read: "reads", write: "writes", copy: "starts a copy into",
  copied: "copied into", product: "starts a product into", computed: "multiplied into",
  expect: "expects bytes at", arrive: "arrives at", wait: "waits for", pass: "goes on after",
  wait_group: "waits for the group"};
// Events that begin something, and those that end it.
const ENDS = {__proto__: null, wait: "pass", copy: "copied", product: "computed"};
// Events of engines have columns of their own.
const ENGINES = {__proto__: null, copied: "copies", computed: "products"};

/** Whether it is a timeline as verify_ir makes it. */
function isTimeline(found) {
  return Array.isArray(found?.events) && Array.isArray(found.workers) && found.events.length > 0 &&
      found.events.length <= MOST_EVENTS && found.workers.length <= MOST_WORKERS &&
      found.events.every(event => Array.isArray(event) && event.length === 4 &&
          Number.isInteger(event[0]) && event[0] >= 0 && event[0] < found.workers.length);
}

/** Each event as {worker, kind, object, line, row}. */
function eventsOf(found) {
  return found.events.map(([worker, kind, object, line], row) => ({worker, kind, object, line, row}));
}

/** The events that begin something, with the row of its end; null: it never ended. */
function spansOf(events) {
  const spans = [];
  for (const event of events) {
    const open = spans.find(span => span.to === null && ENDS[span.kind] === event.kind &&
        span.worker === event.worker && (event.kind === "pass" || span.line === event.line));
    if (open) {
      open.to = event.row;
    }
    if (ENDS[event.kind]) {
      spans.push({...event, to: null});
    }
  }
  return spans;
}

/** The columns: the workers that do something, then the engines. */
function columnsOf(events) {
  const workers = [...new Set(events.map(event => event.worker))].sort((a, b) => a - b);
  const engines = [...new Set(events.map(event => ENGINES[event.kind] ??
      ENGINES[ENDS[event.kind]]).filter(Boolean))];
  return {count: workers.length + engines.length,
    of: event => ENGINES[event.kind] ? workers.length + engines.indexOf(ENGINES[event.kind])
        : workers.indexOf(event.worker),
    ofSpan: span => span.kind === "wait" ? workers.indexOf(span.worker)
        : workers.length + engines.indexOf(ENGINES[ENDS[span.kind]])};
}

function centre(column) {
  return COLUMN / 2 + column * COLUMN;
}

function middle(row) {
  return ROW / 2 + row * ROW;
}

function lanes(columns, height) {
  return Array.from({length: columns.count}, (_, at) => drawn("line", {class: "lane",
    x1: centre(at), x2: centre(at), y1: 0, y2: height}));
}

function spanLine(span, columns, rows) {
  const x = centre(columns.ofSpan(span));
  const kind = (span.kind === "wait" ? " wait" : "") + (span.to === null ? " open" : "");
  return drawn("line", {class: "span" + kind, x1: x, x2: x, y1: middle(span.row),
    y2: span.to === null ? rows * ROW : middle(span.to)});
}

function dot(event, columns, marked) {
  return drawn("circle", {cx: centre(columns.of(event)), cy: middle(event.row),
    r: marked ? 6 : 4, class: marked ? "event conflict" : "event"});
}

function between(one, other, columns) {
  return one && other ? drawn("path", {class: "between", d: `M${centre(columns.of(other))} ` +
      `${middle(other.row)} L${centre(columns.of(one))} ${middle(one.row)}`}) : null;
}

function words(event, workers, mark) {
  const engine = ENGINES[event.kind] ? "the engine of " : "";
  return element("li", {class: mark ? "marked" : null},
      mark ? element("span", {class: "bad"}, "\u25b2 " + mark + ": ") : null,
      `${engine}${workers[event.worker]} ${WORDS[event.kind] ?? event.kind} `,
      element("code", {}, String(event.object)), ` (line ${event.line})`);
}

/**
 * Null where the answer has none. @param output  Of verify_ir: {verdict, timeline, findings}.
 */
export function timelinePart(output) {
  const found = output.timeline;
  if (!isTimeline(found)) {
    return null;
  }
  const events = eventsOf(found);
  const columns = columnsOf(events);
  const height = events.length * ROW;
  const at = events[found.at];
  const other = events[found.other];
  const picture = drawn("svg", {width: columns.count * COLUMN, height, "aria-hidden": "true"},
      lanes(columns, height), spansOf(events).map(span => spanLine(span, columns, events.length)),
      between(at, other, columns),
      events.map(event => dot(event, columns, event === at || event === other)));
  const list = element("ol", {}, events.map(event => words(event, found.workers,
      event === at ? "here it was noticed" : event === other ? "with this it conflicts" : "")));
  list.style.paddingLeft = columns.count * COLUMN + 8 + "px";
  return section("What came before it", element("p", {},
      "The columns are workers and the engines that copy and multiply; a bar is a wait, a copy or " +
      "a product from its beginning to its end, dashed where it never ended."),
  element("div", {class: "timeline", tabindex: "0", role: "region",
    "aria-label": "Timeline of roles, barriers, copies and products"}, picture, list));
}
