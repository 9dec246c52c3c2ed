// The plug-in that makes pixels of drawings.
#pragma once

#include <filesystem>
#include <mutex>

#include "runtime/base/result.h"
#include "server/picture/raster.h"

namespace ws::server {

/// A picture is no larger. [bytes]
inline constexpr std::size_t kMostPictureBytes = 60'000;

/// Any thread.
class PictureLibrary {
 public:
  /// @param file  Of the plug-in; it is loaded when it is first needed, and stays.
  explicit PictureLibrary(std::filesystem::path file)
      : file_(std::move(file)) {}

  /// The drawing as a PNG.
  /// @errors kUnsupported: the plug-in, or libgd, is not there; kIo: there is no memory;
  /// kInternal: the picture is larger than kMostPictureBytes.
  Result<std::string> png(const Drawing& drawing);

 private:
  Result<PictureFunction> load();

  const std::filesystem::path file_;
  std::mutex mutex_;
  PictureFunction draw_ = nullptr;  // guarded by mutex_
};

}  // namespace ws::server
