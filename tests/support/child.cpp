#include "tests/support/child.h"

#include <array>
#include <csignal>
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ws {
namespace {

constexpr int kLineWaitMs = 10000;

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> chunk{};
  ssize_t count = 0;
  while ((count = ::read(fd, chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Child::Child(const std::string& program, const std::vector<std::string>& arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // A child that ends early is a result, not the end of the tests.
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  const std::string path = std::string(WS_BINARY_DIR) + "/" + program;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), 2);
  const int failed = ::posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE_MESSAGE(failed == 0, "cannot start " << path);
  input_ = std::move(in.write);
  output_ = std::move(out.read);
  error_ = std::move(err.read);
}

Child::~Child() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

bool Child::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(input_.get(), text.data(), text.size());
    if (count <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::string> Child::next_line(int fd, std::string& buffer) {
  std::size_t end = 0;
  while ((end = buffer.find('\n')) == std::string::npos) {
    pollfd wait{fd, POLLIN, 0};
    std::array<char, 65536> chunk{};
    if (::poll(&wait, 1, kLineWaitMs) <= 0) {
      return {};
    }
    const ssize_t count = ::read(fd, chunk.data(), chunk.size());
    if (count <= 0) {
      return {};
    }
    buffer.append(chunk.data(), static_cast<std::size_t>(count));
  }
  std::string line = buffer.substr(0, end);
  buffer.erase(0, end + 1);
  return line;
}

std::optional<std::string> Child::line() {
  return next_line(output_.get(), buffer_);
}

std::optional<std::string> Child::error_line() {
  return next_line(error_.get(), error_buffer_);
}

std::string Child::rest() {
  return std::exchange(buffer_, {}) + read_all(output_.get());
}

std::string Child::errors() {
  return std::exchange(error_buffer_, {}) + read_all(error_.get());
}

void Child::limit_memory(std::size_t bytes) const {
  std::ifstream statm("/proc/" + std::to_string(pid_) + "/statm");
  std::size_t pages = 0;
  statm >> pages;
  REQUIRE(pages > 0);
  const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit space{most, RLIM_INFINITY};
  REQUIRE(::prlimit(pid_, RLIMIT_AS, &space, nullptr) == 0);
}

std::optional<int> Child::wait(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      return {};
    }
    ::usleep(2000);
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Child::signal(int number) const {
  ::kill(pid_, number);
}

}  // namespace ws
