// How long kernels compile on the CPU engine, in workers that are warm, as a server has them: the
// time in the plug-in, and from the request to the outcome.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "runtime/compile/clang_service.h"

namespace ws::bench {
namespace {

struct Case {
  std::string name;  ///< The kernel's.
  std::string source;
};

/// Small kernels: the time of one is that of its headers.
const std::vector<Case>& small_cases() {
  static const std::vector<Case> cases = {
      {"scale", "__global__ void scale(float* a) { a[threadIdx.x] = expf(a[threadIdx.x]); }\n"},
      {"scale_half",
       "#include <cuda_fp16.h>\n"
       "__global__ void scale_half(__half* a) { a[threadIdx.x] = hexp(a[threadIdx.x]); }\n"},
      {"wmma_product",
       "#include <mma.h>\n"
       "using namespace nvcuda;\n"
       "__global__ void wmma_product(const __half* a, const __half* b, float* c) {\n"
       "  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;\n"
       "  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;\n"
       "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;\n"
       "  wmma::fill_fragment(z, 0.0f);\n"
       "  wmma::load_matrix_sync(x, a, 16);\n"
       "  wmma::load_matrix_sync(y, b, 16);\n"
       "  wmma::mma_sync(z, x, y, z);\n"
       "  wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);\n"
       "}\n"},
      {"all_headers",
       "#include <cooperative_groups.h>\n"
       "#include <cooperative_groups/reduce.h>\n"
       "#include <mma.h>\n"
       "__global__ void all_headers(float* a) {\n"
       "  auto tile = cooperative_groups::tiled_partition<32>(\n"
       "      cooperative_groups::this_thread_block());\n"
       "  a[threadIdx.x] = cooperative_groups::reduce(tile, a[threadIdx.x],\n"
       "                                              cooperative_groups::plus<float>());\n"
       "}\n"},
  };
  return cases;
}

struct Times {
  std::vector<double> compiler_ms;
  std::vector<double> all_ms;
};

double share_of(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
}

Result<Times> measure(CompileService& service, const Case& c, Build build, int compiles) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = c.source;
  request.source.entries = {c.name};
  request.build = build;
  Times times;
  for (int i = -1; i < compiles; ++i) {  // The first one has its headers parsed.
    const auto start = std::chrono::steady_clock::now();
    WS_TRY(const CompileReply reply, service.compile(request, {}, /*fresh=*/true));
    const double all_ms = elapsed_ms(start);
    if (reply.outcome->verdict != CompileVerdict::kCompiled) {
      return fail(ErrorCode::kInvalidArgument, c.name + ": " + reply.outcome->message);
    }
    if (i >= 0) {
      times.compiler_ms.push_back(reply.outcome->compile_ms);
      times.all_ms.push_back(all_ms);
    }
  }
  return times;
}

Status run(const std::string& build, int compiles, const std::string& only) {
  CompileService::Options options = clang_service(build + "/bin/warpsmith");
  options.workers = 1;
  CompileService service(std::move(options));
  WS_TRY(const std::string kernels,
         read_file(std::string(WS_SOURCE_DIR) + "/tests/bench/cpu_engine/kernels.cu"));
  std::vector<Case> cases = small_cases();
  for (const char* name : {"vadd", "matmul_naive", "matmul_tiled16", "matmul_tiled32",
                           "transpose_tiled", "softmax_warp", "softmax_block", "sum_shuffle",
                           "sum_shared", "layernorm_warp", "layernorm_block"}) {
    cases.push_back({name, kernels});
  }
  std::printf("%-18s%30s%30s\n", "", "fast build, ms", "checked build, ms");
  std::printf("%-18s", "kernel");
  for (int builds = 0; builds < 2; ++builds) {
    std::printf("%10s%10s%10s", "fastest", "median", "request");
  }
  std::printf("\n");
  for (const Case& c : cases) {
    if (!c.name.starts_with(only)) {
      continue;
    }
    std::printf("%-18s", c.name.c_str());
    for (const Build kind : {Build::kFast, Build::kBounds}) {
      WS_TRY(const Times times, measure(service, c, kind, compiles));
      std::printf("%10.1f%10.1f%10.1f", share_of(times.compiler_ms, 0),
                  share_of(times.compiler_ms, 0.5), share_of(times.all_ms, 0.5));
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  return {};
}

}  // namespace
}  // namespace ws::bench

int main(int argc, char** argv) {
  int compiles = 0;
  const std::string_view number = argc >= 3 ? argv[2] : "";
  std::from_chars(number.data(), number.data() + number.size(), compiles);
  if (compiles < 1) {
    std::fprintf(stderr, "usage: ws_compile_bench BUILD COMPILES [KERNEL]\n");
    return 2;
  }
  const ws::Status done = ws::bench::run(argv[1], compiles, argc > 3 ? argv[3] : "");
  if (!done) {
    std::fprintf(stderr, "%s\n", ws::to_text(done.error()).c_str());
  }
  return done ? 0 : 1;
}
