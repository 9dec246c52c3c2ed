#include "server/operate/operation.h"

#include <filesystem>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/compile/store_folder.h"
#include "runtime/queue/process.h"
#include "runtime/queue/work_quotas.h"
#include "runtime/queue/worker_count.h"
#include "runtime/session/node_jobs.h"
#include "server/operate/work_rows.h"

namespace ws::server {
namespace {

constexpr auto kLookAgain = std::chrono::seconds(1);

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void add_process(std::vector<MetricSample>& samples, std::int64_t started_ms) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  samples.push_back(
      {Metric::kProcessCpu, {}, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)});
  std::uint64_t pages = 0;
  if (const auto memory = read_file("/proc/self/statm"); memory) {
    const std::size_t second = memory->find(' ');
    pages = std::strtoull(memory->c_str() + std::min(second, memory->size()), nullptr, 10);
  }
  samples.push_back({Metric::kProcessMemory,
                     {},
                     static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE))});
  std::error_code error;
  std::size_t files = 0;
  for (auto at = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    ++files;
  }
  samples.push_back({Metric::kProcessFiles, {}, static_cast<double>(files)});
  samples.push_back({Metric::kProcessStart, {}, static_cast<double>(started_ms) / 1000});
}

void add_archive(std::vector<MetricSample>& samples, ArchiveUsage& usage) {
  const Result<ArchiveNumbers> numbers = usage.numbers();
  if (!numbers) {
    log(LogLevel::kWarning, "metrics", to_text(numbers.error()));
    return;
  }
  const auto add = [&samples](Metric metric, const char* label, auto value) {
    samples.push_back({metric, {label}, static_cast<double>(value)});
  };
  add(Metric::kArchiveBytes, "database", numbers->file_bytes);
  add(Metric::kArchiveBytes, "log", numbers->log_bytes);
  add(Metric::kArchiveRows, "problems", numbers->problems);
  add(Metric::kArchiveRows, "kernels", numbers->kernels);
  add(Metric::kArchiveRows, "evidence", numbers->evidence);
  constexpr int kMostOwners = 1000;
  const Result<std::vector<OwnerBytes>> owners = usage.owners(kMostOwners);
  for (const OwnerBytes& one : owners.value_or(std::vector<OwnerBytes>())) {
    samples.push_back({Metric::kPrincipalStored, {one.owner}, static_cast<double>(one.bytes)});
  }
}

}  // namespace

Operation::Operation(Services& services, const McpServer& server, std::string version,
                     std::unique_ptr<ArchiveUsage> usage)
    : services_(services),
      server_(server),
      version_(std::move(version)),
      usage_(std::move(usage)),
      started_ms_(unix_ms()),
      counting_([folder = services.options.data_dir / kStoreFolder] {
        if (const auto cache = store_usage(folder); cache) {
          note_cache_bytes(cache->bytes);
        }
      }) {}

Result<std::unique_ptr<Operation>> Operation::open(Services& services, const McpServer& server,
                                                   std::string version) {
  WS_TRY(auto usage, ArchiveUsage::open(services.options.archive()));
  return std::unique_ptr<Operation>(
      new Operation(services, server, std::move(version), std::move(usage)));
}

std::vector<MetricSample> Operation::look_up() const {
  std::vector<MetricSample> samples = {
      {Metric::kBuildInfo, {version_}, 1},
      {Metric::kDraining, {}, server_.draining() ? 1.0 : 0.0},
      {Metric::kSessions, {}, static_cast<double>(server_.sessions().size())}};
  for (const LaneState& lane : services_.jobs->lanes()) {
    samples.push_back({Metric::kJobs, {lane.name, "queued"}, static_cast<double>(lane.queued)});
    samples.push_back({Metric::kJobs, {lane.name, "running"}, static_cast<double>(lane.running)});
    for (const Device& device : services_.devices) {
      if (device.id == lane.name) {
        samples.push_back({Metric::kDeviceBusy, {lane.name}, lane.busy_s});
      }
    }
  }
  for (const WorkUse& use : work_quotas().uses()) {
    samples.push_back({Metric::kPrincipalSeconds, {use.principal, "compile"}, use.compile_s});
    samples.push_back({Metric::kPrincipalSeconds, {use.principal, "device"}, use.device_s});
  }
  add_archive(samples, *usage_);
  add_process(samples, started_ms_);
  return samples;
}

