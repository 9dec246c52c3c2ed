"""What every Python worker begins with: frames over its socket, the sandbox, and where an error was made.

interpreter.cpp puts it before the program of the worker.
"""

import ctypes
import json
import os
import struct
import sys

SOCKET = 3
# Audit events that the sandbox refuses (docs.python.org: Audit events).
REFUSED = ("open", "os.", "socket.", "subprocess.", "shutil.", "ctypes.", "fcntl.", "signal.",
           "tempfile.", "glob.", "pty.")
SECCOMP_CALL, SET_MODE_FILTER, ALL_THREADS = 317, 1, 1  # seccomp(2), x86-64.


def receive(count):
    data = b""
    while len(data) < count:
        part = os.read(SOCKET, count - len(data))
        if not part:
            os._exit(0)  # The server is done with this worker.
        data += part
    return data


def receive_frame():
    return receive(struct.unpack("<I", receive(4))[0])


def send_frame(frame):
    frame = struct.pack("<I", len(frame)) + frame
    while frame:
        frame = frame[os.write(SOCKET, frame):]


def read_all(descriptor):
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def answer(**fields):
    send_frame(json.dumps(fields).encode())


def place_of(error, source, name):
    """" at NAME:LINE: TEXT": the innermost line of the program with this name. The error forgets its frames, and with
    them all that they hold."""
    line, column = 0, ""
    if isinstance(error, SyntaxError) and error.filename == name:
        line, column = error.lineno or 0, f":{error.offset}" if error.offset else ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    error.__traceback__ = None
    lines = source.split("\n")
    return f" at {name}:{line}{column}: {lines[line - 1].strip()[:200]}" if 0 < line <= len(lines) else ""


def use_cpu(torch):
    """PyTorch reads what the processor can do when it first computes, which no sandbox lets it."""
    tensor = torch.ones(8, 64)
    (tensor @ tensor.T).to(torch.float16).to(torch.bfloat16).float().exp().sum()


def refuse_all(who, may_import):
    """From now on `who` is told in words what the sandbox would refuse with less to say."""
    def refuse(event, arguments):
        if event == "import":
            raise ModuleNotFoundError(f"`{arguments[0]}` is not there; {who} may import {may_import}")
        if event.startswith(REFUSED):
            raise PermissionError(f"{who} may not use {event}")

    sys.addaudithook(refuse)


def enter_sandbox(rules):
    class Filter(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("rules", ctypes.c_char_p)]

    program = Filter(len(rules) // 8, rules)  # A sock_filter has 8 bytes.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(SECCOMP_CALL, SET_MODE_FILTER, ALL_THREADS, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")
