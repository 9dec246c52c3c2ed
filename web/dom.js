// Makes elements. Text of the archive is hostile: it becomes text nodes only, never markup.

// Characters that a reader does not see, or that turn what stands around them: controls (ANSI
// sequences begin with one), and the marks and isolates of right-to-left text.
const HIDDEN = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]", "gu");
// Attributes that are read out or shown.
const READ = new Set(["title", "aria-label"]);

/** The text with hidden characters as \u202e. */
export function shown(text) {
  return String(text).replace(HIDDEN, mark => {
    const code = mark.codePointAt(0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : "\\u" + code.padStart(4, "0");
  });
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) {
      made.setAttribute(name, READ.has(name) ? shown(value) : value);
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) {
      made.append(child instanceof Node ? child : document.createTextNode(shown(child)));
    }
  }
  return made;
}

/** An HTML element; children are nodes or texts, and null is none. */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** The address of a view: address("kernel", id). */
export function address(...parts) {
  return "#/" + parts.map(encodeURIComponent).join("/");
}

/** A link to a view; a name that is empty gives way to the id. */
export function link(kind, id, name) {
  return element("a", {href: address(kind, id), class: name && name !== id ? null : "id"},
      name || id);
}

/** A table: rows are lists of cells, and a cell is a node, a text or null. */
export function table(caption, heads, rows) {
  const cells = row => row.map(cell => element("td", {}, cell));
  return element("div", {class: "wide", tabindex: "0", role: "region", "aria-label": caption},
      element("table", {},
          element("thead", {}, element("tr", {},
              heads.map(head => element("th", {scope: "col"}, head)))),
          element("tbody", {}, rows.map(row => element("tr", {}, cells(row))))));
}

/** Names and values. Pairs whose value is null are left out. */
export function facts(pairs) {
  return element("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

/** A part of a view with a heading. */
export function section(title, ...children) {
  return element("section", {}, element("h2", {}, title), ...children);
}

/** Text that is folded away until somebody opens it. */
export function folded(title, ...children) {
  return element("details", {}, element("summary", {}, title), ...children);
}

/** Code or JSON: scrolls by itself, also by the keyboard. */
export function code(text, label) {
  return element("pre", {tabindex: "0", role: "region", "aria-label": label}, text);
}
