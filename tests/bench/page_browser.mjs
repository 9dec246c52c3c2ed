// The figures of the page that need a browser; tests/bench/page.py calls it.
//
//     node tests/bench/page_browser.mjs URL --modules DIR --chromium FILE
//
// Prints "NAME MILLISECONDS" lines, each the median: `first`, from the request to the list of
// problems in a browser that has seen nothing yet; `line` and `bush`, a lineage of 500 kernels from
// its data to its place on the page.
import {createRequire} from "node:module";
import {resolve} from "node:path";
import {parseArgs} from "node:util";

const LOADS = 9;
const KERNELS = 500;

function middle(values) {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
}

async function firstView(browser, url) {
  const times = [];
  for (let at = 0; at < LOADS; ++at) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto("about:blank");
    const start = performance.now();
    await page.goto(url, {waitUntil: "commit"});
    await page.locator("main table tbody tr").first().waitFor();
    times.push(performance.now() - start);
    await context.close();
  }
  return middle(times);
}

/** In the page: the time until the browser has placed all of a made-up family. */
async function lineage({shape, kernels, loads}) {
  const {familyGraph} = await import("/page/assets/family.js");
  const members = Array.from({length: kernels}, (_, at) => ({id: "krn_" + at, name: "kernel " + at,
    parent: at === 0 ? "" : "krn_" + (shape === "line" ? at - 1 : Math.floor((at - 1) / 3)),
    standings: [{passed: at % 7 > 0, verdict: at % 7 > 0 ? "passed" : "incorrect", meaning: "",
      speed: {total: 1 + at / 100}}]}));
  const times = [];
  for (let at = 0; at < loads; ++at) {
    const start = performance.now();
    const graph = familyGraph({members, cut: false}, "krn_" + (kernels - 1));
    document.querySelector("main").replaceChildren(graph);
    graph.getBoundingClientRect();  // Makes the browser lay it out.
    times.push(performance.now() - start);
  }
  return times;
}

const {values, positionals} = parseArgs({allowPositionals: true, options: {
  modules: {type: "string"}, chromium: {type: "string"}}});
const require = createRequire(resolve(values.modules) + "/");
const browser = await require("playwright-core").chromium.launch(
    {executablePath: values.chromium, args: ["--no-sandbox"]});
try {
  console.log("first", await firstView(browser, positionals[0]));
  const page = await browser.newPage();
  await page.goto(positionals[0]);
  for (const shape of ["line", "bush"]) {
    console.log(shape, middle(await page.evaluate(lineage,
        {shape, kernels: KERNELS, loads: LOADS})));
  }
} finally {
  await browser.close();
}
