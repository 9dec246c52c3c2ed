// Uses the page as a person would, in a browser.
//
//     node tests/page/run.mjs WARPSMITH --modules DIR --chromium FILE [--pictures DIR]
//
// DIR holds node_modules as package-lock.json has them. --pictures also draws the pictures of the
// README. The exit status is 1 when a view does not show what it should.
import assert from "node:assert/strict";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {parseArgs} from "node:util";

import {insideTheChat, raceInTheChat, raceOnThePage} from "./app.mjs";
import {Browser} from "./browser.mjs";
import {HOSTILE, Warpsmith, seed} from "./warpsmith.mjs";

const TOKEN = "a-token-for-tests-0123456789";

function text(page) {
  return page.locator("main").innerText();
}

async function open(page, url, heading) {
  await page.goto(url);
  await page.getByRole("heading", {level: 1, name: heading}).waitFor();
}

/** All views of a server, and of a folder. */
async function everyView({browser, warpsmith, ids}) {
  const server = await warpsmith.serve();
  for (const [address, heading] of [
    ["", "Problems"], ["#/problem/" + ids.problem, "matmul_f32"],
    ["#/kernel/" + ids.child, "tiled16"], ["#/diff/" + ids.first + "/" + ids.child, "changed"],
    ["#/evidence/" + ids.timed, "benchmark"], ["#/evidence/" + ids.mismatch, "validate"],
    ["#/evidence/" + ids.profile, "profile"], ["#/evidence/" + ids.tuning, "tune"],
    ["#/source/" + ids.tiled, "Source of tiled32x8"],
    ["#/source/" + ids.tiled + "/" + ids.profile, "Source of tiled32x8"],
    ["#/search/tiled16", "tiled16"], ["#/devices", "Devices"], ["#/cache", "Compile cache"],
    ["#/none", "cannot be shown"]]) {
    await browser.looksRight(server.url, address, heading);
  }
  await server.stop();
}

/** From the first page alone: which kernel is the fastest, how it came to be, what was wrong. */
async function stranger({browser, url}) {
  const page = await browser.page();
  await open(page, url, "Problems");
  await page.getByRole("link", {name: "matmul_f32"}).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {level: 1, name: "matmul_f32"}).waitFor();
  const problem = await text(page);
  assert.match(problem, /Fastest on cpu:0: \w+, at least [\d.]+x/);
  assert.match(problem, /Last rejected on cpu:0: broken_ragged, . incorrect: output `C`: \d+ of/);
  assert.equal(await page.locator("svg.chart a").count(), 3);
  await page.locator(".answer a").first().click();
  await page.getByRole("heading", {name: "How it came to be"}).waitFor();
  assert.equal(await page.locator(".family li").count(), 6);
  await page.locator(".family a[href*='diff']").first().click();
  await page.getByRole("heading", {level: 1, name: "What was changed"}).waitFor();
  assert.match(await text(page), /\d+ added, \d+ removed/);
  await page.goBack();
  await page.getByRole("heading", {name: "How it came to be"}).waitFor();
  await page.getByLabel("Find kernels").fill("broken_ragged");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {level: 1, name: "broken_ragged"}).waitFor();
  assert.match(await text(page), /broken_ragged\s+matmul_f32|broken_ragged\s+prb_matmul_f32/);
  assert.deepEqual(page.complaints, []);
}

