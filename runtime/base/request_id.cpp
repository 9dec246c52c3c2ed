#include "runtime/base/request_id.h"

#include <algorithm>
#include <cstring>

namespace ws {

RequestScope::Current& RequestScope::current() noexcept {
  thread_local Current own;
  return own;
}

void RequestScope::Text::set(std::string_view text, std::size_t most) noexcept {
  size = std::min(text.size(), most);
  std::memmove(bytes.data(), text.data(), size);  // The text may be this one.
}

std::string_view current_request_id() noexcept {
  return RequestScope::current().id.view();
}

std::string_view current_span() noexcept {
  return RequestScope::current().span.view();
}

RequestScope::RequestScope(std::string_view id, std::string_view span) noexcept
    : before_(current()) {
  current().id.set(id, kMaxRequestId);
  current().span.set(span, kSpanDigits);
}

RequestScope::~RequestScope() {
  current() = before_;
}

}  // namespace ws
