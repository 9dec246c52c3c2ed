// Our declarations of NVIDIA's libraries, compared with the libraries and headers of this machine.
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/gpu_libraries.h"
#include "runtime/compile/toolkit.h"
#include "runtime/device/cuda/library/attention_graph.h"
#include "runtime/device/cuda/library/cublas.h"
#include "runtime/device/cuda/library/cudnn.h"

namespace ws::cuda {
namespace {

namespace fs = std::filesystem;

struct DeclaredValue {
  const char* name;
  int number;
};

constexpr DeclaredValue kOurCublasValues[] = {
#define WS_VALUE(name, theirs, number) {theirs, number},
#include "runtime/device/cuda/library/cublas_values.def"
#undef WS_VALUE
};

constexpr DeclaredValue kOurCudnnValues[] = {
#define WS_VALUE(name, theirs, number) {theirs, number},
#include "runtime/device/cuda/library/cudnn_values.def"
#undef WS_VALUE
};

/// The text of these headers of one toolkit; "" where none has them all.
std::string headers(const std::vector<std::string>& names) {
  for (const std::string& folder : toolkit_folders({})) {
    std::string text;
    std::size_t found = 0;
    for (const std::string& name : names) {
      const auto file = read_file(fs::path(folder) / "include" / name);
      found += file ? 1U : 0U;
      text += file.value_or("");
    }
    if (found == names.size()) {
      return text;
    }
  }
  return {};
}

/// "NAME = 7" in a header, whatever stands between the two; -1: it is not there.
int declared(const std::string& text, const std::string& name) {
  std::smatch match;
  const std::regex pattern("\\b" + name + R"((?:\s+\w+)?\s*=\s*(\d+))");
  return std::regex_search(text, match, pattern) ? std::stoi(match[1]) : -1;
}

void compare(std::span<const DeclaredValue> values, const std::vector<std::string>& names) {
  const std::string text = headers(names);
  if (text.empty()) {
    MESSAGE("left out: the numbers of " << names.front() << " (no toolkit has this header here)");
    return;
  }
  for (const DeclaredValue& value : values) {
    CAPTURE(std::string(value.name));
    CHECK(declared(text, value.name) == value.number);
  }
}

/// The library's path; else one line says what is left out.
std::string installed(GpuLibrary library, const char* title) {
  std::string path = find_gpu_library(library, {}, {"/usr/bin/python3"});
  if (path.empty()) {
    MESSAGE("left out: " << title << " (it is not installed here)");
  }
  return path;
}

}  // namespace

TEST_SUITE("device.cuda.library_headers") {
  TEST_CASE("numbers are those of the headers") {
    compare(kOurCublasValues, {"cublasLt.h", "cublas_api.h", "library_types.h"});
    compare(kOurCudnnValues, {"cudnn_graph.h"});
  }

  TEST_CASE("cuBLASLt has every function that is called, and says its version") {
    const std::string path = installed(GpuLibrary::kCublasLt, "cuBLASLt");
    if (path.empty()) {
      return;
    }
    const auto library = Cublas::open(path);
    REQUIRE_MESSAGE(library.has_value(), to_text(library.error()));
    CHECK(std::regex_match(library->version(), std::regex(R"(1[23]\.\d+\.\d+)")));
  }

  TEST_CASE("cuDNN has every function that is called, and takes the graphs of attention") {
    const std::string path = installed(GpuLibrary::kCudnn, "cuDNN");
    if (path.empty()) {
      return;
    }
    const auto library = Cudnn::open(path);
    REQUIRE_MESSAGE(library.has_value(), to_text(library.error()));
    CHECK(std::regex_match(library->version(), std::regex(R"(9\.\d+\.\d+)")));
    AttentionCall call{.type = DType::kBf16,
                       .heads = 4,
                       .kv_heads = 2,
                       .queries = 200,
                       .keys = 333,
                       .width = 64,
                       .value_width = 64};
    call.q = {.buffer = 0, .strides = {51200, 12800, 64}};
    call.k = {.buffer = 1, .strides = {42624, 21312, 64}};
    call.v = {.buffer = 2, .strides = {42624, 21312, 64}};
    call.o = {.buffer = 3, .strides = {51200, 12800, 64}};
    for (const bool causal : {false, true}) {
      call.causal = causal;
      const auto graph = attention_graph(*library, nullptr, call);
      CHECK_MESSAGE(graph.has_value(), (graph ? "" : to_text(graph.error())));
    }
    call.keys = -1;
    const auto none = attention_graph(*library, nullptr, call);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().message ==
          "cuDNN does not take this attention: a tensor: CUDNN_STATUS_BAD_PARAM");
  }

  TEST_CASE("a library that is none, or lacks a function, is named") {
    const auto missing = Cublas::open("/no/such/libcublasLt.so.13");
    REQUIRE_FALSE(missing.has_value());
    CHECK(to_text(missing.error()) ==
          "unsupported: cuBLASLt cannot be opened (/no/such/libcublasLt.so.13: cannot open shared "
          "object file: No such file or directory); install it again, or choose another baseline");
    const auto other = Cudnn::open("libc.so.6");
    REQUIRE_FALSE(other.has_value());
    CHECK(to_text(other.error()) ==
          "unsupported: cuDNN has no cudnnGetVersion (libc.so.6); install a newer one, or choose "
          "another baseline");
  }
}

}  // namespace ws::cuda
