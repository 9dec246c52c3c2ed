#include "runtime/base/timestamp.h"

#include <array>
#include <ctime>
#include <limits>

namespace ws {
namespace {

constexpr std::int64_t kMsInSecond = 1000;

/// The last second that the thread wrote, as lines of a log have the same one many times.
struct WrittenSecond {
  std::time_t second = std::numeric_limits<std::time_t>::min();
  std::array<char, 32> text{};
  std::size_t size = 0;
};

}  // namespace

void append_timestamp(std::string& text, std::int64_t ms) {
  thread_local WrittenSecond last;
  const std::int64_t rest = ((ms % kMsInSecond) + kMsInSecond) % kMsInSecond;
  if (const std::time_t second = (ms - rest) / kMsInSecond; second != last.second) {
    std::tm utc{};
    gmtime_r(&second, &utc);
    last.size = std::strftime(last.text.data(), last.text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    last.second = second;
  }
  const auto digit = [rest](std::int64_t unit) {
    return static_cast<char>('0' + rest / unit % 10);
  };
  const std::array<char, 5> tail = {'.', digit(100), digit(10), digit(1), 'Z'};
  text.append(last.text.data(), last.size).append(tail.data(), tail.size());
}

}  // namespace ws
