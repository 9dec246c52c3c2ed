// libnvrtc, opened at run time: the product builds and starts without a CUDA toolkit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/toolkit.h"

namespace ws::nvrtc {

/// The output of NVRTC for one program, unjudged.
struct Product {
  int status = 0;  ///< An nvrtcResult; 0 = compiled.
  std::string log;
  std::string ptx;
  std::string cubin;
  std::vector<std::string> lowered;  ///< The symbol of each name expression; empty if it has none.
  bool precompiled = false;          ///< --create-pch was obeyed.
};

/// Headers in memory: the values of a kernel's parameters, and its source.
inline constexpr std::string_view kMacros = "macros";
inline constexpr std::string_view kSource = "source";

struct Program {
  std::string prefix;  ///< Whole lines that include headers, but neither of those two; or nothing.
  std::string text;    ///< The text that follows.
  std::vector<std::string> header_names;
  std::vector<std::string> header_texts;
  std::vector<std::string> names;  ///< Name expressions.
  std::vector<std::string> options;
};

/// nvrtcResult, as far as we tell them apart.
inline constexpr int kOutOfMemory = 1;
inline constexpr int kInvalidOption = 5;
inline constexpr int kCompilationFailed = 6;

/// Stays loaded until the process ends.
class Library {
 public:
  /// Opens the library and the built-ins beside it, and compiles one small kernel, so that what is
  /// forked later starts warm.
  /// @errors kUnsupported: it cannot be opened, or is older than CUDA 12.
  static Result<Library> open(const Toolkit& toolkit);

  /// "nvrtc 13.0"
  [[nodiscard]] const std::string& version() const { return version_; }

  /// "sm_75", "sm_80", ... in ascending order, without the forms with a suffix.
  [[nodiscard]] const std::vector<std::string>& archs() const { return archs_; }

  /// Options that every program gets: no cache of NVRTC's own, where this version has one.
  [[nodiscard]] const std::vector<std::string>& base_options() const { return base_options_; }

  /// May crash or run for ever on hostile text: call it in a process of its own.
  [[nodiscard]] Product compile(const Program& program) const;

  /// "NVRTC_ERROR_COMPILATION"
  [[nodiscard]] std::string name_of(int status) const;

 private:
  struct Calls;

  Library() = default;
  void read_archs();
  void warm_up();

  const Calls* calls_ = nullptr;
  std::string version_;
  std::vector<std::string> archs_;
  std::vector<std::string> base_options_;
};

}  // namespace ws::nvrtc
