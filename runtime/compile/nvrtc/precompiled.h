// Headers that are slow to read, kept in the compiler's own form between the compiles of a process.
#pragma once

#include <map>
#include <string>

#include "runtime/compile/nvrtc/library.h"

namespace ws::nvrtc {

/// Compiles programs; when one begins with the same headers as one before it, with the same
/// options, they are precompiled if reading them takes longer than 100 ms. What is precompiled
/// holds in the process that made it only.
///
/// @threads one at a time.
class PrecompiledHeaders {
 public:
  /// @param file Where the headers that were precompiled last are written to and read from, with
  ///             nobody else using it; empty: nothing is ever precompiled.
  explicit PrecompiledHeaders(std::string file)
      : file_(std::move(file)) {}

  /// As Library::compile(), with the same result.
  /// @source nvrtc.h of CUDA 12.8 and later: --create-pch, --use-pch; older ones do without.
  Product compile(const Library& library, const Program& program);

 private:
  struct Prefix {
    int uses = 0;
    bool plain = false;  ///< Quick to read, or cannot be precompiled.
  };

  bool make(const Library& library, const Program& program);

  std::string file_;
  std::map<std::string, Prefix> prefixes_;  ///< By all that they depend on.
  std::string ready_;                       ///< The prefix that the file holds.
};

}  // namespace ws::nvrtc
