#include "server/protocol/open_reply.h"

#include <exception>
#include <string>
#include <utility>

#include "runtime/base/log.h"
#include "runtime/base/no_memory.h"
#include "server/protocol/message.h"

namespace ws::server {
namespace {

Reply failure(const Json& id, const char* message) {
  return Reply{.body = error_line(id, {rpc::kInternal, message, nullptr}),
               .outcome = std::to_string(rpc::kInternal)};
}

void log_unsent(const std::exception& error) {
  log(LogLevel::kError, "request", "an answer could not be sent:");
  log(LogLevel::kError, "request", error.what());
}

}  // namespace

OpenReply::OpenReply(Json id, std::function<void(Reply&)> last)
    : id_(std::move(id)),
      last_(std::move(last)) {}

OpenReply::~OpenReply() {
  if (send_ && !sent_) {
    Reply lost;
    surely([&] { lost = failure(id_, "the request ended without an answer"); });
    send(std::move(lost));
  }
}

void OpenReply::send(Reply reply) noexcept {
  if (!send_ || sent_.exchange(true)) {
    return;
  }
  const SendReply send = std::exchange(send_, nullptr);
  try {
    last_(reply);
    send(std::move(reply));
    return;
  } catch (const std::exception& error) {
    log_unsent(error);
  }
  try {
    surely([&] { send(failure(id_, kNoMemory)); });
  } catch (const std::exception& error) {
    log_unsent(error);
  }
}

}  // namespace ws::server
