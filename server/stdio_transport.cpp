#include "server/stdio_transport.h"

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/log.h"
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
  Session(const McpServer& mcp, int in, int out, int stop_fd)
      : server(mcp),
        reader(in, stop_fd, kMaxBodyBytes),
        outbox(out),
        pool(GrowingPool::Options{}) {}

  const McpServer& server;
  LineReader reader;  ///< Of the thread that reads; handed on with that part.
  Connection connection;
  Outbox outbox;
  std::promise<LineReader::Event> read_all;  ///< kEnd or kStopped.
  GrowingPool pool;                          ///< Last: its threads use the rest.
};

void too_busy(Session& session, std::string_view text) {
  // Rare, so the second parse for the id does not matter.
  const RpcResult<Json> value = parse_json(text);
  const Json id = value ? usable_id(*value) : Json();
  [[maybe_unused]] const bool wanted = session.connection.in_flight.finish(id);
  session.outbox.send(error_line(
      id, {rpc::kInternal, "busy: too many requests are queued; wait for answers", nullptr}));
}

void read_lines(Session& session);

void run_work(Session& session, const std::function<Reply()>& work) {
  Reply reply = work();
  if (!reply.body.empty()) {
    session.outbox.send(std::move(reply.body));
  }
}

/// What the caller has to do once another thread reads; empty: the caller reads on.
std::function<Reply()> serve_line(Session& session, std::string_view text) {
  if (text.empty()) {
    return {};
  }
  RequestContext context;
  context.connection = &session.connection;
  context.notify = [&session](std::string line) { session.outbox.send(std::move(line)); };
  Accepted accepted = session.server.accept(text, context);
  if (accepted.reply) {
    if (!accepted.reply->body.empty()) {
      session.outbox.send(std::move(accepted.reply->body));
    }
    return {};
  }
  // The thread that read a request also answers it, and the next one reads: a client that waits
  // does not wait for a thread to wake up. Where none is free reading goes on, for cancels.
  if (session.pool.submit_if_free([&session] { read_lines(session); })) {
    return std::move(accepted.work);
  }
  if (!session.pool.submit(
          [&session, work = std::move(accepted.work)] { run_work(session, work); })) {
    too_busy(session, text);
  }
  return {};
}

void refuse_long_line(Session& session) {
  session.outbox.send(
      error_line(nullptr, {rpc::kParseError, "the message is larger than 16 MiB", nullptr}));
}

/// Serves until the input ends, which is told, or another thread takes over.
std::function<Reply()> serve_lines(Session& session) {
  while (true) {
    const LineReader::Event event = session.reader.next();
    if (event == LineReader::Event::kTooLong) {
      refuse_long_line(session);
    } else if (event != LineReader::Event::kLine) {
      session.read_all.set_value(event);
      return {};
    } else if (std::function<Reply()> work = serve_line(session, session.reader.line())) {
      return work;
    }
  }
}

void read_lines(Session& session) {
  std::function<Reply()> work;
  try {
    work = serve_lines(session);
  } catch (const std::exception& error) {  // Memory has run out, most likely.
    log(LogLevel::kError, "stdio", std::string("reading ended in an exception: ") + error.what());
    session.read_all.set_value(LineReader::Event::kEnd);
    return;
  }
  if (work) {
    run_work(session, work);
  }
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
  auto session = std::make_unique<Session>(server_, in_, out_, stop_fd_);
  if (!session->pool.submit([&session = *session] { read_lines(session); })) {
    return true;  // No thread can be started; the pool has said so.
  }
  const LineReader::Event event = session->read_all.get_future().get();
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