/** What was measured, with which inputs, and how to do so again. */
async function mismatch({browser, url, ids}) {
  const page = await browser.page();
  await open(page, url + "#/evidence/" + ids.mismatch, "validate: incorrect");
  const shown = await text(page);
  assert.match(shown, /Pattern\s+the last .*of \d+ (rows|columns).* wrong/);
  assert.match(shown, /Seed\s+\d+/);
  assert.ok(shown.includes(`"repeat":"${ids.mismatch}"`), shown);
  // Which tails there are depends on the sizes, which are drawn.
  assert.ok(await page.locator("svg.map rect[class^=level]").count() > 0);
  assert.ok(await page.locator("svg.map .outline").count() > 0);
  assert.equal(await page.locator("svg.map .worst").count(), 1);
  await page.getByRole("img", {name: /^Map of C, \d+ x \d+: the last /}).waitFor();
  assert.match(await page.locator(".legend").innerText(),
      /right\s+(error up to|up to|never written)[\s\S]*the pattern\s+the worst/);
  await page.getByText("The map in words").click();
  const region = page.getByRole("region", {name: "The map in words"});
  assert.match(await region.innerText(),
      /\d+ to \d+\s+\d+ to \d+\s+[\d.]+ %\s+(up to|never written)/);
}

/** Beside each line of the source the counters of the profile, in the kernel's view and alone. */
async function counters({browser, url, ids}) {
  const page = await browser.page();
  await open(page, url + "#/evidence/" + ids.profile, "profile: profiled");
  await page.getByRole("link", {name: "The source with the counters of each line"}).click();
  await page.getByRole("heading", {level: 1, name: "Source of tiled32x8"}).waitFor();
  assert.ok(page.url().endsWith(`#/source/${ids.tiled}/${ids.profile}`), page.url());
  const rows = page.getByRole("region", {name: "Source with counters"}).getByRole("row");
  assert.match(await rows.first().innerText(), /Line\s+Instructions, %\s+Waiting, %\s+Sectors a request/);
  assert.ok((await rows.allInnerTexts()).some(row => /of ideal \d/.test(row)));
  await open(page, url + "#/kernel/" + ids.tiled, "tiled32x8");
  assert.equal(await page.getByRole("region", {name: "Source with counters"}).count(), 1);
  await page.getByRole("link", {name: "The source alone"}).click();
  await page.getByRole("heading", {level: 1, name: "Source of tiled32x8"}).waitFor();
  await open(page, url + "#/source/" + ids.first, "Source of naive");
  assert.match(await text(page), /It was not profiled: there are no counters/);
  await open(page, url + `#/source/${ids.first}/${ids.profile}`, "cannot be shown");
  assert.match(await text(page), /is no profile of that kernel/);
  assert.deepEqual(page.complaints.filter(one => !one.includes("404")), []);
}

/** The compile cache of a folder, and of a server, which counts what it answers. */
async function compileCache({browser, url, warpsmith}) {
  const page = await browser.page();
  await open(page, url + "#/cache", "Compile cache");
  assert.match(await text(page), /Entries\s+[1-9]\d*\s+Size\s+[\d.]+ [KM]iB[\s\S]*no server runs here/);
  const server = await warpsmith.serve();
  await open(page, server.url + "#/cache", "Compile cache");
  assert.match(await text(page), /Compiled\s+\d+\s+Hits/);
  assert.deepEqual(page.complaints, []);
  await server.stop();
}

/** By keyboard: first to the content, then through the header; a new view is read from its top. */
async function keyboard({browser, url}) {
  const page = await browser.page();
  const focused = () => page.evaluate(
      "document.activeElement.id || document.activeElement.textContent");
  await open(page, url, "Problems");
  const order = [];
  for (let at = 0; at < 6; ++at) {
    await page.keyboard.press("Tab");
    order.push(await focused());
  }
  assert.deepEqual(order, ["To the content", "warpsmith", "Problems", "Devices and queue",
    "Compile cache", "words"]);
  assert.equal(await page.locator("nav [aria-current=page]").innerText(), "Problems");
  await page.reload();
  await page.getByRole("heading", {level: 1, name: "Problems"}).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "main");
  assert.equal(new URL(page.url()).hash, "");
  await page.getByRole("link", {name: "matmul_f32"}).click();
  await page.getByRole("heading", {level: 1, name: "matmul_f32"}).waitFor();
  await page.evaluate("window.scrollTo(0, 9999)");
  await page.locator(".answer a").first().evaluate(link => link.click());
  await page.getByRole("heading", {name: "How it came to be"}).waitFor();
  assert.equal(await focused(), "main");
  assert.equal(await page.evaluate("window.scrollY"), 0);
}

