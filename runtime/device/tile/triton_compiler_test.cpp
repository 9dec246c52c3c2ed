#include "runtime/device/tile/triton_compiler.h"

#include <filesystem>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/compile/triton_service.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = R"(import triton
import triton.language as tl
import os
import torch
os.remove("/nothing")
KIND = torch.float16
if torch.version >= 3:
    try:
        from triton.language.extra.libdevice import nothing
    except ImportError:
        import triton.language.extra.libdevice as libdevice

@triton.jit
def scale(x, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    assert libdevice
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)

def host(x):
    scale[1](x)
)";

/// A virtual environment of the system's Python with the stand-in for Triton in it.
class FakeTriton {
 public:
  FakeTriton()
      : folder_(fs::temp_directory_path() / ("fake_triton_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    fs::create_symlink("/usr/bin/python3", folder_ / "bin/python3");
    CHECK(write_file(folder_ / "pyvenv.cfg", "home = /usr/bin\n").has_value());
    for (const int minor : {9, 10, 11, 12, 13, 14}) {
      const fs::path lib = folder_ / "lib" / ("python3." + std::to_string(minor));
      fs::create_directories(lib);
      fs::create_symlink(std::string(WS_SOURCE_DIR) + "/tests/support/fake_triton",
                         lib / "site-packages");
    }
  }

  ~FakeTriton() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  FakeTriton(const FakeTriton&) = delete;
  FakeTriton& operator=(const FakeTriton&) = delete;
  FakeTriton(FakeTriton&&) = delete;
  FakeTriton& operator=(FakeTriton&&) = delete;

  [[nodiscard]] std::string interpreter() const { return (folder_ / "bin/python3").string(); }

 private:
  fs::path folder_;
};

/// Null, with a line that says so, where something is missing.
std::shared_ptr<LanguageCompiler> fake_compiler(const FakeTriton& fake) {
  const Result<Toolkit> toolkit = find_toolkit({});
  const auto kit = find_triton({"/nothing/bin/python3", fake.interpreter()});
  REQUIRE(kit.has_value());
  if (!toolkit || find_linker(*toolkit).empty() || !fs::exists("/usr/bin/python3")) {
    MESSAGE("left out: Triton's compile worker (no CUDA toolkit with nvJitLink, or no Python)");
    return nullptr;
  }
  const std::string executable = std::string(WS_BINARY_DIR) + "/warpsmith";
  return make_triton_compiler(
      {std::make_shared<TileParser>(TileParserOptions{.executable = executable}),
       std::make_shared<CompileService>(triton_service(executable, *kit)),
       std::make_shared<CompileService>(ptx_service(executable, *toolkit))});
}

TileArg buffer(const std::string& name, std::int64_t offset = 0) {
  TileArg arg;
  arg.kind = TileArg::Kind::kTensor;
  arg.name = name;
  arg.type = DType::kF32;
  arg.value = offset;
  return arg;
}

TileArg integer(std::int64_t value, DType type = DType::kI32) {
  TileArg arg;
  arg.kind = TileArg::Kind::kInteger;
  arg.type = type;
  arg.value = value;
  return arg;
}

TileArg real(const std::string& number) {
  TileArg arg;
  arg.kind = TileArg::Kind::kFloat;
  arg.type = DType::kF32;
  arg.number = number;
  return arg;
}

CompileRequest request_of(const std::string& source, std::vector<TileLaunch> launches) {
  CompileRequest request;
  request.source.language = "triton";
  request.source.source = source;
  request.source.launches = std::move(launches);
  request.target = "sm_90a";
  return request;
}

std::string with_body(const std::string& body) {
  return "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x):\n    " + body +
         "\n";
}

/// Verdict, message and line of the first diagnostic.
std::string told(LanguageCompiler& compiler, const std::string& source, TileLaunch launch) {
  const auto reply = compiler.compile(request_of(source, {std::move(launch)}), {}, false);
  if (!reply) {
    return to_text(reply.error());
  }
  const CompileOutcome& outcome = *reply->outcome;
  const int line = outcome.diagnostics.empty() ? 0 : outcome.diagnostics.front().line;
  return std::string(name_of(outcome.verdict)) + ", line " + std::to_string(line) + ": " +
         outcome.message;
}

}  // namespace

