"""A server under load, and what it holds."""

import dataclasses
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import time

VERSION = "2026-07-28"
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {}}
LONGEST_WAIT = 120


@dataclasses.dataclass
class Use:
    """Of one process."""

    mib: float
    descriptors: int
    threads: int

    @staticmethod
    def of(pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return Use(int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024,
                   len(os.listdir(f"/proc/{pid}/fd")),
                   int(re.search(r"Threads:\s+(\d+)", status).group(1)))

    def __str__(self):
        return f"{self.mib:.1f} MiB, {self.descriptors} descriptors, {self.threads} threads"


def modern(method, params, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method,
            "params": {**params, "_meta": ENVELOPE}}


def call(tool, arguments, number=1):
    return modern("tools/call", {"name": tool, "arguments": arguments}, number)


def head_of(body, text):
    lines = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json",
             "Accept: application/json, text/event-stream", f"MCP-Protocol-Version: {VERSION}",
             f"Mcp-Method: {body['method']}", f"Content-Length: {len(text)}"]
    name = body["params"].get("name", body["params"].get("uri"))
    return "\r\n".join(lines + ([f"Mcp-Name: {name}"] if name else [])) + "\r\n\r\n"


class SoakServer:
    """`warpsmith serve` over HTTP on a port of its own choice."""

    def __init__(self, binary, folder):
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            [binary.resolve(), "serve", "--http", "127.0.0.1:0", "--data", folder / "data"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        self.pid = self.process.pid
        self.port = self.wait_for_port(folder / "log")

    def wait_for_port(self, log):
        end = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"listening on http://127\.0\.0\.1:(\d+)/", log.read_text())
            if found:
                return int(found.group(1))
            time.sleep(0.05)
        raise SystemExit("the server does not start: " + log.read_text())

    def close(self):
        self.process.terminate()
        status = self.process.wait(LONGEST_WAIT)
        self.log.close()
        return status

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST_WAIT)

    def send(self, body):
        """A connection on which this request is open."""
        text = json.dumps(body)
        connection = self.connect()
        connection.sendall((head_of(body, text) + text).encode())
        return connection

    def post(self, body, headers=None):
        """The status, the headers and the text of an answer."""
        text = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_WAIT)
        if headers is None:
            headers = dict(line.split(": ", 1) for line in head_of(body, text).split("\r\n")[2:-2])
        connection.request("POST", "/mcp", text, headers)
        answer = connection.getresponse()
        body_text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, body_text

    def answer(self, tool, arguments):
        """The structured content of a call that waits for its work."""
        _, _, text = self.post(call(tool, {"wait_ms": 600000, **arguments}))
        return json.loads(text)["result"]["structuredContent"]

    def settle(self):
        """Returns when no job is left: all clients have gone before."""
        end = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < end:
            devices = self.answer("list_devices", {})["devices"]
            kernel = self.answer("compile_kernel", {"problem": vadd(1), "kernel": vadd_kernel(1)})
            if not any(device["queue_length"] for device in devices) and "kernel_id" in kernel:
                time.sleep(1)  # For what ends by itself after the last answer.
                return
            time.sleep(0.1)
        raise SystemExit("the queues do not get empty")


def vadd(size):
    return {"name": "soak_vadd", "dims": {"n": [1000 + size, 5000 + size]},
            "args": [{"name": "a", "type": "f32", "shape": ["n"], "role": "in"},
                     {"name": "b", "type": "f32", "shape": ["n"], "role": "in"},
                     {"name": "c", "type": "f32", "shape": ["n"], "role": "out"}],
            "reference": {"kind": "kernel", **vadd_kernel(0)}}


def vadd_kernel(variant):
    """A few different ones: the caches are full after the warm-up."""
    source = ("__global__ void vadd(const float* a, const float* b, float* c, int n) {\n"
              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              f"  if (i < n) c[i] = a[i] + b[i];  // {variant}\n}}\n")
    return {"language": "cuda", "source": source,
            "launches": [{"entry": "vadd", "grid": ["cdiv(n, 128)"], "block": ["128"],
                          "args": ["a", "b", "c", "n"]}]}
