#include "server/protocol/tasks.h"

#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"

namespace ws::server {
namespace {

constexpr std::size_t kTaskDigits = 32;
constexpr int kTaskPollMs = 500;
constexpr std::array<std::string_view, 5> kStatusNames = {"working", "input_required", "completed",
                                                          "failed", "cancelled"};

}  // namespace

Json tasks_capability() {
  return {{"extensions", {{kTasksExtension, Json::object()}}}};
}

struct Tasks::Task {
  std::string id = "task_" + random_hex(kTaskDigits);
  Status status = Status::kWorking;
  std::string created = timestamp_now();
  std::string updated = created;
  Clock::time_point since = Clock::now();
  Inputs inputs;
  Work work;
  Run run;
  int rounds = 0;               ///< How often it has asked.
  Json asked = Json::object();  ///< By the key that the client sees: {method, params}.
  std::map<std::string, std::string> own_keys{};  ///< The work's key of each of those.
  std::string result{};
  Json error = nullptr;
  std::stop_source stop{};
  std::optional<std::stop_callback<std::function<void()>>> ended{};
};

void Tasks::change(Task& task, Status status) {
  task.status = status;
  task.updated = timestamp_now();
  if (status != Status::kWorking && status != Status::kInputRequired) {
    task.work = nullptr;  // The request that it began with is not needed any more.
    task.run = nullptr;
  }
}

Json Tasks::members(const Task& task, std::chrono::milliseconds lifetime) {
  return {{"taskId", task.id},
          {"status", kStatusNames.at(static_cast<std::size_t>(task.status))},
          {"createdAt", task.created},
          {"lastUpdatedAt", task.updated},
          {"ttlMs", lifetime.count()},
          {"pollIntervalMs", kTaskPollMs}};
}

std::shared_ptr<Tasks::Task> Tasks::find(const std::string& id) {
  const auto at = tasks_.find(id);
  return at == tasks_.end() ? nullptr : at->second;
}

void Tasks::remove_expired() {
  const auto oldest = Clock::now() - limits_.lifetime;
  std::erase_if(tasks_, [&oldest](const auto& row) {
    const bool expired = row.second->since < oldest;
    if (expired) {
      change(*row.second, Status::kCancelled);
    }
    return expired;
  });
}

Json Tasks::start(Inputs inputs, Work work, Run run, const std::stop_token& end) {
  const auto task = std::make_shared<Task>();
  task->inputs = std::move(inputs);
  task->work = std::move(work);
  task->run = std::move(run);
  Json seen;
  {
    const std::lock_guard lock(mutex_);
    remove_expired();
    if (tasks_.size() >= limits_.count) {
      return nullptr;
    }
    tasks_[task->id] = task;  // Before the client knows of it.
    seen = members(*task, limits_.lifetime);
  }
  task->ended.emplace(end, [stop = task->stop]() mutable { stop.request_stop(); });
  task->run([this, task] { step(task); });
  return seen;
}

void Tasks::step(const std::shared_ptr<Task>& task) {
  Inputs inputs;
  Work work;
  {
    const std::lock_guard lock(mutex_);
    if (task->status != Status::kWorking) {
      return;
    }
    inputs = task->inputs;
    work = task->work;
  }
  RpcResult<Outcome> outcome;
  try {
    outcome = work(inputs, task->stop.get_token());
  } catch (const std::exception& error) {
    outcome = rpc_fail(rpc::kInternal, std::string("the task failed: ") + error.what());
  }
  const std::lock_guard lock(mutex_);
  if (task->status == Status::kWorking) {
    settle(*task, std::move(outcome));
  }
}

void Tasks::settle(Task& task, RpcResult<Outcome> outcome) {
  if (!outcome) {
    task.error = {{"code", outcome.error().code}, {"message", outcome.error().message}};
    change(task, Status::kFailed);
    return;
  }
  if (auto* result = std::get_if<std::string>(&*outcome)) {
    task.result = std::move(*result);
    change(task, Status::kCompleted);
    return;
  }
  auto& needed = std::get<InputNeeded>(*outcome);
  task.inputs.state = std::move(needed.state);
  ++task.rounds;
  for (const auto& [key, request] : needed.requests.items()) {
    // A key is never used twice within a task.
    const std::string shown = task.rounds == 1 ? key : key + "_" + std::to_string(task.rounds);
    task.asked[shown] = request;
    task.own_keys[shown] = key;
  }
  change(task, Status::kInputRequired);
}

Json Tasks::get(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Task> task = find(id);
  if (!task) {
    return nullptr;
  }
  Json seen = members(*task, limits_.lifetime);
  if (task->status == Status::kInputRequired) {
    seen["inputRequests"] = task->asked;
  } else if (task->status == Status::kCompleted) {
    seen["result"] = Json::parse(task->result);
  } else if (task->status == Status::kFailed) {
    seen["error"] = task->error;
  }
  return seen;
}

bool Tasks::update(const std::string& id, const Json& responses) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    task = find(id);
    if (!task || task->status != Status::kInputRequired) {
      return task != nullptr;
    }
    for (const auto& [key, response] : responses.items()) {
      if (task->asked.erase(key) > 0) {
        task->inputs.responses[task->own_keys.at(key)] = response;
      }
    }
    if (!task->asked.empty()) {
      return true;
    }
    change(*task, Status::kWorking);
  }
  task->run([this, task] { step(task); });
  return true;
}

bool Tasks::cancel(const std::string& id) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    task = find(id);
    if (!task) {
      return false;
    }
    if (task->status == Status::kWorking || task->status == Status::kInputRequired) {
      change(*task, Status::kCancelled);
    }
  }
  task->stop.request_stop();  // Runs the stop callbacks, so not under the lock.
  return true;
}

}  // namespace ws::server
