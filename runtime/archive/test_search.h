// Rows for tests of what search finds.
#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/archive.h"
#include "runtime/archive/test_folder.h"

namespace ws::test {

inline std::unique_ptr<Archive> open_archive(const TestFolder& folder) {
  Result<std::unique_ptr<Archive>> archive = Archive::open(folder.path());
  REQUIRE_MESSAGE(archive.has_value(), to_text(archive.error()));
  return *std::move(archive);
}

/// A problem `op` with one dim.
inline void put_problem(Archive& archive, const std::string& id, const std::string& op, int size) {
  const nlohmann::json form = {{"name", op},
                               {"op", op},
                               {"dims", {{"n", {size}}}},
                               {"args", {{{"name", "x"}, {"type", "f32"}}}}};
  REQUIRE(archive.put_problem({id, op, form.dump(), {}}).has_value());
}

inline void put_kernel(Archive& archive, const std::string& id, const std::string& problem,
                       const std::string& source) {
  const nlohmann::json form = {{"language", "cuda"}, {"source", source}};
  REQUIRE(archive.put_kernel({id, "k", problem, {}, form.dump(), {}}).has_value());
}

/// Evidence of a kernel on a device. @param ratio  Of a benchmark against the reference.
inline void judge(Archive& archive, const std::string& kernel, const std::string& kind,
                  const std::string& verdict, double ratio = 1, const std::string& key = "key",
                  const std::string& device = "cpu:0") {
  EvidenceRow row;
  row.kernel_id = kernel;
  row.device = device;
  row.kind = kind;
  row.key = key;
  row.verdict = verdict;
  row.json = nlohmann::json{{"output", {{"ratio", ratio}, {"baseline", "reference"}}},
                            {"device", {{"arch", "x86_64"}}}}
                 .dump();
  REQUIRE(archive.add_evidence(row).has_value());
}

}  // namespace ws::test
