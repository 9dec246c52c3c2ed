#include "runtime/compile/hip/log_parser.h"

#include <doctest/doctest.h>

#include "runtime/compile/hip/spelling.h"

namespace ws::hip {
namespace {

CompileRequest request_with(const std::string& language) {
  CompileRequest request;
  request.source.language = language;
  request.source.source = "__global__ void k(float* a) {\n  a[threadIdx.x] = q;\n}\n";
  request.source.headers["util/u.h"] = "int u = v;\n";
  request.source.entries = {"k"};
  return request;
}

/// "severity region:line:column message | snippet's line" by line.
std::string shown(const ParsedLog& log) {
  std::string text;
  for (const Diagnostic& d : log.diagnostics) {
    text += d.severity + " " + d.region + ":" + std::to_string(d.line) + ":" +
            std::to_string(d.column) + " " + d.message +
            (d.snippet.empty() ? "" : " | " + d.snippet.substr(0, d.snippet.find('\n'))) + "\n";
  }
  return text;
}

struct Case {
  const char* name;
  const char* log;  ///< As hiprtc 5.2 writes it.
  const char* want;
};

constexpr Case kCases[] = {
    {"nothing", "", ""},
    {"an error in the source",
     "In file included from /tmp/comgr-f6356c/input/CompileSource:2:\n"
     "/tmp/comgr-f6356c/include/source:2:20: error: use of undeclared identifier 'q'\n"
     "  a[threadIdx.x] = q;\n"
     "                   ^\n"
     "1 error generated when compiling for gfx90a.\n",
     "error source:2:20 use of undeclared identifier 'q' |   a[threadIdx.x] = q;\n"},
    {"a fatal error in a header that was sent along",
     "/tmp/comgr-f6356c/include/util/u.h:1:9: fatal error: 'w.h' file not found\n",
     "error util/u.h:1:9 'w.h' file not found | int u = v;\n"},
    {"a note and a warning in the compiler's own header",
     "/build/rocm/hipRTC_header.h:378:14: note: '__shfl_xor' declared here\n"
     "/tmp/comgr-1/include/hiprtc_runtime.h:1:1: warning: dubious\n",
     ""},
    {"an error in the compiler's own header has no place that a client knows",
     "/usr/lib/llvm-15/include/__clang_hip_math.h:954:8: error: no such type\n",
     "error :0:0 no such type\n"},
    {"a name expression that names nothing, said twice",
     "/tmp/comgr-1/input/CompileSource:6:40: error: use of undeclared identifier 'nope'\n"
     "extern \"C\" constexpr auto __hiprtc_2 = nope;\n"
     "                                       ^\n"
     "/tmp/comgr-1/input/CompileSource:6:40: error: and again\n"
     "extern \"C\" constexpr auto __hiprtc_2 = nope;\n",
     "error entry:0:0 entry `nope`: use of undeclared identifier 'nope'\n"},
    {"our own kernel that bears an entry's type is not reported",
     "/tmp/comgr-1/input/CompileSource:8:40: error: use of undeclared identifier 'nope'\n"
     "extern \"C\" constexpr auto __hiprtc_3 = warpsmith_types<0, decltype(nope)>;\n",
     ""},
    {"too much shared memory",
     "error: local memory (80000) exceeds limit (65536) in function '_Z1kPfi'\n1 error "
     "generated.\n",
     "error :0:0 local memory (80000) exceeds limit (65536) in function `k(float*, int)`\n"},
    {"a line that only looks like a place", "a:b:c: error: x\n:1:2: error\n", ""},
};

struct AdviceCase {
  const char* language;
  const char* message;
  const char* want;
};

constexpr AdviceCase kAdvice[] = {
    {"hip", "use of undeclared identifier '__shfl_xor_sync'; did you mean '__shfl_xor'?",
     "use of undeclared identifier '__shfl_xor_sync': HIP's shuffles have no mask: write "
     "__shfl(value, lane, width), __shfl_up, __shfl_down or __shfl_xor; a wavefront has warpSize "
     "lanes, 64 on gfx9"},
    {"hip", "use of undeclared identifier '__ballot_sync'",
     "use of undeclared identifier '__ballot_sync': HIP's votes have no mask: write __any(p), "
     "__all(p), or __ballot(p), which has 64 bits"},
    {"cuda", "'cooperative_groups.h' file not found",
     "'cooperative_groups.h' file not found: this hiprtc has no cooperative groups: write "
     "__syncthreads() and shuffles; a grid's barrier becomes a second launch"},
    {"cuda", "invalid % escape in inline assembly string",
     "invalid % escape in inline assembly string: inline assembly is PTX here, which AMD's GPUs do "
     "not have: write it in C++, or guard it with #ifdef __CUDA_ARCH__ and write another branch"},
    {"hip", "cannot compile inline asm", "cannot compile inline asm"},
    {"cuda", "use of undeclared identifier '__reduce_add_sync'",
     "use of undeclared identifier '__reduce_add_sync': AMD's GPUs have no warp reduction of this "
     "name: add up with __shfl_xor over 16, 8, 4, 2, 1"},
    {"cuda", "use of undeclared identifier 'q'; did you mean 'p'?",
     "use of undeclared identifier 'q'; did you mean 'p'?"},
};

}  // namespace

TEST_SUITE("compile.hip.log_parser") {
  TEST_CASE("a log becomes these messages, without a path") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      CHECK(shown(parse_log(c.log, request_with("hip"))) == c.want);
    }
  }

  TEST_CASE("only too much of the device's memory is a matter of resources") {
    CHECK(parse_log("error: local memory (80000) exceeds limit (65536) in function 'k'\n",
                    request_with("hip"))
              .over_resources);
    CHECK_FALSE(
        parse_log("error: cannot compile inline asm\n", request_with("hip")).over_resources);
  }

  TEST_CASE("what the other language has is named with what to write instead") {
    for (const AdviceCase& c : kAdvice) {
      CAPTURE(std::string(c.message));
      CHECK(with_advice(c.message, c.language) == c.want);
    }
  }

  TEST_CASE("the type of an entry is read from our own kernel that bears it") {
    CHECK(type_in(2, "void warpsmith_types<2, void (int*, float)>()") == "void (int*, float)");
    CHECK(type_in(1, "void warpsmith_types<2, void (int*, float)>()").empty());
    CHECK(type_in(2, "void others<2, void (int*)>()").empty());
    CHECK(is_types_of(types_of(0, "k")));
    CHECK_FALSE(is_types_of("k"));
  }
}

}  // namespace ws::hip
