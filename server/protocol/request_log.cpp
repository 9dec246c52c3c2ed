#include "server/protocol/request_log.h"

#include <algorithm>
#include <exception>
#include <string>

#include "runtime/base/log_later.h"
#include "runtime/base/metrics.h"
#include "runtime/base/no_memory.h"
#include "runtime/base/request_id.h"
#include "runtime/base/text.h"
#include "runtime/base/trace.h"
#include "server/protocol/methods.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxValue = 200;

bool is_bare(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f && c != '"' && c != '=' && c != '\\';
  });
}

std::string sender_fields(const LogSender& sender) {
  std::string fields = "client=" + log_value(sender.client);
  if (sender.principal != kLocalPrincipal) {
    fields.append(" principal=").append(sender.principal);
  }
  return fields;
}

std::string http_fields(const LogSender& sender, std::string_view method, std::string_view path) {
  std::string fields = sender_fields(sender);
  if (!method.empty()) {
    fields += " http=" + log_value(method) + " path=" + log_value(path);
  }
  return fields;
}

/// A line that there is no memory for is lost, not the answer that it is about.
template <typename Make>
void log_line(LogLevel level, const char* module, const Make& make) noexcept {
  try {
    log_later(level, module, make());
  } catch (const std::exception& error) {
    log(LogLevel::kError, module, error.what());
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

std::string log_value(std::string_view text) {
  const bool whole = text.size() <= kMaxValue;
  const std::string cut(text.substr(0, utf8_cut(text, kMaxValue)));
  return is_bare(cut) && whole ? cut : to_line(Json(whole ? cut : cut + "..."));
}

void log_refusal(const LogSender& sender, std::string_view method, std::string_view path,
                 int status, std::string_view reason) {
  surely([&] { metric_cell(Metric::kRefusals, {std::to_string(status)}).add(); });
  log_line(LogLevel::kInfo, "http", [&] {
    return http_fields(sender, method, path) + " status=" + std::to_string(status) +
           " reason=" + log_value(reason);
  });
}

void log_page(const LogSender& sender, std::string_view method, std::string_view path, int status) {
  log_line(LogLevel::kDebug, "http",
           [&] { return http_fields(sender, method, path) + " status=" + std::to_string(status); });
}

void log_malformed(const LogSender& sender, int code, std::string_view reason) {
  log_line(LogLevel::kInfo, "request", [&] {
    return sender_fields(sender) + " status=" + std::to_string(code) +
           " reason=" + log_value(reason);
  });
}

void McpServer::log_request(const Call& call, Clock::time_point started, const Reply& reply) const {
  const std::string_view tool = called_tool(call.message);
  counts_->answered(call.message.method, tool, reply.outcome, Clock::now() - started);
  if (!call.context.span.empty()) {
    surely([&] {
      add_request_span({.name = call.message.method + (tool.empty() ? "" : " " + log_value(tool)),
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
  if (!call.context.logged) {
    return;
  }
  const RequestScope scope(call.context.request_id);  // The last word may be another request's.
  const std::chrono::duration<double, std::milli> spent = Clock::now() - started;
  log_line(LogLevel::kInfo, "request", [&] {
    const std::string client = client_of(call.message, call.context.client);
    std::string line = sender_fields({client, call.context.principal->name}) +
                       " method=" + log_value(call.message.method);
    for (const char* field : {"name", "uri"}) {
      const auto what = call.message.params.find(field);
      if (what != call.message.params.end() && what->is_string()) {
        line += std::string(" ") + field + "=" + log_value(what->get_ref<const std::string&>());
      }
    }
    const Json& id = call.message.id;
    line += " id=" + log_value(id.is_string() ? id.get<std::string>() : to_line(id)) +
            " status=" + (reply.outcome.empty() ? "ok" : log_value(reply.outcome)) +
            " ms=" + decimal(spent.count(), 2);
    return line;
  });
}

}  // namespace ws::server
