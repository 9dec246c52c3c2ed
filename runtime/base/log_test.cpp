#include "runtime/base/log.h"

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/log_later.h"
#include "runtime/base/test_stderr.h"

namespace ws {
TEST_SUITE("base.log") {
  TEST_CASE("logging waits for no reader, and lost lines are counted") {
    const StderrPipe pipe;
    for (int i = 0; i < 3000; ++i) {
      log(LogLevel::kError, "test", std::string(100, 'x'));  // A pipe holds some 500 of them.
    }
    const std::string first = pipe.text();
    CHECK(first.find("lost") == std::string::npos);
    const auto lines = std::count(first.begin(), first.end(), '\n');
    log(LogLevel::kError, "test", "read again");
    const std::string second = pipe.text();
    CHECK(second.find(" warning log: " + std::to_string(3000 - lines) +
                      " lines are lost, as nobody read what was written here\n") !=
          std::string::npos);
    CHECK(second.ends_with(" error test: read again\n"));
  }

  TEST_CASE("a line stays one line, and short enough to be written at once") {
    const StderrPipe pipe;
    log(LogLevel::kError, "test", "a\nb\x1b[31m\xc2\x9b\x7f" + std::string(10000, 'x'));
    const std::string text = pipe.text();
    CHECK(text.find(" error test: a b [31m  xxx") != std::string::npos);
    CHECK(text.size() == 4096);
    CHECK(text.ends_with("x...\n"));
  }

  TEST_CASE("late lines are written soon, whole and in order, before any line that comes after") {
    const StderrPipe pipe;
    std::string all;
    for (int i = 0; i < 200; ++i) {
      const std::string value = std::to_string(i) + std::string(60, 'x');
      log_later(LogLevel::kError, "test", std::array{LogField{"late", value}});
    }
    log(LogLevel::kError, "test", "at once");
    const std::string text = pipe.text();
    for (int i = 0; i < 200; ++i) {
      const std::size_t at =
          text.find(" error test: late=" + std::to_string(i) + std::string(60, 'x') + "\n");
      REQUIRE(at != std::string::npos);
      CHECK(at >= all.size());
      all = text.substr(0, at);
    }
    CHECK(text.ends_with(" error test: at once\n"));
    log_later(LogLevel::kError, "test", std::array{LogField{"alone", "a b"}});
    std::string rest;
    for (int i = 0; rest.empty() && i < 30'000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      rest = pipe.text();
    }
    CHECK(rest.ends_with(" error test: alone=\"a b\"\n"));
    set_log_level(LogLevel::kOff);
    log_later(LogLevel::kError, "test", std::array{LogField{"unwanted", "1"}});
    set_log_level(LogLevel::kInfo);
    write_late_lines();
    CHECK(pipe.text().empty());
  }
}

}  // namespace ws
