// A button that adds the next page to a table.
import {element} from "./dom.js";

/** @param fetch  fetch(mark) gives {rows, next}.  @param row  Makes the cells of one. */
export function more(list, page, fetch, row) {
  if (!page.next) {
    return null;
  }
  let {next} = page;
  const button = element("button", {type: "button"}, "More");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const added = await fetch(next);
      list.querySelector("tbody").append(...added.rows.map(one =>
          element("tr", {}, row(one).map(cell => element("td", {}, cell)))));
      ({next} = added);
      button.hidden = !next;
    } catch (error) {
      button.title = error.message;
    }
    button.disabled = false;
  });
  return button;
}
