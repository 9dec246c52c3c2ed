"""A model that plays a script, behind as much of Anthropic's messages API as Claude Code uses."""

import http.server
import json
import threading


def events_of(message):
    """The server-sent events by which a whole message is streamed."""
    block = message["content"][0]
    opened = dict(block, input={}) if block["type"] == "tool_use" else dict(block, text="")
    delta = ({"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
             if block["type"] == "tool_use" else {"type": "text_delta", "text": block["text"]})
    start = dict(message, content=[], stop_reason=None)
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": opened},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "usage": {"output_tokens": 1},
         "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}},
        {"type": "message_stop"},
    ]


def text_of(content):
    """The text of a tool result, as the model gets it."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", json.dumps(part, sort_keys=True)) for part in content)


def tool_results(request):
    """The texts of all tool results of a conversation, in order."""
    return [text_of(part.get("content", ""))
            for message in request["messages"] if isinstance(message["content"], list)
            for part in message["content"] if part["type"] == "tool_result"]


class Model:
    """Serves on a port of its own. `script` is called with the results so far, and gives the next
    call, (tool, input), or a text that ends the conversation."""

    def __init__(self, script):
        self.script = script
        self.requests = []  # Those of the conversation, whole.
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.send(b"", "text/plain")

            do_GET = do_HEAD

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                    self.send(b'{"input_tokens": 1}', "application/json")
                    return
                message = model.answer(request)
                if request.get("stream"):
                    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                                   for event in events_of(message))
                    self.send(text.encode(), "text/event-stream")
                else:
                    self.send(json.dumps(message).encode(), "application/json")

            def send(self, body, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, request):
        step = "ok"
        # Requests without tools ask for a title and the like.
        if request.get("tools"):
            self.requests.append(request)
            step = self.script(tool_results(request))
        if isinstance(step, str):
            content = {"type": "text", "text": step}
        else:
            content = {"type": "tool_use", "id": f"toolu_{len(self.requests):04}",
                       "name": step[0], "input": step[1]}
        return {"id": f"msg_{len(self.requests):04}", "type": "message", "role": "assistant",
                "model": request["model"], "content": [content],
                "stop_reason": "end_turn" if isinstance(step, str) else "tool_use",
                "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
