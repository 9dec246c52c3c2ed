#!/usr/bin/env python3
"""Runs examples/agent/loop.py from start to end, with a script and with two endpoints that stand in
for models.

    test_loop.py WARPSMITH
"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOOP = ROOT / "examples" / "agent" / "loop.py"
VADD = ROOT / "examples" / "kernels" / "vadd"
WARPSMITH = sys.argv.pop() if len(sys.argv) > 1 else str(ROOT / "build-test/bin/warpsmith")
KEY = "a-key-for-tests"


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers with the next of `turns`; keeps what it was asked. A turn that is a function makes its
    text and calls from the last request."""

    def do_POST(self):  # noqa: N802 (the base class's name)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        text, calls = self.server.turns[len(self.server.asked) - 1](body)
        answer = (self.anthropic if self.path.endswith("/v1/messages") else self.openai)(text, calls)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def openai(self, text, calls):
        return {"choices": [{"message": {"role": "assistant", "content": text or None, "tool_calls": [
            {"id": f"c{i}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(calls)]}}]}

    def anthropic(self, text, calls):
        return {"content": [{"type": "text", "text": text}] + [
            {"type": "tool_use", "id": f"c{i}", "name": name, "input": arguments}
            for i, (name, arguments) in enumerate(calls)]}

    def log_message(self, *arguments):
        pass


def run(*arguments, key=None):
    environment = {**os.environ, **({"KERNEL_AGENT_KEY": key} if key else {})}
    return subprocess.run([sys.executable, str(LOOP), *map(str, arguments), "--executable", WARPSMITH],
                          capture_output=True, text=True, timeout=300, env=environment)


class Loop(unittest.TestCase):
    def with_endpoint(self, turns, path, *arguments):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
        server.turns, server.asked = turns, []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}{path}"
        done = run(VADD, "--model", "m", "--endpoint", url, *arguments, key=KEY)
        server.shutdown()
        server.server_close()
        return done, server.asked

    def test_a_script_runs_from_start_to_end(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "best.cu"
            done = run(VADD, "--script", ROOT / "examples/agent/scripts/vadd.json", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("incorrect", done.stdout)
            self.assertIn("best of 3 evaluations: krn_", done.stdout)
            self.assertIn("__global__ void vadd(", out.read_text())

    def test_rounds_end(self):
        done = run(VADD, "--script", ROOT / "examples/agent/scripts/vadd.json", "--rounds", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("evaluate: There are no rounds left.", done.stdout)
        self.assertIn("best of 1 evaluations", done.stdout)

    def kernel_of(self, text):
        """The id that the prompt names."""
        return next(word.strip(".,") for word in text.split() if word.startswith("krn_"))

    def check_results(self, results):
        """Of the second request: an error for the tool that is not there, then a reward."""
        self.assertEqual(results[0], "there is no tool workflow")
        self.assertGreater(json.loads(results[1])["reward"], 0)

    def test_openai(self):
        def first(body):
            self.assertEqual(body["messages"][0]["role"], "system")
            names = [tool["function"]["name"] for tool in body["tools"]]
            self.assertIn("evaluate", names)
            return "", [("workflow", {}),
                        ("evaluate", {"kernel_id": self.kernel_of(body["messages"][1]["content"]),
                                      "device": "cpu:0"})]

        def second(body):
            self.assertEqual([m["tool_call_id"] for m in body["messages"][-2:]], ["c0", "c1"])
            self.check_results([m["content"] for m in body["messages"][-2:]])
            return "Done.", []

        done, asked = self.with_endpoint([first, second], "/v1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([path for path, _, _ in asked], ["/v1/chat/completions"] * 2)
        self.assertEqual(asked[0][1]["Authorization"], f"Bearer {KEY}")
        self.assertIn("model: Done.", done.stdout)

    def test_anthropic(self):
        def first(body):
            prompt = body["messages"][0]["content"]
            return "I begin.", [("workflow", {}), ("evaluate", {"kernel_id": self.kernel_of(prompt),
                                                                "device": "cpu:0"})]

        def second(body):
            results = body["messages"][-1]["content"]
            self.assertEqual([block["is_error"] for block in results], [True, False])
            self.check_results([block["content"] for block in results])
            return "Done.", []

        done, asked = self.with_endpoint([first, second], "", "--api", "anthropic")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([path for path, _, _ in asked], ["/v1/messages"] * 2)
        self.assertEqual(asked[0][1]["X-Api-Key"], KEY)

    def test_wrong_calls_go_back_to_the_model(self):
        def first(_):
            return "", [("evaluate", {"kernels": []}), ("validate", {"kernel_id": "krn_none"})]

        def second(body):
            texts = [message["content"] for message in body["messages"][-2:]]
            self.assertTrue(all(text.startswith(("invalid_argument: ", "not_found: "))
                                for text in texts), texts)
            return "", []

        done, _ = self.with_endpoint([first, second], "/v1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no kernel that is right was found in 1 evaluations", done.stdout)

    def test_a_key_stays_on_this_machine_without_tls(self):
        done = run(VADD, "--model", "m", "--endpoint", "http://models.example/v1", key=KEY)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "no model: http://models.example/v1: give https://..., or "
                                      "http:// on this machine\n")

    def test_an_answer_that_is_no_turn(self):
        self.addCleanup(setattr, Endpoint, "openai", Endpoint.openai)
        Endpoint.openai = lambda *_: {"error": "overloaded"}
        done, _ = self.with_endpoint([lambda _: ("", [])], "/v1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no chat completion: KeyError('choices')", done.stderr)

    def test_rewards_are_logged(self):
        with tempfile.TemporaryDirectory() as folder:
            candidates = pathlib.Path(folder, "candidates")
            candidates.mkdir()
            good = json.loads((VADD / "naive.json").read_text())
            bad = {**good, "source": good["source"].replace("i < n", "i < n - 1")}
            for name, text in (("good", json.dumps(good)), ("bad", json.dumps(bad)), ("none", "{")):
                (candidates / f"{name}.json").write_text(text)
            log = pathlib.Path(folder, "rewards.jsonl")
            done = run(VADD, "--serve-rl", candidates, "--device", "cpu:0", "--log", log)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            rows = {row["file"]: row for row in map(json.loads, log.read_text().splitlines())}
            self.assertEqual({name: row["verdict"] for name, row in rows.items() if name != "good.json"},
                             {"bad.json": "incorrect", "none.json": "invalid_argument"})
            self.assertGreater(rows["good.json"]["reward"], 0)
            self.assertEqual(rows["bad.json"]["reward"], 0)


if __name__ == "__main__":
    unittest.main()
