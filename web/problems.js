// All problems, the newest first.
import {ask} from "./data.js";
import {element, link, table} from "./dom.js";
import {more} from "./more.js";
import {moment, speedUp} from "./words.js";

function fastest(problem) {
  if (!problem.fastest.length) {
    return "none passed";
  }
  return problem.fastest.map(kernel => element("div", {},
      link("kernel", kernel.id, kernel.name), " on " + kernel.standings[0].device + ": " +
      speedUp(kernel.standings[0].speed)));
}

function row(problem) {
  return [link("problem", problem.id, problem.name),
    problem.kernels + (problem.more_kernels ? " or more" : ""), fastest(problem),
    moment(problem.created_at)];
}

export async function problems(_parts, signal) {
  const fetch = mark => ask(["problems"], {mark}, signal);
  const first = await fetch("");
  if (!first.rows.length) {
    return {title: "Problems", body: [element("p", {},
        "There are none yet: problems come with the first kernel that is compiled.")]};
  }
  const list = table("Problems", ["Problem", "Kernels", "Fastest kernel", "Since"],
      first.rows.map(row));
  return {title: "Problems", body: [list, more(list, first, fetch, row)]};
}
