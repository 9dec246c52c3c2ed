"""What every Python worker begins with: frames over its socket, and the sandbox.

interpreter.cpp puts it before the program of the worker.
"""

import ctypes
import os
import struct

SOCKET = 3
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


def enter_sandbox(rules):
    class Filter(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("rules", ctypes.c_char_p)]

    program = Filter(len(rules) // 8, rules)  # A sock_filter has 8 bytes.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(SECCOMP_CALL, SET_MODE_FILTER, ALL_THREADS, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")
