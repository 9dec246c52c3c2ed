"""Compiles kernels of Triton to PTX, started by triton_worker.cpp after python_channel.py.

This process imports Triton and forks for each request. The child enters the sandbox before it sees
the source; of that it takes imports of Triton, constants and functions under @triton.jit, and no
other host code. Requests and answers are those of a compile worker (runtime/compile/compile.h):
`options` of the source hold a line for each parameter, num_warps and num_stages; the answer's text
of PTX is the kernel, and its image has one entry without code.
"""

import ast
import importlib
import json
import linecache
import os
import re
import resource
import select
import signal
import traceback

FILTER = 4
CPU_SECONDS = 60
MAX_ANSWER, MAX_LOG = 32 << 20, 16 << 10
COMPILED, COMPILE_ERROR, TIMEOUT, RESOURCE_LIMIT, UNSUPPORTED = range(5)  # CompileVerdict.
FILE = "/source"  # So that line tables name the region that the server knows.
TYPES = {"f64": "fp64", "f32": "fp32", "tf32": "fp32", "f16": "fp16", "bf16": "bf16",
         "f8e4m3": "fp8e4nv", "f8e5m2": "fp8e5", "bool": "i1"}
SIZES = {"i1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i64": 8, "u64": 8, "fp64": 8}
WARM_UP = """
import triton
import triton.language as tl
@triton.jit
def warm_up(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.exp(tl.load(x + i, mask=i < n)), mask=i < n)
"""


class Refused(Exception):
    """Why a kernel is not compiled."""

    def __init__(self, verdict, message):
        super().__init__(message)
        self.verdict = verdict


