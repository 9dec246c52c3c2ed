#include "runtime/reference/python_host.h"

#include <array>
#include <thread>

#include <sys/socket.h>

#include "runtime/base/clock.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/memory_file.h"
#include "runtime/queue/worker_output.h"

namespace ws {
namespace {

constexpr std::chrono::minutes kIdle{5};
/// From the end of a copy's socket to the end of the interpreter itself.
constexpr std::chrono::milliseconds kSocketToEnd{200};
constexpr std::chrono::milliseconds kPoll{1};

}  // namespace

class PythonHost::Copy final : public HostProcess {
 public:
  Copy(std::shared_ptr<PythonHost> host, std::uint64_t number, Fd ours, Fd theirs,
       OutputPipe output)
      : host_(std::move(host)),
        number_(number),
        socket_(std::move(ours)),
        theirs_(std::move(theirs)),
        output_(std::move(output)) {}

  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  ~Copy() override { end_by(0); }

  [[nodiscard]] int socket() const override { return socket_.get(); }

  void start(const std::string& job, int arena) override {
    if (const Result<Fd> text = memory_file(job)) {
      const std::array passed = {theirs_.get(), arena, text->get(), output_.write.get()};
      [[maybe_unused]] const Status sent = host_->send("start " + std::to_string(number_), passed);
    }
    theirs_.reset();
    output_.write.reset();
  }

  [[nodiscard]] Result<std::chrono::nanoseconds> used() const override {
    return fail(ErrorCode::kInternal, "a Python program's limit is by the clock");
  }

  void end() override { end_by(0); }

  Result<int> end_lost(std::optional<int> told) override {
    int signal = told.value_or(0);
    if (!told) {
      WS_TRY(signal, host_->end_lost());
    }
    end_by(signal);
    WS_CHECK(check_not_killed(signal));
    return signal;
  }

 private:
  void end_by(int signal) {
    if (socket_.valid()) {
      socket_.reset();
      host_->end_copy(number_);
      log_output(host_->role_, host_->pid_, signal, take_output(output_.read));
    }
  }

  const std::shared_ptr<PythonHost> host_;
  const std::uint64_t number_;
  Fd socket_;
  Fd theirs_;
  OutputPipe output_;
};

PythonHost::PythonHost(WorkerProcess process, std::string role, const PythonStart& start)
    : pid_(process.pid()),
      role_(std::move(role)),
      process_(std::move(process)) {
  // If it is gone, its first session finds that.
  [[maybe_unused]] const Status sent = send_frame(process_.socket(), encode(start));
  ender_ = std::jthread([this](const std::stop_token& stop) { end_when_idle(stop); });
}

bool PythonHost::is_there() {
  const std::lock_guard lock(mutex_);
  return !ended_ && !process_.has_ended();
}

Result<std::unique_ptr<HostProcess>> PythonHost::copy() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return fail_errno("socketpair", "cannot start a session");
  }
  Fd ours(pair[0]);
  Fd theirs(pair[1]);
  WS_TRY(OutputPipe output, OutputPipe::open());
  const std::lock_guard lock(mutex_);
  if (ended_) {
    return nullptr;
  }
  auto copy = std::make_unique<Copy>(shared_from_this(), last_number_ + 1, std::move(ours),
                                     std::move(theirs), std::move(output));
  ++last_number_;
  ++copies_;
  return copy;
}

Status PythonHost::send(const std::string& message, std::span<const int> descriptors) {
  const std::lock_guard lock(mutex_);
  return send_frame(process_.socket(), message, descriptors);
}

void PythonHost::end_copy(std::uint64_t number) {
  // It is short enough to need no memory, which may have run out.
  [[maybe_unused]] const Status sent = send("end " + std::to_string(number), {});
  const std::lock_guard lock(mutex_);
  --copies_;
  changed_.notify_all();
}

Result<int> PythonHost::end_lost() {
  const auto deadline = Clock::now() + kSocketToEnd;
  while (Clock::now() < deadline) {
    {
      const std::lock_guard lock(mutex_);
      if (!ended_ && process_.has_ended()) {
        signal_ = process_.finish();
        ended_ = true;
      }
      if (ended_) {
        return signal_;
      }
    }
    std::this_thread::sleep_for(kPoll);
  }
  return 0;  // It is there: the copy broke the protocol.
}

void PythonHost::end_when_idle(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return copies_ == 0; })) {
    if (!changed_.wait_for(lock, stop, kIdle, [this] { return copies_ > 0; })) {
      if (!stop.stop_requested() && !ended_) {
        process_.finish();
        ended_ = true;
      }
      return;
    }
  }
}

PythonHosts::PythonHosts(const std::string& executable, const std::string& role)
    : role_(role),
      pool_({executable, role, 0, WorkerOutput::kKept}) {}

Result<std::unique_ptr<HostProcess>> PythonHosts::copy(const PythonStart& start) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<PythonHost>& host = hosts_[encode(start)];
  if (host && host->is_there()) {
    WS_TRY(std::unique_ptr<HostProcess> copy, host->copy());
    if (copy) {
      return copy;
    }
  }
  WS_TRY(WorkerProcess process, pool_.take());
  host = std::make_shared<PythonHost>(std::move(process), role_, start);
  return host->copy();
}

}  // namespace ws
