"""One server, asked by several threads at once."""

import json
import queue
import threading

from base import Server

# Longer than any case may take: a server that does not answer by then has lost a request.
ANSWER_SECONDS = 300


class Client(Server):
    """A server whose calls may overlap: a thread of its own hands out the answers as they come."""

    def __init__(self, executable, data_dir):
        super().__init__(executable, data_dir)
        self.lock = threading.Lock()
        self.waiting = {}
        self.ended = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.lock:
                box = self.waiting.pop(message.get("id"), None)
            if box is not None:
                box.put(message)
        with self.lock:
            self.ended = True
            for box in self.waiting.values():
                box.put({"error": {"message": "the server has ended"}})

    def call(self, tool, **arguments):
        """A tool's answer; a tool error as {"status": "error", "message": its text}."""
        box = queue.Queue()
        with self.lock:
            if self.ended:
                return {"status": "broken", "message": "the server has ended"}
            line = self.line("tools/call", name=tool, arguments=arguments)
            self.waiting[self.last_id] = box
            self.process.stdin.write(line)
            self.process.stdin.flush()
        try:
            message = box.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            return {"status": "broken", "message": f"no answer in {ANSWER_SECONDS} s"}
        if "error" in message:
            return {"status": "broken", "message": message["error"]["message"]}
        result = message["result"]
        if result.get("isError"):
            return {"status": "error", "message": result["content"][0]["text"]}
        return result["structuredContent"]
