// A program under test, with its stdin, stdout and stderr in the test's hands.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "runtime/base/files.h"

namespace ws {

class Child {
 public:
  /// Starts an executable of this build: "warpsmith", "ws_test_server". REQUIREs that it starts.
  explicit Child(const std::string& program, const std::vector<std::string>& arguments);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills what still runs.
  ~Child();

  /// False when the program does not read any more.
  bool write(std::string_view text);

  void close_input() { input_.reset(); }

  /// The next line of stdout without its end; nothing at the end of the stream, or when none comes
  /// within ten seconds.
  std::optional<std::string> line();
  /// The same of stderr.
  std::optional<std::string> error_line();
  /// The rest of stdout, and all of stderr, up to their ends.
  std::string rest();
  std::string errors();

  /// The exit status, or 128 + the signal; nothing when it still runs after `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit);
  void signal(int number) const;
  /// Leaves it so many bytes of address space beyond what it has now.
  void limit_memory(std::size_t bytes) const;

 private:
  static std::optional<std::string> next_line(int fd, std::string& buffer);

  pid_t pid_ = -1;
  Fd input_;
  Fd output_;
  Fd error_;
  std::string buffer_;
  std::string error_buffer_;
};

}  // namespace ws
