// The findings of a tuning, on disk while it goes on: a file of JSON lines that is only appended
// to, so that a tuning that was killed goes on where it was. docs/tune.md has the form.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/files.h"
#include "runtime/tune/tuner.h"

namespace ws::tune {

/// Everything that evaluations depend on; each key has one file, and one more for each principal
/// that does not share what it stores (viewer.h).
struct JournalKey {
  std::string kernel_id;
  std::string device;      ///< DeviceInfo::key().
  std::string compiler;    ///< Its version, and the architecture it compiles for.
  std::string workloads;   ///< The workloads that are timed, as JSON text.
  std::vector<Axis> axes;  ///< In order: points are kept as their values.
};

class Journal {
 public:
  /// Opens or makes the viewer's `folder`/<kernel's hash>-<hash of the key>.jsonl.
  /// @param fresh  What is there goes.
  /// @errors kIo: it cannot be read or written; kUnsupported: a newer program wrote it.
  static Result<Journal> open(const std::filesystem::path& folder, const JournalKey& key,
                              bool fresh);

  /// Those that were there when it was opened. A line that is cut off, damaged, or names what is no
  /// point of the axes or no verdict is left out.
  std::vector<Evaluation> take() { return std::move(known_); }

  /// Appends, in one write. @errors kIo.
  Status add(const Evaluation& evaluation);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  Journal() = default;

  std::filesystem::path path_;
  std::vector<Axis> axes_;
  std::vector<Evaluation> known_;
  Fd fd_;
};

/// Below a data folder.
inline constexpr const char* kJournalFolder = "tune";

struct JournalFile {
  JournalKey key;
  std::vector<Evaluation> evaluations;
};

/// Every journal of a kernel that the viewer of this thread sees, by path. @errors kIo.
Result<std::vector<JournalFile>> read_journals(const std::filesystem::path& folder,
                                               const std::string& kernel_id);

}  // namespace ws::tune
