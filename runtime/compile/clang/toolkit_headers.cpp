#include "runtime/compile/clang/toolkit_headers.h"

#include <algorithm>
#include <array>

#include "runtime/base/text.h"

namespace ws::clang_engine {
namespace {

struct HeaderText {
  std::string_view name;
  std::string_view text;
};

/// Parts of CUDA's library that lie in one header here.
constexpr auto kParts = std::to_array<HeaderText>({
    {"cuda/barrier",
     "#ifdef __WARPSMITH_LIFT__\n#include <cuda_barrier.h>\n#else\n#include "
     "<cuda_block_barrier.h>\n#endif\n"},
    {"cuda/pipeline", "#include <cuda_pipeline.h>\n"},
    {"cuda_pipeline_primitives.h", "#include <cuda_pipeline.h>\n"},
    {"curand_discrete.h", "#include <curand_kernel.h>\n"},
    {"curand_globals.h", "#include <curand_kernel.h>\n"},
    {"curand_lognormal.h", "#include <curand_kernel.h>\n"},
    {"curand_mrg32k3a.h", "#include <curand_kernel.h>\n"},
    {"curand_mtgp32_kernel.h", "#include <curand_kernel.h>\n"},
    {"curand_normal.h", "#include <curand_kernel.h>\n"},
    {"curand_philox4x32_x.h", "#include <curand_kernel.h>\n"},
    {"curand_poisson.h", "#include <curand_kernel.h>\n"},
    {"curand_precalc.h", "#include <curand_kernel.h>\n"},
    {"curand_uniform.h", "#include <curand_kernel.h>\n"},
    {"algorithm", "#include <warpsmith_std.h>\n"},
    {"array", "#include <warpsmith_std.h>\n"},
    {"functional", "#include <warpsmith_std.h>\n"},
    {"limits", "#include <warpsmith_std.h>\n"},
    {"tuple", "#include <warpsmith_std.h>\n"},
    {"type_traits", "#include <warpsmith_std.h>\n"},
    {"utility", "#include <warpsmith_std.h>\n"},
    {"cooperative_groups/reduce.h",
     "#include <cooperative_groups.h>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"},
    {"cooperative_groups/memcpy_async.h", "#include <cooperative_groups.h>\n"},
});

/// Headers whose names begin so: those of CUDA's C++ libraries.
constexpr auto kFolders = std::to_array<HeaderText>({
    {"cub/", "#include <cub_warp.h>\n#include <cub_memory.h>\n"},
    {"cuda/std/atomic", "#include <cuda_atomic.h>\n"},
    {"cuda/std/", "#include <cuda_std.h>\n"},
    {"cuda/atomic", "#include <cuda_atomic.h>\n"},
    {"cuda/", "#include <cuda_std.h>\n"},
    {"thrust/", "namespace thrust {}\n"},
    {"cooperative_groups/", "#include <cooperative_groups.h>\n"},
    {"crt/", ""},
    {"nv/", ""},
    {"nvtx3/", ""},
});

/// All that kernels take from these is there without them, or is not here at all.
constexpr auto kAlone = std::to_array<std::string_view>({
    "builtin_types.h",
    "channel_descriptor.h",
    "common_functions.h",
    "cublas.h",
    "cublasLt.h",
    "cublasXt.h",
    "cublas_v2.h",
    "cuda.h",
    "cudaGL.h",
    "cudaProfiler.h",
    "cudaTypedefs.h",
    "cuda_awbarrier.h",
    "cuda_awbarrier_helpers.h",
    "cuda_awbarrier_primitives.h",
    "cuda_device_runtime_api.h",
    "cuda_fp4.h",
    "cuda_fp6.h",
    "cuda_gl_interop.h",
    "cuda_occupancy.h",
    "cuda_pipeline_helpers.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_stdint.h",
    "cufft.h",
    "cufftXt.h",
    "curand.h",
    "cusolverDn.h",
    "cusolverSp.h",
    "cusparse.h",
    "cusparse_v2.h",
    "device_atomic_functions.h",
    "device_double_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_functions.h",
    "driver_types.h",
    "host_config.h",
    "host_defines.h",
    "library_types.h",
    "math_functions.h",
    "new",
    "nvrtc.h",
    "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h",
    "sm_32_intrinsics.h",
    "sm_35_atomic_functions.h",
    "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h",
    "surface_functions.h",
    "surface_indirect_functions.h",
    "surface_types.h",
    "texture_fetch_functions.h",
    "texture_indirect_functions.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_types.h",
    "assert.h",
    "cassert",
    "float.h",
    "cfloat",
    "limits.h",
    "climits",
    "math.h",
    "cmath",
    "stddef.h",
    "cstddef",
    "stdint.h",
    "cstdint",
    "stdio.h",
    "cstdio",
    "stdlib.h",
    "cstdlib",
    "string.h",
    "cstring",
});

constexpr std::string_view kBlank = " \t\r";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// The name of a preprocessor's directive, and what follows it; empty where a line is none.
struct Directive {
  std::string_view name;
  std::string_view rest;
};

Directive directive_of(std::string_view line) {
  line = trimmed(line, kBlank);
  if (!line.starts_with('#')) {
    return {};
  }
  line = trimmed(line.substr(1), kBlank);
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto end = std::find_if_not(line.begin(), line.end(), is_letter);
  const auto length = static_cast<std::size_t>(end - line.begin());
  return {.name = line.substr(0, length), .rest = trimmed(line.substr(length), kBlank)};
}

/// The name in `<name>` or `"name"`; empty where a macro stands for it.
std::string_view header_name(std::string_view text) {
  const std::size_t close = text.find_first_of(">\"", 1);
  const bool quoted = text.starts_with('<') || text.starts_with('"');
  return quoted && close != std::string_view::npos ? text.substr(1, close - 1) : std::string_view();
}

}  // namespace

std::optional<std::string_view> toolkit_header(std::string_view name) {
  for (const HeaderText& part : kParts) {
    if (name == part.name) {
      return part.text;
    }
  }
  for (const HeaderText& folder : kFolders) {
    if (name.starts_with(folder.name)) {
      return folder.text;
    }
  }
  const bool known = std::find(kAlone.begin(), kAlone.end(), name) != kAlone.end();
  return known ? std::optional<std::string_view>("") : std::nullopt;
}

std::set<std::string> included_names(std::string_view text) {
  std::set<std::string> names;
  while (!text.empty()) {
    const Directive directive = directive_of(take_line(text));
    if (directive.name == "include") {
      if (std::string name(header_name(directive.rest)); !name.empty()) {
        names.insert(std::move(name));
      }
    }
  }
  return names;
}

std::vector<std::string> leading_includes(std::string_view text) {
  std::vector<std::string> names;
  bool in_comment = false;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (line.ends_with('\\')) {
      break;  // It goes on in the next one.
    }
    line = trimmed(line, kBlank);
    if (!in_comment && line.starts_with("/*")) {
      in_comment = true;
      line.remove_prefix(2);
    }
    if (in_comment) {
      const std::size_t close = line.find("*/");
      in_comment = close == std::string_view::npos;
      line = in_comment ? std::string_view() : trimmed(line.substr(close + 2), kBlank);
    }
    const Directive directive = directive_of(line);
    const std::string_view header =
        directive.name == "include" ? header_name(directive.rest) : std::string_view();
    const bool skipped = line.empty() || line.starts_with("//") || directive.name == "define" ||
                         directive.name == "pragma";
    if ((header.empty() && !skipped) || directive.rest.find("/*") != std::string_view::npos) {
      break;
    }
    if (!header.empty()) {
      names.emplace_back(header);
    }
  }
  return names;
}

}  // namespace ws::clang_engine
