#include "server/operate/trace_exporter.h"

#include <chrono>
#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/log.h"
#include "runtime/base/metrics.h"

namespace ws::server {
namespace {

using OtlpJson = nlohmann::ordered_json;

/// How long the first span of a batch waits for others.
constexpr auto kGather = std::chrono::seconds(1);
/// As many go at once, without waiting.
constexpr std::size_t kBatch = 512;
/// SPAN_KIND_INTERNAL and SPAN_KIND_SERVER.
constexpr int kInternal = 1;
constexpr int kServer = 2;
/// STATUS_CODE_ERROR.
constexpr int kError = 2;

OtlpJson attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

OtlpJson otlp_form(const Span& span) {
  OtlpJson form = {{"traceId", span.trace}, {"spanId", span.id}};
  if (!span.parent.empty()) {
    form["parentSpanId"] = span.parent;
  }
  form["name"] = span.name;
  form["kind"] = span.server ? kServer : kInternal;
  form["startTimeUnixNano"] = std::to_string(span.began_ns);
  form["endTimeUnixNano"] = std::to_string(span.ended_ns);
  form["attributes"] = OtlpJson::array();
  for (const auto& [key, value] : span.attributes) {
    form["attributes"].push_back(attribute(key, value));
  }
  if (!span.error.empty()) {
    form["status"] = {{"code", kError}, {"message", span.error}};
  }
  return form;
}

void count_lost(std::size_t spans) {
  metric_cell(Metric::kSpansLost).add(static_cast<std::int64_t>(spans));
}

}  // namespace

std::string otlp_body(const std::vector<Span>& spans, const std::string& version) {
  OtlpJson forms = OtlpJson::array();
  for (const Span& span : spans) {
    forms.push_back(otlp_form(span));
  }
  const OtlpJson resource = {
      {"attributes", OtlpJson::array({attribute("service.name", "warpsmith"),
                                      attribute("service.version", version)})}};
  const OtlpJson scope = {{"scope", {{"name", "warpsmith"}}}, {"spans", std::move(forms)}};
  const OtlpJson all = {{"resource", resource}, {"scopeSpans", OtlpJson::array({scope})}};
  const OtlpJson body = {{"resourceSpans", OtlpJson::array({all})}};
  return body.dump(-1, ' ', false,
                   OtlpJson::error_handler_t::replace);  // Clients' names are any bytes.
}

TraceExporter::TraceExporter(Send send, std::string version)
    : send_(std::move(send)),
      version_(std::move(version)),
      thread_([this] { send_all(); }) {
  set_span_taker([this](Span span) { take(std::move(span)); });
}

TraceExporter::~TraceExporter() {
  set_span_taker({});
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TraceExporter::take(Span span) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostWaiting) {
    count_lost(1);
    return;
  }
  waiting_.push_back(std::move(span));
  if (waiting_.size() == 1 || waiting_.size() == kBatch) {
    changed_.notify_one();
  }
}

void TraceExporter::send_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    changed_.wait_for(lock, kGather, [this] { return ending_ || waiting_.size() >= kBatch; });
    const std::vector<Span> spans = std::exchange(waiting_, {});
    const bool last = ending_;
    lock.unlock();
    if (!spans.empty()) {
      send_batch(spans);
    }
    if (last) {
      return;
    }
    lock.lock();
  }
}

void TraceExporter::send_batch(const std::vector<Span>& spans) {
  Status sent;
  try {
    sent = send_(otlp_body(spans, version_));
  } catch (const std::exception& error) {
    sent = ws::fail(ErrorCode::kInternal, error.what());
  }
  if (!sent) {
    count_lost(spans.size());
  }
  if (fails_ != !sent) {  // Once, not each second.
    fails_ = !sent;
    log(fails_ ? LogLevel::kWarning : LogLevel::kInfo, "trace",
        fails_ ? "the collector takes no spans: " + to_text(sent.error())
               : "the collector takes spans again");
  }
}

}  // namespace ws::server
