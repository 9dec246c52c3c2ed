// One line of an import as rows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/archive/store/archive.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Not for several threads.
class LineReader {
 public:
  explicit LineReader(Archive& archive)
      : archive_(archive) {}

  /// The rows of a line: none of one that only says what is to come.
  /// @errors kInvalidArgument, kUnsupported, kConflict, kNotFound: why it cannot be taken; kIo: the
  ///         archive cannot be read, or a newer program wrote the lines.
  Result<std::vector<ArchiveItem>> read(std::string_view line);

  /// Definitions that no workload gave sizes so far, by name.
  [[nodiscard]] std::vector<std::string> waiting() const;

 private:
  using Rows = Result<std::vector<ArchiveItem>>;

  Rows rows_of(const nlohmann::json& line, std::string_view text);
  Rows own_line(const nlohmann::json& line);
  /// The same without the owners of its rows.
  Rows typed_line(const nlohmann::json& line);
  Rows problem_line(const nlohmann::json& line);
  Rows kernel_line(const nlohmann::json& line);

  // FlashInfer-Bench: definitions, solutions and traces.
  Rows definition(const nlohmann::json& line, std::string_view text);
  Rows trace(const nlohmann::json& line);
  std::string forget(const std::string& name);  ///< Its text; empty where none waits.

  Archive& archive_;
  Problem last_;                                    ///< Kernels of one problem follow each other.
  std::map<std::string, std::string> definitions_;  ///< Name -> text, until a workload gives sizes.
  std::size_t definition_bytes_ = 0;                ///< The size of those texts.
};

/// Something about a kernel that was not measured here, as a line of our own form. Equal content
/// has the same id, also after an export.
/// @param record  What was imported, whole.
ArchiveItem claim_item(const std::string& kernel_id, const std::string& kind,
                       const std::string& device, const nlohmann::json& record);

}  // namespace ws
