// One lane of the TypeScript SDK: connects, lists everything, compiles and validates a kernel, has
// a call refused, and makes ten calls at once. Prints one JSON object.
//
//   node sdk.mjs 1|2 legacy|auto|modern stdio COMMAND ARGUMENT...
//   node sdk.mjs 1|2 legacy|auto|modern http URL
//
// PROBLEM and KERNEL in the environment are the JSON of what is compiled; TOKEN, where it is set, is
// shown to a server over HTTP.
const [version, era, transport, target, ...words] = process.argv.slice(2);
const mode = era === "modern" ? { pin: "2026-07-28" } : era;

async function load() {
  if (version === "1") {
    const base = "@modelcontextprotocol/sdk/client";
    return {
      Client: (await import(`${base}/index.js`)).Client,
      Stdio: (await import(`${base}/stdio.js`)).StdioClientTransport,
      Http: (await import(`${base}/streamableHttp.js`)).StreamableHTTPClientTransport,
    };
  }
  const all = await import("@modelcontextprotocol/client");
  const stdio = await import("@modelcontextprotocol/client/stdio");
  return {
    Client: all.Client,
    Stdio: stdio.StdioClientTransport,
    Http: all.StreamableHTTPClientTransport,
  };
}

const { Client, Stdio, Http } = await load();
const options = version === "1" ? {} : { versionNegotiation: { mode } };
const client = new Client({ name: "sdk-test", version: "1" }, options);
const headers = process.env.TOKEN ? { Authorization: `Bearer ${process.env.TOKEN}` } : {};
await client.connect(
  transport === "stdio"
    ? new Stdio({ command: target, args: words, stderr: "ignore" })
    : new Http(new URL(target), { requestInit: { headers } }));

const report = {
  server: client.getServerVersion().name,
  revision: client.getNegotiatedProtocolVersion?.() ?? "(not told)",
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  prompts: (await client.listPrompts()).prompts.length,
  resources: (await client.listResources()).resources.length,
};
const call = async (name, args) =>
  (await client.callTool({ name, arguments: args })).structuredContent;
const compiled = await call("compile_kernel", {
  problem: JSON.parse(process.env.PROBLEM), kernel: JSON.parse(process.env.KERNEL) });
report.compiled = compiled.verdict;
const validated = await call("validate", { kernel_id: compiled.kernel_id });
report.validated = validated.verdict;
const source = await client.readResource({ uri: `kernel://${compiled.kernel_id}/source` });
report.source = source.contents[0].text === JSON.parse(process.env.KERNEL).source;
const refused = await client.callTool({ name: "validate", arguments: { kernel: "x" } });
report.refused = refused.isError === true;
const many = await Promise.all(
  Array.from({ length: 10 }, () => call("validate", { kernel_id: compiled.kernel_id })));
report.at_once = many.filter((answer) => answer.verdict === "passed").length;
await client.close();
console.log(JSON.stringify(report));
