"""Times a PyTorch module on a GPU, started by torch_worker.cpp after python_channel.py.

Imports torch, starts the device, enters the sandbox, and only then takes modules. Each message is a
frame of JSON (runtime/device/cuda/torch/torch_wire.h): first a module with the arena's descriptor,
then launches to time, or the next module.
"""

import json
import mmap
import time

FILTER, START = 4, 5
NAME = "module"
WARM_UPS = 3
PARTS = 16  # kDigestParts
DIGEST_BLOCKS, DIGEST_THREADS = 32, 256  # kBlocksPerPart, kThreads (output_digests.cpp).
ENQUEUE_S = 0.001  # What the CPU takes to enqueue a launch, until it is known.
MARGIN = 2  # It takes longer now and then.
HELD_LAUNCHES = 8  # CUDA queues about a thousand kernels, and then lets the CPU wait.
MOST_HELD_S = 0.05
CYCLES = 2e9  # No GPU has more of them in a second.
FLUSH_BYTES = 256 << 20
TYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32",
         "i16": "int16", "i8": "int8", "u8": "uint8", "bool": "bool", "f8e4m3": "float8_e4m3fn",
         "f8e5m2": "float8_e5m2"}
MODES = {"torch.compile": None, "torch.compile:max-autotune": "max-autotune"}


class Driver:
    """Functions of the CUDA driver that PyTorch does not lead to, in its context. `digests` is a module of
    digest_kernel.h."""

    def __init__(self, digests):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(self.module), digests.encode())
        self.kernels = {}

    def succeeds(self, name, *arguments):
        return getattr(self.library, name)(*arguments) == 0

    def call(self, name, *arguments):
        if not self.succeeds(name, *arguments):
            raise RuntimeError(f"{name} failed")

    def register(self, address, count):
        """From now on copies from and to this memory need no other memory in between. False: it cannot be done."""
        return self.succeeds("cuMemHostRegister_v2", ctypes.c_void_p(address), ctypes.c_size_t(count), 0)

    def unregister(self, address):
        self.succeeds("cuMemHostUnregister", ctypes.c_void_p(address))

    def digest(self, kind, values, key, parts):
        """Adds the OutputDigest of contiguous values to its parts, which are zero. @param kind  A name of TYPES."""
        if kind not in self.kernels:
            self.kernels[kind] = ctypes.c_void_p()
            self.call("cuModuleGetFunction", ctypes.byref(self.kernels[kind]), self.module, f"ws_digest_{kind}".encode())
        given = [ctypes.c_uint64(each) for each in (values.data_ptr(), values.numel(), key, parts.data_ptr())]
        pointers = (ctypes.c_void_p * len(given))(*map(ctypes.addressof, given))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.call("cuLaunchKernel", self.kernels[kind], DIGEST_BLOCKS, PARTS, 1, DIGEST_THREADS, 1, 1, 0, stream,
                  pointers, None)


class Arena:
    """The memory that server and worker share."""

    def __init__(self, form, descriptor, driver):
        with os.fdopen(descriptor, "rb+") as file:
            self.memory = mmap.mmap(file.fileno(), form["arena_bytes"])
        self.driver = driver
        self.address = torch.frombuffer(self.memory, dtype=torch.uint8).data_ptr()
        self.registered = driver.register(self.address, form["arena_bytes"])

    def part(self, form):
        return torch.frombuffer(self.memory, dtype=torch.uint8, offset=form["offset"], count=form["bytes"])

    def __del__(self):
        if self.registered:
            self.driver.unregister(self.address)


class Buffer:
    """An argument: its bytes in the arena, and on the device as they were and as the module finds them."""

    def __init__(self, form, arena):
        self.name, self.output, self.shape, self.kind = form["name"], form["output"], form["shape"], form["type"]
        self.type = getattr(torch, TYPES[self.kind])
        self.host = arena.part(form)
        if not self.output:
            self.pristine = torch.empty(form["bytes"], dtype=torch.uint8, device="cuda").view(self.type)
            self.live = torch.empty_like(self.pristine)
            self.tensor = self.live.view(self.shape)

    def upload(self):
        self.pristine.view(torch.uint8).copy_(self.host)

    def restore(self, rotation):
        if rotation:
            torch.cat((self.pristine[rotation:], self.pristine[:rotation]), out=self.live)
        else:
            self.live.copy_(self.pristine)


def key_of(form):
    """Equal where a module that is made and compiled can be used again."""
    return form["source"], form["mode"], [(each["name"], each["type"], each["shape"]) for each in form["buffers"]]


