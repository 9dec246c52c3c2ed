#include "runtime/queue/worker_call.h"

#include <utility>

#include <sys/socket.h>

#include "runtime/queue/frame.h"

namespace ws {
namespace {

Status cancelled() {
  return fail(ErrorCode::kCancelled, "the call was cancelled");
}

}  // namespace

WorkerCall::WorkerCall(int socket, std::stop_token stop)
    : socket_(socket),
      stop_(std::move(stop)),
      on_stop_(stop_, [socket] { ::shutdown(socket, SHUT_RDWR); }) {}

Status WorkerCall::send(std::string_view payload, int pass_fd) const {
  const Status sent = send_frame(socket_, payload, pass_fd);
  return stop_.stop_requested() ? cancelled() : sent;
}

Result<std::string> WorkerCall::wait(std::size_t limit, Clock::time_point deadline) const {
  Result<Received> frame = receive_frame(socket_, limit, deadline);
  WS_CHECK(stop_.stop_requested() ? cancelled() : Status());
  WS_TRY(Received answer, std::move(frame));
  return std::move(answer.payload);
}

Result<std::string> ask_worker(const WorkerProcess& worker, std::string_view question,
                               std::size_t limit, Clock::time_point deadline,
                               const std::stop_token& stop, int pass_fd) {
  const WorkerCall call(worker.socket(), stop);
  [[maybe_unused]] const Status sent = call.send(question, pass_fd);
  return call.wait(limit, deadline);
}

Result<int> end_lost_worker(WorkerProcess& worker, std::chrono::milliseconds grace) {
  const int signal = worker.finish(grace);
  WS_CHECK(check_not_killed(signal));
  return signal;
}

}  // namespace ws
