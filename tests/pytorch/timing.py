#!/usr/bin/env python3
"""Runs the program of a module's GPU worker (runtime/worker/python_torch.py) on tensors of the CPU.

    python3 tests/pytorch/timing.py

needs the interpreter that has PyTorch. The device's memory, events and digests are replaced; all else is the worker's own
code: frames, rotated inputs, the launch that is kept, a module that is used again in another arena, errors. Exit status 1,
and a line for each thing that is wrong.
"""

import array
import json
import mmap
import os
import pathlib
import socket
import struct
import sys
import threading
import types

import torch

WORKER = pathlib.Path(__file__).resolve().parents[2] / "runtime/worker"
COUNT, PAGE, KEY = 64, 4096, 77
SOURCE = """
import torch
made = 0
def make_module():
    global made
    made += 1
    if made > 1:
        raise RuntimeError("made twice")
    return lambda x, w: x * 2 + w
def load_module(model, tensors):
    pass
def call_module(model, tensors):
    return {"y": model(tensors["x"], tensors["w"])}
"""


class Event:
    """Each window takes 10 us, as there is no device."""

    recorded = 0

    def __init__(self, **_):
        pass

    def record(self):
        Event.recorded += 1

    def elapsed_time(self, _):
        return 0.01


class Driver:
    """In the place of the worker's own: remembers which memory is registered, and makes digests on the CPU."""

    def __init__(self):
        self.registered = []

    def register(self, address, count):
        self.registered.append((address, count))
        return True

    def unregister(self, address):
        self.registered = [each for each in self.registered if each[0] != address]

    def digest(self, kind, values, key, parts):
        assert (kind, key) == ("f32", KEY) and values.is_contiguous() and not parts.any()
        parts += torch.tensor(digest(values.tolist()))


class Server:
    """The server's end of a worker."""

    def __init__(self):
        self.socket, worker = socket.socketpair()
        program = (WORKER / "python_channel.py").read_text() + (WORKER / "python_torch.py").read_text()
        program = program.replace('device="cuda"', 'device="cpu"').replace(".cuda()", "")
        program = program.replace("SOCKET = 3", f"SOCKET = {worker.fileno()}").replace("\nmain()\n", "\n")
        torch.cuda.Event, torch.cuda.synchronize = Event, lambda: None
        self.held = []  # For each time: the cycles, and the events that had been recorded.
        torch.cuda._sleep = lambda cycles: self.held.append((cycles, Event.recorded))
        torch.compiler = types.SimpleNamespace(cudagraph_mark_step_begin=lambda: None)
        space = {"__name__": "worker", "torch": torch}
        exec(compile(program, "worker", "exec"), space)
        flush = torch.empty(16, dtype=torch.uint8)
        self.driver = Driver()
        threading.Thread(target=lambda: space["serve"](worker, flush, self.driver), daemon=True).start()

    def ask(self, message, files=()):
        data = json.dumps(message).encode()
        socket.send_fds(self.socket, [struct.pack("<I", len(data)) + data], files)
        size = struct.unpack("<I", self.socket.recv(4, socket.MSG_WAITALL))[0]
        return json.loads(self.socket.recv(size, socket.MSG_WAITALL))


def arena(first):
    """Memory with x = first, first + 1, ... and w = 100, ..."""
    file = os.memfd_create("arena")
    os.ftruncate(file, 3 * PAGE)
    memory = mmap.mmap(file, 3 * PAGE)
    memory[:COUNT * 4] = array.array("f", range(first, first + COUNT)).tobytes()
    memory[PAGE:PAGE + COUNT * 4] = array.array("f", [100] * COUNT).tobytes()
    return file, memory


def module(source, count=COUNT):
    return {"source": source, "mode": "torch", "arena_bytes": 3 * PAGE, "buffers": [
        {"name": name, "type": "f32", "shape": [count], "output": name == "y", "offset": PAGE * i, "bytes": count * 4}
        for i, name in enumerate(("x", "w", "y"))]}


def launch(rotation):
    return {"rotations": [rotation, 0, 0], "shared": 0, "keys": [None, None, KEY]}


def digest(values):
    """OutputDigest, element by element."""
    def sign(i):
        hashed = (i + KEY) * 0x9e3779b97f4a7c15 % 2 ** 64
        return -1 if (hashed ^ hashed >> 32) * 0xd6e8feb86659fd93 % 2 ** 64 >> 63 else 1

    bounds = [len(values) * part // 16 for part in range(17)]
    return [[sum(sign(i) * values[i] for i in range(low, high)), sum(values[i] ** 2 for i in range(low, high))]
            for low, high in zip(bounds, bounds[1:])]


def check(what, got, want):
    if got != want:
        print(f"{what}: {got}, expected {want}")
    return got == want


def main():
    server = Server()
    good = True
    for first in (1, 1000):  # The second time the module is not made again.
        file, memory = arena(first)
        good &= check("a module", server.ask(module(SOURCE), (file,)), {"error": ""})
        answer = server.ask({"hot": False, "kept": 1, "launches": [launch(0), launch(3)]})
        want = [[2 * (first + (i + turned) % COUNT) + 100 for i in range(COUNT)] for turned in (0, 3)]
        good &= check("the error", answer["error"], "") and check("the times", answer["us"], [10, 10])
        good &= check("the kept outputs", list(array.array("f", memory[2 * PAGE:2 * PAGE + COUNT * 4])), want[1])
        good &= check("the digests", [each["parts"] for each in answer["digests"]], [digest(each) for each in want])
    good &= check("where the device is held", [recorded for _, recorded in server.held], [0, 4])
    good &= check("for how long", [cycles > 0 for cycles, _ in server.held], [True, True])
    good &= check("memory that is registered", [count for _, count in server.driver.registered], [3 * PAGE])
    file, _ = arena(1)
    good &= check("other sizes", server.ask(module(SOURCE, 32), (file,)), {"error": ""})
    file, _ = arena(1)
    wrong = SOURCE.replace('{"y"', '{"z"')
    good &= check("a missing output", server.ask(module(wrong), (file,)),
                  {"error": "ValueError: output `y` is nothing, the problem says torch.float32 of shape [64]"})
    file, _ = arena(1)
    good &= check("a wrong program", server.ask(module("x = 1 /"), (file,))["error"].split(" at ")[-1], "module:1:8: x = 1 /")
    print("a module is timed as its server asks" if good else "FAILED")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
