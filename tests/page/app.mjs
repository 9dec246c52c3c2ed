// The document that clients show beside a result, in a host that this test plays.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";

const VERSION = "2026-07-28";
// As hosts set it for a document that declares no domains.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; " +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'";

/** The result of a request to the server. */
async function ask(url, method, params, name) {
  const answer = await fetch(url + "mcp", {method: "POST",
    headers: {"content-type": "application/json", "accept": "application/json, text/event-stream",
      "mcp-protocol-version": VERSION, "mcp-method": method, "mcp-name": name},
    body: JSON.stringify({jsonrpc: "2.0", id: 1, method, params: {...params, _meta: {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientCapabilities": {}}}})});
  const {result, error} = await answer.json();
  assert.equal(error, undefined, JSON.stringify(error));
  return result;
}

/** A host in the page: it answers the view, and hands it `result` when it is ready. */
function host({html, policy, result, record}) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.width = "100%";
  frame.srcdoc = html.replace("<head>",
      `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
  const say = message => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
  window.said = [];
  window.addEventListener("message", ({data}) => {
    window.said.push(data);
    if (data.method === "ui/initialize") {
      say({id: data.id, result: {protocolVersion: data.params.protocolVersion,
        hostInfo: {name: "test", version: "1"}, hostCapabilities: {serverResources: {}},
        hostContext: {theme: "light"}}});
    } else if (data.method === "ui/notifications/initialized") {
      say({method: "ui/notifications/tool-input", params: {arguments: {}}});
      say({method: "ui/notifications/tool-result", params: result});
    } else if (data.method === "resources/read") {
      say({id: data.id, result: record});
    } else if (data.method === "ui/notifications/size-changed") {
      frame.style.height = data.params.height + "px";
    }
  });
  document.body.append(frame);
}

/** The view with a result in it. @param record  What the host reads as its evidence. */
async function viewOf(browser, url, result, record) {
  const uri = "ui://warpsmith/result";
  const {contents} = await ask(url, "resources/read", {uri}, uri);
  const page = await browser.page();
  await page.goto("about:blank");
  await page.evaluate(host, {html: contents[0].text, policy: POLICY, result, record});
  return page;
}

/** The view of the result that an evidence came with. */
async function shown(browser, url, id, tool) {
  const evidence = await (await fetch(url + "page/data/evidence/" + id)).json();
  const record = await ask(url, "resources/read", {uri: "evidence://" + id}, "evidence://" + id);
  const result = await ask(url, "tools/call", {name: tool, arguments: {
    kernel_id: evidence.kernel_id, repeat: id, wait_ms: 60000}}, tool);
  return viewOf(browser, url, result, record);
}

/** A wrong output is drawn with its map, in a frame that may load nothing. */
export async function insideTheChat({browser, warpsmith, ids}) {
  const server = await warpsmith.serve();
  const page = await shown(browser, server.url, ids.mismatch, "validate");
  const view = page.frameLocator("iframe");
  await view.getByRole("heading", {name: "Where the output is wrong"}).waitFor();
  await view.getByRole("heading", {name: "Runs"}).waitFor();  // They are in the record only.
  assert.match(await view.locator(".answer").innerText(), /incorrect/);
  assert.equal(await view.locator("a[href^='#']").count(), 0);
  const sizes = await page.evaluate(
      () => window.said.filter(one => one.method === "ui/notifications/size-changed"));
  assert.ok(sizes.at(-1).params.height > 100, JSON.stringify(sizes));
  assert.deepEqual(page.complaints, []);
  await server.stop();
}

/** examples/cuir/gemm_tma.cuir, whose consumers do not wait for their copies. */
function racingProgram() {
  const file = new URL("../../examples/cuir/gemm_tma.cuir", import.meta.url);
  return readFileSync(file, "utf8")
      .replace("A, B, C,", "A: f16[128, 256], B: f16[64, 256], C: f32[128, 64],")
      .replace("            self.full[s].wait(p // self.STAGES % 2)\n", "");
}

/** A race is drawn with both places marked; a timeline that no executor wrote is left out. */
export async function raceInTheChat({browser, warpsmith}) {
  const server = await warpsmith.serve();
  const result = await ask(server.url, "tools/call", {name: "verify_ir", arguments: {
    ir: racingProgram(), picture: true, wait_ms: 60000}}, "verify_ir");
  const page = await viewOf(browser, server.url, result, null);
  const view = page.frameLocator("iframe");
  await view.getByRole("heading", {name: "What came before it"}).waitFor();
  const rows = view.getByRole("region", {name: "Timeline of roles, barriers, copies and products"})
      .getByRole("listitem");
  const {events} = result.structuredContent.timeline;
  assert.equal(await rows.count(), events.length);
  const texts = await rows.allInnerTexts();
  assert.equal(texts.filter(one => /here it was noticed: consumer/.test(one)).length, 1);
  assert.equal(texts.filter(one => /with this it conflicts: .*producer/.test(one)).length, 1);
  assert.equal(await view.locator(".timeline circle").count(), events.length);
  const image = result.content.find(one => one.type === "image");
  if (image) {  // Where libgd is installed.
    const size = await page.evaluate(async data => {
      const picture = new Image();
      picture.src = "data:image/png;base64," + data;
      await picture.decode();
      return picture.naturalWidth;
    }, image.data);
    assert.equal(size, 720);
    assert.ok(image.data.length < 80_000, String(image.data.length));
  }
  const hostile = structuredClone(result);
  hostile.structuredContent.timeline.events[0][2] = "<img src=x onerror=alert(1)>\u202e";
  const other = await viewOf(browser, server.url, hostile, null);
  await other.frameLocator("iframe").getByText("<img src=x onerror=alert(1)>\\u202e").waitFor();
  hostile.structuredContent.timeline.events[0][0] = 99;
  const broken = await viewOf(browser, server.url, hostile, null);
  await broken.frameLocator("iframe").getByText("read_before_wait").first().waitFor();
  assert.equal(await broken.frameLocator("iframe").locator(".timeline").count(), 0);
  assert.deepEqual([...page.complaints, ...other.complaints, ...broken.complaints], []);
  await server.stop();
}

/** The answer of a job has an address: a race looks there as it does in the chat. */
export async function raceOnThePage({browser, warpsmith}) {
  const server = await warpsmith.serve();
  const call = (name, values) => ask(server.url, "tools/call", {name, arguments: values}, name);
  const {job_id} = (await call("verify_ir",
      {ir: racingProgram(), seed: 5, wait_ms: 0})).structuredContent;
  await call("job", {job_id, wait_ms: 60000});
  await browser.looksRight(server.url, "#/job/" + job_id, "verify_ir: done");
  const page = await browser.page();
  await page.goto(server.url + "#/job/" + job_id);
  await page.getByText("here it was noticed").waitFor();
  await page.getByText("with this it conflicts").waitFor();
  await page.goto(server.url + "#/job/job_none");
  await page.getByText("no job `job_none`").waitFor();
  assert.deepEqual(page.complaints.filter(one => !one.includes("404")), []);
  await server.stop();
}
