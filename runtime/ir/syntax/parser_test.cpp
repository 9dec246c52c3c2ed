#include "runtime/ir/syntax/parser.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/printer.h"

namespace ws::ir {
namespace {

std::string printed(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<Program> program = parse(text, diagnostics);
  return program ? print(*program) : diagnostics.render(text);
}

// One method with `lines`, indented as they are.
std::string program_with(const std::string& lines) {
  return "class K(KernelBase):\n    def run(self):\n" + lines;
}

constexpr const char* kCuBridge = R"(import torch
from cubridge import KernelBase, alloc, barrier
LOG2E = 1.4426950408889634


# One query tile a block.
class FlashAttention(KernelBase):
    """O = softmax(Q K^T) V"""

    def __init__(self, Q, K, V, O, BM=128, BN=128):
        self.gridDim = (cdiv(Q.shape[0], BM), 1, 1)
        self.sK = alloc((2, BN, 128), "shared", "f16")  # @ fa.cu:12-14 R7
        self.k_full = barrier(2); self.k_full.init(1)

    def producer(self): ...

    def consumer(self, wg):
        for j in range(0, self.steps):
            # the stage
            s = j % 2
            if j == 0: continue
            elif j > 3 and not self.done or wg == 1:
                S = gemm_async(self.sQ[wg * 64:(wg + 1) * 64, :], self.sK[s].T, "wgmma")
            else:
                x, y = self.split(S)
            acc[:, 0:64] *= exp(m - new)[:, None]
            S = S if self.causal else -inf
        while n > 0:
            n -= 1
        return O.max(1, keepdim=True)

    def run(self):
        self.bind(self.producer, "warp", 0)
        self.bind(self.consumer, "warpgroup", 1, 2)
        self.commit()
)";

struct PrintCase {
  const char* written;
  const char* printed;
};

constexpr PrintCase kExpressions[] = {
    {"x = (a + b) * c - (d)", "x = (a + b) * c - d"},
    {"x = a - (b - c)", "x = a - (b - c)"},
    {"x = a ** b ** c", "x = a ** b ** c"},
    {"x = (a ** b) ** c", "x = (a ** b) ** c"},
    {"x = -a ** 2", "x = -a ** 2"},
    {"x = (-a) ** 2", "x = (-a) ** 2"},
    {"x = not (a and b)", "x = not (a and b)"},
    {"x = (a < b) < c", "x = (a < b) < c"},
    {"x = a < b <= c != d", "x = a < b <= c != d"},
    {"x = (a or b) and c", "x = (a or b) and c"},
    {"x = (a if b else c) if d else e", "x = (a if b else c) if d else e"},
    {"x = [1, 2,\n  3]", "x = (1, 2, 3)"},
    {"x = (1,)", "x = (1,)"},
    {"x = y = 0x1F", "x = y = 0x1F"},
    {"x = 1e-5 + .5", "x = 1e-5 + .5"},
    {"x = 2 .y + (a.b).c", "x = (2).y + a.b.c"},
    {"x = 'f16'", "x = \"f16\""},
    {"x[i, 2:, ::3, :, None] = a.T[0](b)(c=d)", "x[i, 2:, ::3, :, None] = a.T[0](b)(c=d)"},
    {"x //= 2; x <<= 1", "x //= 2\n        x <<= 1"},
    {"a, b = b, a", "(a, b) = (b, a)"},
    {"x = a @ b & c | ~d ^ e", "x = a @ b & c | ~d ^ e"},
    {"x = a + \\\n b", "x = a + b"},
    {"x = torch.exp(a) + np.maximum(b, -math.inf)", "x = exp(a) + maximum(b, -inf)"},
    {"x = numpy.sum(a, axis=1, keepdims=True)", "x = sum(a, dim=1, keepdim=True)"},
    {"x = a.max(axis=0)", "x = a.max(dim=0)"},
    {"x = self.max(a, axis=0)", "x = self.max(a, axis=0)"},
    {"x = f(axis=0, keepdims=1)", "x = f(axis=0, keepdims=1)"},
    {"x = exp(a, axis=1)", "x = exp(a, axis=1)"},
    {"x = torch.load(a) + np.exp + np.pi", "x = torch.load(a) + np.exp + np.pi"},
    {"x = a.exp(b).np.exp(c)", "x = a.exp(b).np.exp(c)"},
};

struct ErrorCase {
  const char* lines;
  const char* want;
};

constexpr ErrorCase kErrors[] = {
    {"        x = (1 + \n", "4:1: expected a value, got the end of the line\n  \n  ^\n"},
    {"        x = 1 +\n",
     "3:16: expected a value, got the end of the line\n"
     "          x = 1 +\n                 ^\n"},
    {"        exp = 3\n",
     "3:9: `exp` is an operation\n          exp = 3\n          ^\n"
     "  hint: choose another name\n"},
    {"        f(x) = 3\n",
     "3:9: this cannot be assigned to\n          f(x) = 3\n          ^\n"
     "  hint: assign to a name, to self.name or to a part of a buffer\n"},
    {"        f(a=1, 2)\n",
     "3:16: a positional argument after a named one\n          f(a=1, 2)\n                 ^\n"
     "  hint: name this argument too, or move it before\n"},
    {"        x = [i for i in y]\n",
     "3:16: comprehensions are not part of CuIR\n          x = [i for i in y]\n"
     "                 ^\n  hint: write a loop\n"},
    {"        with x: pass\n",
     "3:9: `with` is not part of CuIR\n          with x: pass\n          ^\n"
     "  hint: start and wait for work with the operations themselves\n"},
    {"        x = 99999999999999999999\n",
     "3:13: integer does not fit in 64 bits\n          x = 99999999999999999999\n"
     "              ^\n"},
    {"        x = 12ab\n", "3:13: malformed number `12ab`\n          x = 12ab\n              ^\n"},
    {"        x = 'abc\n",
     "3:13: the string does not end\n          x = 'abc\n              ^\n"
     "  hint: close it with ' on the same line\n"},
    {"        x = $\n", "3:13: unexpected character `$`\n          x = $\n              ^\n"},
    {"        if x:\n        y = 1\n",
     "4:9: expected an indented block, got `y`\n          y = 1\n          ^\n"
     "  hint: write `pass` where there is nothing to do\n"},
    {"        x = 1\n            y = 1\n",
     "4:13: this line is indented more than the one above\n              y = 1\n"
     "              ^\n  hint: only the lines of a block below `:` are\n"},
    {"        x = 1\n      y = 1\n",
     "4:7: this indentation matches no open block\n        y = 1\n        ^\n"
     "  hint: indent as the statement above, or as the one it belongs to\n"},
    {"        x = a.1\n",
     "3:14: expected the end of the line, got `.1`\n          x = a.1\n               ^\n"},
};

TEST_SUITE("ir.parser") {
  TEST_CASE("a program in CuBridge's form prints to a fixed point") {
    const std::string once = printed(kCuBridge);
    CHECK(once.find("class FlashAttention(KernelBase):") != std::string::npos);
    CHECK(once.find("  # @ fa.cu:12-14 R7\n") != std::string::npos);
    CHECK(once.find("            # the stage\n            s = j % 2\n") != std::string::npos);
    CHECK(printed(once) == once);
  }

  TEST_CASE("expressions print with the parentheses that they need and no others") {
    for (const PrintCase& c : kExpressions) {
      CAPTURE(c.written);
      const std::string text = printed(program_with("        " + std::string(c.written) + "\n"));
      CHECK(text == program_with("        " + std::string(c.printed) + "\n"));
      CHECK(printed(text) == text);
    }
  }

  TEST_CASE("an error says its place, what was expected and what to write") {
    for (const ErrorCase& c : kErrors) {
      CAPTURE(c.lines);
      CHECK(printed(program_with(c.lines)) == c.want);
    }
  }

  TEST_CASE("several errors are found in one run, in the order of their places") {
    const std::string text =
        printed(program_with("        x = 1 +\n        for i in 3: y = )\n"
                             "        if x\n            z = 1\n"
                             "        w = 2 2\n"));
    std::string places;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      if (text[at] != ' ') {
        places += text.substr(at, text.find(": ", at) - at) + " ";
      }
    }
    CHECK(places == "3:16 4:25 5:13 7:15 ");
  }

