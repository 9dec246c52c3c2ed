// Which files a process and its children may still use: rules of landlock.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

enum class FileUse : std::uint8_t {
  kRead,    ///< Reads and runs files, lists folders.
  kDevice,  ///< Reads and writes files that are there.
  kAll,
};

/// One thread. @source landlock(7).
class FileRules {
 public:
  /// No file may be used so far. @errors kUnsupported: this kernel has no landlock.
  static Result<FileRules> begin();

  /// The file, or all below the folder. A path that is not there needs no rule.
  void allow(const std::filesystem::path& path, FileUse use) const;

  /// The folders of the system with programs and libraries, and what a loader, a compiler or a
  /// driver looks up: they are read; and /dev/null.
  void allow_system() const;

  /// The folder above a program's `bin`, as it is named and as it is: its libraries are read.
  void allow_program(const std::filesystem::path& program) const;

  /// From now on, irrevocably, for this thread and what it starts, over exec. Files that are open
  /// stay so, and nobody gains rights by exec. @errors kIo.
  [[nodiscard]] Status enter() const;

 private:
  FileRules(Fd rules, std::uint64_t all)
      : rules_(std::move(rules)),
        all_(all) {}

  Fd rules_;
  std::uint64_t all_;  ///< The rights that are denied without a rule.
};

}  // namespace ws
