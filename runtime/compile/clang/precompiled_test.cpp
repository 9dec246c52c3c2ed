// Headers that were parsed ahead change nothing but the time.
#include <string>
#include <vector>

#include <dlfcn.h>
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/compile.h"

namespace ws {
namespace {

const WsClangPlugin& plugin() {
  static const WsClangPlugin* const loaded = [] {
    const std::string path = (executable_path().parent_path() / kClangPluginFile).string();
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    return reinterpret_cast<const WsClangPlugin* (*)()>(
        ::dlsym(library, "warpsmith_clang_plugin"))();
  }();
  return *loaded;
}

CompileRequest request_for(const std::string& source) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = source;
  request.source.entries = {"k"};
  return request;
}

/// The encoded outcome without its time.
std::string outcome_of(const CompileRequest& request) {
  std::string reply;
  const std::string bytes = encode(request);
  plugin().compile(
      bytes.data(), bytes.size(),
      [](void* context, const char* text, std::size_t size) {
        static_cast<std::string*>(context)->assign(text, size);
      },
      &reply);
  auto outcome = decode_compile_outcome(reply);
  REQUIRE(outcome.has_value());
  outcome->compile_ms = 0;
  return encode(*outcome);
}

bool prepare(const CompileRequest& request) {
  const std::string bytes = encode(request);
  return plugin().prepare(bytes.data(), bytes.size()) != 0;
}

const std::vector<std::string> kSources = {
    "__global__ void k(float* a) { a[threadIdx.x] = expf(a[0]); }",
    "// A comment.\n/* And\n#include <nowhere.h>\n*/ #pragma once\n#include <cuda_fp16.h>\n"
    "#define N 3\n#include \"cuda_bf16.h\"\n"
    "__global__ void k(__half* a, __nv_bfloat16* b) { a[0] = hexp(a[N]); b[0] = b[1] * b[2]; }",
    "#include <mma.h>\n#include <cooperative_groups/reduce.h>\n"
    "using namespace nvcuda;\n"
    "__global__ void k(const __half* a, float* c) {\n"
    "  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;\n"
    "  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;\n"
    "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;\n"
    "  wmma::fill_fragment(z, 0.0f);\n"
    "  wmma::load_matrix_sync(x, a, 16);\n"
    "  wmma::load_matrix_sync(y, a, 16);\n"
    "  wmma::mma_sync(z, x, y, z);\n"
    "  wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);\n"
    "  auto tile = cooperative_groups::tiled_partition<32>(\n"
    "      cooperative_groups::this_thread_block());\n"
    "  c[threadIdx.x] += cooperative_groups::reduce(tile, c[0],\n"
    "                                               cooperative_groups::plus<float>());\n"
    "}",
    // Diagnostics with places, in the source and by way of a header.
    "#include <cuda_fp16.h>\n__global__ void k(float* a) { a[0] = nothing; }",
    "#include <cooperative_groups.h>\n"
    "__global__ void k(int* a) {\n"
    "  a[0] = cooperative_groups::tiled_partition<5>(\n"
    "      cooperative_groups::this_thread_block()).size();\n}",
    "#include <mma.h>\n__global__ void k(int* a) { printf(\"%d\", a[0]); }",
    // Found in the headers that are looked at in a second try.
    "#include <cuda_bf16.h>\n__global__ void k(unsigned* a) { a[0] = __sad(1, 2, 3u); }",
};

}  // namespace

TEST_SUITE("compile.precompiled") {
  TEST_CASE("an outcome is the same with headers that were parsed ahead") {
    for (const std::string& source : kSources) {
      for (const char* option : {"", "--use_fast_math", "--fmad=false", "-std=c++20", "-DM=7"}) {
        CAPTURE(source);
        CAPTURE(std::string(option));
        CompileRequest request = request_for(source);
        if (*option != 0) {
          request.source.options = {option};
        }
        const std::string before = outcome_of(request);
        prepare(request);
        CHECK_FALSE(prepare(request));
        CHECK(outcome_of(request) == before);
      }
    }
  }

  TEST_CASE("headers are parsed once for all sources that include them first") {
    const std::string rest = "__global__ void k(float* a) { a[0] = 1; }";
    CompileRequest first = request_for("#include <cuda_bf16.h>\n" + rest);
    prepare(first);
    CHECK_FALSE(
        prepare(request_for("#define A 1\n// x\n#include \"cuda_bf16.h\"\nint* y;" + rest)));
    first.source.options = {"-DX=1"};
    CHECK_FALSE(prepare(first));
    first.source.options = {"-std=c++14"};
    CHECK(prepare(first));
  }

  TEST_CASE("a source knows no name of a header that it does not include first") {
    const char* const sources[] = {
        "struct __half {}; namespace cooperative_groups { struct x {}; }\n"
        "__global__ void k(float* a) { __half h; a[0] = sizeof(h); }",
        "#if 0\n#include <cuda_fp16.h>\n#endif\nstruct __half { char c[9]; };\n"
        "__global__ void k(float* a) { a[0] = sizeof(__half); }",
        "// \\\n#include <cuda_fp16.h>\nstruct __half { char c[9]; };\n"
        "__global__ void k(float* a) { a[0] = sizeof(__half); }",
        "#define A /*\n#include <cuda_fp16.h>\n*/\nstruct __half { char c[9]; };\n"
        "__global__ void k(float* a) { a[0] = sizeof(__half); }",
    };
    for (const char* source : sources) {
      CAPTURE(std::string(source));
      const CompileRequest request = request_for(source);
      prepare(request);
      const auto outcome = decode_compile_outcome(outcome_of(request));
      REQUIRE(outcome.has_value());
      CHECK(outcome->message.empty());
    }
  }

  TEST_CASE("a client's own header of the same name is the one that is meant") {
    CompileRequest request = request_for(
        "#include \"cooperative_groups.h\"\n#include <mma.h>\n"
        "__global__ void k(float* a) { a[0] = 1; }");
    request.source.headers["cooperative_groups.h"] = "struct own {};\n";
    const std::string before = outcome_of(request);
    prepare(request);
    CHECK(outcome_of(request) == before);
  }
}

}  // namespace ws
