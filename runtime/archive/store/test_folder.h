// A folder of its own for one test, removed at the end.
#pragma once

#include <filesystem>

#include "runtime/base/hash.h"

namespace ws {

class TestFolder {
 public:
  TestFolder()
      : path_(std::filesystem::temp_directory_path() / ("ws_test_" + random_hex(16))) {
    std::filesystem::create_directories(path_);
  }

  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  ~TestFolder() {
    std::error_code ignored;  // A destructor cannot report, and the folder is a temporary one.
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ws
