"""Cuts the device code out of a .cu file: what a client would send. Standard library only."""

import re

# A toolkit's header that device code may need. Others are the host's.
DEVICE_HEADERS = re.compile(
    r"^(cuda\.h|cuda_runtime(_api)?\.h|cuda_(fp16|bf16|fp8|fp6|fp4)\.h|cuda_pipeline.*\.h|cooperative_groups.*|mma\.h|"
    r"cub/.*|cuda/.*|curand_.*\.h|cuComplex\.h|math(_constants|_functions)?\.h|cmath|device_.*\.h|"
    r"vector_(types|functions)\.h|sm_\w+_intrinsics\.h|builtin_types\.h|crt/host_defines\.h|"
    r"(float|limits|assert|string|stdint|stddef|stdio)\.h|c(float|limits|assert|string|stdint|stddef|stdio))$")
# Words that stand in no code for a device.
HOST_WORDS = re.compile(
    r"\bstd::(vector|string|map|unordered_map|cout|cerr|chrono|function|mt19937|random_device|thread|"
    r"o?f?stream|i?o?stringstream|endl|atomic_int|runtime_error)\b|\b(timeval|getopt|fprintf|cuda(Malloc|Memcpy|Free))\b|"
    r"\bFILE\b|\bcuda(Stream|Event|Error|Graph|DeviceProp)|\bcub(las|lasLt)\w*_t\b|\bcu(dnn|fft|sparse)\w+|<<<")
DEVICE_WORDS = re.compile(r"__global__|__device__|__constant__|__managed__|__shared__|\bHOST_?DEVICE\b|\bDEVICE\b")
KEPT_WORDS = re.compile(r"\s*(static\s+|inline\s+)*(const|constexpr|typedef|using|template|enum|struct|class|union)\b")
SCOPE = re.compile(r"\s*(?:inline\s+)?(?:namespace\b([\s\w:]*)|extern\s+\"C\"\s*)$")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def without_comments(text):
    """Comments as blanks: lines stay where they are."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
    blank = lambda found: re.sub(r"[^\n]", " ", found.group()) if found.group()[0] == "/" else found.group()
    return pattern.sub(blank, text.replace("\r", ""))


def is_function(head):
    """Whether the text before a body is a function's."""
    bare = re.sub(r"(alignas|__align__|__attribute__|operator\s*)\s*\((?:[^()]|\([^()]*\))*\)|\btemplate\s*<[^;{}()]*>", "", head)
    return ")" in bare and "=" not in re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", re.sub(r"operator\S+", "", bare))


def pieces(text):
    """The declarations and directives of a scope, in order: each with the text before its body, if it has one."""
    start, at, depth, body = 0, 0, 0, None
    token = re.compile(r'[ \t]*#(?:\\\n|[^\n])*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[{}();]|\n', re.S)
    while found := token.search(text, at):
        at, word = found.end(), found.group()
        line = word.lstrip()
        if line.startswith("#") and text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip() == "":
            if depth == 0 and text[start:found.start()].strip() == "":
                yield word, None
                start = at
        elif word in "{(":
            if word == "{" and depth == 0:
                body = found.start()
            depth += 1
        elif word in "})":
            depth -= 1
            if word == "}" and depth == 0:
                head = text[start:body]
                if is_function(head) or SCOPE.match(head):
                    yield text[start:at], body - start
                    start, body = at, None
            if depth < 0:
                return
        elif word == ";" and depth == 0:
            yield text[start:at], None if body is None else body - start
            start, body = at, None


def kept(piece, body):
    """Whether a declaration is for a device."""
    head = piece if body is None else piece[:body]
    if HOST_WORDS.search(head if DEVICE_WORDS.search(head) else piece):
        return False
    if DEVICE_WORDS.search(head):
        return True
    if body is None and "(" in head and not KEPT_WORDS.match(head):
        return False
    return bool(KEPT_WORDS.match(head)) and (body is None or not is_function(head) or "constexpr" in head)


KERNEL = re.compile(r"__global__.*?([A-Za-z_]\w*)\s*\(((?:[^()]|\([^()]*\))*)\)\s*"
                    r"(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?$", re.S)
LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)")
SCALAR = re.compile(r"\b(unsigned|int|float|double|long|short|char|bool|size_t|u?int\d+_t|uint|uchar|ushort|ulong)\b")


def argument(declared):
    """What a plan passes for a parameter; None for one that is neither a pointer nor a scalar."""
    if "*" in declared or "[" in declared:
        return {"null": True}
    kind = SCALAR.search(declared)
    if kind is None:
        return None
    types = {"float": "f32", "double": "f64", "bool": "bool", "char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16"}
    of_any_width = "char" in declared and kind.group() == "unsigned"
    name = "char" if of_any_width else "short" if "short" in declared else kind.group()
    return {"value": 0, "type": types[name]} if name in types else "n"


def kernel_of(head):
    """Name and arguments of a kernel that is no template, by the text before its body."""
    found = KERNEL.search(LAUNCH_BOUNDS.sub("", head).rstrip())
    if found is None or re.match(r"\s*template\b", head):
        return None
    inside = found.group(2).strip()
    declared = [] if inside in ("", "void") else re.split(r",(?![^<]*>)", inside)
    arguments = [argument(text) for text in declared]
    return None if None in arguments else (found.group(1), arguments)


class Cutter:
    """One file and the local headers that it includes, all cut alike."""

    def __init__(self, path, root):
        self.root = root
        self.headers = {}
        self.kernels = {}  # By qualified name: the arguments.
        self.source = self.cut(without_comments(path.read_text(errors="replace")), path.parent, "")

    def find(self, name, folder):
        """The file that a path of the build would find: the nearest one of this name."""
        name = re.sub(r"^(\.\./)+", "", name)
        for place in [folder, *folder.parents]:
            near = [place / name, *(path for path in sorted(place.glob("*/" + name)))]
            found = next((path for path in near if path.is_file()), None)
            if found is not None or place == self.root:
                return found
        return None

    def directive(self, line, folder):
        found = INCLUDE.match(line)
        if found is None:
            return "\n" if HOST_WORDS.search(line) or "cudaGet" in line else line.strip() + "\n"
        name = found.group(2)
        if DEVICE_HEADERS.match(name):
            return f"#include <{name}>\n"
        path = self.find(name, folder)
        if path is None or path.suffix in (".c", ".cpp"):
            return "\n"
        name = name.replace("../", "")
        if name not in self.headers:
            self.headers[name] = ""  # A header that includes itself ends here.
            text = without_comments(path.read_text(errors="replace"))
            self.headers[name] = "#pragma once\n" + self.cut(text, path.parent, "")
        return f'#include "{name}"\n'

    def cut(self, text, folder, scope):
        made = ""
        for piece, body in pieces(text):
            head = piece if body is None else piece[:body]
            inner = SCOPE.match(head)
            if piece.lstrip().startswith("#"):
                made += self.directive(piece, folder)
            elif inner and body is not None:
                name = (inner.group(1) or "").strip()
                within = self.cut(piece[body + 1:-1], folder, scope + name + "::" if name else scope)
                made += head + "{\n" + within + "}\n"
            elif kept(piece, body):
                made += piece.strip() + "\n"
                kernel = kernel_of(head) if body is not None and "__global__" in head else None
                if kernel is not None:
                    self.kernels[scope + kernel[0]] = kernel[1]
        return made