class Compiler:
    def __init__(self):
        import triton
        import triton.language.extra.libdevice
        from triton._C.libtriton import ir
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource, CompilationError, make_backend
        importlib.import_module("triton.language.extra.cuda.libdevice")
        self.triton, self.ir = triton, ir
        self.Target, self.Source, self.make_backend = GPUTarget, ASTSource, make_backend
        self.Error = CompilationError
        # The library of device functions is read from standard input: no file can be opened later.
        folder = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "lib")
        library = os.open(os.path.join(folder, "libdevice.10.bc"), os.O_RDONLY)
        os.dup2(library, 0)
        os.close(library)

    def kernel_of(self, source, name):
        """The JITFunction of that name."""
        linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
        space = {"__name__": "kernels", "__file__": FILE}
        for node in self.kept_of(ast.parse(source, FILE).body):
            self.run(node, space)
        self.kernels = [each for each in space.values() if hasattr(each, "raw_src")]
        kernel = space.get(name)
        if not hasattr(kernel, "params"):
            raise Refused(COMPILE_ERROR, f"`{name}` is no kernel under @triton.jit")
        return kernel

    def run(self, node, space):
        """Runs a statement of the file. What fails because it names something of the host is left
        out: a kernel that uses it is told that it is not there."""
        try:
            exec(compile(ast.Module([node], []), FILE, "exec"), space)
        except (NameError, AttributeError, ImportError):
            if isinstance(node, ast.FunctionDef):
                raise
            if isinstance(node, (ast.If, ast.Try)):  # The host decides: then all that it imports.
                for each in ast.walk(node):
                    if isinstance(each, (ast.Import, ast.ImportFrom)):
                        self.run(each, space)

    def kept_of(self, nodes):
        return [kept for kept in map(self.kept, nodes) if kept]

    def kept(self, node):
        """A statement of the file that makes kernels; None for host code."""
        if isinstance(node, (ast.If, ast.Try)):
            blocks = [node, *getattr(node, "handlers", [])]
            for block in blocks:
                block.body = self.kept_of(block.body)
            node.orelse = self.kept_of(node.orelse)
            node.finalbody = []
            useful = node.orelse or any(block.body for block in blocks)
            for block in blocks:
                block.body = block.body or [ast.copy_location(ast.Pass(), node)]
            return node if useful else None
        if isinstance(node, ast.Import):
            node.names = [each for each in node.names if each.name.split(".")[0] in
                          ("triton", "math")]
            return node if node.names else None
        if isinstance(node, ast.ImportFrom):
            root = (node.module or "").split(".")[0]
            return node if root in ("triton", "math") and not node.level else None
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [each for each in node.decorator_list if word_of(each) in
                                   ("jit", "constexpr_function")]
            return node if node.decorator_list else None
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            calls = (each for each in ast.walk(node.value) if isinstance(each, ast.Call))
            return node if all(word_of(each) == "constexpr" for each in calls) else None
        return None

    def arguments(self, kernel, lines):
        """Signature, constants and attributes as Triton's launcher makes them of arguments, and for
        each parameter what the server is told."""
        signature, constants, attributes, told = {}, {}, {}, []
        if len(lines) > len(kernel.params):
            raise Refused(COMPILE_ERROR, f"the launch passes {len(lines)} arguments, "
                          f"`{kernel.__name__}` takes {len(kernel.params)}")
        for index, parameter in enumerate(kernel.params):
            line = lines[index] if index < len(lines) else "default"
            kind, _, text = line.partition(":")
            if kind in ("default", "constant"):
                value = parameter.default if kind == "default" else json.loads(text)
                signature[parameter.name] = "constexpr"
                constants[(index,)] = value
            elif kind == "number" and text.endswith("=1") and not parameter.do_not_specialize:
                signature[parameter.name] = "constexpr"
                constants[(index,)] = 1
            else:
                written, _, form = text.partition("=")
                of = TYPES.get(written, written)
                plain = of if kind == "number" else "*" + of
                signature[parameter.name] = parameter.annotation_type or plain
                aligned = form == "16" and not parameter.do_not_specialize
                if aligned and not parameter.do_not_specialize_on_alignment:
                    attributes[(index,)] = [["tt.divisibility", 16]]
            if kind != "default":
                told.append(described(parameter.name, signature[parameter.name], kind))
        return signature, constants, attributes, told

    def compile(self, request):
        """PTX, and the entry that the server is told of."""
        source, target = request["source"], request["target"]
        *lines, warps, stages = source["options"]
        kernel = self.kernel_of(source["source"], source["entries"][0])
        signature, constants, attributes, told = self.arguments(kernel, lines)
        target = self.Target("cuda", int("".join(c for c in target if c.isdigit())), 32)
        backend = self.make_backend(target)
        options = backend.parse_options({
            "num_warps": int(warps), "num_stages": int(stages), "extern_libs": {"libdevice": "-"},
            "ptx_version": int(request["defines"][0])})
        asked = self.Source(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
        stages, metadata = {}, {"target": target, **options.__dict__}
        backend.add_stages(stages, options, asked.language)
        context = self.ir.context()
        self.ir.load_dialects(context)
        backend.load_dialects(context)
        module = asked.make_ir(target, options, backend.get_codegen_implementation(options),
                               backend.get_module_map(), context)
        for name, stage in stages.items():
            if name != "cubin":
                module = stage(module, metadata)
        if metadata.get("global_scratch_size") or metadata.get("profile_scratch_size"):
            raise Refused(UNSUPPORTED, "the kernel needs memory beside its arguments, as tensor "
                          "descriptors made in a kernel do, which warpsmith does not give it yet")
        passed = sum(not each["folded"] for each in told)
        entry = {"name": source["entries"][0], "lowered": metadata["name"], "params": told,
                 "shared_bytes": metadata["shared"], "dynamic_bytes": metadata["shared"],
                 "threads": 32 * metadata["num_warps"],
                 "null_params": parameters_of(module) - passed}
        return module, entry

    def explain(self, error):
        """What the innermost error of a chain says, and the last line of the file on the way."""
        message, line = "", 0
        while error is not None:
            kernel = next((each for each in self.kernels if isinstance(error, self.Error) and
                           each.src == error.src), None)
            if kernel and hasattr(error.node, "lineno"):
                first = next(i for i, text in enumerate(kernel.raw_src)
                             if text.strip().startswith("def "))
                line = kernel.starting_line_number + first + error.node.lineno - 1
            message = (error.error_message if isinstance(error, self.Error) else
                       f"{type(error).__name__}: {error}") or message
            error = error.__cause__
        return message or "no reason given", line


def word_of(node):
    """The last word of a decorator or of a called name: jit of triton.jit(...)."""
    if isinstance(node, ast.Call):
        return word_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def described(name, signature, kind):
    """An EntryParam."""
    folded, pointer = signature == "constexpr", kind == "buffer"
    number = signature.removeprefix("*")
    return {"name": name, "type": signature, "folded": folded, "pointer": pointer,
            "integer": not pointer and not number.startswith(("fp", "bf")),
            "size": 8 if pointer else SIZES.get(number, 4)}


def parameters_of(ptx):
    return sum(line.strip().startswith(".param ") for line in
               ptx[ptx.index(".entry"):ptx.index(")", ptx.index(".entry"))].splitlines())


def outcome(verdict, message="", line=0, source=""):
    form = {"verdict": verdict, "message": message}
    if verdict == COMPILE_ERROR:
        lines = source.split("\n")
        form["diagnostics"] = [{
            "severity": "error", "message": message, "region": "source", "line": line, "column": 0,
            "snippet": lines[line - 1][:160] if 0 < line <= len(lines) else ""}]
        form["diagnostics_total"] = 1
    return form


def answer_of(compiler, request):
    """The outcome, and its PTX."""
    source = request["source"]["source"]
    try:
        ptx, entry = compiler.compile(request)
        form = outcome(COMPILED)
        form["image"] = {"entries": [entry]}
        return form, ptx.encode()
    except Refused as refused:
        return outcome(refused.verdict, str(refused)), b""
    except compiler.Error as error:
        message, line = compiler.explain(error)
        return outcome(COMPILE_ERROR, f"Triton: {message}"[:500], line, source), b""
    except SyntaxError as error:
        return outcome(COMPILE_ERROR, f"Python: {error.msg}", error.lineno or 0, source), b""
    except MemoryError:
        return outcome(RESOURCE_LIMIT, "the compiler needs more memory than it may take"), b""
    except BaseException as error:  # A kernel may make the compiler do anything.
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
                 if frame.filename == FILE]
        text = f"Triton: {type(error).__name__}: {error}"[:500]
        return outcome(COMPILE_ERROR, text, lines[-1] if lines else 0, source), b""


