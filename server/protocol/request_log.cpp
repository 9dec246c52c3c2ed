#include "server/protocol/request_log.h"

#include <array>
#include <exception>
#include <span>
#include <string>

#include "runtime/base/log_later.h"
#include "runtime/base/metrics.h"
#include "runtime/base/no_memory.h"
#include "runtime/base/request_id.h"
#include "runtime/base/trace.h"
#include "server/protocol/methods.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr int kDigitsOfMs = 2;
constexpr std::size_t kMaxToolName = 200;  // A client may call what there is not.

/// The fields of a line. Their values live until it is logged.
class Line {
 public:
  explicit Line(const LogSender& sender) {
    add("client", sender.client);
    if (sender.principal != kLocalPrincipal) {
      add("principal", sender.principal);
    }
  }

  void add(std::string_view key, std::string_view value) { fields_.at(size_++) = {key, value}; }

  void log(LogLevel level, std::string_view module) const noexcept {
    log_later(level, module, std::span(fields_.data(), size_));
  }

 private:
  static constexpr std::size_t kMost = 8;

  std::array<LogField, kMost> fields_;
  std::size_t size_ = 0;
};

void add_http(Line& line, std::string_view method, std::string_view path) {
  if (!method.empty()) {
    line.add("http", method);
    line.add("path", path);
  }
}

/// A line that there is no memory for is lost, not the answer that it is about.
template <typename Write>
void or_lost(const Write& write) noexcept {
  try {
    write();
  } catch (const std::exception& error) {
    log(LogLevel::kError, "request", error.what());
  }
}

/// Empty: the message calls none.
std::string_view called_tool(const Message& message) {
  const auto name = message.params.find("name");
  if (message.method != "tools/call" || name == message.params.end()) {
    return {};
  }
  const auto* const text = name->get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

}  // namespace

void log_refusal(const LogSender& sender, std::string_view method, std::string_view path,
                 int status, std::string_view reason) {
  surely([&] { metric_cell(Metric::kRefusals, {std::to_string(status)}).add(); });
  or_lost([&] {
    const std::string code = std::to_string(status);
    Line line(sender);
    add_http(line, method, path);
    line.add("status", code);
    line.add("reason", reason);
    line.log(LogLevel::kInfo, "http");
  });
}

void log_page(const LogSender& sender, std::string_view method, std::string_view path, int status) {
  or_lost([&] {
    const std::string code = std::to_string(status);
    Line line(sender);
    add_http(line, method, path);
    line.add("status", code);
    line.log(LogLevel::kDebug, "http");
  });
}

void log_malformed(const LogSender& sender, int code, std::string_view reason) {
  or_lost([&] {
    const std::string number = std::to_string(code);
    Line line(sender);
    line.add("status", number);
    line.add("reason", reason);
    line.log(LogLevel::kInfo, "request");
  });
}

void McpServer::log_answered(const Call& call, Clock::duration spent, std::string_view outcome) {
  const Message& message = call.message;
  const std::string client = client_of(message, call.context.client);
  const std::string id =
      message.id.is_string() ? message.id.get<std::string>() : to_line(message.id);
  const std::string ms =
      decimal(std::chrono::duration<double, std::milli>(spent).count(), kDigitsOfMs);
  Line line({client, call.context.principal->name});
  line.add("method", message.method);
  for (const char* field : {"name", "uri"}) {
    const auto what = message.params.find(field);
    if (what != message.params.end() && what->is_string()) {
      line.add(field, what->get_ref<const std::string&>());
    }
  }
  line.add("id", id);
  line.add("status", outcome.empty() ? "ok" : outcome);
  line.add("ms", ms);
  line.log(LogLevel::kInfo, "request");
}

void McpServer::log_request(const Call& call, Clock::time_point started, const Reply& reply) const {
  const std::string_view tool = called_tool(call.message);
  counts_->answered(call.message.method, tool, reply.outcome, Clock::now() - started);
  if (!call.context.span.empty()) {
    surely([&] {
      add_request_span(
          {.name = call.message.method +
                   (tool.empty() ? "" : " " + std::string(tool.substr(0, kMaxToolName))),
           .trace = trace_of_request(call.context.request_id),
           .id = call.context.span,
           .parent = call.context.parent_span,
           .attributes = {{"client.address", call.context.client},
                          {"mcp.method.name", call.message.method},
                          {"warpsmith.principal", call.context.principal->name}},
           .error = reply.outcome},
          started);
    });
  }
  if (call.context.logged && is_logged(LogLevel::kInfo)) {
    const RequestScope scope(call.context.request_id);  // The last word may be another request's.
    or_lost([&] { log_answered(call, Clock::now() - started, reply.outcome); });
  }
}

}  // namespace ws::server
