#include "server/transport/stdio_transport.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/base/log.h"
#include "runtime/base/no_memory.h"
#include "server/memory_reserve.h"
#include "server/protocol/message.h"
#include "server/protocol/request_log.h"
#include "server/transport/call_pool.h"
#include "server/transport/line_reader.h"
#include "server/transport/outbox.h"
#include "server/transport/request_ids.h"

namespace ws::server {
namespace {

constexpr auto kGraceAtEnd = std::chrono::seconds(1);
constexpr auto kGraceAfterEnd = std::chrono::seconds(5);
constexpr const char* kClient = "stdio";
constexpr const char* kUnread =
    "256 MiB of answers were not read: this is the last one, and the connection ends";
constexpr const char* kTooManyLines = "busy: too many requests are queued; wait for answers";

using Work = std::function<void(SendReply)>;

/// The state that the threads of one session share. It outlives `run` when a request does not stop.
struct StdioSession {
  StdioSession(int in, int out, int stop_fd)
      : reader(in, stop_fd, kMaxBodyBytes),
        outbox(out, {.last_line = error_line(nullptr, {rpc::kInternal, kUnread, nullptr}),
                     .ended = [this] { end_reading(); }}) {
    reader.also_stop(unread.get());
  }

  void end_reading() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t count = ::write(unread.get(), &one, sizeof(one));
  }

  const Fd unread{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};  // readable: nobody reads what is sent
  StdioConnection connection;
  LineReader reader;  // Used by one thread at a time: the one that read_on() runs on.
  std::promise<LineReader::Event> ended;
  Outbox outbox;
  CallPool pool;
};

void refuse_line(StdioSession& session, const Json& id, int code, const char* message) {
  std::string line;
  surely([&] { line = error_line(id, {code, message, nullptr}); });
  session.outbox.send(std::move(line));
}

/// Null where there is no memory to look.
Json id_of(std::string_view text) {
  try {
    const RpcResult<Json> value = parse_json(text);
    return value ? usable_id(*value) : Json();
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void too_busy(StdioSession& session, std::string_view text) {
  log_malformed({kClient}, rpc::kInternal, kTooManyLines);
  // Rare, so the second parse for the id does not matter.
  refuse_line(session, id_of(text), rpc::kInternal, kTooManyLines);
}

RequestContext context_for(StdioSession& session) {
  RequestContext context;
  context.connection = &session.connection;
  context.client = kClient;
  context.request_id = drawn_request_id();
  context.end = session.connection.end.get_token();
  context.logged = true;
  context.notify = [&session](std::string line) { session.outbox.send(std::move(line)); };
  context.go_on = [&session](const std::function<void()>& rest) { session.pool.go_on(rest); };
  return context;
}

/// The reader goes on even where there is no memory for one message.
Accepted accept_safely(const McpServer& server, StdioSession& session, std::string_view text) {
  try {
    return server.accept(text, context_for(session));
  } catch (const std::exception& error) {
    keep_memory_reserve();
    log(LogLevel::kError, "stdio", "a message is not answered:");
    log(LogLevel::kError, "stdio", error.what());
    Accepted accepted;
    surely([&] {
      accepted.reply = Reply{.body = error_line(nullptr, {rpc::kInternal, kNoMemory, nullptr})};
    });
    return accepted;
  }
}

/// Answers a request that is quick; the work of one that may take its time.
Work accept_line(const McpServer& server, StdioSession& session) {
  const std::string_view text = session.reader.line();
  if (text.empty()) {
    return {};
  }
  Accepted accepted = accept_safely(server, session, text);
  if (!accepted.reply) {
    return std::move(accepted.work);
  }
  if (!accepted.reply->body.empty()) {
    session.outbox.send(std::move(accepted.reply->body));
  }
  return {};
}

/// Reads on until a request comes that may take its time: its work. Nothing: the input ended.
Work next_work(const McpServer& server, StdioSession& session) noexcept {
  for (;;) {
    auto event = LineReader::Event::kEnd;
    surely([&] { event = session.reader.next(); });
    if (event == LineReader::Event::kLine) {
      if (Work work = accept_line(server, session)) {
        return work;
      }
    } else if (event == LineReader::Event::kTooLong) {
      refuse_line(session, nullptr, rpc::kParseError, "the message is larger than 16 MiB");
    } else {
      session.ended.set_value(event);
      return {};
    }
  }
}

void answer(StdioSession& session, const Work& work, const CallPool::Open& open) {
  SendReply send;
  surely([&] {
    send = [&session, open](Reply reply) {
      if (!reply.body.empty()) {
        session.outbox.send(std::move(reply.body));
      }
    };
  });
  work(std::move(send));
}

/// Another thread takes over the reading while this one works: waking that one costs the client
/// nothing, unlike waking one for the work.
void read_on(const McpServer& server, StdioSession& session) {
  while (Work work = next_work(server, session)) {
    CallPool::Open open;
    surely([&] { open = session.pool.open(); });
    bool taken = false;
    surely([&] {
      taken = session.pool.threads().submit_now([&server, &session] { read_on(server, session); });
    });
    if (taken) {
      answer(session, work, open);
      return;
    }
    // All threads are at work. Somebody must read on: the next line may cancel what they do.
    open.reset();
    surely([&] {
      taken = session.pool.begin(
          [&session, work](const CallPool::Open& own) { answer(session, work, own); });
    });
    if (!taken) {
      work = nullptr;  // Its id is free again when the client reads why.
      too_busy(session, session.reader.line());
    }
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
  auto session = std::make_unique<StdioSession>(in_, out_, stop_fd_);
  if (!session->pool.threads().submit([this, &session = *session] { read_on(server_, session); })) {
    return true;  // The system has no thread to give; the pool has logged it.
  }
  const LineReader::Event event = session->ended.get_future().get();
  session->connection.end.request_stop();
  if (event == LineReader::Event::kEnd && session->pool.wait_idle(kGraceAtEnd)) {
    return true;
  }
  session->connection.in_flight.stop_all();
  if (session->pool.wait_idle(kGraceAfterEnd)) {
    return true;
  }
  // Its threads hold references into the session, so it is left to the end of the process.
  [[maybe_unused]] const StdioSession* left = session.release();
  return false;
}

}  // namespace ws::server
