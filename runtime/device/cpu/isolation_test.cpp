// Attacks that a kernel's source can try against the process that runs it, and against the checks.
#include <csignal>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// The outcome of a compile that is not expected to work.
CompileOutcome compiled(const std::string& source, Build build = Build::kFast) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = source;
  request.source.entries = {"k"};
  request.build = build;
  auto reply = cpu_engine().compile(request, {}, false);
  REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
  return *reply->outcome;
}

EngineResult run_both(const std::string& source, Build build, int threads = 1) {
  return run_engine({.source = source,
                     .entry = "k",
                     .build = build,
                     .block = {threads, 1, 1},
                     .buffers = {buffer_of("x", DType::kI64, 64)}});
}

constexpr Build kBuilds[] = {Build::kFast, Build::kBounds, Build::kProfile};

/// exit_group(42), as machine code in a constant.
constexpr const char* kCode =
    "__device__ const unsigned char code[16] = {0xbf, 42, 0, 0, 0, 0xb8, 231, 0, 0, 0, 0x0f, "
    "0x05};\n";

}  // namespace

TEST_SUITE("device.cpu.isolation") {
  struct Refused {
    const char* name;
    const char* source;
    const char* message;
    int line;
  };

  constexpr Refused kRefused[] = {
      {"the frame's address",
       "__global__ void k(long* x) {\n  x[0] = (long)__builtin_frame_address(0);\n}",
       "intrinsic `llvm.frameaddress.p0` is not supported on the CPU engine", 2},
      {"the return address",
       "__global__ void k(long* x) {\n  x[0] = (long)__builtin_return_address(0);\n}",
       "intrinsic `llvm.returnaddress` is not supported on the CPU engine", 2},
      {"the processor's clock",
       "__global__ void k(long* x) {\n  x[0] = __builtin_readcyclecounter();\n}",
       "intrinsic `llvm.readcyclecounter` is not supported on the CPU engine", 2},
      {"an array of unknown size",
       "__global__ void k(long* x) {\n  volatile long* a = (long*)__builtin_alloca(x[0]);\n  x[1] "
       "= "
       "a[0];\n}",
       "a local array whose size is not constant is not supported on the CPU engine", 2},
      {"a function pointer",
       "__device__ long f(long v) { return v; }\n__global__ void k(long* x) {\n  auto* p = x[0] ? "
       "(long (*)(long))x[1] : f;\n  x[2] = p(1);\n}",
       "a call through a function pointer is not supported on the CPU engine", 4},
      {"a jump to an address",
       "__global__ void k(long* x) {\n  void* to = x[0] ? &&one : &&two;\n  to = x[3] ? "
       "(void*)x[1] : "
       "to;\n  goto *to;\none:\n  x[2] = 1;\n  return;\ntwo:\n  x[2] = 2;\n}",
       "a jump to a computed address is not allowed", 4},
      {"an instruction", "__global__ void k(long* x) {\n  asm volatile(\"ret;\");\n}",
       "inline PTX: `ret`: computed jumps and functions are not supported on the CPU engine", 2},
      {"a fault report",
       "extern \"C\" __device__ void ws_rt_oob(unsigned, unsigned, long, long, unsigned long, "
       "unsigned, unsigned, unsigned, unsigned, unsigned);\n__global__ void k(long* x) {\n  "
       "ws_rt_oob(0, 0, 7, 1, 4, 1, 0, 0, 0, 0);\n}",
       "function `ws_rt_oob` is declared but not known on the CPU engine", 3},
      {"a check of its own",
       "extern \"C\" __device__ __attribute__((used)) void ws_rt_check(unsigned long, unsigned "
       "long, unsigned, unsigned, "
       "unsigned, unsigned, unsigned) {}\n__global__ void k(long* x) {\n  ws_rt_check(0, 0, 0, 0, "
       "0, 0, 0);\n}",
       "the name `ws_rt_check` belongs to the CPU engine", 0},
      {"a library function that takes addresses",
       "extern \"C\" __device__ int memcmp(const void*, const void*, unsigned long);\n__global__ "
       "void "
       "k(long* x) {\n  x[0] = memcmp(x, x + 100000, 8);\n}",
       "function `memcmp` is declared but not known on the CPU engine", 3},
      {"a section",
       "__device__ const __attribute__((section(\".text\"))) long code = 5;\n__global__ void "
       "k(long* "
       "x) { x[0] = code; }",
       "attribute `section` is not allowed in a kernel", 1},
      {"another name",
       "__device__ long f(long v) __asm__(\"ws_rt_check\");\n__global__ void k(long* x) { x[0] = "
       "1; }",
       "attribute `asm` is not allowed in a kernel", 1},
      {"local arrays beyond local memory",
       "__global__ void k(long* x) {\n  volatile long a[20000];\n  for (int i = 0; i < 20000; ++i) "
       "a[i] "
       "= i;\n  x[0] = a[x[1]];\n}",
       "the local arrays of a thread take more than the 128 KiB that the CPU engine has for them",
       0},
  };

  TEST_CASE("what could leave a kernel's code or memory is refused, with its line") {
    for (const Refused& c : kRefused) {
      CAPTURE(std::string(c.name));
      const CompileOutcome outcome = compiled(c.source);
      CHECK(outcome.verdict != CompileVerdict::kCompiled);
      CHECK(outcome.message == c.message);
      if (c.line != 0) {
        REQUIRE_FALSE(outcome.diagnostics.empty());
        CHECK(outcome.diagnostics.front().line == c.line);
      }
    }
  }

  TEST_CASE("what lies above a local array is never where the kernel returns to") {
    const std::string source =
        std::string(kCode) +
        "__device__ __noinline__ long f(long* x, int n) {\n"
        "  volatile long a[2]; a[0] = n; a[1] = n;\n"
        "  long* p = (long*)a;\n"
        "  if (n == 0) for (int i = 0; i < 200; ++i) p[i + x[0]] = (long)code;\n"
        "  return n == 0 ? 1 : f(x, n - 1) + a[0];\n"
        "}\n"
        "__global__ void k(long* x) { x[1] = f(x, 3); }";
    const EngineResult fast = run_both(source, Build::kFast);
    CHECK(fast.outcome.end == RunOutcome::End::kReplied);
    CHECK(fast.outcome.reply.signal == 0);
    const EngineResult checked = run_both(source, Build::kBounds);
    REQUIRE_FALSE(checked.outcome.ok());
    CHECK(checked.fault().message ==
          "out-of-bounds write of 8 bytes at source:5 by thread (0,0,0) of block (0,0,0): a local "
          "array[2], but it has 2 elements");
  }

  TEST_CASE("no address outside a kernel's own memory is reached, whatever the build") {
    // A constant address, one from a number, and the one that a worker's own data would have.
    for (const char* address : {"0", "x[0]", "0x7fff00000000l + x[0]", "-4096l"}) {
      for (const Build build : kBuilds) {
        CAPTURE(std::string(address));
        const EngineResult result = run_both(
            "__global__ void k(long* x) { *(volatile long*)(" + std::string(address) + ") = 1; }",
            build);
        REQUIRE_FALSE(result.outcome.ok());
        CHECK(result.outcome.end == RunOutcome::End::kReplied);
      }
    }
  }

  TEST_CASE("a constant can be read and not written") {
    const EngineResult result = run_both(
        "__device__ const long table[4] = {1, 2, 3, 4};\n"
        "__global__ void k(long* x) { x[1] = table[x[0] & 3]; long* t = x[2] ? x : (long*)table; "
        "t[x[0] & 3] = 9; }",
        Build::kFast);
    REQUIRE_FALSE(result.outcome.ok());
    CHECK(result.fault().kind == "invalid_address");
  }

  TEST_CASE("a promise that is not kept takes no check away") {
    const char* const sources[] = {
        "__global__ void k(long* x) {\n  __shared__ long s[8];\n  long i = x[0] + 8;\n  "
        "__builtin_assume(i < 8);\n  s[i] = 1;\n  x[1] = s[x[2]];\n}",
        "__global__ void k(long* x) {\n  __shared__ long s[8];\n  long i = x[0] + 8;\n  "
        "if (i > 7) __builtin_unreachable();\n  s[i] = 1;\n  x[1] = s[x[2]];\n}",
    };
    for (const char* source : sources) {
      const EngineResult result = run_both(source, Build::kBounds);
      CHECK_FALSE(result.outcome.ok());
    }
    const EngineResult jump = run_both(
        "__global__ void k(long* x) {\n  switch (x[0] + 100000) {\n"
        "    case 0: x[1] = 5; break; case 1: x[2] = 7; break; case 2: x[3] = 1; break;\n"
        "    case 3: x[4] = 8; break; case 4: x[5] = 6; break; case 5: x[6] = 2; break;\n"
        "    default: __builtin_unreachable();\n  }\n}",
        Build::kFast);
    CHECK(jump.outcome.end == RunOutcome::End::kReplied);
    CHECK(jump.outcome.reply.signal != SIGSEGV);
  }

  TEST_CASE("what uninitialised memory holds does not tell what more of it holds") {
    // The generator of 64 bits whose state is what it gives out.
    for (const char* memory : {"__shared__ unsigned long s[64];", "unsigned long s[64];"}) {
      for (const Build build : kBuilds) {
        const EngineResult result =
            run_both("__global__ void k(long* x) {\n" + std::string(memory) +
                         "\n  volatile unsigned long* v = s;\n  x[63] = v[x[0]];\n"
                         "  for (int i = 1; i < 60; ++i) {\n    x[i] = v[i] == v[i - 1] * "
                         "6364136223846793005ul "
                         "+ 1442695040888963407ul;\n    x[i] += 2 * (v[i] == v[i - 1]);\n  }\n}",
                     build);
        REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
        for (std::size_t i = 1; i < 60; ++i) {
          CHECK(result.buffer<std::int64_t>(0)[i] == 0);
        }
      }
    }
  }

  struct Honest {
    const char* name;
    const char* source;
    int threads;
    std::vector<std::int64_t> want;  // x[0], x[1], ...
  };

  TEST_CASE("what kernels do with arrays, structs and calls of their own stays as it was") {
    const Honest cases[] = {
        {"an array of each thread, by a loop",
         "__global__ void k(long* x) { long a[8]; for (int i = 0; i < 8; ++i) a[(i * 3) & 7] = i + "
         "threadIdx.x; x[threadIdx.x] = a[x[threadIdx.x] + 3]; }",
         4,
         {1, 2, 3, 4}},
        {"an array of each thread, over a barrier",
         "__global__ void k(long* x) { long a[8]; for (int i = 0; i < 8; ++i) a[i] = 10 * "
         "threadIdx.x + "
         "i; __syncthreads(); x[threadIdx.x] = a[x[threadIdx.x] + 2]; }",
         4,
         {2, 12, 22, 32}},
        {"a volatile array of each thread, by constants",
         "__global__ void k(long* x) { volatile long a[3]; a[0] = threadIdx.x; a[1] = a[0] + 1; "
         "a[2] = a[0] + a[1]; x[threadIdx.x] = a[1] + a[2]; }",
         3,
         {2, 5, 8}},
        {"arrays of calls that call themselves",
         "__device__ long f(int n, long add) { long a[4]; for (int i = 0; i < 4; ++i) a[i] = n + "
         "add; "
         "return n == 0 ? a[add & 3] : f(n - 1, add) + a[n & 3]; }\n"
         "__global__ void k(long* x) { x[threadIdx.x] = f(3, threadIdx.x); }",
         3,
         {6, 10, 14}},
        {"a struct by value into such a call",
         "struct S { long v[5]; };\n__device__ long f(S s, int n) { s.v[n] += 1; return n == 0 ? "
         "s.v[0] : f(s, n - 1) + s.v[n]; }\n"
         "__global__ void k(long* x) { S s = {{1, 2, 3, 4, 5}}; x[0] = f(s, 4); x[1] = s.v[4]; }",
         1,
         {20, 5}},
        {"blocks of memory",
         "__global__ void k(long* x) { long a[8]; memset(a, 0, sizeof a); a[1] = 5; "
         "__builtin_memcpy(x, a, 16 + x[0]); __builtin_memmove(x + 1, x, 16 + x[5]); }",
         1,
         {0, 0, 5}},
        {"negative offsets",
         "__global__ void k(long* x) { long* end = x + 64; int i = -64; end[i] = 7; "
         "end[i + 1] = end[i] + 1; }",
         1,
         {7, 8}},
    };
    for (const Honest& c : cases) {
      for (const Build build : kBuilds) {
        CAPTURE(std::string(c.name));
        CAPTURE(static_cast<int>(build));
        const EngineResult result = run_both(c.source, build, c.threads);
        REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
        for (std::size_t i = 0; i < c.want.size(); ++i) {
          CHECK(result.buffer<std::int64_t>(0)[i] == c.want[i]);
        }
      }
    }
  }

  TEST_CASE("calls that take more local memory than there is are a stack overflow with a place") {
    const EngineResult result = run_both(
        "__device__ long f(long* x, int n) {\n  volatile long a[512];\n  for (int i = 0; i < 512; "
        "++i) "
        "a[i] = n;\n  return f(x, n + 1) + a[x[0]];\n}\n"
        "__global__ void k(long* x) {\n  x[0] = f(x, 1);\n}",
        Build::kFast);
    REQUIRE_FALSE(result.outcome.ok());
    CHECK(result.fault().kind == "stack_overflow");
    CHECK(result.fault().line == 3);
  }
}

}  // namespace ws::test
