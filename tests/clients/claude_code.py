"""Conversations of Claude Code with a scripted model, and what that model sees of them."""

import json
import re

import model

PREFIX = "mcp__warpsmith__"

# What differs between machines and runs, and what stands for it.
MASKS = (
    (re.compile(r"\d+(\.\d+)? ms\b"), "T ms"),
    (re.compile(r"CPU engine, \d+ cores?"), "CPU engine, N cores"),
    (re.compile(r"x86-64-v\d"), "x86-64-vN"),
    (re.compile(r"clang \d+\.\d+\.\d+"), "clang VERSION"),
    (re.compile(r'"(\w*_ms|ms)":\d+(\.\d+)?'), r'"\1":T'),
    (re.compile(r'"machine":\[.*?\}\]'), '"machine":[ROWS]'),
    (re.compile(r'"instructions":\{[^}]*\}'), '"instructions":{COUNTS}'),
    # Sizes that the server draws are of each run.
    (re.compile(r'"workload":\{"n":(?!65536\})\d+\}'), '"workload":{"n":N}'),
    (re.compile(r'"(largest|smallest)":\{"n":\d+\}'), r'"\1":{"n":N}'),
    (re.compile(r'(above"?[ :])\d+'), r"\1N"),
    (re.compile(r"job_[0-9a-f]{32}"), "job_J"),
    (re.compile(r"evd_[0-9a-f]{32}"), "evd_E"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    # Devices other than the CPU engine are of each machine.
    (re.compile(r"\d+ devices?;"), "N devices;"),
    (re.compile(r',\{"arch":"(?!x86)[^{}]*(\{[^{}]*\}[^{}]*)*\}'), ""),
)


def masked(text):
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return text


def kernel_id(results):
    """The kernel of the newest answer that names one."""
    return re.findall(r"krn_\w+", "\n".join(results))[-1]


def stdio_calls(problem, kernel):
    """From nothing to a validated kernel, by way of the mistakes that a model makes."""
    unclosed = dict(kernel, name="unclosed",
                    source=kernel["source"].replace("a[i] + b[i];", "a[i] + b[i]"))
    beyond = [{"op": "replace", "from": 5, "old": "    c[i] = a[i] + b[i];",
               "text": "    c[i] = a[i] + b[i + 1];"}]
    return [
        lambda _: ("list_devices", {}),
        lambda _: ("compile_kernel", {}),
        lambda _: ("compile_kernel", {"problem": problem, "kernel": unclosed}),
        lambda _: ("compile_kernel", {"problem": problem, "kernel": kernel}),
        lambda results: ("validate", {"kernel_id": kernel_id(results)}),
        lambda results: ("compile_kernel", {"base": kernel_id(results), "edits": beyond}),
        lambda results: ("validate", {"kernel_id": kernel_id(results)}),
    ]


def http_calls(problem, kernel):
    select = {"query": f"select:{PREFIX}compile_kernel,{PREFIX}validate", "max_results": 5}
    return [
        lambda _: ("ToolSearch", select),
        lambda _: ("compile_kernel", {"problem": problem, "kernel": kernel}),
        lambda results: ("validate", {"kernel_id": kernel_id(results)}),
        lambda results: ("ReadMcpResourceTool", {
            "server": "warpsmith", "uri": f"kernel://{kernel_id(results)}/source"}),
    ]


def play(bench, home, calls, prompt, **environment):
    """One conversation. Returns its text as the model sees it, and what went wrong."""
    shown = [f"user: {prompt}"]

    def script(results):
        if results and len(shown) == 2 * len(results):
            shown.append("sees: " + results[-1])
        if len(results) >= len(calls):
            return "That is all."
        tool, arguments = calls[len(results)](results)
        shown.append("calls: " + tool)
        known = tool in ("ToolSearch", "ReadMcpResourceTool")
        return (tool if known else PREFIX + tool, arguments)

    server = model.Model(script)
    try:
        ended = bench.run(
            [bench.program("claude"), "-p", prompt, "--output-format", "json",
             "--allowedTools", "mcp__warpsmith", "ReadMcpResourceTool"], home,
            ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY="none", DISABLE_AUTOUPDATER="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", HTTPS_PROXY="http://127.0.0.1:9",
            NO_PROXY="127.0.0.1", **environment)  # What is meant for other machines fails at once.
    finally:
        server.close()
    wrong = ended.stderr if ended.returncode else ""
    if not wrong and json.loads(ended.stdout)["result"] != "That is all.":
        wrong = ended.stdout
    return masked("\n".join(shown)), wrong, server.requests


def converse(bench, examples, token):
    """All conversations as one text, and what went wrong in them."""
    problem = json.loads((examples / "problem.json").read_text())
    kernel = json.loads((examples / "naive.json").read_text())
    texts, complaints = [], []

    def add(title, text, wrong):
        texts.append(f"== {title}\n{text}\n")
        if wrong:
            complaints.append(f"{title}: {wrong}\n")

    home = bench.home()
    written = bench.run([bench.warpsmith, "config", "claude-code", "--yes"], home)
    add("config claude-code", "", written.stderr if written.returncode else "")
    text, wrong, requests = play(bench, home, stdio_calls(problem, kernel), "Write a kernel.",
                                 ENABLE_TOOL_SEARCH="false")
    add("over stdio", text, wrong)
    told = json.dumps(requests[0] if requests else "")
    add("the instructions reach the model", "",
        "" if "emulated" in told and "compile_kernel" in told else "no instructions: " + told)
    prompt = "/mcp__warpsmith__optimize_kernel krn_naive 10x"
    _, wrong, requests = play(bench, home, [], prompt)
    add("a prompt", masked(prompt_text(requests)), wrong)
    home = bench.home()
    with bench.http_server(home) as url:
        written = bench.run(
            [bench.warpsmith, "config", "claude-code", "--http", url, "--token", "--yes"], home)
        add("config claude-code --http", "", written.stderr if written.returncode else "")
        text, wrong, _ = play(bench, home, http_calls(problem, kernel), "Write a kernel.",
                              WARPSMITH_TOKEN=token)
        add("over http", text, wrong)
    return "\n".join(texts), "".join(complaints)


def prompt_text(requests):
    """The user's texts of the first request, less what Claude Code itself adds."""
    if not requests:
        return "(no request)"
    parts = [part["text"] for message in requests[0]["messages"] if message["role"] == "user"
             for part in (message["content"] if isinstance(message["content"], list)
                          else [{"text": message["content"]}])]
    return "\n".join(part for part in parts if not part.startswith("<system-reminder>"))
