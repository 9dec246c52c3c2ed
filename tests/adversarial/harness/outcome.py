"""What became of a case: reads the server's answer."""

import dataclasses

# Verdicts that end an attack. Those of a case that does not work, such as compile_error, are none.
KILLS = {"incorrect", "incorrect_nan", "out_of_bounds", "input_modified", "runtime_error", "launch_error",
         "barrier_divergence", "deadlock", "suspect", "invalid", "timeout", "stateful", "weak_problem",
         "data_race", "uninitialised_read", "sanitizer"}
PASSES = {"passed", "faster", "slower", "equivalent", "inconclusive", "resolution_limited"}
# How a message begins that blames the problem, and no kernel.
ILL_CONDITIONED = "the problem is ill conditioned: "
# What a pass may carry that takes its worth away.
MARKS = {"stateful", "weak_problem"}


@dataclasses.dataclass
class Outcome:
    word: str  ## killed, neutral, survived; passed, refused; broken: the case itself does not work.
    verdict: str
    message: str
    seconds: float = 0

    def worse(self, other):
        order = ("passed", "killed", "neutral", "survived", "refused", "broken")
        return order.index(self.word) > order.index(other.word)


def marks_of(answer):
    """The marks among the findings of an answer, or of a stage of it."""
    found = set()
    for part in (answer, *(answer.get(stage) for stage in ("validation", "benchmark"))):
        for finding in (part or {}).get("findings", []):
            found.add(finding.get("code", "") if isinstance(finding, dict) else finding)
        if (part or {}).get("weak_problem"):
            found.add("weak_problem")
    return found & MARKS


def message_of(answer):
    """The most telling words: those of the stage that ended it."""
    for stage in ("benchmark", "validation", "compile"):
        part = answer.get(stage) or {}
        if part.get("message"):
            return part["message"]
    for line in (answer.get("compile") or {}).get("diagnostics", []):
        return line.get("message", str(line)) if isinstance(line, dict) else line
    return answer.get("message", answer.get("summary", ""))


def verdict_of(answer):
    if answer["status"] == "error":
        return "refused"
    return answer["status"] if answer["status"] == "broken" else answer.get("verdict", answer["status"])


def outcome(case, answer):
    verdict, message = verdict_of(answer), message_of(answer)
    marks = marks_of(answer)
    if marks:
        message = f"{', '.join(sorted(marks))}: {message}"
    if verdict == "broken":
        return Outcome("broken", verdict, message)
    if case.honest:
        passed = verdict in PASSES and not marks and answer.get("reward") != 0
        passed = passed or case.named and verdict == "invalid_reference" and message.startswith(ILL_CONDITIONED)
        return Outcome("passed" if passed else "refused", verdict, message)
    if verdict in KILLS or verdict in case.killed_by or marks or answer.get("reward") == 0 and verdict in PASSES:
        return Outcome("killed", verdict, message)
    if verdict not in PASSES:
        return Outcome("broken", verdict, message)
    if case.fair is not None and (answer.get("reward") or 0) <= case.fair:
        return Outcome("killed", verdict,
                       f"reward {answer.get('reward')}: {answer.get('reward_withheld', message)}")
    if case.neutral and verdict != "faster":
        return Outcome("neutral", verdict, case.neutral)
    return Outcome("survived", verdict, message)
