import ast
import ctypes


class CompilationError(Exception):
    def __init__(self, src, node, error_message):
        super().__init__(error_message)
        self.src, self.node, self.error_message = src, node, error_message


class ASTSource:
    language = "triton"

    def __init__(self, fn, signature, constexprs, attrs):
        self.fn, self.signature, self.constants, self.attrs = fn, signature, constexprs, attrs

    def make_ir(self, target, options, functions, modules, context):
        for node in ast.walk(self.fn.parse()):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if name == "fail":
                raise CompilationError(self.fn.src, node, "fail is no operation")
            if name == "crash":
                ctypes.string_at(0)
            if name == "look":
                open("/etc/hostname")
        return self


class Options:
    def __init__(self, values):
        self.__dict__.update(values)


class Backend:
    def __init__(self, target):
        self.target = target

    def parse_options(self, values):
        return Options(values)

    def load_dialects(self, context):
        pass

    def get_codegen_implementation(self, options):
        return {}

    def get_module_map(self):
        return {}

    def add_stages(self, stages, options, language):
        stages["ptx"] = lambda source, metadata: self.ptx(source, metadata, options)
        stages["cubin"] = None  # Not to be called.

    def ptx(self, source, metadata, options):
        name = source.fn.__name__
        metadata.update(name=name, shared=4096, num_warps=options.num_warps, global_scratch_size=0)
        types = [kind for kind in source.signature.values() if kind != "constexpr"] + ["*", "*"]
        wide = ("*", "i64", "u64", "fp64")
        rows = [f".param .{'u64' if kind.startswith(wide) else 'u32'} {name}_param_{index}"
                for index, kind in enumerate(types)]
        version = f"{options.ptx_version // 10}.{options.ptx_version % 10}"
        # What decides the code is told in a comment.
        told = f"// {source.constants} {source.attrs} {options.num_stages}"
        return (f"{told}\n.version {version}\n.target sm_90a\n.address_size 64\n"
                f".visible .entry {name}(\n" + ",\n".join(rows) + "\n)\n"
                f".reqntid {32 * options.num_warps}\n{{\n ret;\n}}\n")


make_backend = Backend
