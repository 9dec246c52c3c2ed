// The peer of tests/bench/mcp.sh: one tool, made with the TypeScript SDK 2.x.
//
//   node mcp_peer.mjs ANSWER.json http PORT | stdio
//
// ANSWER.json is the structured content that the tool gives.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , file, transport, port] = process.argv;
const packages = createRequire(process.cwd() + '/');
const load = name => import(pathToFileURL(packages.resolve(name)));
const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server');
const { z } = await load('zod');

const answer = JSON.parse(readFileSync(file, 'utf8'));

function make() {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  server.registerTool(
    'list_devices',
    { description: 'Gives the same answer.', inputSchema: z.object({ detail: z.string().optional(), wait_ms: z.number().optional() }) },
    async () => ({
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: answer
    })
  );
  return server;
}

if (transport === 'stdio') {
  const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
  serveStdio(make);
} else {
  const { localhostHostValidation, localhostOriginValidation, toNodeHandler } =
    await load('@modelcontextprotocol/node');
  const hosts = localhostHostValidation();
  const origins = localhostOriginValidation();
  const handle = toNodeHandler(createMcpHandler(make));
  const http = createServer((request, response) => {
    if (hosts(request, response) && origins(request, response)) {
      handle(request, response);
    }
  });
  http.listen(Number(port), '127.0.0.1');
}
