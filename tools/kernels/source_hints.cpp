#include "tools/kernels/source_hints.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/kernel/language.h"
#include "runtime/search/tokens.h"

namespace ws {
namespace {

constexpr std::string_view kSendInstead =
    ": send device code only. Buffers are the problem's `args` or the kernel's `scratch`, a launch "
    "is an item of `launches`, and the server copies, launches and compares";

/// Functions and headers that only a host program has.
constexpr std::array<std::string_view, 20> kHostWords = {"cudaMalloc",
                                                         "cudaFree",
                                                         "cudaMemcpy",
                                                         "cudaMemset",
                                                         "cudaMallocManaged",
                                                         "cudaMemcpyAsync",
                                                         "cudaLaunchKernel",
                                                         "cudaDeviceSynchronize",
                                                         "cudaStreamCreate",
                                                         "cudaEventCreate",
                                                         "cudaGetLastError",
                                                         "hipMalloc",
                                                         "hipMemcpy",
                                                         "hipFree",
                                                         "hipDeviceSynchronize",
                                                         "PYBIND11_MODULE",
                                                         "TORCH_LIBRARY",
                                                         "AT_DISPATCH_FLOATING_TYPES",
                                                         "getCurrentCUDAStream",
                                                         "data_ptr"};

constexpr std::array<std::string_view, 9> kHostHeaders = {
    "iostream", "vector", "cstdlib", "stdlib.h", "torch/", "ATen/", "c10/", "chrono", "pybind11/"};

using Tokens = std::vector<RawToken>;

bool is_word(const RawToken& token, std::string_view word) {
  return token.kind == RawToken::Kind::kWord && token.text == word;
}

/// Whether these signs stand from a token on, one after the other.
bool stands(const Tokens& tokens, std::size_t at, std::string_view signs) {
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (at + i >= tokens.size() || tokens[at + i].text != signs.substr(i, 1)) {
      return false;
    }
  }
  return true;
}

/// The header that an #include line names, where the token is its "include"; else empty.
std::string_view header_at(std::string_view source, const RawToken& token) {
  if (!is_word(token, "include")) {
    return {};
  }
  const auto begin = static_cast<std::size_t>(token.text.data() - source.data());
  const std::string_view line = source.substr(begin, source.find('\n', begin) - begin);
  const std::size_t open = line.find('<');
  return open == std::string_view::npos ? line.substr(0, 0)
                                        : line.substr(open + 1, line.find('>') - open - 1);
}

bool is_host_header(std::string_view header) {
  return std::any_of(kHostHeaders.begin(), kHostHeaders.end(), [&](std::string_view known) {
    return known.ends_with('/') ? header.starts_with(known) : header == known;
  });
}

/// The host code that begins at a token, as a message names it; else empty.
std::string host_code_at(std::string_view source, const Tokens& tokens, std::size_t at) {
  if (stands(tokens, at, "<<<")) {
    return "<<<";
  }
  const RawToken& token = tokens[at];
  if (is_word(token, "main") && stands(tokens, at + 1, "(")) {
    return "main";
  }
  if (std::find(kHostWords.begin(), kHostWords.end(), token.text) != kHostWords.end()) {
    return std::string(token.text);
  }
  const std::string_view header = header_at(source, token);
  return is_host_header(header) ? "#include <" + std::string(header) + ">" : std::string();
}

std::optional<Diagnostic> host_code(std::string_view source, const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string what = host_code_at(source, tokens, i);
    if (what.empty()) {
      continue;
    }
    const auto at = static_cast<std::size_t>(tokens[i].text.data() - source.data());
    const std::string_view before = source.substr(0, at);
    Diagnostic diagnostic;
    diagnostic.severity = "error";
    diagnostic.message = "host code (`" + what + "`)" + std::string(kSendInstead);
    diagnostic.region = "source";
    diagnostic.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    diagnostic.column = static_cast<int>(at - (before.rfind('\n') + 1)) + 1;
    return diagnostic;
  }
  return std::nullopt;
}

/// The index after a pair of parentheses that begins at a token.
std::size_t after_parentheses(const Tokens& tokens, std::size_t at) {
  int open = 0;
  for (; at < tokens.size(); ++at) {
    open += tokens[at].text == "(" ? 1 : tokens[at].text == ")" ? -1 : 0;
    if (open == 0) {
      return at + 1;
    }
  }
  return at;
}

/// The functions marked __global__.
std::vector<std::string> entries_in(const Tokens& tokens) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_word(tokens[i], "__global__")) {
      continue;
    }
    for (std::size_t at = i + 1; at + 1 < tokens.size(); ++at) {
      if (tokens[at + 1].text != "(") {
        continue;
      }
      if (!tokens[at].text.starts_with("__")) {
        names.emplace_back(tokens[at].text);
        break;
      }
      at = after_parentheses(tokens, at + 1) - 1;  // Those of an attribute.
    }
  }
  return names;
}

/// The last name of "ns::gemm<64>": what a function is declared as.
std::string name_of_entry(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const std::size_t colon = name.rfind(':');
  return name.substr(colon == std::string::npos ? 0 : colon + 1);
}

std::string choices(const std::string& entry, const std::vector<std::string>& names) {
  if (names.empty()) {
    return "it has no __global__ function";
  }
  std::string hint = suggest(entry, names);
  if (hint.starts_with("did you mean")) {
    return hint;
  }
  std::string text = "its __global__ functions:";
  for (const std::string& name : names) {
    text += " " + name;
  }
  return text;
}

std::optional<Diagnostic> missing_entry(const Kernel& kernel, const Tokens& tokens) {
  for (std::size_t i = 0; i < kernel.launches.size(); ++i) {
    const std::string entry = name_of_entry(kernel.launches[i].entry);
    const bool there = std::any_of(tokens.begin(), tokens.end(),
                                   [&](const RawToken& token) { return is_word(token, entry); });
    if (!there && entry.find('@') == std::string::npos) {
      Diagnostic diagnostic;
      diagnostic.severity = "error";
      diagnostic.region = "entry";
      diagnostic.message = "launches[" + std::to_string(i) + "].entry: the source has no `" +
                           entry + "`; " + choices(entry, entries_in(tokens));
      return diagnostic;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> source_hint(const Kernel& kernel) {
  if (is_tile_language(kernel.language) || is_shader_language(kernel.language)) {
    return std::nullopt;  // Its compiler says more, and host code beside a kernel is no mistake.
  }
  if (std::optional<Diagnostic> host = host_code(kernel.source, raw_tokens(kernel.source))) {
    return host;
  }
  std::string whole = kernel.macros + "\n" + kernel.source;
  for (const auto& [name, text] : kernel.headers) {
    whole += "\n" + text;
  }
  const bool makes_names =
      whole.find("##") != std::string::npos;  // Names that are not in the text.
  return makes_names ? std::nullopt : missing_entry(kernel, raw_tokens(whole));
}

}  // namespace ws
