"""The steps of clients that come, ask, change their minds and go."""

import http.client
import json
import time

from server import call, modern, vadd, vadd_kernel

VARIANTS = 8
LEGACY = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Stopped(Exception):
    """The server did something that it never may."""


def kernel_call(choice, **more):
    variant = choice.randrange(VARIANTS)
    return {"problem": vadd(variant % 2), "kernel": vadd_kernel(variant), **more}


def expect(server, body, allowed):
    """The answer to a request; its status is one of those."""
    status, _, text = server.post(body)
    if status not in allowed:
        raise Stopped(f"{body['method']}: {status} {text[:200]}")
    return text


def quick(server, choice):
    expect(server, call("list_devices", {"detail": choice.choice(["concise", "full"])}), [200])
    expect(server, modern(choice.choice(["tools/list", "resources/list", "prompts/list"]), {}),
           [200])


def compiled(server, choice):
    expect(server, call("compile_kernel", kernel_call(choice, wait_ms=60000)), [200])


def validated(server, choice):
    answer = json.loads(expect(server, call("compile_kernel", kernel_call(choice, wait_ms=60000)),
                               [200]))
    kernel = answer["result"].get("structuredContent", {}).get("kernel_id")
    if kernel:
        expect(server, call("validate", {"kernel_id": kernel, "wait_ms": 60000}), [200])


def job_cancelled(server, choice):
    """A call that becomes a job, which its client ends."""
    text = expect(server, call("evaluate", kernel_call(choice, wait_ms=0, fresh=True)), [200])
    job = json.loads(text)["result"].get("structuredContent", {}).get("job_id")
    if job:
        expect(server, call("job", {"job_id": job, "action": "cancel"}), [200])


def left(server, choice):
    """A client that closes its connection while its call is open."""
    connection = server.send(call("evaluate", kernel_call(choice, wait_ms=60000, fresh=True)))
    time.sleep(choice.uniform(0, 0.3))
    connection.close()


def half_sent(server, choice):
    connection = server.connect()
    text = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{\"jsonrpc\":"
    connection.sendall(text[:choice.randrange(1, len(text))])
    connection.close()


def malformed(server, choice):
    body = choice.choice([modern("no/such", {}), call("no_such_tool", {}),
                          call("validate", {"kernel": 1})])
    expect(server, body, [200, 400, 404])


def listened(server, choice):
    """A stream that is left after its first event."""
    connection = server.send(modern("subscriptions/listen", {
        "notifications": {"toolsListChanged": True, "resourcesListChanged": True}}))
    if not connection.recv(4096):
        raise Stopped("a stream of changes does not begin")
    time.sleep(choice.uniform(0, 0.2))
    connection.close()


def session(server, choice):
    """A client of 2025-11-25: a session, a call, its cancel, the end."""
    about = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": f"soak {choice.randrange(100)}", "version": "1"}}
    status, headers, text = server.post(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}, LEGACY)
    if status != 200:
        raise Stopped(f"initialize: {status} {text[:200]}")
    own = {**LEGACY, "MCP-Protocol-Version": "2025-11-25",
           "Mcp-Session-Id": headers["Mcp-Session-Id"]}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request("POST", "/mcp", json.dumps({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "evaluate", "_meta": {"progressToken": 7},
                   "arguments": kernel_call(choice, wait_ms=60000, fresh=True)}}), own)
    time.sleep(choice.uniform(0, 0.2))
    server.post({"jsonrpc": "2.0", "method": "notifications/cancelled",
                 "params": {"requestId": 2}}, own)
    connection.close()
    ending = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    ending.request("DELETE", "/mcp", headers=own)
    ending.getresponse().read()
    ending.close()


STEPS = ((quick, 8), (compiled, 4), (validated, 2), (job_cancelled, 2), (left, 4), (half_sent, 4),
         (malformed, 3), (listened, 3), (session, 3))


def one_step(server, choice):
    """Takes one at random. @return Its name."""
    step = choice.choices([each for each, _ in STEPS], [weight for _, weight in STEPS])[0]
    try:
        step(server, choice)
    except (OSError, http.client.HTTPException) as error:
        raise Stopped(f"{step.__name__}: {error!r}") from error
    return step.__name__
