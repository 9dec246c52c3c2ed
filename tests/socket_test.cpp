// A server at a Unix socket: for its own user, and for users that its principals file names.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "server/access/private_file.h"
#include "server/cli/socket_post.h"
#include "server/protocol/protocol.h"
#include "server/transport/socket_place.h"
#include "tests/support/child.h"
#include "tests/support/run_program.h"

namespace ws::test {
namespace {

using server::Json;
using server::SocketPlace;
using server::SocketUsers;
using std::chrono::seconds;

constexpr uid_t kOther = 65534;

struct Served {
  explicit Served(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "serve", "--no-gpu", "--data", (folder.path() / "data").string(), "--socket", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server = std::make_unique<Child>("warpsmith", arguments);
  }

  std::string line() { return server->error_line().value_or(""); }

  const TestFolder folder;
  const std::string path = (folder.path() / "socket").string();
  std::unique_ptr<Child> server;
};

/// Sends a request as another user, and gives the answer. Only root can.
std::string ask_as(uid_t user, const std::string& path, const std::string& request) {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  std::string buffer(65536, '\0');
  const pid_t child = ::fork();
  if (child == 0) {  // Nothing here takes memory: other threads may have held its lock.
    if (::setresuid(user, user, user) == 0) {
      const Fd socket = server::connect_to(path);
      ::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL);
      for (ssize_t count = 0;
           (count = ::recv(socket.get(), buffer.data(), buffer.size(), 0)) > 0;) {
        [[maybe_unused]] const ssize_t written =
            ::write(write_end.get(), buffer.data(), static_cast<std::size_t>(count));
      }
    }
    ::_exit(0);
  }
  write_end.reset();
  std::string answer;
  for (ssize_t count = 0; (count = ::read(read_end.get(), buffer.data(), buffer.size())) > 0;) {
    answer.append(buffer, 0, static_cast<std::size_t>(count));
  }
  ::waitpid(child, nullptr, 0);
  return answer;
}

std::string error_of(const std::filesystem::path& path) {
  const auto place = SocketPlace::listen(path, SocketUsers::kOwn);
  return place ? "" : to_text(place.error());
}

}  // namespace

