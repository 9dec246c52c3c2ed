// The id of the request that a thread works for, which stands in each line that the thread logs,
// and the span of its trace (trace.h) that the work belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ws {

inline constexpr std::size_t kMaxRequestId = 64;
/// Hexadecimal digits.
inline constexpr std::size_t kSpanDigits = 16;

/// Empty: the thread works for no request.
std::string_view current_request_id() noexcept;

/// Empty: the request is not traced.
std::string_view current_span() noexcept;

/// This thread works for a request, for as long as it lives; then for the one before it again.
/// Takes no memory.
class RequestScope {
 public:
  /// @param id    Cut after kMaxRequestId characters.
  /// @param span  Cut after kSpanDigits.
  explicit RequestScope(std::string_view id, std::string_view span = {}) noexcept;
  ~RequestScope();
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;

 private:
  struct Text {
    std::array<char, kMaxRequestId> bytes{};
    std::size_t size = 0;

    void set(std::string_view text, std::size_t most) noexcept;

    [[nodiscard]] std::string_view view() const noexcept { return {bytes.data(), size}; }
  };

  struct Current {
    Text id;
    Text span;
  };

  friend std::string_view current_request_id() noexcept;
  friend std::string_view current_span() noexcept;
  static Current& current() noexcept;

  Current before_;
};

}  // namespace ws