async function hostile({browser, url, ids}) {
  const page = await browser.page();
  await open(page, url + "#/kernel/" + ids.child, "tiled16");
  const want = HOSTILE.replaceAll("\u001b", "\\u001b").replaceAll("\u202e", "\\u202e");
  assert.ok((await text(page)).includes(want));
  assert.equal(await page.locator("main img, main script").count(), 0);
  await open(page, url + "#/kernel/krn_%3Cscript%3E", "cannot be shown");
  assert.match(await text(page), /not_found: no kernel `krn_<script>`/);
  assert.deepEqual(page.complaints.filter(one => !one.includes("404")), []);
}

/** Of a record that no judge has written the rest is shown. */
async function brokenRecord({browser, url, ids}) {
  const page = await browser.page();
  const change = edit => page.route("**/page/data/evidence/*", async route => {
    const answer = await (await route.fetch()).json();
    const record = JSON.parse(answer.record);
    edit(record);
    await route.fulfill({json: {...answer, record: JSON.stringify(record)}});
  }, {times: 1});
  for (const edit of [record => delete record.mismatch_map,
    record => record.mismatch_map.levels = ["0", "<b>"],
    record => record.mismatch_map.levels = "123",
    record => record.mismatch_map.outline = Array(1000).fill([0, 0, 0, 0])]) {
    await change(edit);
    await page.goto("about:blank");
    await open(page, url + "#/evidence/" + ids.mismatch, "validate: incorrect");
    assert.match(await text(page), /Pattern\s+the last/);
    assert.equal(await page.locator("svg.map").count(), 0);
  }
  await change(record => record.output.runs = {length: 1});
  await page.goto("about:blank");
  await open(page, url + "#/evidence/" + ids.mismatch, "validate: incorrect");
  assert.match(await text(page), /A part of this record is not as it should be/);
  assert.equal(await page.locator("svg.map").count(), 1);
  assert.deepEqual(page.complaints, []);
}