TEST_SUITE("socket") {
  TEST_CASE("a server at a socket answers its own user, and leaves nothing behind") {
    Served served;
    CHECK(served.line().ends_with("info server: listening on unix:" + served.path));
    struct stat status{};
    REQUIRE(::stat(served.path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    const std::string url = "unix:" + served.path;
    const Ended devices = run_program({"call", "list_devices", "{}", "--server", url});
    CHECK(devices.status == 0);
    CHECK(Json::parse(devices.out)["devices"].size() >= 1);
    const Ended jobs = run_program({"jobs", "--server", url, "--json"});
    CHECK(jobs.status == 0);
    CHECK(jobs.out == "{\"jobs\":[]}\n");
    CHECK(run_program({"top", "--server", url}).out.starts_with("warpsmith "));
    const Ended unknown = run_program({"jobs", "--server", url, "--cancel", "job_0"});
    CHECK(unknown.status == 1);
    CHECK(unknown.err.starts_with("invalid_argument: " + url + " refused with status 404: "));
    served.server->signal(SIGTERM);
    CHECK(served.server->wait(seconds(20)) == 0);
    CHECK_FALSE(std::filesystem::exists(served.path));
    const Ended gone = run_program({"jobs", "--server", url});
    CHECK(gone.status == 1);
    CHECK(gone.err == "io: no answer from " + url +
                          " (connect: No such file or directory); start it with: warpsmith serve "
                          "--socket PATH\n");
  }

  TEST_CASE("a server may listen at a socket and a port, whose requests need a token") {
    const TestFolder secrets;
    const std::string token = (secrets.path() / "token").string();
    REQUIRE(server::replace_private_file(token, "0123456789abcdef\n"));
    Served served({"--http", "127.0.0.1:0", "--token-file", token});
    const std::string first = served.line();
    const std::string url = first.substr(first.find("http://"));
    CHECK(served.line().ends_with("listening on unix:" + served.path));
    CHECK(served.line().ends_with("every request must show a token"));
    CHECK(run_program({"jobs", "--server", "unix:" + served.path}).status == 0);
    CHECK(run_program({"jobs", "--server", url}).status == 1);
    CHECK(run_program({"jobs", "--server", url, "--token-file", token}).status == 0);
  }

  TEST_CASE("another user is the principal that the file says, or nobody" *
            doctest::skip(::geteuid() != 0)) {
    const TestFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    const std::string file = (folder.path() / "principals.toml").string();
    const std::string path = (folder.path() / "socket").string();
    const std::string get = "GET /metrics HTTP/1.0\r\n\r\n";
    const std::vector<std::string> arguments = {
        "serve",    "--no-gpu", "--data",       (folder.path() / "data").string(),
        "--socket", path,       "--principals", file};
    REQUIRE(server::replace_private_file(file, ""));
    {
      Child closed("warpsmith", arguments);
      REQUIRE(closed.error_line().value_or("").ends_with("listening on unix:" + path));
      CHECK(ask_as(kOther, path, get).empty());  // The system lets nobody else connect.
    }
    REQUIRE(server::replace_private_file(
        file,
        "[[principal]]\nname = 'ann'\nrole = 'read'\nuid = " + std::to_string(kOther) + "\n"));
    Child server("warpsmith", arguments);
    REQUIRE(server.error_line().value_or("").ends_with("listening on unix:" + path));
    CHECK(ask_as(kOther, path, get).starts_with("HTTP/1.1 200 "));
    CHECK(ask_as(kOther, path, "POST /admin HTTP/1.0\r\n\r\n")
              .find("`/admin` needs the role `admin`; the principal `ann` has `read`") !=
          std::string::npos);
    const std::string stranger = ask_as(kOther - 1, path, get);
    CHECK(stranger.starts_with("HTTP/1.1 401 "));
    CHECK(stranger.find("the user 65533 is no principal of this server: its principals file needs "
                        "one with `uid = 65533`, or send the header `Authorization: Bearer "
                        "TOKEN`") != std::string::npos);
  }

  TEST_CASE("a socket that was left behind is replaced, and nothing else is") {
    const TestFolder folder;
    const std::filesystem::path path = folder.path() / "socket";
    {
      auto first = SocketPlace::listen(path, SocketUsers::kOwn);
      REQUIRE_MESSAGE(first.has_value(), to_text(first.error()));
      CHECK(error_of(path) == "conflict: another server listens at " + path.string() +
                                  "; stop it, or choose another path");
      // As one that is killed leaves it.
      std::filesystem::rename(path, folder.path() / "left");
    }
    std::filesystem::rename(folder.path() / "left", path);
    CHECK(error_of(path).empty());
    REQUIRE(write_file(path, "mine"));
    CHECK(error_of(path) == "invalid_argument: " + path.string() +
                                " is there, and is no socket; choose another path, or remove it");
    CHECK(read_file(path).value_or("") == "mine");
  }

  TEST_CASE("a folder where others may write is refused, and so is a path that is too long") {
    const TestFolder folder;
    const std::filesystem::path open = folder.path() / "open";
    std::filesystem::create_directory(open);
    std::filesystem::permissions(open, std::filesystem::perms(0770));
    CHECK(error_of(open / "socket") ==
          "invalid_argument: users other than its owner may write in the folder of the socket, " +
              open.string() +
              "; choose a folder of your own, such as $XDG_RUNTIME_DIR or one of systemd's "
              "RuntimeDirectory=");
    const std::filesystem::path missing = folder.path() / "none" / "socket";
    CHECK(error_of(missing) == "io: cannot use the folder of the socket, " +
                                   missing.parent_path().string() +
                                   " (stat: No such file or directory)");
    const std::filesystem::path longer = folder.path() / std::string(120, 'x');
    CHECK(error_of(longer) ==
          "invalid_argument: the path of the socket is longer than 107 bytes: " + longer.string());
  }
}

}  // namespace ws::test
