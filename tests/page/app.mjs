// The document that clients show beside a result, in a host that this test plays.
import assert from "node:assert/strict";

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

/** The view of the result that an evidence came with. */
async function shown(browser, url, id, tool) {
  const evidence = await (await fetch(url + "page/data/evidence/" + id)).json();
  const uri = "ui://warpsmith/result";
  const {contents} = await ask(url, "resources/read", {uri}, uri);
  const record = await ask(url, "resources/read", {uri: "evidence://" + id}, "evidence://" + id);
  const result = await ask(url, "tools/call", {name: tool, arguments: {
    kernel_id: evidence.kernel_id, repeat: id, wait_ms: 60000}}, tool);
  const page = await browser.page();
  await page.goto("about:blank");
  await page.evaluate(host, {html: contents[0].text, policy: POLICY, result, record});
  return page;
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
