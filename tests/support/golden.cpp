#include "tests/support/golden.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/base/files.h"

namespace ws {

bool& update_goldens() {
  static bool update = false;
  return update;
}

std::filesystem::path source_dir() {
  return WS_SOURCE_DIR;
}

void check_golden(const std::filesystem::path& path, const std::string& actual) {
  const std::filesystem::path full = source_dir() / path;
  if (update_goldens()) {
    REQUIRE(write_file(full, actual).has_value());
  }
  const auto expected = read_file(full);
  INFO("to accept the change: ws_tests --update-golden, then read the diff of " << path.string());
  REQUIRE(expected.has_value());
  CHECK(actual == *expected);
}

std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string least_arch(const std::filesystem::path& kernel) {
  const auto text = read_file(kernel);
  REQUIRE(text.has_value());
  const auto sends = [&](const std::string& helper) {
    return text->find('"' + helper + "\":") != std::string::npos;
  };
  return sends("ws_tma.cuh") ? "sm_90a" : sends("ws_mma.cuh") ? "sm_80" : "";
}

}  // namespace ws
