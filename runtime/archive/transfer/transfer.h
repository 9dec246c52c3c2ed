// Reads archives as JSON lines, and files of other projects as far as they have what a kernel
// record needs. docs/archive.md has the forms; Archive::export_lines writes them.
//
// An imported file is not trusted: problems and kernels are read as a client's are and must have
// the id of their content; evidence becomes a claim, which never counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/base/result.h"

namespace ws {

/// A longer line is refused without being kept: a source of a megabyte fits.
inline constexpr std::size_t kMaxLine = std::size_t{4} << 20U;
/// The limit for a file that is one JSON value, such as a tuning cache.
inline constexpr std::size_t kMaxTuningFile = std::size_t{256} << 20U;

struct ImportReport {
  std::uint64_t lines = 0;            ///< Read; of a tuning cache its configurations.
  std::uint64_t added = 0;            ///< Rows.
  std::uint64_t known = 0;            ///< Rows that were there already.
  std::uint64_t refused = 0;          ///< Lines that could not be taken.
  std::vector<std::string> refusals;  ///< "line 3: ...", the first twenty; "end: ...": see below.
};

/// Called now and then while lines are read.
using ImportProgress = std::function<void(const ImportReport&)>;

/// Reads lines of our own form and of FlashInfer-Bench; a line that cannot be taken is counted, and
/// the rest goes on. Rows are written in groups, so an import that was stopped goes on when it is
/// started again, and holds nothing twice. A definition that no workload gave sizes is refused at
/// the end; up to 1000 of them, of 64 MiB, wait.
/// @errors kIo: the archive cannot be written, or a newer program wrote the lines.
Result<ImportReport> import_lines(Archive& archive, std::istream& in,
                                  const ImportProgress& progress = {});

/// Reads a tuning cache of Kernel Tuner, or its T4 results. They carry no source: each
/// configuration becomes a claim about `kernel_id`, whose parameters it must name.
/// @errors kInvalidArgument: the text is neither; kNotFound: no such kernel; kIo.
Result<ImportReport> import_tuning(Archive& archive, std::string_view text,
                                   const std::string& kernel_id);

}  // namespace ws
