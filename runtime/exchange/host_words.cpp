#include "runtime/exchange/host_words.h"

#include <algorithm>
#include <array>

namespace ws {
namespace {

/// Folders of headers that device code has nothing of, and headers of the host's library.
constexpr std::array<std::string_view, 7> kHostFolders = {"torch/",    "ATen/",    "c10/",   "tvm/",
                                                          "pybind11/", "Python.h", "dlpack/"};
constexpr std::array<std::string_view, 13> kHostHeaders = {
    "vector", "string", "iostream", "sstream", "stdexcept", "memory", "algorithm",
    "map",    "tuple",  "optional", "cstdio",  "stdio.h",   "cstdlib"};
constexpr std::array<std::string_view, 6> kHostSpaces = {"torch", "at",       "c10",
                                                         "tvm",   "pybind11", "py"};

}  // namespace

bool is_host_header(std::string_view name) {
  return std::ranges::any_of(kHostFolders,
                             [&](std::string_view folder) { return name.starts_with(folder); }) ||
         std::ranges::find(kHostHeaders, name) != kHostHeaders.end();
}

bool has_word(Tokens tokens, std::string_view word) {
  return std::ranges::find(tokens, word, &RawToken::text) != tokens.end();
}

bool is_host_code(Tokens tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    const bool scoped = i + 1 < tokens.size() && tokens[i + 1].text == ":";
    const bool space = std::ranges::find(kHostSpaces, text) != kHostSpaces.end();
    const bool launch = i + 2 < tokens.size() && text == "<" && tokens[i + 1].text == "<" &&
                        tokens[i + 2].text == "<";
    if ((scoped && space) || launch || text == "cudaStream_t" || text == "TensorView" ||
        text.starts_with("PYBIND11_") || text.starts_with("TORCH_LIBRARY") ||
        text.starts_with("TVM_FFI_DLL_EXPORT")) {
      return true;
    }
  }
  return false;
}

}  // namespace ws
