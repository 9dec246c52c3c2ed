// Kernels that have the words of a query.
import {ask} from "./data.js";
import {element, link, table} from "./dom.js";
import {bestStanding, moment, speedUp, verdict} from "./words.js";

function row(kernel) {
  const standing = bestStanding(kernel);
  return [link("kernel", kernel.id, kernel.name), link("problem", kernel.problem_id),
    standing ? verdict(standing.verdict, standing.meaning) : "not judged",
    standing ? standing.message || speedUp(standing.speed) : "", moment(kernel.created_at)];
}

export async function search([words = ""], signal) {
  const found = await ask(["search"], {words}, signal);
  return {title: `Kernels with "${words}"`, body: [found.rows.length
      ? table("Kernels", ["Kernel", "Problem", "Verdict", "Result", "Since"], found.rows.map(row))
      : element("p", {}, "There are none: names, notes, tags and the code of kernels are " +
          "searched for whole words.")]};
}
