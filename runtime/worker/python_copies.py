"""An interpreter that serves each session in a copy of itself, started by python_worker.cpp after
python_channel.py and the file that defines load_libraries() and serve(): python_host.py, or
python_module.py (docs/decisions/0038-python-workers.md).
"""

import _signal  # Not `signal`, as python_channel.py says of `socket`.
import gc

FILTER, START = 4, 5
ARENA, JOB = 4, 5  # In a copy.


def say(channel, **fields):
    """The last word about a session. A socket that takes no more, or whose other end is closed, is no reason to
    wait."""
    try:
        channel.send(framed(json.dumps({"verdict": "died", **fields}).encode()), _socket.MSG_DONTWAIT)
    except OSError:
        pass
    channel.close()


class Copies:
    """The copies of this process that serve sessions."""

    def __init__(self, missing, rules):
        self.missing, self.rules = missing, rules
        self.running = {}  # Process to number and socket.
        self.busy = False  # What uses them reaps at its end: no signal does it meanwhile.
        self.parent = os.getpid()
        _signal.signal(_signal.SIGCHLD, self.reap)

    def start(self, number, channel, arena, job, output):
        self.busy = True
        try:
            copy = os.fork()
            if copy == 0:
                self.become_session(channel, arena, job, output)
            self.running[copy] = number, _socket.socket(fileno=channel)
        except OSError as error:
            say(_socket.socket(fileno=channel), message=f"the session cannot begin: {error}")
        for descriptor in arena, job, output:
            os.close(descriptor)
        self.busy = False
        self.reap()

    def become_session(self, channel, arena, job, output):
        try:
            _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
            end_with_parent()
            if os.getppid() != self.parent:
                return
            last = max([channel, arena, job, output] +
                       [each.fileno() for _, each in self.running.values()])
            for descriptor, place in (output, 1), (output, 2), (channel, SOCKET):
                os.dup2(descriptor, place)
            # Duplicated first, as each may have the number that the other is to get.
            arena, job = os.dup(arena), os.dup(job)
            os.dup2(arena, ARENA)
            os.dup2(job, JOB)
            os.closerange(JOB + 1, max(last, arena, job) + 1)
            job = json.loads(read_all(JOB))
            if self.missing:
                tell("no_library", self.missing)
            else:
                serve(job, self.rules)
        except BaseException as error:  # What the program does wrong, serve() says.
            tell("died", f"the session cannot begin: {error}")
        finally:
            os._exit(0)

    def end(self, number):
        self.busy = True
        for process, (other, _) in self.running.items():
            if other == number:
                os.kill(process, _signal.SIGKILL)
        self.busy = False
        self.reap()

    def reap(self, *_):
        if self.busy:
            return
        for process in list(self.running):
            try:
                ended, status = os.waitpid(process, os.WNOHANG)
            except ChildProcessError:
                continue  # A signal came in between.
            if ended:
                _, channel = self.running.pop(process)
                signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
                say(channel, ended=signal)


def main():
    sys.stdout = sys.stderr = io.TextIOWrapper(Output(), "utf-8", "backslashreplace",
                                               write_through=True)
    missing = load_libraries(json.loads(read_all(START))["libraries"])
    copies = Copies(missing, read_all(FILTER))
    gc.collect()
    gc.freeze()  # A collection in a copy touches no page of ours.
    control = _socket.socket(fileno=SOCKET)
    while True:
        message, files = receive_with_files(control)
        word, number = message.decode().split()
        if word == "start":
            copies.start(int(number), *files)
        else:
            copies.end(int(number))


main()
