"""Work that a client cancels leaves room for the next on every lane."""

import json

from server import call, vadd, vadd_kernel

TUNED = {**vadd_kernel(0), "params": {"TILE": [32, 64, 128, 256]},
         "defaults": {"TILE": 128}}
TUNED["source"] = TUNED["source"].replace("vadd(", "vadd_@TILE@(")
TUNED["launches"] = [{**TUNED["launches"][0], "entry": "vadd_@TILE@", "block": ["TILE"],
                      "grid": ["cdiv(n, TILE)"]}]


def long_work(server):
    """Calls whose work takes minutes: on a device's lane, on that of evaluations and of batches."""
    plain = {"problem": vadd(1), "kernel": vadd_kernel(1)}
    kernel = server.answer("compile_kernel", plain)["kernel_id"]
    tuned = server.answer("compile_kernel", {"problem": vadd(1), "kernel": TUNED})["kernel_id"]
    return [("benchmark", {"kernel_id": kernel, "baseline": "none", "time_budget_ms": 120000}),
            ("tune", {"kernel_id": tuned, "time_budget_ms": 600000}),
            ("evaluate", {**plain, "fresh": True}),
            ("evaluate", {"problem": vadd(1), "fresh": True,
                          "kernels": [vadd_kernel(number) for number in range(100, 140)]})]


def begun(server, tool, arguments):
    """The job of a call that does not wait."""
    answer = server.answer(tool, {**arguments, "wait_ms": 0})
    return answer.get("job_id")


def lanes_left_full(server):
    """The tools whose cancelled work keeps others waiting, in words."""
    found = []
    for tool, arguments in long_work(server):
        # Four at once: as many as the widest of these lanes takes.
        jobs = [begun(server, tool, {**arguments, "fresh": True}) for _ in range(4)]
        if None in jobs:
            found.append(f"{tool}: its work does not last")
        for job in filter(None, jobs):
            _, _, text = server.post(call("job", {"job_id": job, "action": "cancel"}))
            state = json.loads(text)["result"].get("structuredContent", {}).get("status")
            if state not in ("cancelled", "done", "running"):
                found.append(f"{tool}: a job that is cancelled is {state}")
        after = server.answer("evaluate", {"problem": vadd(1), "kernel": vadd_kernel(1),
                                           "fresh": True, "wait_ms": 100000})
        if after.get("verdict") is None:
            found.append(f"{tool}: 100 s after its cancel nothing else has had its turn: {after}")
    return found
