"""Idle streams hear of a change, all of them."""

import selectors
import time

from server import LONGEST_WAIT, modern, vadd, vadd_kernel

STREAMS = 500
WANTED = b"notifications/resources/list_changed"
NEW_KERNEL = 100000  # Of no other step.


def read_until(streams, text, since):
    """The seconds after which each stream has said `text`; those that have not are left out."""
    waiting = selectors.DefaultSelector()
    said = {stream: b"" for stream in streams}
    for stream in streams:
        waiting.register(stream, selectors.EVENT_READ)
    delays = []
    while waiting.get_map() and time.monotonic() - since < LONGEST_WAIT:
        for key, _ in waiting.select(1):
            part = key.fileobj.recv(65536)
            said[key.fileobj] += part
            if text in said[key.fileobj] or not part:
                waiting.unregister(key.fileobj)
            if text in said[key.fileobj]:
                delays.append(time.monotonic() - since)
    return delays


def deaf_listeners(server):
    """Streams that do not hear of a new kernel, in words. Prints how long the news took."""
    wishes = modern("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})
    streams = [server.send(wishes) for _ in range(STREAMS)]
    try:
        begun = len(read_until(streams, b"acknowledged", time.monotonic()))
        server.answer("compile_kernel", {"problem": vadd(1), "kernel": vadd_kernel(NEW_KERNEL)})
        delays = read_until(streams, WANTED, time.monotonic())
    finally:
        for stream in streams:
            stream.close()
    if delays:
        print(f"{len(delays)} of {STREAMS} idle streams heard of a new kernel, the last one "
              f"{max(delays) * 1000:.0f} ms after its answer")
    if len(delays) == STREAMS:
        return []
    return [f"{begun} streams began, and {len(delays)} of {STREAMS} heard of a new kernel"]