async function withToken({browser, warpsmith}) {
  const server = await warpsmith.serve(0, {WARPSMITH_TOKEN: TOKEN});
  const page = await browser.page();
  await open(page, server.url, "token");
  await page.getByLabel("Token").fill("a-wrong-token-0123456789");
  await page.keyboard.press("Enter");
  await page.getByText("does not hold a token of this server").waitFor();
  await page.getByLabel("Token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {level: 1, name: "Problems"}).waitFor();
  await page.reload();
  await page.getByRole("heading", {level: 1, name: "Problems"}).waitFor();
  await server.stop();
}

/** A job that is queued appears without reload, and by one request. */
async function live({browser, warpsmith, ids}) {
  const server = await warpsmith.serve();
  const page = await browser.page();
  const asked = [];
  page.on("request", request => asked.push(new URL(request.url()).pathname));
  await open(page, server.url + "#/devices", "Devices and queue");
  await page.getByText("Nothing waits or runs").waitFor();
  const before = asked.length;
  const call = warpsmith.begin(server.url, "tune",
      {kernel_id: ids.tunable, fresh: true, time_budget_ms: 60000});
  await page.getByRole("cell", {name: "tune", exact: true}).first().waitFor();
  await call.stop();
  await page.getByText("Nothing waits or runs").waitFor();
  assert.equal(asked.length, before, asked.slice(before).join(" "));
  assert.equal(asked.filter(path => path === "/page/events").length, 1);
  assert.deepEqual(page.complaints, []);
  await server.stop();
}

function setHidden(page, hidden) {
  return page.evaluate(value => {
    Object.defineProperty(document, "hidden", {value, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

/** A page that nobody sees holds no stream, and takes it up again when somebody looks. */
async function hidden({browser, warpsmith}) {
  const server = await warpsmith.serve();
  const page = await browser.page();
  const stream = request => request.url().endsWith("/page/events");
  await open(page, server.url + "#/devices", "Devices and queue");
  await page.getByText("Nothing waits or runs").waitFor();
  const ended = page.waitForEvent("requestfailed", stream);
  await setHidden(page, true);
  await ended;
  const again = page.waitForRequest(stream);
  await setHidden(page, false);
  await again;
  const left = page.waitForEvent("requestfailed", stream);
  await page.getByRole("link", {name: "Problems"}).click();
  await left;
  await server.stop();
}

/** A page that is open while its server ends goes on with the next one, whatever its token is. */
async function reconnects({browser, warpsmith}) {
  const first = await warpsmith.serve();
  const page = await browser.page();
  await open(page, first.url + "#/devices", "Devices and queue");
  await page.getByText("Nothing waits or runs").waitFor();
  await first.stop();
  await page.getByText("trying again").waitFor();
  const {port} = new URL(first.url);
  const second = await warpsmith.serve(port);
  await page.getByText("trying again").waitFor({state: "detached"});
  await page.getByText("Nothing waits or runs").waitFor();
  await second.stop();
  const third = await warpsmith.serve(port, {WARPSMITH_TOKEN: TOKEN});
  await page.getByLabel("Token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await page.getByText("Nothing waits or runs").waitFor();
  await third.stop();
}

async function withoutScripts({browser, url}) {
  const page = await browser.page({javaScriptEnabled: false});
  await page.goto(url);
  await page.getByRole("link", {name: "plain lists"}).click();
  await page.getByRole("link", {name: "matmul_f32"}).click();
  await page.getByRole("link", {name: "tiled16"}).first().click();
  await page.getByRole("heading", {name: "How it came to be"}).waitFor();
  await page.goBack();
  await page.getByRole("row", {name: /^tiled32x8/}).first().getByRole("link", {name: "source"}).click();
  await page.getByRole("columnheader", {name: "sectors a request"}).waitFor();
  await page.getByRole("link", {name: "All problems"}).click();
  await page.getByRole("link", {name: "Compile cache"}).click();
  await page.getByRole("rowheader", {name: "entries on disk"}).waitFor();
}

/** The pictures of the README. */
async function pictures({browser, url, ids, folder}) {
  const page = await browser.page({viewport: {width: 1000, height: 620}});
  for (const [name, address, heading] of [
    ["problem", "#/problem/" + ids.problem, "matmul_f32"],
    ["kernel", "#/kernel/" + ids.tiled, "tiled32x8"],
    ["mismatch", "#/evidence/" + ids.mismatch, "validate: incorrect"]]) {
    await open(page, url + address, heading);
    await page.screenshot({path: join(folder, name + ".png")});
  }
}

const {values, positionals} = parseArgs({allowPositionals: true, options: {
  modules: {type: "string"}, chromium: {type: "string"}, pictures: {type: "string"}}});
const data = mkdtempSync(join(tmpdir(), "ws_page_"));
const warpsmith = new Warpsmith(resolve(positionals[0]), data);
const browser = await Browser.open(resolve(values.modules), values.chromium);
try {
  const ids = seed(warpsmith);
  const folder = await warpsmith.view();
  const bench = {browser, warpsmith, ids, url: folder.url};
  for (const check of [stranger, keyboard, mismatch, counters, compileCache, hostile, brokenRecord,
    withoutScripts, withToken, live, hidden, reconnects, insideTheChat, raceInTheChat,
    raceOnThePage, everyView]) {
    await check(bench);
    console.log("ok " + check.name);
  }
  if (values.pictures) {
    await pictures({...bench, folder: resolve(values.pictures)});
  }
  await folder.stop();
} finally {
  await browser.close();
  rmSync(data, {recursive: true});
}
