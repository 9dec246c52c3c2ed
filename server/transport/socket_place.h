// The path of a Unix socket that a server listens at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/types.h>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws::server {

/// The users that the system lets connect. Whom the server lets in is another question.
enum class SocketUsers : std::uint8_t { kOwn, kAll };

/// A listening Unix socket; its file is removed at the end.
class SocketPlace {
 public:
  /// Listens at `path`. A socket there that nobody listens at any more is replaced.
  /// @errors kInvalidArgument: the path is too long or is something else, or others may write in
  /// its folder; kConflict: somebody listens there; kIo.
  static Result<SocketPlace> listen(const std::filesystem::path& path, SocketUsers users);

  SocketPlace(SocketPlace&&) noexcept = default;
  SocketPlace(const SocketPlace&) = delete;
  SocketPlace& operator=(const SocketPlace&) = delete;
  SocketPlace& operator=(SocketPlace&&) = delete;
  ~SocketPlace();

  [[nodiscard]] const Fd& socket() const { return socket_; }

  /// Nobody can connect any more.
  void close();

 private:
  SocketPlace(std::filesystem::path path, Fd socket);

  std::filesystem::path path_;
  Fd socket_;  ///< Does not block. Invalid after a move.
};

/// A connection to the socket at `path`, which blocks. Invalid: errno says why not.
Fd connect_to(const std::filesystem::path& path);

/// The user at the other end of a Unix socket.
std::optional<uid_t> peer_of(const Fd& socket);

}  // namespace ws::server
