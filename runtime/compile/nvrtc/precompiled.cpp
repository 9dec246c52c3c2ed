#include "runtime/compile/nvrtc/precompiled.h"

#include <chrono>

#include "runtime/base/clock.h"

namespace ws::nvrtc {
namespace {

constexpr double kWorthMs = 100;

/// All that a prefix depends on, but the toolkit's files: CompileService too takes these as they
/// were when it started.
std::string key_of(const Program& program) {
  std::string key = program.prefix;
  for (const std::string& option : program.options) {
    key += '\0' + option;
  }
  for (std::size_t i = 0; i < program.header_names.size(); ++i) {
    if (program.header_names[i] != kMacros && program.header_names[i] != kSource) {
      key += '\0' + program.header_names[i] + '\0' + program.header_texts[i];
    }
  }
  return key;
}

}  // namespace

bool PrecompiledHeaders::make(const Library& library, const Program& program) {
  Program headers = program;
  headers.text.clear();
  headers.names.clear();
  headers.options.push_back("--create-pch=" + file_);
  headers.options.emplace_back("--pch-messages=false");
  const auto start = std::chrono::steady_clock::now();
  const Product product = library.compile(headers);
  return product.status == 0 && product.precompiled && elapsed_ms(start) > kWorthMs;
}

Product PrecompiledHeaders::compile(const Library& library, const Program& program) {
  if (file_.empty() || program.prefix.empty()) {
    return library.compile(program);
  }
  const std::string key = key_of(program);
  Prefix& prefix = prefixes_[key];
  ++prefix.uses;
  if (prefix.uses == 1 || prefix.plain) {
    return library.compile(program);
  }
  if (ready_ != key) {
    ready_.clear();
    prefix.plain = !make(library, program);
    if (prefix.plain) {
      return library.compile(program);
    }
    ready_ = key;
  }
  Program quick = program;
  quick.options.push_back("--use-pch=" + file_);
  quick.options.emplace_back("--pch-messages=false");
  return library.compile(quick);
}

}  // namespace ws::nvrtc
