// A folder for temporary files, which is removed at the end.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "runtime/base/result.h"

namespace ws {

class TempFolder {
 public:
  /// @errors kIo.
  static Result<std::unique_ptr<TempFolder>> make();

  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempFolder(std::filesystem::path path)
      : path_(std::move(path)) {}

  const std::filesystem::path path_;
};

}  // namespace ws
