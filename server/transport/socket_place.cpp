#include "server/transport/socket_place.h"

#include <cerrno>
#include <string>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace ws::server {
namespace {

constexpr int kWaiting = 1024;

sockaddr_un name_of(const std::filesystem::path& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.native().copy(name.sun_path, sizeof(name.sun_path) - 1);
  return name;
}

/// Others who may write there could put a socket of their own in its place.
Status check_folder(const std::filesystem::path& folder) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) {
    return fail_errno("stat", "cannot use the folder of the socket, " + folder.string());
  }
  const bool own = status.st_uid == ::geteuid() || status.st_uid == 0;
  if (!own || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(
        ErrorCode::kInvalidArgument,
        "users other than its owner may write in the folder of the socket, " + folder.string(),
        "choose a folder of your own, such as $XDG_RUNTIME_DIR or one of systemd's "
        "RuntimeDirectory=");
  }
  return {};
}

/// Removes a socket that a server has left behind.
Status make_room(const std::filesystem::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    return {};
  }
  if (!S_ISSOCK(status.st_mode)) {
    return fail(ErrorCode::kInvalidArgument, path.string() + " is there, and is no socket",
                "choose another path, or remove it");
  }
  if (connect_to(path).valid()) {
    return fail(ErrorCode::kConflict, "another server listens at " + path.string(),
                "stop it, or choose another path");
  }
  if (::unlink(path.c_str()) != 0) {
    return fail_errno("unlink", "cannot remove the socket " + path.string());
  }
  return {};
}

}  // namespace

SocketPlace::SocketPlace(std::filesystem::path path, Fd socket)
    : path_(std::move(path)),
      socket_(std::move(socket)) {}

SocketPlace::~SocketPlace() {
  close();
}

void SocketPlace::close() {
  if (socket_.valid()) {
    ::unlink(path_.c_str());
    socket_.reset();
  }
}

Result<SocketPlace> SocketPlace::listen(const std::filesystem::path& path, SocketUsers users) {
  const std::filesystem::path whole = std::filesystem::absolute(path);
  sockaddr_un name = name_of(whole);
  if (whole.native().size() >= sizeof(name.sun_path)) {
    return fail(ErrorCode::kInvalidArgument, "the path of the socket is longer than " +
                                                 std::to_string(sizeof(name.sun_path) - 1) +
                                                 " bytes: " + whole.string());
  }
  WS_CHECK(check_folder(whole.parent_path()));
  WS_CHECK(make_room(whole));
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  constexpr mode_t kOwn = 0600;
  constexpr mode_t kAll = 0666;
  // Before it is bound: the file never has more than the mode of the socket.
  if (!socket.valid() || ::fchmod(socket.get(), kOwn) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) {
    return fail_errno("bind", "cannot listen at " + whole.string());
  }
  SocketPlace place(whole, std::move(socket));
  if ((users == SocketUsers::kAll && ::chmod(whole.c_str(), kAll) != 0) ||
      ::listen(place.socket_.get(), kWaiting) != 0) {
    return fail_errno("listen", "cannot listen at " + whole.string());
  }
  return place;
}

Fd connect_to(const std::filesystem::path& path) {
  const sockaddr_un name = name_of(path);
  if (path.native().size() >= sizeof(name.sun_path)) {
    errno = ENAMETOOLONG;
    return {};
  }
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool connected =
      socket.valid() &&
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0;
  return connected ? std::move(socket) : Fd();
}

std::optional<uid_t> peer_of(const Fd& socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  const bool known = ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known ? std::optional(peer.uid) : std::nullopt;
}

}  // namespace ws::server
