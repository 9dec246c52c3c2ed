#include "runtime/reference/host_session.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "runtime/queue/launch_time.h"
#include "runtime/reference/wire.h"

namespace ws {
namespace {

constexpr std::uint64_t kMaxArenaBytes = std::uint64_t{4} << 30U;
/// To parse and check, or to start an interpreter and import its libraries: PyTorch takes ten
/// seconds on some machines.
constexpr std::chrono::seconds kLoadLimit{60};
/// A check answers a request outside any lane, and may hold gigabytes.
constexpr int kChecksAtOnce = 2;

HostReply gone(HostVerdict verdict, std::string message) {
  HostReply reply;
  reply.verdict = verdict;
  reply.message = std::move(message);
  return reply;
}

/// No limit ends a process with such a signal: the executor, or a library of the program, is at
/// fault.
bool is_crash(int signal) {
  constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
  return std::find(kCrashes.begin(), kCrashes.end(), signal) != kCrashes.end();
}

/// Large libraries that a program's text names: they are imported only then.
std::vector<std::string> named_libraries(const std::string& source) {
  std::vector<std::string> libraries;
  for (const char* name : {"torch", "scipy"}) {
    if (source.find(name) != std::string::npos) {
      libraries.emplace_back(name);
    }
  }
  return libraries;
}

}  // namespace

Result<HostReply> HostSession::ask(const std::function<void(const WorkerCall&)>& request,
                                   std::chrono::milliseconds limit, const std::stop_token& stop) {
  const auto used = process_->used().value_or(std::chrono::nanoseconds(0));
  const auto start = Clock::now();
  const Result<std::string> answer = [&] {
    const WorkerCall call(process_->socket(), stop);
    request(call);
    return wait(call, limit, start, used);
  }();
  if (!answer && answer.error().code == ErrorCode::kCancelled) {
    process_->end();
    return fail(answer.error());
  }
  if (!answer && answer.error().code == ErrorCode::kTimeout) {
    process_->end();
    return gone(HostVerdict::kTimeout,
                "the program ran past its limit of " + std::to_string(limit.count()) + " ms");
  }
  Result<HostReply> reply =
      answer ? decode_host_reply(*answer) : Result<HostReply>(fail(answer.error()));
  if (!reply || reply->ended) {
    WS_TRY(const int signal, process_->end_lost(reply ? reply->ended : std::nullopt));
    return gone(is_crash(signal) ? HostVerdict::kCrashed : HostVerdict::kDied,
                "the program's process ended" +
                    (signal == 0 ? std::string() : " by signal " + std::to_string(signal)));
  }
  return reply;
}

Result<std::string> HostSession::wait(const WorkerCall& call, std::chrono::milliseconds limit,
                                      Clock::time_point start,
                                      std::chrono::nanoseconds used_before) const {
  if (language_ == HostLanguage::kPython) {
    return call.wait(kMaxHostReply, start + limit);
  }
  return wait_for_launch(call, kMaxHostReply, limit, start,
                         [&]() -> Result<std::chrono::nanoseconds> {
                           WS_TRY(const std::chrono::nanoseconds now, process_->used());
                           return now - used_before;
                         });
}

Result<HostReply> HostSession::load(const HostJob& job, const std::stop_token& stop) {
  return ask([&](const WorkerCall& /*call*/) { process_->start(encode(job), arena_->fd()); },
             kLoadLimit, stop);
}

Result<HostReply> HostSession::run(std::chrono::milliseconds limit, const std::stop_token& stop) {
  // A worker that is gone may have said something before.
  return ask([](const WorkerCall& call) { [[maybe_unused]] const Status sent = call.send(""); },
             limit, stop);
}

HostWorkers::HostWorkers(HostOptions options)
    : options_(std::move(options)),
      cuir_({options_.executable, "cuir", 1, WorkerOutput::kKept}),
      python_(options_.executable, "python") {}

Result<HostWorkers::Opened> HostWorkers::open(HostJob job, const std::stop_token& stop) {
  if (job.language == HostLanguage::kPython) {
    return open_python(std::move(job), stop);
  }
  return load(
      [this]() -> Result<std::unique_ptr<HostProcess>> {
        WS_TRY(WorkerProcess process, cuir_.take());
        return std::make_unique<OwnProcess>(std::move(process));
      },
      std::move(job), stop);
}

Result<HostReply> HostWorkers::check(HostJob job, const std::stop_token& stop) {
  {
    std::unique_lock lock(checks_mutex_);
    if (!check_ended_.wait(lock, stop, [this] { return checks_ < kChecksAtOnce; })) {
      return fail(ErrorCode::kCancelled, "the call was cancelled");
    }
    ++checks_;
  }
  const auto opened = open(std::move(job), stop);
  const std::lock_guard lock(checks_mutex_);
  --checks_;
  check_ended_.notify_one();
  return opened ? Result<HostReply>(opened->refusal) : fail(opened.error());
}

Result<HostWorkers::Opened> HostWorkers::open_python(HostJob job, const std::stop_token& stop) {
  if (!options_.python) {
    return fail(ErrorCode::kUnsupported, "references of kind `python` are off in this server",
                "start it with --allow-python-reference, or use kind `cuir` or `kernel`");
  }
  PythonStart start{.interpreter = {}, .libraries = named_libraries(job.source)};
  WS_TRY(start.interpreter, interpreter(start.libraries, stop));
  return load_python(start, std::move(job), stop);
}

Result<HostWorkers::Opened> HostWorkers::load_python(const PythonStart& start, HostJob job,
                                                     const std::stop_token& stop) {
  return load([&] { return python_.copy(start); }, std::move(job), stop);
}

Result<std::string> HostWorkers::first_that_runs(const std::string& probe,
                                                 const std::vector<std::string>& candidates,
                                                 const std::stop_token& stop) {
  HostJob job;  // A job without foreign code: a program that ends an interpreter may not be taken
                // for a lack of one.
  job.language = HostLanguage::kPython;
  job.source = probe;
  for (const std::string& candidate : candidates) {
    WS_TRY(const Opened opened, load_python({candidate, named_libraries(probe)}, job, stop));
    if (opened.refusal.ok()) {
      return candidate;
    }
  }
  return std::string();
}

Result<std::string> HostWorkers::interpreter(const std::vector<std::string>& libraries,
                                             const std::stop_token& stop) {
  constexpr const char* kProbe = "def reference(inputs, dims): pass";
  const std::lock_guard lock(mutex_);
  if (std::find(libraries.begin(), libraries.end(), "torch") != libraries.end()) {
    if (torch_interpreter_.empty()) {
      WS_TRY(torch_interpreter_, first_that_runs(std::string("import torch\n") + kProbe,
                                                 options_.torch_interpreters, stop));
    }
    if (!torch_interpreter_.empty()) {
      return torch_interpreter_;
    }
  }
  if (interpreter_.empty()) {
    WS_TRY(interpreter_, first_that_runs(kProbe, options_.interpreters, stop));
  }
  if (interpreter_.empty()) {
    return fail(ErrorCode::kUnsupported, "no Python interpreter here imports numpy",
                "install the package python3-numpy");
  }
  return interpreter_;
}

Result<HostWorkers::Opened> HostWorkers::load(const TakeProcess& take, HostJob job,
                                              const std::stop_token& stop) {
  std::vector<BufferSpec> specs;
  specs.reserve(job.tensors.size());
  for (const HostTensor& tensor : job.tensors) {
    specs.push_back(wire_spec(tensor));
  }
  WS_TRY(const std::shared_ptr<Arena> arena, Arena::create(specs, kMaxArenaBytes));
  for (std::size_t i = 0; i < job.tensors.size(); ++i) {
    job.tensors[i].offset = arena->offset(i);
  }
  job.arena_bytes = arena->bytes();
  WS_TRY(std::unique_ptr<HostProcess> process, take());
  auto session = std::make_unique<HostSession>(std::move(process), arena, job.language);
  Opened opened;
  WS_TRY(opened.refusal, session->load(job, stop));
  if (opened.refusal.ok()) {
    opened.session = std::move(session);
  }
  return opened;
}

}  // namespace ws
