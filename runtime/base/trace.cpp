#include "runtime/base/trace.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"

namespace ws {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Taker = std::function<void(Span)>;

constexpr std::size_t kTraceDigits = 32;

struct Sink {
  std::atomic<bool> open = false;
  std::mutex mutex;
  std::shared_ptr<const Taker> taker;  // guarded by mutex
};

Sink& sink() {
  static auto* const own = new Sink;  // Never destroyed: threads end spans to the end.
  return *own;
}

/// The wall clock may be set meanwhile; what has passed is the steady clock's.
void set_times(Span& span, SteadyClock::time_point began) noexcept {
  constexpr std::int64_t kNsInMs = 1'000'000;
  span.ended_ns = unix_ms() * kNsInMs;
  span.began_ns = span.ended_ns - (SteadyClock::now() - began).count();
}

void give(Span span) {
  std::shared_ptr<const Taker> taker;
  {
    const std::lock_guard lock(sink().mutex);
    taker = sink().taker;
  }
  if (taker) {
    (*taker)(std::move(span));
  }
}

/// A span that is lost does not stop the work that it is about.
template <typename Work>
void quietly(const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    log(LogLevel::kError, "trace", error.what());
  }
}

}  // namespace

void set_span_taker(Taker taker) {
  const std::lock_guard lock(sink().mutex);
  sink().open = taker != nullptr;
  sink().taker = taker ? std::make_shared<const Taker>(std::move(taker)) : nullptr;
}

bool is_traced() noexcept {
  return sink().open;
}

std::string trace_of_request(std::string_view request_id) {
  const bool trace = request_id.size() == kTraceDigits &&
                     request_id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return trace ? std::string(request_id) : sha256_hex(request_id).substr(0, kTraceDigits);
}

std::string drawn_span() {
  return is_traced() ? random_hex(kSpanDigits) : std::string();
}

void add_request_span(Span span, SteadyClock::time_point began) noexcept {
  span.server = true;
  set_times(span, began);
  quietly([&] { give(std::move(span)); });
}

TraceSpan::TraceSpan(std::string_view name) noexcept
    : began_(SteadyClock::now()) {
  if (!is_traced() || current_request_id().empty()) {
    return;
  }
  quietly([&] {
    span_.name = name;
    span_.trace = trace_of_request(current_request_id());
    span_.id = random_hex(kSpanDigits);
    span_.parent = current_span();
    scope_.emplace(current_request_id(), span_.id);
  });
}

TraceSpan::~TraceSpan() {
  if (!scope_) {
    return;
  }
  scope_.reset();
  set_times(span_, began_);
  quietly([&] { give(std::move(span_)); });
}

void TraceSpan::note(std::string_view key, std::string_view value) noexcept {
  if (scope_) {
    quietly([&] { span_.attributes.emplace_back(key, value); });
  }
}

void TraceSpan::fail(std::string_view reason) noexcept {
  if (scope_) {
    quietly([&] { span_.error = reason; });
  }
}

}  // namespace ws
