// hiprtc, opened at run time: the product builds and starts without ROCm.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/hip_kit.h"

namespace ws::hip {

struct Program {
  std::string text;
  std::vector<std::string> header_names;
  std::vector<std::string> header_texts;
  std::vector<std::string> names;  ///< Name expressions.
  std::vector<std::string> options;
};

/// The output of hiprtc for one program, unjudged.
struct Product {
  int status = 0;  ///< A hiprtcResult; 0 = compiled.
  std::string log;
  std::string code;                  ///< A code object.
  std::vector<std::string> lowered;  ///< The symbol of each name expression; empty if it has none.
};

/// hiprtcResult, as far as we tell them apart.
inline constexpr int kOutOfMemory = 1;
inline constexpr int kCompilationFailed = 6;

/// Stays loaded until the process ends. For a process with one thread: hiprtc 5.2 crashes with two,
/// and ends the process for an architecture that it does not know.
class Library {
 public:
  /// @errors kUnsupported: it cannot be opened, or lacks a function.
  static Result<Library> open(const HipKit& kit);

  /// "hiprtc 5.2"
  [[nodiscard]] const std::string& version() const { return version_; }

  /// May crash or run for ever on hostile text: call it in a process of its own.
  [[nodiscard]] Product compile(const Program& program) const;

  /// Compiles one small kernel, so that what is forked later starts warm. Ends the process when
  /// hiprtc does not know the architecture. @return False: it was refused, with the log in `why`.
  [[nodiscard]] bool try_arch(const std::string& arch, std::string& why) const;

  /// "HIPRTC_ERROR_COMPILATION"
  [[nodiscard]] std::string name_of(int status) const;

 private:
  struct Calls;

  Library() = default;

  const Calls* calls_ = nullptr;
  std::string version_;
};

}  // namespace ws::hip