TEST_SUITE("device.tile.triton") {
  TEST_CASE("each launch gets an entry of its constants and of what is known of its arguments") {
    const FakeTriton fake;
    const auto compiler = fake_compiler(fake);
    if (compiler == nullptr) {
      return;
    }
    const TileLaunch first{.entry = "scale",
                           .args = {buffer("x"), integer(1000), real("2"), integer(64)}};
    TileLaunch second = first;
    second.args[1] = integer(96);
    TileLaunch third = first;
    third.args[1] = integer(1);
    third.num_warps = 8;
    const auto reply =
        compiler->compile(request_of(kSource, {first, second, first, third}), {}, false);
    REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
    const CompileOutcome& outcome = *reply->outcome;
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    CHECK(outcome.image.steps == std::vector<std::uint32_t>{0, 1, 0, 2});
    REQUIRE(outcome.image.entries.size() == 3);
    const CompiledEntry& entry = outcome.image.entries[0];
    CHECK(entry.name == "scale");
    CHECK(entry.lowered == "scale_0");
    CHECK(entry.threads == 128);
    CHECK(entry.dynamic_bytes == 4096);
    CHECK(entry.null_params == 2);
    CHECK(entry.registers > 0);
    REQUIRE(entry.params.size() == 4);
    CHECK(entry.params[0].type == "*fp32");
    CHECK(entry.params[0].pointer);
    CHECK(entry.params[1].type == "i32");
    CHECK(entry.params[1].integer);
    CHECK(entry.params[2].type == "fp32");
    CHECK(entry.params[3].folded);
    // The number one is a constant to Triton.
    CHECK(outcome.image.entries[2].params[1].folded);
    CHECK(outcome.image.entries[2].threads == 256);
    CHECK(outcome.ptx.find("{(3,): 64} {(0,): [['tt.divisibility', 16]]} 3") != std::string::npos);
    CHECK(outcome.ptx.find("{(3,): 64} {(0,): [['tt.divisibility', 16]], "
                           "(1,): [['tt.divisibility', 16]]} 3") != std::string::npos);
    CHECK(outcome.ptx.find("{(1,): 1, (3,): 64}") != std::string::npos);
    const auto again =
        compiler->compile(request_of(kSource, {first, second, first, third}), {}, false);
    REQUIRE(again.has_value());
    CHECK(again->cache == CacheUse::kHit);
  }

  TEST_CASE("mistakes are told with their lines, and what no kernel may do is refused") {
    const FakeTriton fake;
    const auto compiler = fake_compiler(fake);
    if (compiler == nullptr) {
      return;
    }
    const TileLaunch one{.entry = "k", .args = {buffer("x")}};
    CHECK(told(*compiler, with_body("fail(x)"), one) ==
          "compile_error, line 6: Triton: fail is no operation");
    CHECK(told(*compiler, with_body("look()"), one) ==
          "compile_error, line 0: Triton: PermissionError: [Errno 1] Operation not permitted: "
          "'/etc/hostname'");
    CHECK(told(*compiler, with_body("crash()"), one) ==
          "resource_limit, line 0: the compiler crashed with signal 11");
    CHECK(told(*compiler, with_body("x = (1"), one) ==
          "compile_error, line 6: Python: '(' was never closed");
    CHECK(told(*compiler, with_body("pass"), {.entry = "q", .args = {}}) ==
          "compile_error, line 0: the source has no function `q`; known: k");
    CHECK(told(*compiler, with_body("pass"), {.entry = "k", .args = {}}) ==
          "compile_error, line 5: the launch passes no argument for `x`: `k` takes (x); add it to "
          "the launch's args; a constant too, as {\"value\": \"64\", \"type\": \"i32\"} or the "
          "name of a parameter or dim");
    CHECK(told(*compiler, with_body("pass"), one) == "compiled, line 0: ");
  }

  TEST_CASE("what is not made for a GPU is said before anything is compiled") {
    const auto compiler = make_triton_compiler({});
    TileArg descriptor = buffer("x");
    descriptor.kind = TileArg::Kind::kDescriptor;
    CHECK(
        told(*compiler, with_body("pass"), {.entry = "k", .args = {descriptor}}) ==
        "unsupported, line 0: `k` takes a tensor descriptor of `x`, which warpsmith does not pass "
        "to Triton's kernels on a GPU yet");
    CompileRequest request = request_of(with_body("pass"), {});
    request.source.headers = {{"helpers.py", ""}};
    const auto reply = compiler->compile(request, {}, false);
    REQUIRE(reply.has_value());
    CHECK(reply->outcome->verdict == CompileVerdict::kUnsupported);
    CHECK(reply->outcome->message ==
          "the kernel has files beside its source (`helpers.py`), which warpsmith does not give to "
          "Triton on a GPU yet: put what it needs of them into the source");
  }

  TEST_CASE("an interpreter without Triton is passed over") {
    CHECK_FALSE(find_triton({"/nothing/bin/python3"}).has_value());
    const FakeTriton fake;
    const auto kit = find_triton({"/nothing/bin/python3", fake.interpreter()});
    REQUIRE(kit.has_value());
    CHECK(kit->interpreter == fake.interpreter());
  }
}

}  // namespace ws
