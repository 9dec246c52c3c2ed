#include "runtime/base/clock.h"

#include "runtime/base/timestamp.h"

namespace ws {

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string timestamp_now() {
  return timestamp_of(unix_ms());
}

std::string timestamp_of(std::int64_t ms) {
  std::string text;
  append_timestamp(text, ms);
  return text;
}

double elapsed_ms(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace ws
