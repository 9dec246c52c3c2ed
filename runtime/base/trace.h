// The work for a request as spans of OpenTelemetry: the request itself, its job, a compile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/request_id.h"

namespace ws {

struct Span {
  std::string name;           ///< "job validate"
  bool server = false;        ///< It is a request of a client; else a part of the work for one.
  std::string trace;          ///< 32 hexadecimal digits.
  std::string id;             ///< 16 hexadecimal digits.
  std::string parent;         ///< The same of the span that this one is a part of; empty: of none.
  std::int64_t began_ns = 0;  ///< Since the Unix epoch.
  std::int64_t ended_ns = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string error;  ///< Why it did not end well; empty: it did.
};

/// Spans go there from now on, in the thread that they end in; empty: nowhere, and none is made.
/// What it throws is lost with the span.
void set_span_taker(std::function<void(Span)> taker);

/// Whether spans are taken: what would be said in one need not be made otherwise. Any thread.
[[nodiscard]] bool is_traced() noexcept;

/// The trace of a request: its id where that is a trace's, else made from it.
std::string trace_of_request(std::string_view request_id);

/// 16 random hexadecimal digits where spans are taken; else nothing.
std::string drawn_span();

/// A request as it was answered.
/// @param span   Without its times.
/// @param began  When it came; it ends now.
void add_request_span(Span span, std::chrono::steady_clock::time_point began) noexcept;

/// A part of the work that its thread does for a request, for as long as this lives. Parts that
/// begin meanwhile are parts of it. Costs nothing where no spans are taken.
class TraceSpan {
 public:
  explicit TraceSpan(std::string_view name) noexcept;
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  void note(std::string_view key, std::string_view value) noexcept;
  void fail(std::string_view reason) noexcept;

 private:
  Span span_;
  std::optional<RequestScope> scope_;  // Nothing: no span is made.
  std::chrono::steady_clock::time_point began_;
};

}  // namespace ws
