#include "server/protocol/request_log.h"

#include <algorithm>
#include <exception>
#include <string>

#include "runtime/base/log_later.h"
#include "runtime/base/text.h"
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

std::string http_fields(std::string_view address, std::string_view method, std::string_view path) {
  std::string fields = "client=" + log_value(address);
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

}  // namespace

std::string log_value(std::string_view text) {
  const bool whole = text.size() <= kMaxValue;
  const std::string cut(text.substr(0, utf8_cut(text, kMaxValue)));
  return is_bare(cut) && whole ? cut : to_line(Json(whole ? cut : cut + "..."));
}

void log_refusal(std::string_view address, std::string_view method, std::string_view path,
                 int status, std::string_view reason) {
  log_line(LogLevel::kInfo, "http", [&] {
    return http_fields(address, method, path) + " status=" + std::to_string(status) +
           " reason=" + log_value(reason);
  });
}

void log_health(std::string_view address, std::string_view method, std::string_view path) {
  log_line(LogLevel::kDebug, "http",
           [&] { return http_fields(address, method, path) + " status=200"; });
}

void log_malformed(std::string_view client, int code, std::string_view reason) {
  log_line(LogLevel::kInfo, "request", [&] {
    return "client=" + log_value(client) + " status=" + std::to_string(code) +
           " reason=" + log_value(reason);
  });
}

void McpServer::log_request(const Call& call, Clock::time_point started, const Reply& reply) {
  if (!call.context.logged) {
    return;
  }
  const std::chrono::duration<double, std::milli> spent = Clock::now() - started;
  log_line(LogLevel::kInfo, "request", [&] {
    std::string line = "client=" + log_value(client_of(call.message, call.context.client)) +
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
