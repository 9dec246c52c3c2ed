// Through real workers with a real NVRTC, where this machine has a CUDA toolkit.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/nvrtc_service.h"
#include "runtime/compile/test_requests.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/plan/workloads.h"
#include "tests/support/golden.h"

namespace ws {

TEST_SUITE("compile.nvrtc") {
  /// Null where there is no toolkit; says so once.
  CompileService* service() {
    static const std::unique_ptr<CompileService> shared = [] {
      const auto toolkit = find_toolkit({});
      if (!toolkit) {
        MESSAGE("left out: the tests of NVRTC (" << toolkit.error().message << ")");
        return std::unique_ptr<CompileService>();
      }
      return std::make_unique<CompileService>(
          nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith", *toolkit));
    }();
    return shared.get();
  }

  CompileRequest request_of(std::string source, std::vector<std::string> entries,
                            std::string target = "sm_90a") {
    return request_in("cuda", std::move(target), std::move(source), std::move(entries));
  }

  CompileOutcome compile(const CompileRequest& request) {
    const auto reply = service()->compile(request, {});
    REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
    return *reply->outcome;
  }

  TEST_CASE("a template, its parameters and its limits") {
    if (service() == nullptr) {
      return;
    }
    const CompileOutcome outcome = compile(request_of(
        "#include <cuda_fp16.h>\n"
        "struct P { int a[32]; };\n"
        "template <int N> __global__ void __launch_bounds__(128) k(const float* a, float* b, int n,"
        " __half h, P p, bool q, unsigned long long z, const __grid_constant__ P g) {\n"
        "  __shared__ float s[N];\n"
        "  s[threadIdx.x] = a[threadIdx.x];\n"
        "  __syncthreads();\n"
        "  b[n] = s[5] + float(h) + p.a[0] + z + g.a[3];\n"
        "}\n",
        {"k<32>"}));
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    REQUIRE(outcome.image.entries.size() == 1);
    const CompiledEntry& entry = outcome.image.entries[0];
    CHECK(entry.name == "k<32>");
    CHECK(entry.lowered.starts_with("_Z1kILi32EE"));
    CHECK(parameters(entry) ==
          "float const*:8p float*:8p int:4i __half:2 P:128 bool:1i unsigned long long:8i P:128 ");
    CHECK(entry.shared_bytes == 128);
    CHECK(entry.max_threads == 128);
    CHECK(entry.registers > 0);
    CHECK(entry.local_bytes == 0);
    CHECK(entry.spill_bytes == 0);
    CHECK(
        outcome.image.blob.starts_with("\x7f"
                                       "ELF"));
    CHECK(outcome.ptx.find(".entry _Z1kILi32EE") != std::string::npos);
    CHECK(outcome.instructions.at("barrier") == 1);
  }

  TEST_CASE("extern \"C\" kernels keep their types, and variables can be named") {
    if (service() == nullptr) {
      return;
    }
    const CompileOutcome outcome = compile(request_of(
        "__constant__ float c[10];\n"
        "__device__ int d;\n"
        "extern \"C\" __global__ void e(float* b, unsigned long long n, uint64_t* unused) {\n"
        "  b[n] = c[threadIdx.x] + d;\n"
        "}\n",
        {"e"}));
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    CHECK(parameters(outcome.image.entries[0]) ==
          "float*:8p unsigned long long:8i unsigned long long*:8p ");
    REQUIRE(outcome.image.symbols.size() == 2);
    CHECK(outcome.image.symbols[0].name == "c");
    CHECK(outcome.image.symbols[0].bytes == 40);
    CHECK(outcome.image.symbols[1].name == "d");
  }

  TEST_CASE("spilled registers are counted") {
    if (service() == nullptr) {
      return;
    }
    CompileRequest request = request_of(
        "__global__ void k(int* a) {\n"
        "  int s[64];\n"
        "  for (int i = 0; i < 64; i++) s[i] = a[i];\n"
        "  __syncthreads();\n"
        "  for (int i = 0; i < 64; i++) a[s[63 - i] + i] = s[i];\n"
        "}\n",
        {"k"});
    request.source.options = {"--maxrregcount=24"};
    const CompileOutcome outcome = compile(request);
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    CHECK(outcome.image.entries[0].registers <= 24);
    CHECK(outcome.image.entries[0].spill_bytes > 0);
    CHECK(outcome.image.entries[0].local_bytes > 0);
    CHECK(outcome.image.entries[0].max_threads == 1024);
  }

  struct Refused {
    const char* name;
    const char* source;
    const char* entry;
    CompileVerdict verdict;
    const char* message;
  };

  const Refused kRefused[] = {
      {"an error", "__global__ void k(int* a) {\n  a[0] = y;\n}\n", "k",
       CompileVerdict::kCompileError, "identifier \"y\" is undefined"},
      {"no such entry", "__global__ void k(int* a) {}\n", "nope", CompileVerdict::kCompileError,
       "entry `nope`: identifier \"nope\" is undefined"},
      {"an entry that is no kernel", "__device__ void f() {}\n", "f", CompileVerdict::kCompileError,
       "entry `f`: Name expression cannot form address of a non-__global__ function"},
      {"pruned", "__global__ void k() { static_assert(sizeof(int) > 9, \"ws_invalid: BM\"); }\n",
       "k", CompileVerdict::kPruned, "static assertion failed with \"ws_invalid: BM\""},
      {"too much shared memory",
       "__global__ void k(int* a) {\n"
       "  __shared__ int s[100000];\n"
       "  s[threadIdx.x] = a[0];\n"
       "  __syncthreads();\n"
       "  a[0] = s[a[1]];\n"
       "}\n",
       "k", CompileVerdict::kResourceLimit,
       "Entry function `k(int*)` uses too much shared data (400000 bytes, 232448 max)"},
      {"a file of this machine", "#include \"/etc/passwd\"\n__global__ void k() {}\n", "k",
       CompileVerdict::kCompileError, "cannot open source file \"/etc/passwd\""},
      {"one that is above the toolkit", "#include \"../../../etc/passwd\"\n", "k",
       CompileVerdict::kCompileError, "cannot open source file \"../../../etc/passwd\""},
      {"a function without a body",
       "__device__ int g(int);\n__global__ void k(int* a) { a[0] = g(1); }\n", "k",
       CompileVerdict::kCompileError, "Unresolved extern function `g(int)`"},
      {"endless templates",
       "template <int N> struct F { static const int v = F<N - 1>::v + 1; };\n"
       "__global__ void k(int* a) { a[0] = F<100000>::v; }\n",
       "k", CompileVerdict::kCompileError,
       "excessive recursion at instantiation of class \"F<99800>\""},
  };

  TEST_CASE("what is wrong is a verdict with the reason") {
    if (service() == nullptr) {
      return;
    }
    for (const Refused& c : kRefused) {
      CAPTURE(std::string(c.name));
      const CompileOutcome outcome = compile(request_of(c.source, {c.entry}));
      CHECK(outcome.verdict == c.verdict);
      CHECK(outcome.message == c.message);
    }
  }

  TEST_CASE("whether a file of this machine exists cannot be asked") {
    if (service() == nullptr) {
      return;
    }
    const CompileOutcome outcome = compile(request_of(
        "#if __has_include(\"/etc/passwd\")\n#error it does\n#endif\n__global__ void k() {}\n",
        {"k"}));
    CHECK_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
  }

  TEST_CASE("an arch that this NVRTC does not know is refused with those that it knows") {
    if (service() == nullptr) {
      return;
    }
    const auto info = service()->info();
    REQUIRE(info.has_value());
    std::string known = info->arch;
    for (std::size_t at = known.find(' '); at != known.npos; at = known.find(' ', at + 2)) {
      known.replace(at, 1, ", ");
    }
    for (const char* arch : {"sm_42", "sm_80a", "compute_80", ""}) {
      CAPTURE(std::string(arch));
      const CompileOutcome outcome = compile(request_of("__global__ void k() {}\n", {"k"}, arch));
      CHECK(outcome.verdict == CompileVerdict::kUnsupported);
      CHECK(outcome.message == info->version + " does not compile for `" + arch + "`; it knows " +
                                   known + ", and forms with a suffix, such as sm_90a");
    }
  }

  TEST_CASE("a worker goes on when its child has made all its compiles") {
    const auto toolkit = find_toolkit({});
    if (!toolkit) {
      return;
    }
    CompileService::Options options =
        nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith", *toolkit);
    options.workers = 1;
    CompileService one(options);
    constexpr int kCompilesPerChild = 32;
    for (int i = 0; i < kCompilesPerChild + 2; ++i) {
      const auto reply = one.compile(
          request_of("__global__ void k(int* a) { a[0] = " + std::to_string(i) + "; }\n", {"k"}),
          {});
      REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
      REQUIRE(reply->outcome->verdict == CompileVerdict::kCompiled);
      CHECK(reply->outcome->ptx.find(", " + std::to_string(i) + ";") != std::string::npos);
    }
  }

  TEST_CASE("kernels that include the same headers are compiled as if they were alone") {
    const auto toolkit = find_toolkit({});
    if (!toolkit) {
      return;
    }
    CompileService::Options options =
        nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith", *toolkit);
    options.workers = 1;
    CompileService one(options);
    for (int i = 0; i < 6; ++i) {
      CompileRequest request = request_of(
          "#include <cooperative_groups.h>\n"
          "__global__ void k(int* a) {\n"
          "  cooperative_groups::this_thread_block().sync();\n"
          "  a[0] = TILE;" +
              std::string(i == 3 ? " b" : "") + "\n}\n",
          {"k"});
      request.source.macros = "#define TILE " + std::to_string(700 + i) + "\n";
      const auto reply = one.compile(request, {});
      REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
      const CompileOutcome& outcome = *reply->outcome;
      if (i == 3) {
        REQUIRE(outcome.verdict == CompileVerdict::kCompileError);
        CHECK(outcome.diagnostics[0].region == "source");
        CHECK(outcome.diagnostics[0].line == 4);
        CHECK(outcome.log.find("recompiled") == std::string::npos);
      } else {
        REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
        CHECK(outcome.ptx.find(", " + std::to_string(700 + i) + ";") != std::string::npos);
        CHECK(outcome.log.find("recompiled") == std::string::npos);
      }
    }
  }

  TEST_CASE("a parameter may have a name that a header uses") {
    if (service() == nullptr) {
      return;
    }
    CompileRequest request = request_of(
        "// The block.\n#include <cooperative_groups.h>\n"
        "__global__ void k(int* a) { a[0] = Size; }\n",
        {"k"});
    request.source.macros = "#define Size 4\n";
    const CompileOutcome outcome = compile(request);
    CHECK_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
  }

  TEST_CASE("a missing header is reported at the line that names it") {
    if (service() == nullptr) {
      return;
    }
    const CompileOutcome outcome = compile(request_of(
        "#include <cuda_fp16.h>\n#include <no_such.h>\n__global__ void k() {}\n", {"k"}));
    REQUIRE(outcome.verdict == CompileVerdict::kCompileError);
    CHECK(outcome.diagnostics[0].region == "source");
    CHECK(outcome.diagnostics[0].line == 2);
  }

  TEST_CASE("the toolkit's headers are found, and no path of this machine comes out") {
    if (service() == nullptr) {
      return;
    }
    const CompileOutcome outcome =
        compile(request_of("#include <cuda.h>\n"
                           "#include <cooperative_groups.h>\n"
                           "#include <mma.h>\n"
                           "#include <stdint.h>\n"
                           "#include <cuda/std/cstdint>\n"
                           "__global__ void k(int* a, const __grid_constant__ CUtensorMap m) {\n"
                           "  cooperative_groups::this_thread_block().sync();\n"
                           "  a[0] = INT_MAX;\n"
                           "}\n",
                           {"k"}));
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    CHECK(outcome.ptx.find("cooperative_groups") != std::string::npos);
    for (const std::string& text : {outcome.ptx, outcome.log}) {
      CHECK(text.find("/usr/") == std::string::npos);
      CHECK(text.find(std::filesystem::current_path().string()) == std::string::npos);
    }
  }

  TEST_CASE("CUB's algorithms for blocks and warps compile by its one header, libcu++ beside it") {
    if (service() == nullptr) {
      return;
    }
    const CompileOutcome outcome = compile(
        request_of("#include <cub/cub.cuh>\n"
                   "#include <cuda/std/array>\n"
                   "__global__ void k(int* a) {\n"
                   "  using Sum = cub::BlockReduce<int, 128>;\n"
                   "  __shared__ typename Sum::TempStorage room;\n"
                   "  const cuda::std::array<int, 1> sum = {Sum(room).Sum(a[threadIdx.x])};\n"
                   "  if (threadIdx.x == 0) { a[0] = sum[0]; }\n"
                   "}\n",
                   {"k"}));
    CHECK_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
  }

  TEST_CASE("every example compiles for sm_80 and sm_90a from the files that the CPU engine runs") {
    if (service() == nullptr) {
      return;
    }
    const std::filesystem::path examples = std::string(WS_SOURCE_DIR) + "/examples/kernels";
    for (const auto& file : std::filesystem::recursive_directory_iterator(examples)) {
      const std::string name = file.path().filename().string();
      if (!name.ends_with(".json") || name == "problem.json" || name == "broken_compile.json") {
        continue;
      }
      CAPTURE(file.path().string());
      const Problem problem =
          parse_problem(read_file(file.path().parent_path() / "problem.json").value()).value();
      const Kernel kernel = parse_kernel(read_file(file.path()).value(), problem).value();
      const Workload workload = expand_workloads(problem).value().front();
      CompileRequest request;
      request.source = render(kernel, workload, kernel.defaults).value();
      const std::string least = least_arch(file.path());
      for (const char* target : {"sm_80", "sm_90a"}) {
        if (target < least) {
          continue;
        }
        request.target = target;
        const CompileOutcome outcome = compile(request);
        CHECK_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
        // A change that ptxas had to make to asynchronous products, (C7510) and its like, is a
        // diagnostic.
        CHECK(outcome.diagnostics.empty());
      }
    }
  }
}

}  // namespace ws
