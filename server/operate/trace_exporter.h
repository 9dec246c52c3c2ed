// Sends spans to a collector of OpenTelemetry, many at once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/trace.h"

namespace ws::server {

/// The body of one OTLP/HTTP request, in JSON.
/// @source opentelemetry-proto, trace/v1/trace.proto, and its mapping to JSON: ids in hexadecimal,
///         64-bit numbers as text.
std::string otlp_body(const std::vector<Span>& spans, const std::string& version);

/// While it lives, all spans of the process go to `send`, by a thread of its own: a slow collector
/// delays nothing. One at a time.
class TraceExporter {
 public:
  /// Posts a body. It returns within some seconds.
  using Send = std::function<Status(const std::string& body)>;

  /// More spans than that do not wait: they are lost, and counted.
  static constexpr std::size_t kMostWaiting = 8192;

  TraceExporter(Send send, std::string version);
  /// Sends what waits, once.
  ~TraceExporter();
  TraceExporter(const TraceExporter&) = delete;
  TraceExporter& operator=(const TraceExporter&) = delete;

 private:
  void take(Span span);
  void send_all();
  void send_batch(const std::vector<Span>& spans);

  const Send send_;
  const std::string version_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Span> waiting_;  // guarded by mutex_
  bool ending_ = false;        // guarded by mutex_
  bool fails_ = false;         // Only the thread: the last batch was not taken.
  std::thread thread_;
};

}  // namespace ws::server
