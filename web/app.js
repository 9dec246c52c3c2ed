// The result of a tool inside the chat: the host hands it over, and this draws it.
import {element} from "./dom.js";
import {resultParts} from "./result.js";

const VERSION = "2026-01-26";
// The host's colours, where it tells them, for ours.
const COLOURS = {"--color-background-primary": "--back", "--color-text-primary": "--text",
  "--color-text-secondary": "--quiet", "--color-border-primary": "--line",
  "--color-background-secondary": "--soft"};
const main = document.querySelector("main");
const waiting = new Map();
let asked = 0;

function send(message) {
  window.parent.postMessage({jsonrpc: "2.0", ...message}, "*");
}

function request(method, params) {
  const id = ++asked;
  send({id, method, params});
  return new Promise((resolve, reject) => waiting.set(id, {resolve, reject}));
}

function show(...parts) {
  main.replaceChildren(...parts.flat().filter(Boolean));
  // Addresses of the page lead nowhere here.
  for (const link of main.querySelectorAll("a[href^='#']")) {
    link.removeAttribute("href");
  }
}

function coloured(context) {
  const root = document.documentElement.style;
  if (context?.theme) {
    root.colorScheme = context.theme;
  }
  for (const [theirs, ours] of Object.entries(COLOURS)) {
    const value = context?.styles?.variables?.[theirs];
    if (value) {
      root.setProperty(ours, value);
    }
  }
}

function draw(output, record) {
  show(...resultParts(output, record));
}

/** The whole record of what was measured; undefined where the host cannot read it. */
async function recordOf(output, host) {
  if (!output.evidence_id || !host.serverResources) {
    return undefined;
  }
  const read = await request("resources/read", {uri: "evidence://" + output.evidence_id});
  return JSON.parse(read.contents[0].text);
}

/** @param result  Of tools/call: structured, or the same as text. */
async function drawResult(result, host) {
  let output = result.structuredContent;
  try {
    output ??= JSON.parse(result.content[0].text);
  } catch {
    show(element("p", {}, result.content?.[0]?.text ?? "There is no result."));
    return;
  }
  draw(output, undefined);
  try {
    draw(output, await recordOf(output, host));
  } catch {
    // What the answer says stays.
  }
}

async function start() {
  const agreed = await request("ui/initialize", {protocolVersion: VERSION,
    appInfo: {name: "warpsmith", version: "1"}, appCapabilities: {availableDisplayModes: ["inline"]}});
  coloured(agreed.hostContext);
  heard["ui/notifications/tool-result"] = result => drawResult(result, agreed.hostCapabilities ?? {});
  new ResizeObserver(() => send({method: "ui/notifications/size-changed", params: {
    width: Math.ceil(document.documentElement.scrollWidth),
    height: Math.ceil(main.getBoundingClientRect().height)}})).observe(main);
  send({method: "ui/notifications/initialized", params: {}});
}

const heard = {
  "ui/notifications/tool-input": () => show(element("p", {role: "status"}, "It is being measured.")),
  "ui/notifications/tool-cancelled": ({reason}) =>
    show(element("p", {}, "The call was cancelled" + (reason ? ": " + reason : "."))),
  "ui/notifications/host-context-changed": coloured,
};

window.addEventListener("message", ({source, data}) => {
  if (source !== window.parent || data?.jsonrpc !== "2.0") {
    return;
  }
  if (data.method === undefined && waiting.has(data.id)) {
    const {resolve, reject} = waiting.get(data.id);
    waiting.delete(data.id);
    (data.error ? reject : resolve)(data.error ?? data.result);
  } else if (data.id !== undefined && data.method !== undefined) {
    send({id: data.id, result: {}});  // ping and ui/resource-teardown ask for no more.
  } else {
    heard[data.method]?.(data.params ?? {});
  }
});

start();