  TEST_CASE("what is no program is refused with the place that says why") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"",
         "1:1: the program has no class\n  \n  ^\n"
         "  hint: write `class Name(KernelBase):` with the methods __init__ and run\n"},
        {"class K(Base):\n    pass\n",
         "1:1: the class is not derived from KernelBase\n  class K(Base):\n  ^\n"
         "  hint: write `class K(KernelBase):`\n"},
        {program_with("        pass\nx = 1\n"), "4:1: a statement after the class\n  x = 1\n  ^\n"},
        {"x = 1\nf(x)\nclass K(KernelBase):\n    pass\n",
         "2:1: only imports and constants may stand before the class\n  f(x)\n  ^\n"
         "  hint: move this into a method\n"},
        {"x = 1 # caf\xc3\xa9\ny = \"\xc3\"\n",
         "2:6: the text is not UTF-8 here\n  y = \"?\"\n       ^\n"},
        {program_with("        x = caf\xc3\xa9\n"),
         "3:16: byte 195 is allowed in strings and comments only\n"
         "          x = caf??\n                 ^\n"
         "3:17: byte 169 is allowed in strings and comments only\n"
         "          x = caf??\n                  ^\n"},
    };
    for (const auto& row : rows) {
      CAPTURE(row.first);
      CHECK(printed(row.first) == row.second);
    }
  }

  TEST_CASE("a program of 5 MB is refused by its size") {
    const std::string big(5'000'000, '\n');
    CHECK(printed(big) ==
          "1:1: the program has 5000000 bytes: at most 1048576 are allowed\n  \n  ^\n");
  }

  TEST_CASE("nesting beyond the limit is an error, not a crash") {
    const std::size_t deep = 300'000;
    const std::vector<std::string> bodies = {
        "x = " + std::string(deep, '(') + "1\n",
        "x = " + std::string(deep, '-') + "1\n",
        "x = a" + std::string(deep, '[') + "1\n",
        "x = 1" +
            [] {
              std::string sum;
              for (int i = 0; i < 100'000; ++i) {
                sum += " + 1";
              }
              return sum;
            }() +
            "\n",
        "x = a" +
            [] {
              std::string calls;
              for (int i = 0; i < 100'000; ++i) {
                calls += "()";
              }
              return calls;
            }() +
            "\n",
    };
    for (const std::string& body : bodies) {
      const std::string text = printed(program_with("        " + body));
      CHECK(text.find("nested more than 100 deep") != std::string::npos);
      CHECK(text.find("hint: give parts of the expression names") != std::string::npos);
    }
    std::string blocks;
    for (std::size_t i = 0; i < 1000; ++i) {
      blocks += std::string(8 + i, ' ') + "if x:\n";
    }
    CHECK(printed(program_with(blocks)).find("blocks nested more than 30 deep") !=
          std::string::npos);
  }

  TEST_CASE("a program cut off at any byte is an error or a program, not a crash") {
    const std::string text = kCuBridge;
    for (std::size_t length = 0; length <= text.size(); ++length) {
      CHECK_FALSE(printed(text.substr(0, length)).empty());
    }
  }
}

}  // namespace
}  // namespace ws::ir
