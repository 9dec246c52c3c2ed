// libnvJitLink, opened at run time: makes machine code of PTX that another compiler wrote.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws::assembler {

/// The output of one link, unjudged.
struct Linked {
  int status = 0;  ///< An nvJitLinkResult; 0 = linked.
  std::string cubin;
  std::string log;
};

/// Stays loaded until the process ends.
class Linker {
 public:
  /// @param library  Of find_linker(), by its whole path.
  /// @errors kUnsupported: it is empty, cannot be opened, or lacks a function.
  static Result<Linker> open(const std::string& library);

  /// "nvJitLink 13.0"
  [[nodiscard]] std::string version() const;

  /// The newest version of PTX that it reads: 90 for 9.0.
  [[nodiscard]] int ptx_version() const;

  /// May crash or run for ever on hostile text: call it in a process of its own.
  ///
  /// @param target  "sm_90a"
  [[nodiscard]] Linked link(const std::vector<std::string>& ptx, const std::string& target) const;

 private:
  struct Calls;

  Linker() = default;

  const Calls* calls_ = nullptr;
  int major_ = 0;
  int minor_ = 0;
};

}  // namespace ws::assembler
