// Files with secrets, which only their owner may use.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws::server {

/// The file's text, or its first `limit` bytes.
///
/// @param what  For the messages: "token file".
/// @errors kIo: it cannot be read; kInvalidArgument: it is no file, others may use it, or it is
/// neither the caller's nor root's.
Result<std::string> read_private_file(const std::filesystem::path& path, std::string_view what,
                                      std::size_t limit);

/// Keeps others who take it from changing a file, in any process, for as long as this lives. It
/// leaves nothing behind: what is locked is the file's folder.
class PrivateFileLock {
 public:
  /// @param patience  How long it waits for the one who has it.
  /// @errors kIo: the folder cannot be opened; kBusy: somebody else still has it.
  static Result<PrivateFileLock> take(const std::filesystem::path& path,
                                      std::chrono::milliseconds patience);

 private:
  explicit PrivateFileLock(Fd folder)
      : folder_(std::move(folder)) {}

  Fd folder_;
};

/// Replaces the file, or what it is a link to, or makes it for its owner alone. It keeps its owner;
/// whoever reads it meanwhile sees the old text or the new one. @errors kIo.
Status replace_private_file(const std::filesystem::path& link, std::string_view text);

}  // namespace ws::server
