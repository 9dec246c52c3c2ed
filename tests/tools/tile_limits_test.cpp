// Kernels of tiles that would take for ever to lift, or all memory, are refused; those that need
// more than the executor has are not judged.
#include <doctest/doctest.h>

#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

const std::string kImports = "import triton\nimport triton.language as tl\n";

/// The first diagnostic of a kernel with `head` above it and `body` in it; `annotation` is n's.
std::string refused(const std::string& head, const std::string& body,
                    const std::string& annotation = "") {
  std::string source = kImports;
  source += head + "\n@triton.jit\ndef k(x_ptr, y_ptr, n" + annotation + "):\n" + body;
  const Json judged =
      tools().judge(tile_doubling(), tile_kernel("triton", source, {"x", "y", "n"}));
  INFO(judged.dump(1));
  REQUIRE(judged["verdict"] == "compile_error");
  return judged["diagnostics"][0]["message"];
}

/// `count` lines with `{}` replaced by 1, 2, ... and `<` by one less.
std::string lines(int count, const std::string& form) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    for (const char c : form) {
      text += c == '@' ? std::to_string(i) : c == '<' ? std::to_string(i - 1) : std::string(1, c);
    }
  }
  return text;
}

const std::string kTooLarge =
    "the kernel is too large when its calls and loops of constants are written out: more than "
    "500000 steps; use loops over `range`";

}  // namespace

TEST_SUITE("tools.tile_limits") {
  TEST_CASE("a number that is hardly one is an argument") {
    Json kernel =
        tile_kernel("triton",
                    kImports +
                        "\n@triton.jit\ndef k(x_ptr, y_ptr, n, tiny, TINY: tl.constexpr):\n"
                        "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
                        "    x = tl.load(x_ptr + i, mask=i < n)\n"
                        "    tl.store(y_ptr + i, 2 * x + (tiny + TINY) * 0, mask=i < n)\n",
                    {"x",
                     "y",
                     "n",
                     {{"value", "1e-42"}, {"type", "f32"}},
                     {{"value", "4.9e-324"}, {"type", "f64"}}});
    CHECK(tools().judge(tile_doubling(), kernel)["verdict"] == "passed");
  }

  TEST_CASE("constants of a file that stand for each other") {
    CHECK(refused("X = X\n", "    t = X\n", ": X") ==
          "`X` of the file is no constant that a kernel can use; pass it to the kernel as an "
          "argument");
    CHECK(refused("A0 = 1\n" + lines(27, "A@ = A< * 0 + A<\n"), "    t = A27 + B\n") ==
          "unknown name `B`; known: n, x_ptr, y_ptr");
    std::string deep = "A<";
    for (int i = 0; i < 100; ++i) {
      deep = "-(" + deep + ")";
    }
    CHECK(refused("A0 = 1\n" + lines(30, "A@ = " + deep + "\n"), "    t = A30\n") ==
          "`A30` of the file is no constant that a kernel can use; pass it to the kernel as an "
          "argument");
  }

  TEST_CASE("loops and calls that are written out") {
    std::string nested;
    for (int depth = 1; depth <= 5; ++depth) {
      nested +=
          std::string(4U * static_cast<unsigned>(depth), ' ') + "for i in tl.static_range(256):\n";
    }
    CHECK(refused("", nested + std::string(24, ' ') + "pass\n") == kTooLarge);
    std::string calls = "@triton.jit\ndef f0():\n    pass\n";
    for (int i = 1; i <= 12; ++i) {
      calls += "@triton.jit\ndef f" + std::to_string(i) + "():\n";
      for (int call = 0; call < 12; ++call) {
        calls += "    f" + std::to_string(i - 1) + "()\n";
      }
    }
    CHECK(refused(calls, "    f12()\n") == kTooLarge);
  }

  TEST_CASE("branches that nest through calls") {
    std::string calls;
    for (int i = 0; i < 15; ++i) {
      calls += "@triton.jit\ndef f" + std::to_string(i) + "(n):\n";
      for (unsigned depth = 1; depth <= 60; ++depth) {
        calls += std::string(depth, ' ') + "if n > " + std::to_string(depth) + ":\n";
      }
      calls += std::string(61, ' ') + (i == 0 ? "pass\n" : "f" + std::to_string(i - 1) + "(n)\n");
    }
    CHECK(refused(calls, "    f14(n)\n") ==
          "expressions, branches and the calls in them nest deeper than 500");
  }

  TEST_CASE("what the executor cannot run or hold is no mistake of the kernel") {
    Json problem = tile_doubling();
    problem["dims"]["n"] = {{"values", {70000}}, {"min", 1}, {"max", 100000}};
    const std::string body =
        "@triton.jit\ndef k(x_ptr, y_ptr, n):\n    i = tl.program_id(0)\n"
        "    tl.store(y_ptr + i, 2 * tl.load(x_ptr + i))\n";
    Json blocks = tile_kernel("triton", kImports + body, {"x", "y", "n"});
    blocks["launches"][0]["grid"] = {"n"};
    Json judged = tools().judge(problem, blocks);
    CHECK(judged["verdict"] == "unsupported");
    CHECK(judged["message"] ==
          "a grid of (70000, 1, 1) blocks: the executor runs 1 to 65536; run it on smaller shapes, "
          "or give each block more to do");
    CHECK(judged["next_steps"][0]["why"] ==
          "the kernel was not judged and need not be wrong: change what the message names, or "
          "validate other sizes with `workloads`");

    const std::string hash =
        "@triton.jit\ndef k(x_ptr, y_ptr, n):\n"
        "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
        "    h = i.to(tl.int64) * 6364136223846793005 + 1442695040888963407\n"
        "    x = tl.load(x_ptr + i, mask=i < n, other=0.0)\n"
        "    tl.store(y_ptr + i, 2 * x + (h >> 63).to(tl.float32) * 0, mask=i < n)\n";
    judged =
        tools().judge(tile_doubling(), tile_kernel("triton", kImports + hash, {"x", "y", "n"}));
    CHECK(judged["verdict"] == "unsupported");
    CHECK(judged["message"] ==
          "line 8: `y[0:128]` gets a value that depends on a whole number beyond 2^53, which the "
          "executor cannot hold: it keeps numbers as f64; keep whole numbers within 2^53, by other "
          "inputs or other arithmetic: nothing beyond is judged");
  }

  TEST_CASE("tuples that double") {
    CHECK(refused("", "    t = (1, 1)\n" + lines(30, "    t = t + t\n")) ==
          "a tuple has more than 1024 parts");
    CHECK(refused("", "    t = (1, 1)\n" + lines(30, "    t = (t, t)\n")) ==
          "a tuple has more than 1024 parts");
  }
}

}  // namespace ws::test
