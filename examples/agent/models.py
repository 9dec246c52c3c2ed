"""Models that an agent can ask: two families of endpoints, and one that follows a script.

A conversation is a list of turns: {"role": "user", "text"}, {"role": "assistant", "text", "calls":
[{"id", "name", "arguments"}]} and {"role": "tools", "results": [{"id", "name", "text", "failed"}]}.
Each model turns it into what its endpoint takes and gives back the next assistant turn.
"""

import ipaddress
import json
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_S = 600
MAX_TOKENS = 8192
ANTHROPIC_VERSION = "2023-06-01"


class ModelError(Exception):
    """What the endpoint answered instead of a turn."""


def is_loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_endpoint(url):
    """A key and kernels do not go over a network in the clear."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname)):
        return url.rstrip("/")
    raise ModelError(f"{url}: give https://..., or http:// on this machine")


def post(url, headers, body):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise ModelError(f"{url}: {error.code}: {error.read(500).decode(errors='replace')}")
    except (urllib.error.URLError, TimeoutError, json.JSONDecodeError) as error:
        raise ModelError(f"{url}: {error}")


class OpenAi:
    """POST <endpoint>/chat/completions, as many servers of open models have it."""

    def __init__(self, endpoint, name, key, system, tools):
        self.url = check_endpoint(endpoint) + "/chat/completions"
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.name = name
        self.system = {"role": "system", "content": system}
        self.tools = [{"type": "function",
                       "function": {"name": tool["name"], "description": tool["description"],
                                    "parameters": tool["inputSchema"]}} for tool in tools]

    def messages(self, conversation):
        yield self.system
        for turn in conversation:
            if turn["role"] == "user":
                yield {"role": "user", "content": turn["text"]}
            elif turn["role"] == "assistant":
                calls = [{"id": call["id"], "type": "function",
                          "function": {"name": call["name"],
                                       "arguments": json.dumps(call["arguments"])}}
                         for call in turn["calls"]]
                yield {"role": "assistant", "content": turn["text"],
                       **({"tool_calls": calls} if calls else {})}
            else:
                for result in turn["results"]:
                    yield {"role": "tool", "tool_call_id": result["id"], "content": result["text"]}

    def reply(self, conversation):
        answer = post(self.url, self.headers,
                      {"model": self.name, "messages": list(self.messages(conversation)),
                       "tools": self.tools})
        try:
            message = answer["choices"][0]["message"]
            calls = [{"id": call["id"], "name": call["function"]["name"],
                      "arguments": json.loads(call["function"]["arguments"] or "{}")}
                     for call in message.get("tool_calls") or []]
        except (KeyError, IndexError, TypeError, json.JSONDecodeError) as error:
            raise ModelError(f"{self.url}: no chat completion: {error!r}")
        return {"role": "assistant", "text": message.get("content") or "", "calls": calls}


class Anthropic:
    """POST <endpoint>/v1/messages."""

    def __init__(self, endpoint, name, key, system, tools):
        self.url = check_endpoint(endpoint) + "/v1/messages"
        self.headers = {"anthropic-version": ANTHROPIC_VERSION, **({"x-api-key": key} if key else {})}
        self.name = name
        self.system = system
        self.tools = [{"name": tool["name"], "description": tool["description"],
                       "input_schema": tool["inputSchema"]} for tool in tools]

    @staticmethod
    def messages(conversation):
        for turn in conversation:
            if turn["role"] == "user":
                yield {"role": "user", "content": turn["text"]}
            elif turn["role"] == "assistant":
                said = [{"type": "text", "text": turn["text"]}] if turn["text"] else []
                yield {"role": "assistant", "content": said + [
                    {"type": "tool_use", "id": call["id"], "name": call["name"],
                     "input": call["arguments"]} for call in turn["calls"]]}
            else:
                yield {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": result["id"], "content": result["text"],
                     "is_error": result["failed"]} for result in turn["results"]]}

    def reply(self, conversation):
        answer = post(self.url, self.headers,
                      {"model": self.name, "max_tokens": MAX_TOKENS, "system": self.system,
                       "tools": self.tools, "messages": list(self.messages(conversation))})
        try:
            blocks = answer["content"]
            text = "".join(block["text"] for block in blocks if block["type"] == "text")
            calls = [{"id": block["id"], "name": block["name"], "arguments": block["input"]}
                     for block in blocks if block["type"] == "tool_use"]
        except (KeyError, TypeError) as error:
            raise ModelError(f"{self.url}: no message: {error!r}")
        return {"role": "assistant", "text": text, "calls": calls}


class Scripted:
    """Follows a file: a list of {"say": TEXT, "call": [{"tool", "arguments"}]}. In arguments
    "$problem_id" and "$kernel_id" stand for what the conversation began with, "$last.NAME" for a
    field of the last result."""

    def __init__(self, path, known):
        with open(path, encoding="utf-8") as file:
            self.turns = json.load(file)
        self.known = known
        self.next = 0

    def filled(self, value, last):
        if isinstance(value, dict):
            return {key: self.filled(item, last) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item, last) for item in value]
        if isinstance(value, str) and value.startswith("$last."):
            return last.get(value.removeprefix("$last."))
        if isinstance(value, str) and value.startswith("$"):
            return self.known.get(value[1:], value)
        return value

    def reply(self, conversation):
        if self.next == len(self.turns):
            return {"role": "assistant", "text": "", "calls": []}
        turn = self.turns[self.next]
        self.next += 1
        results = conversation[-1].get("results", [])
        try:
            last = json.loads(results[-1]["text"]) if results else {}
        except json.JSONDecodeError:
            last = {}  # A tool error is plain text.
        calls = [{"id": f"call_{self.next}_{i}", "name": call["tool"],
                  "arguments": self.filled(call["arguments"], last)}
                 for i, call in enumerate(turn.get("call", []))]
        return {"role": "assistant", "text": turn.get("say", ""), "calls": calls}
