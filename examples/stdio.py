#!/usr/bin/env python3
"""A session with warpsmith over stdio, as an MCP client has it. Standard library only.

    examples/stdio.py [path of warpsmith]     (default: build/bin/warpsmith)

Compiles, validates and benchmarks a vector addition, and prints what the server says.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VADD = ROOT / "examples" / "kernels" / "vadd"

# Each request of protocol 2026-07-28 says who asks and how: there is no handshake.
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "stdio-example", "version": "1"},
}


class Server:
    """warpsmith serve --stdio: one JSON message a line, in and out."""

    def __init__(self, executable, data_dir):
        self.process = subprocess.Popen(
            [executable, "serve", "--stdio", "--data", data_dir, "--log-level", "warning"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.last_id = 0

    def exchange(self, method, **params):
        """Sends one request and returns its reply, an error too; shows progress on the way."""
        self.last_id += 1
        meta = dict(ENVELOPE, progressToken=self.last_id)
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method}
        message["params"] = dict(params, _meta=meta)
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("the server has ended")
            reply = json.loads(line)
            if reply.get("method") == "notifications/progress":
                print("   ...", reply["params"].get("message", "working"))
            elif reply.get("id") == self.last_id:
                return reply

    def request(self, method, **params):
        """The result; an error ends the session."""
        reply = self.exchange(method, **params)
        if "error" in reply:
            sys.exit("refused: " + reply["error"]["message"])
        return reply["result"]

    def call(self, tool, **arguments):
        """Calls a tool and waits for its job, however long that takes."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        if result.get("isError"):
            sys.exit("tool error: " + result["content"][0]["text"])
        answer = result["structuredContent"]
        if answer.get("status") in ("queued", "running"):
            return self.call("job", job_id=answer["job_id"], action="wait")
        return answer

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def show(step, answer):
    verdict = answer.get("verdict", answer.get("status", ""))
    print(f"{step:<15}{verdict:<14}{answer.get('summary', '')}")


def session(server):
    info = server.request("server/discover")
    name = info["_meta"]["io.modelcontextprotocol/serverInfo"]
    print(f"{name['name']} {name['version']} speaks {', '.join(info['supportedVersions'])}")
    tools = server.request("tools/list")["tools"]
    print("tools:", ", ".join(tool["name"] for tool in tools), end="\n\n")

    show("list_devices", server.call("list_devices"))
    compiled = server.call(
        "compile_kernel",
        problem=json.loads((VADD / "problem.json").read_text()),
        kernel=json.loads((VADD / "naive.json").read_text()),
    )
    show("compile_kernel", compiled)
    kernel_id = compiled["kernel_id"]
    show("validate", server.call("validate", kernel_id=kernel_id, level="quick"))
    timed = server.call("benchmark", kernel_id=kernel_id, baseline="reference")
    show("benchmark", timed)
    for row in timed.get("workloads", []):
        print(f"   {row['workload']}: {row['median_us']:.1f} us, ratio {row.get('ratio')}")


def main():
    executable = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "bin" / "warpsmith")
    with tempfile.TemporaryDirectory() as data_dir:
        server = Server(executable, data_dir)
        session(server)
        sys.exit(server.close())


if __name__ == "__main__":
    main()
