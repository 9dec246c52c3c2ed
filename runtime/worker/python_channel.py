"""What every Python worker begins with: frames over its socket, the sandbox, and where an error was made.

interpreter.cpp puts it before the program of the worker.
"""

import _socket  # Not `socket`, which a program would then find where it may not import it.
import ctypes
import io
import json
import os
import struct
import sys

SOCKET = 3
# Audit events that the sandbox refuses (docs.python.org: Audit events).
REFUSED = ("open", "os.", "socket.", "subprocess.", "shutil.", "ctypes.", "fcntl.", "signal.",
           "tempfile.", "glob.", "pty.")
SECCOMP_CALL, SET_MODE_FILTER, ALL_THREADS, TGKILL = 317, 1, 1, 234  # seccomp(2), x86-64.
SET_DEATH_SIGNAL, KILL = 1, 9  # prctl(2).
MOST_FILES = 4  # kMostPassed in runtime/queue/frame.h.
ADDRESS_SPACE, PROCESSOR = 9, 0  # setrlimit(2).
# Past the first one the system sends SIGXCPU, past the second one SIGKILL.
PROCESSOR_S = 600, 605


class Output(io.RawIOBase):
    """Where a program's prints go. What the server's pipe does not take is lost, and no error of the program."""

    def writable(self):
        return True

    def write(self, data):
        try:
            os.write(1, data)
        except OSError:
            pass
        return len(data)


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


def receive_with_files(channel):
    """One frame, and the descriptors that came with it. @param channel  A socket on SOCKET."""
    head, parts, _, _ = channel.recvmsg(4, _socket.CMSG_SPACE(4 * MOST_FILES))
    if not head:
        os._exit(0)  # The server is done with this worker.
    while len(head) < 4:
        head += receive(4 - len(head))
    files = [file for _, _, data in parts for file, in struct.iter_unpack("i", data)]
    return receive(struct.unpack("<I", head)[0]), files


def framed(payload):
    return struct.pack("<I", len(payload)) + payload


def send_frame(payload):
    frame = framed(payload)
    while frame:
        frame = frame[os.write(SOCKET, frame):]


def read_all(descriptor):
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def answer(**fields):
    send_frame(json.dumps(fields).encode())


def tell(verdict="", message="", hint=""):
    answer(verdict=verdict, message=message, hint=hint)


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


def set_limits(memory):
    """Of this process: `memory` bytes of address space, and the processor's time."""
    for resource, limits in (ADDRESS_SPACE, (memory, memory)), (PROCESSOR, PROCESSOR_S):
        if ctypes.CDLL(None).setrlimit(resource, struct.pack("QQ", *limits)) != 0:
            raise OSError("setrlimit")


def end_with_parent():
    """This copy is killed when the thread that made it ends."""
    ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, KILL, 0, 0, 0)


def signal_none_but(process):
    """From now on tgkill(2) fails for other processes, by a filter of system calls (seccomp(2))."""
    load, equal, give = 0x20, 0x15, 0x06
    call_number, first_argument, refused, allowed = 0, 16, 0x50001, 0x7fff0000
    rules = ((load, 0, 0, call_number), (equal, 0, 2, TGKILL), (load, 0, 0, first_argument),
             (equal, 0, 1, process), (give, 0, 0, allowed), (give, 0, 0, refused))
    enter_sandbox(b"".join(struct.pack("HBBI", *rule) for rule in rules))


def confine(rules, memory, who, may_import):
    """All that stands between foreign code in this copy and the machine."""
    set_limits(memory)
    signal_none_but(os.getpid())
    enter_sandbox(rules)
    refuse_all(who, may_import)


def enter_sandbox(rules):
    class Filter(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("rules", ctypes.c_char_p)]

    program = Filter(len(rules) // 8, rules)  # A sock_filter has 8 bytes.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(SECCOMP_CALL, SET_MODE_FILTER, ALL_THREADS, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")
