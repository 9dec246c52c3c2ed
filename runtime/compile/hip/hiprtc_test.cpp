// Through real workers with a real hiprtc, where this machine has one.
#include <doctest/doctest.h>

#include "runtime/compile/hip_service.h"
#include "runtime/compile/test_requests.h"

namespace ws::hip {

TEST_SUITE("compile.hiprtc") {
  /// Null where there is no hiprtc; says so once.
  HipCompiler* compiler() {
    static const std::unique_ptr<HipCompiler> shared = [] {
      const auto kit = find_hip_kit({});
      if (!kit) {
        MESSAGE("left out: the tests of hiprtc (" << kit.error().message << ")");
        return std::unique_ptr<HipCompiler>();
      }
      const std::string executable = std::string(WS_BINARY_DIR) + "/warpsmith";
      return std::make_unique<HipCompiler>(hip_service(executable, *kit),
                                           std::make_unique<HipArchs>(executable, *kit, ""));
    }();
    return shared.get();
  }

  CompileRequest request_of(std::string source, std::vector<std::string> entries,
                            std::string language = "hip", std::string target = "gfx90a") {
    return request_in(std::move(language), std::move(target), std::move(source),
                      std::move(entries));
  }

  CompileOutcome compile(const CompileRequest& request) {
    const auto reply = compiler()->compile(request, {}, /*fresh=*/true);
    REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
    return *reply->outcome;
  }

  TEST_CASE("a template and an extern \"C\" entry have their numbers, parameters and variables") {
    if (compiler() == nullptr) {
      return;
    }
    const CompileOutcome outcome = compile(request_of(
        "#include <hip/hip_runtime.h>\n"
        "struct P { int a[32]; };\n"
        "__constant__ float table[4];\n"
        "__device__ int counter;\n"
        "template <int N> __global__ __launch_bounds__(128) void k(const float* a, float* b, int n,"
        " P p, bool q, unsigned long long z) {\n"
        "  __shared__ float s[N];\n"
        "  s[threadIdx.x] = a[threadIdx.x] * table[threadIdx.x % 4];\n"
        "  __syncthreads();\n"
        "  b[n] = s[5] + p.a[0] + z + atomicAdd(&counter, 1);\n"
        "}\n"
        "extern \"C\" __global__ void plain(int* p, float x, long long n) { *p = x + n; }\n",
        {"k<32>", "plain"}));
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    REQUIRE(outcome.image.entries.size() == 2);
    const CompiledEntry& k = outcome.image.entries[0];
    CHECK(k.name == "k<32>");
    CHECK(k.lowered.starts_with("_Z1kILi32EE"));
    CHECK(parameters(k) == "float const*:8p float*:8p int:4i P:128 bool:1i unsigned long long:8i ");
    CHECK(k.shared_bytes == 128);
    CHECK(k.max_threads == 128);
    CHECK(k.registers > 0);
    CHECK(k.local_bytes == 0);
    CHECK(k.spill_bytes == 0);
    const CompiledEntry& plain = outcome.image.entries[1];
    CHECK(plain.lowered == "plain");
    CHECK(parameters(plain) == "int*:8p float:4 long long:8i ");
    REQUIRE(outcome.image.symbols.size() == 2);
    CHECK(outcome.image.symbols[0].bytes + outcome.image.symbols[1].bytes == 20);
    CHECK(outcome.image.blob.substr(1, 3) == "ELF");
  }

  TEST_CASE("warp operations in CUDA's spelling go among 32 lanes, on wavefronts of 64 and of 32") {
    if (compiler() == nullptr) {
      return;
    }
    const std::string source =
        "#include <cuda_fp16.h>\n"
        "__global__ void k(float* a, double* b, __half* h) {\n"
        "  static_assert(warpSize == 32, \"a warp of CUDA's\");\n"
        "  float v = a[threadIdx.x];\n"
        "  for (int i = warpSize / 2; i > 0; i /= 2) v += __shfl_xor_sync(0xffffffffu, v, i);\n"
        "  b[0] = __shfl_down_sync(0xffffffffu, b[1], 1);\n"
        "  h[0] = __shfl_sync(0xffffffffu, h[1], 0);\n"
        "  __syncwarp();\n"
        "  unsigned all = __ballot_sync(__activemask(), v > 0);\n"
        "  if (__any_sync(all, v < 1) && !__all_sync(all, v > 2)) a[threadIdx.x] = v + __ldcg(a);\n"
        "  assert(v < INFINITY && v < FLT_MAX);\n"
        "}\n";
    for (const char* arch : {"gfx90a", "gfx1030"}) {
      CAPTURE(std::string(arch));
      const CompileOutcome outcome = compile(request_of(source, {"k"}, "cuda", arch));
      CHECK_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    }
  }

  struct Refused {
    const char* name;
    const char* language;
    const char* source;
    CompileVerdict verdict;
    const char* message;
  };

  TEST_CASE("what does not compile says where, and what to write instead") {
    if (compiler() == nullptr) {
      return;
    }
    const Refused cases[] = {
        {"a mistake", "hip", "__global__ void k(int* p) {\n  *p = q;\n}\n",
         CompileVerdict::kCompileError, "use of undeclared identifier 'q'"},
        {"a mask in HIP", "hip",
         "__global__ void k(int* p) {\n  *p = __shfl_xor_sync(~0u, *p, 1);\n}\n",
         CompileVerdict::kCompileError,
         "use of undeclared identifier '__shfl_xor_sync': HIP's shuffles have no mask: write "
         "__shfl(value, lane, width), __shfl_up, __shfl_down or __shfl_xor; a wavefront has "
         "warpSize lanes, 64 on gfx9"},
        {"PTX", "cuda",
         "__global__ void k(int* p) {\n  asm(\"mov.u32 %0, %tid.x;\" : \"=r\"(*p));\n}\n",
         CompileVerdict::kCompileError,
         "invalid % escape in inline assembly string: inline assembly is PTX here, which AMD's "
         "GPUs "
         "do not have: write it in C++, or guard it with #ifdef __CUDA_ARCH__ and write another "
         "branch"},
        {"another entry", "hip", "__global__ void other(int* p) {}\n",
         CompileVerdict::kCompileError, "entry `k`: use of undeclared identifier 'k'"},
        {"a choice that the kernel prunes", "hip",
         "#error ws_invalid: too big\n__global__ void k(int* p) {}\n", CompileVerdict::kPruned,
         "ws_invalid: too big"},
        {"too much shared memory", "hip",
         "__global__ void k(int* p) {\n  __shared__ int s[20000];\n  s[threadIdx.x] = *p;\n"
         "  __syncthreads();\n  *p = s[*p];\n}\n",
         CompileVerdict::kResourceLimit,
         "local memory (80000) exceeds limit (65536) in function `k(int*)`"},
    };
    for (const Refused& c : cases) {
      CAPTURE(std::string(c.name));
      const CompileOutcome outcome = compile(request_of(c.source, {"k"}, c.language));
      CHECK(outcome.verdict == c.verdict);
      CHECK(outcome.message == c.message);
      for (const Diagnostic& diagnostic : outcome.diagnostics) {
        CHECK(diagnostic.message.find("/tmp") == std::string::npos);
      }
    }
  }

  TEST_CASE("no file of this machine can be read, by whatever way a kernel asks") {
    if (compiler() == nullptr) {
      return;
    }
    const char* includes[] = {"</etc/passwd>", "\"/etc/passwd\"", "\"../../../etc/passwd\"",
                              "\"/proc/self/environ\""};
    for (const char* name : includes) {
      CAPTURE(std::string(name));
      const CompileOutcome outcome = compile(
          request_of("#include " + std::string(name) + "\n__global__ void k(int* p) {}\n", {"k"}));
      CHECK(outcome.verdict == CompileVerdict::kCompileError);
      CHECK(outcome.message.ends_with("' file not found"));
    }
    const CompileOutcome assembled = compile(request_of(
        "__global__ void k(int* p) {\n  asm volatile(\".incbin \\\"/etc/hostname\\\"\");\n}\n",
        {"k"}));
    CHECK(assembled.verdict != CompileVerdict::kCompiled);
  }

  TEST_CASE("a compiler that dies costs one compile, and the next one goes well") {
    if (compiler() == nullptr) {
      return;
    }
    // LLVM's assembler ends the process for code that is no whole number of instructions.
    const CompileOutcome died = compile(
        request_of("__global__ void k(int* p) {\n  asm volatile(\".byte 1,2,3\");\n}\n", {"k"}));
    CHECK(died.verdict == CompileVerdict::kResourceLimit);
    CHECK(died.message == "the compiler crashed with signal 6 (memory limit 4 GiB)");
    const CompileOutcome next =
        compile(request_of("__global__ void k(int* p) { *p = 1; }\n", {"k"}));
    CHECK_MESSAGE(next.verdict == CompileVerdict::kCompiled, next.message);
  }

  TEST_CASE("an architecture that ends hiprtc's process is a verdict that names those it knows") {
    if (compiler() == nullptr) {
      return;
    }
    const CompileOutcome outcome =
        compile(request_of("__global__ void k(int* p) {}\n", {"k"}, "hip", "gfx99f"));
    CHECK(outcome.verdict == CompileVerdict::kUnsupported);
    CHECK(outcome.message.find(" does not compile for `gfx99f`; it knows gfx900, ") !=
          std::string::npos);
    CHECK(outcome.message.find("gfx90a") != std::string::npos);
    CHECK(compile(request_of("", {"k"}, "hip", "gfx90a; --help")).verdict ==
          CompileVerdict::kUnsupported);
  }
}

}  // namespace ws::hip
