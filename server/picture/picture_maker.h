// The pictures that clients ask for beside the answers of tools.
#pragma once

#include "server/picture/picture_library.h"
#include "server/protocol/protocol.h"
#include "tools/tool.h"

namespace ws::server {

/// Any thread.
class PictureMaker {
 public:
  /// @param resources  Has the records of evidence; outlives it.
  PictureMaker(ResourceReader& resources, std::filesystem::path library)
      : resources_(resources),
        library_(std::move(library)) {}

  /// A PNG of an answer; empty: it has nothing to show. @errors Those of PictureLibrary::png().
  Result<std::string> png(const std::string& tool, const Json& output);

 private:
  [[nodiscard]] Json record_of(const Json& output);

  ResourceReader& resources_;
  PictureLibrary library_;
};

}  // namespace ws::server