std::string Operation::metrics() const {
  return metrics_text(look_up());
}

std::optional<std::string> Operation::find_fault() const {
  if (const Status written = usage_->try_write(); !written) {
    log(LogLevel::kError, "server", to_text(written.error()));
    return "the archive cannot be written; the log says why";
  }
  if (!last_worker_started()) {
    // Nobody may have asked for a worker since: whether one can be started now decides.
    const auto worker = WorkerProcess::start(services_.options.executable, "run");
    if (!worker) {
      log(LogLevel::kError, "server", to_text(worker.error()));
      return "no worker process can be started; the log says why";
    }
  }
  return {};
}

std::optional<std::string> Operation::unready() {
  if (server_.draining()) {
    return "the server is stopping";
  }
  const std::lock_guard lock(mutex_);
  if (!looked_ || Clock::now() - *looked_ >= kLookAgain) {
    fault_ = find_fault();
    looked_ = Clock::now();
  }
  return fault_;
}

Json Operation::status() const {
  Json sessions = Json::array();
  for (const SessionFacts& session : server_.sessions()) {
    sessions.push_back({{"session", session.id},
                        {"client", session.client},
                        {"principal", session.principal},
                        {"idle_s", session.idle_s}});
  }
  Json workers = Json::object();
  for (const MetricSample& role : counted(Metric::kWorkers)) {
    workers[role.labels.front()] = role.value;
  }
  const std::chrono::duration<double> up = Clock::now() - started_;
  return {{"version", version_},
          {"pid", ::getpid()},
          {"up_s", up.count()},
          {"draining", server_.draining()},
          {"connections", metric_cell(Metric::kConnections).value()},
          {"open_calls", server_.open_calls()},
          {"lanes", lane_rows(*services_.jobs)},
          {"workers", std::move(workers)},
          {"jobs", job_rows(*services_.jobs)},
          {"sessions", std::move(sessions)}};
}

Result<Json> Operation::admin(const Json& order) const {
  const Json action = order.value("action", Json());
  if (action == "status") {
    return status();
  }
  const Json job = order.value("job_id", Json());
  if (action != "cancel" || !job.is_string()) {
    return fail(ErrorCode::kInvalidArgument, "no such order",
                R"(use {"action": "status"} or {"action": "cancel", "job_id": "job_..."})");
  }
  WS_TRY(const JobSnapshot ended, services_.jobs->cancel(job.get<std::string>()));
  log(LogLevel::kInfo, "server", "job=" + ended.id + " was cancelled by an operator");
  return Json{{"job_id", ended.id}, {"state", name_of(ended.state)}};
}

bool Operation::idle() const {
  for (const LaneState& lane : services_.jobs->lanes()) {
    if (lane.queued + lane.running > 0) {
      return false;
    }
  }
  return server_.open_calls() == 0;
}

void Operation::use_quotas(const Principals& principals) const {
  const auto size_of = [](std::optional<int> number) {
    return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
  };
  WorkQuotas::ByPrincipal quotas;
  const auto quota_of = [&](const PrincipalLimits& limits) {
    return WorkQuota{.queued_jobs = size_of(limits.queued_jobs),
                     .compile_seconds = limits.compile_seconds_per_day,
                     .device_seconds = limits.device_seconds_per_day};
  };
  for (const Principals::Known& who : principals.list()) {
    quotas[who->name] = quota_of(who->limits);
  }
  quotas[std::string(kOAuthNames)] = quota_of(principals.issued_limits());
  WorkQuotas::ByLane works = {{kCompileLane, LaneWork::kCompile}};
  for (const Device& device : services_.devices) {
    works[device.id] = LaneWork::kDevice;
  }
  works[kNodesLane] = LaneWork::kDevice;
  work_quotas().set(std::move(quotas), std::move(works));
}

OperatorPages Operation::pages() {
  return {.metrics = [this] { return metrics(); },
          .unready = [this] { return unready(); },
          .admin = [this](const Json& order) { return admin(order); },
          .page = {},
          .page_events = {}};
}

}  // namespace ws::server
