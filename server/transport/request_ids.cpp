#include "server/transport/request_ids.h"

#include <algorithm>

#include "runtime/base/hash.h"
#include "runtime/base/request_id.h"
#include "runtime/base/text.h"

namespace ws::server {
namespace {

bool is_plain(std::string_view id) {
  return !id.empty() && id.size() <= kMaxRequestId && std::all_of(id.begin(), id.end(), [](char c) {
    return is_word(c) || c == '-' || c == '.';
  });
}

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

/// Empty: it is none. A trace of zeros is invalid by the standard.
std::string_view trace_of(std::string_view parent) {
  constexpr std::size_t kVersion = 3;
  constexpr std::size_t kTrace = 32;
  constexpr std::size_t kWhole = 55;
  if (parent.size() < kWhole || parent[2] != '-' || parent[kVersion + kTrace] != '-') {
    return {};
  }
  const std::string_view trace = parent.substr(kVersion, kTrace);
  const bool zero = trace.find_first_not_of('0') == std::string_view::npos;
  return is_hex(trace) && is_hex(parent.substr(0, 2)) && !zero ? trace : std::string_view();
}

}  // namespace

std::string drawn_request_id() {
  constexpr std::size_t kDigits = 16;
  return random_hex(kDigits);
}

std::string request_id_of(const HttpHead& head) {
  if (std::string own = head.header("x-request-id").value_or(""); is_plain(own)) {
    return own;
  }
  const std::string parent = head.header("traceparent").value_or("");
  const std::string_view trace = trace_of(parent);
  return trace.empty() ? drawn_request_id() : std::string(trace);
}

std::string parent_span_of(const HttpHead& head) {
  constexpr std::size_t kSpanPlace = 36;
  const std::string parent = head.header("traceparent").value_or("");
  if (const std::string_view trace = trace_of(parent);
      trace.empty() || trace != request_id_of(head)) {
    return {};
  }
  const std::string span = parent.substr(kSpanPlace, kSpanDigits);
  const bool zero = span.find_first_not_of('0') == std::string::npos;
  return is_hex(span) && !zero ? span : std::string();
}

}  // namespace ws::server
