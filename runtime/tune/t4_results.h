// The results of a tuning as Kernel Tuner's T4 file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/base/result.h"
#include "runtime/tune/journal.h"

namespace ws::tune {

/// The journal of a kernel with the most evaluations. Nothing: it was never tuned there.
/// @param device  As JournalKey has it; empty: any. @errors kIo.
Result<std::optional<JournalFile>> longest_journal(const std::filesystem::path& data_dir,
                                                   const std::string& kernel_id,
                                                   const std::string& device);

/// T4 results 1.0.0 with every evaluation of a journal, times in milliseconds.
/// @source kernel_tuner/schema/T4/1.0.0/results-schema.json and get_t4_results of Kernel Tuner 1.4.
std::string t4_results(const JournalFile& journal);

}  // namespace ws::tune
