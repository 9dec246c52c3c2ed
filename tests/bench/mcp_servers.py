"""The servers that tests/bench/mcp.sh measures, and a client for each transport."""

import http.client
import json
import pathlib
import re
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PEER = ROOT / "tests" / "bench" / "mcp_peer.mjs"
PACKAGES = ("node@22", "@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2",
            "zod@4")
VERSION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}

def call(number):
    """The server keeps the answer to the same call as it was written: each number is another one."""
    return {"name": "list_devices", "arguments": {"detail": "full", "wait_ms": number % 600000}}


def message(method, params, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method,
            "params": {**params, "_meta": ENVELOPE}}


def headers_of(body):
    headers = {"Content-Type": "application/json",
               "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": VERSION, "Mcp-Method": body["method"]}
    if "name" in body["params"]:
        headers["Mcp-Name"] = body["params"]["name"]
    return headers


def result_of(text):
    """The result in a body that is JSON, or a stream of events."""
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
    answer = json.loads(lines[-1] if lines else text)
    if "result" not in answer or answer["result"].get("isError"):
        sys.exit(f"a request was refused: {text[:400]}")
    return answer["result"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def install_peer(folder):
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules" / "@modelcontextprotocol" / "node").is_dir():
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, *PACKAGES], check=True)
    return folder


class Server:
    """A server process over HTTP on a free port of loopback, or over stdio."""

    def __init__(self, name, command, cwd=None, errors=subprocess.DEVNULL):
        self.name = name
        self.command = [str(part) for part in command]
        self.cwd = cwd
        self.errors = errors
        self.process = None
        self.port = 0

    def open(self, transport):
        self.port = free_port()
        self.process = subprocess.Popen(
            [*self.command, *self.arguments(transport)], cwd=self.cwd,
            stdin=subprocess.PIPE if transport == "stdio" else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.errors)
        if transport == "http":
            self.wait_until_there()
        return self

    def arguments(self, transport):
        if self.name != "warpsmith":
            return [transport, str(self.port)]
        return ["--http", f"127.0.0.1:{self.port}"] if transport == "http" else ["--stdio"]

    def wait_until_there(self):
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        sys.exit(f"{self.name} did not start")

    def close(self):
        self.process.terminate()
        self.process.communicate(timeout=20)

    def rss_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def post(self, body, timeout=30):
        """The result, and the milliseconds that it took."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        start = time.perf_counter()
        connection.request("POST", "/mcp", json.dumps(body), headers_of(body))
        text = connection.getresponse().read().decode()
        took = (time.perf_counter() - start) * 1000
        connection.close()
        return result_of(text), took

    def ask(self, body):
        """The same over stdio. The time is the server's and the pipes', without this client's JSON."""
        line = json.dumps(body).encode() + b"\n"
        start = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        took = (time.perf_counter() - start) * 1000
        return result_of(answer.decode()), took