def run_child(compiler, rules, frame, answers, errors):
    end_with_parent()
    os.close(SOCKET)  # The server is not its to talk to.
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    os.lseek(0, 0, os.SEEK_SET)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    enter_sandbox(rules)
    form, ptx = answer_of(compiler, json.loads(frame))
    data = json.dumps(form).encode() + b"\0" + ptx
    while data:
        data = data[os.write(answers, data):]
    os._exit(0)


def drain(limits):
    """What a child writes to pipes until it ends, each cut to its limit."""
    texts, left = dict.fromkeys(limits, b""), set(limits)
    while left:
        for pipe in select.select(list(left), [], [])[0]:
            part = os.read(pipe, 1 << 16)
            texts[pipe] = (texts[pipe] + part)[:limits[pipe]]
            if not part:
                left.remove(pipe)
    return texts


def outcome_of_death(status):
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if number in (signal.SIGXCPU, signal.SIGKILL):
        return outcome(TIMEOUT, f"the compiler ran past its limit of {CPU_SECONDS} s of processor "
                       "time")
    return outcome(RESOURCE_LIMIT, f"the compiler crashed with signal {number}" if number else
                   "the compiler gave no answer that can be read")


def finished(answer, log, status):
    """The frame for the server. MLIR says on standard error what is wrong, with the place."""
    head, _, ptx = answer.partition(b"\0")
    try:
        form = json.loads(head)
    except ValueError:
        form, ptx = outcome_of_death(status), b""
    text = log.decode("utf-8", "replace")
    said = re.search(r'"?' + FILE + r'"?:(\d+):(\d+)\)?: error: (.*)', text)
    if form["verdict"] == COMPILE_ERROR and said and not form["diagnostics"][0]["line"]:
        form.update(outcome(COMPILE_ERROR, f"Triton: {said[3]}"[:500], int(said[1])))
    log = text.encode()
    form.update(ptx_bytes=len(ptx), log_bytes=len(log))
    return json.dumps(form).encode() + b"\0" + ptx + log


def compile_in_child(compiler, rules, frame):
    (answers, answer), (errors, error) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(answers)
            os.close(errors)
            run_child(compiler, rules, frame, answer, error)
        finally:
            os._exit(1)
    os.close(answer)
    os.close(error)
    texts = drain({answers: MAX_ANSWER, errors: MAX_LOG})
    os.close(answers)
    os.close(errors)
    return finished(texts[answers], texts[errors], os.waitpid(child, 0)[1])


def main():
    rules = read_all(FILTER)
    try:
        compiler = Compiler()
        compiler.compile({"source": {"source": WARM_UP, "entries": ["warm_up"], "options": [
            "buffer:f32=16", "number:i32=", "constant:64", "4", "3"]},
            "target": "sm_90a", "defines": ["80"]})
    except Exception as error:
        send_frame(f"error\nTriton cannot be used: {type(error).__name__}: {error}".encode())
        return
    send_frame(f"ready\nTriton {compiler.triton.__version__}\ncuda".encode())
    while True:
        send_frame(compile_in_child(compiler, rules, receive_frame()))


main()
