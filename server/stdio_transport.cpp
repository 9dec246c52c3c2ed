#include "server/stdio_transport.h"

#include <chrono>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "server/growing_pool.h"
#include "server/line_reader.h"
#include "server/message.h"
#include "server/outbox.h"

namespace ws {
namespace {

constexpr auto kGraceAtEnd = std::chrono::seconds(1);
constexpr auto kGraceAfterStop = std::chrono::seconds(5);

/// What the threads of one session use. Outlives `run` when a request does not stop.
struct Session {
  explicit Session(int out)
      : outbox(out),
        pool(GrowingPool::Options{}) {}

  Connection connection;
  Outbox outbox;
  GrowingPool pool;
};

void too_busy(Session& session, std::string_view text) {
  // Rare, so the second parse for the id does not matter.
  const RpcResult<Json> value = parse_json(text);
  const Json id = value ? usable_id(*value) : Json();
  [[maybe_unused]] const bool wanted = session.connection.in_flight.finish(id);
  session.outbox.send(error_line(
      id, {rpc::kInternal, "busy: too many requests are queued; wait for answers", nullptr}));
}

void serve_line(const McpServer& server, Session& session, std::string_view text) {
  if (text.empty()) {
    return;
  }
  RequestContext context;
  context.connection = &session.connection;
  context.notify = [&session](std::string line) { session.outbox.send(std::move(line)); };
  Accepted accepted = server.accept(text, context);
  if (accepted.reply) {
    if (!accepted.reply->body.empty()) {
      session.outbox.send(std::move(accepted.reply->body));
    }
    return;
  }
  const bool queued = session.pool.submit([&session, work = std::move(accepted.work)] {
    Reply reply = work();
    if (!reply.body.empty()) {
      session.outbox.send(std::move(reply.body));
    }
  });
  if (!queued) {
    too_busy(session, text);
  }
}

void refuse_long_line(Session& session) {
  session.outbox.send(
      error_line(nullptr, {rpc::kParseError, "the message is larger than 16 MiB", nullptr}));
}

}  // namespace

Result<Fd> take_stdout() {
  Fd out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!out.valid()) {
    return fail_errno("dup", "cannot use stdout");
  }
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return fail_errno("dup2", "cannot point stdout at stderr");
  }
  return out;
}

StdioTransport::StdioTransport(const McpServer& server, int in, int out, int stop_fd)
    : server_(server),
      in_(in),
      out_(out),
      stop_fd_(stop_fd) {}

bool StdioTransport::run() {
  auto session = std::make_unique<Session>(out_);
  LineReader reader(in_, stop_fd_, kMaxBodyBytes);
  LineReader::Event event = reader.next();
  for (; event == LineReader::Event::kLine || event == LineReader::Event::kTooLong;
       event = reader.next()) {
    if (event == LineReader::Event::kLine) {
      serve_line(server_, *session, reader.line());
    } else {
      refuse_long_line(*session);
    }
  }
  if (event == LineReader::Event::kEnd && session->pool.wait_idle(kGraceAtEnd)) {
    return true;
  }
  session->connection.in_flight.stop_all();
  if (session->pool.wait_idle(kGraceAfterStop)) {
    return true;
  }
  // Its threads hold references into the session, so it is left to the end of the process.
  [[maybe_unused]] const Session* left = session.release();
  return false;
}

}  // namespace ws