class Timed:
    """A module with its arguments, ready to be timed."""

    def __init__(self, form, descriptor, driver):
        self.space = {"__name__": NAME}
        self.key = key_of(form)
        self.driver = driver
        self.arena = Arena(form, descriptor, driver)
        self.buffers = [Buffer(each, self.arena) for each in form["buffers"]]
        self.inputs = [each for each in self.buffers if not each.output]
        self.tensors = {each.name: each.tensor for each in self.inputs}
        self.enqueue_s = ENQUEUE_S
        exec(compile(form["source"], NAME, "exec"), self.space)
        self.model = self.space["make_module"]()
        if isinstance(self.model, torch.nn.Module):
            self.model = self.model.cuda()
        self.call = self.model
        if form["mode"] in MODES:
            torch._dynamo.reset()
            self.call = torch.compile(self.model, mode=MODES[form["mode"]], dynamic=False)
        self.upload()
        for _ in range(WARM_UPS):
            self.lead([0] * len(self.buffers))
            self.check(self.run())
        torch.cuda.synchronize()

    def bind(self, form, descriptor):
        """Goes on in another arena, with arguments of the same types and shapes."""
        self.arena = Arena(form, descriptor, self.driver)
        for buffer, each in zip(self.buffers, form["buffers"]):
            buffer.host = self.arena.part(each)

    def upload(self):
        for each in self.inputs:
            each.upload()

    def lead(self, rotations):
        for each, rotation in zip(self.buffers, rotations):
            if not each.output:
                each.restore(rotation)
        self.space["load_module"](self.model, self.tensors)

    def run(self):
        return self.space["call_module"](self.call, self.tensors)

    def check(self, results):
        for each in self.buffers:
            if each.output:
                result = results.get(each.name)
                if result is None or list(result.shape) != each.shape or result.dtype != each.type:
                    got = "nothing" if result is None else f"{result.dtype} of shape {list(result.shape)}"
                    raise ValueError(f"output `{each.name}` is {got}, the problem says {each.type} of shape "
                                     f"{each.shape}")

    def keep(self, results):
        for each in self.buffers:
            if each.output:
                each.host.copy_(results[each.name].contiguous().reshape(-1).view(torch.uint8))

    def take_digests(self, launch, results, free):
        """Gives (launch, buffer) of each output that is asked for. @param free  Parts that are zero: the next ones get it."""
        taken = []
        for index, key in enumerate(launch["keys"]):
            if key is not None:
                buffer, parts = self.buffers[index], next(free)
                self.driver.digest(buffer.kind, results[buffer.name].reshape(-1), key, parts)
                taken.append((launch["shared"], index))
        return taken

    def hold(self):
        """Keeps the device busy until the next launches are enqueued: it never waits for the CPU within a window."""
        torch.cuda._sleep(int(CYCLES * min(MOST_HELD_S, MARGIN * self.enqueue_s * HELD_LAUNCHES)))

    def time(self, request, flush):
        self.upload()
        events, taken, enqueued = [], [], []
        digests = sum(key is not None for launch in request["launches"] for key in launch["keys"])
        parts = torch.zeros(digests, PARTS, 2, dtype=torch.float64, device="cuda")
        free = iter(parts)
        for number, launch in enumerate(request["launches"]):
            if number % HELD_LAUNCHES == 0 or number == request["kept"] + 1:  # keep() waits for the device.
                self.hold()
            began = time.perf_counter()
            torch.compiler.cudagraph_mark_step_begin()
            self.lead(launch["rotations"])
            if not request["hot"]:
                flush.zero_()
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            results = self.run()
            stop.record()
            events.append((start, stop))
            taken += self.take_digests(launch, results, free)
            if number == request["kept"]:
                self.keep(results)
            del results
            enqueued.append(time.perf_counter() - began)
        # Not the mean: where CUDA's queue is full, enqueueing takes as long as the device does.
        self.enqueue_s = min(enqueued)
        torch.cuda.synchronize()
        # JSON has no word for what is not finite.
        listed = [{"launch": launch, "buffer": buffer, "parts": [
            [value if value - value == 0 else None for value in pair] for pair in pairs]}
            for (launch, buffer), pairs in zip(taken, parts.tolist())]
        return {"us": [start.elapsed_time(stop) * 1000 for start, stop in events], "digests": listed}


def start_device(start):
    """Loads PyTorch and what it would look for later. Says what is missing."""
    os.environ.update(HOME=start["scratch"], USER="warpsmith", TMPDIR=start["scratch"],
                      TORCHINDUCTOR_CACHE_DIR=start["scratch"], TRITON_CACHE_DIR=start["scratch"],
                      TORCHINDUCTOR_COMPILE_THREADS="1", PATH="/usr/local/bin:/usr/bin:/bin:/usr/local/cuda/bin")
    if start["visible"]:
        os.environ["CUDA_VISIBLE_DEVICES"] = start["visible"]
    try:
        global torch
        import torch
    except ImportError as error:
        return str(error)
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} is built without CUDA"
    if not torch.cuda.is_available():
        return f"PyTorch {torch.__version__} sees no GPU"
    torch.cuda.set_device(start["device"])
    use_cpu(torch)
    for kind in (torch.float32, torch.float16):
        square = torch.ones(64, 64, device="cuda", dtype=kind)
        torch.nn.functional.conv2d((square @ square)[None, None], square[None, None, :3, :3])
    torch.cuda.synchronize()
    return ""


def serve(channel, flush, driver):
    timed, source = None, ""
    while True:
        frame, files = receive_with_files(channel)
        request = json.loads(frame)
        try:
            if "source" in request:
                source = request["source"]
                if timed is not None and timed.key == key_of(request):
                    timed.bind(request, files[0])
                else:
                    timed = None  # Its memory first.
                    timed = Timed(request, files[0], driver)
                answer(error="")
            else:
                answer(error="", **timed.time(request, flush))
        except BaseException as error:
            answer(error=f"{type(error).__name__}: {str(error)[:1000]}{place_of(error, source, NAME)}")


def main():
    start = json.loads(read_all(START))
    missing = start_device(start)
    if missing:
        answer(error=missing, no_library=True)
        return
    channel = _socket.socket(fileno=SOCKET)
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    try:
        driver = Driver(start["digests"])
    except (OSError, RuntimeError) as error:
        answer(error=str(error))
        return
    enter_sandbox(read_all(FILTER))
    answer(error="")
    serve(channel, flush, driver)


main()
