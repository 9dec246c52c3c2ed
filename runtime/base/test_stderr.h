// Captures the log's lines during a test.
#pragma once

#include <string>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include "runtime/base/files.h"

namespace ws {

/// Puts a pipe in the place of stderr, for as long as it lives.
struct StderrPipe {
  StderrPipe()
      : kept(::dup(STDERR_FILENO)) {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    read = Fd(ends[0]);
    REQUIRE(::dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    ::close(ends[1]);
  }

  StderrPipe(const StderrPipe&) = delete;
  StderrPipe& operator=(const StderrPipe&) = delete;

  ~StderrPipe() { ::dup2(kept.get(), STDERR_FILENO); }

  /// All that is in it now.
  [[nodiscard]] std::string text() const {
    std::string all;
    pollfd wait{read.get(), POLLIN, 0};
    while (::poll(&wait, 1, 0) == 1) {
      char bytes[65536];
      const ssize_t count = ::read(read.get(), bytes, sizeof(bytes));
      if (count <= 0) {
        break;
      }
      all.append(bytes, static_cast<std::size_t>(count));
    }
    return all;
  }

  Fd kept;
  Fd read;
};

}  // namespace ws
