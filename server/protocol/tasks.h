// Calls that go on after their request was answered: the extension
// io.modelcontextprotocol/tasks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "runtime/base/call_context.h"
#include "server/protocol/inputs.h"

namespace ws::server {

inline constexpr const char* kTasksExtension = "io.modelcontextprotocol/tasks";

/// The capability of clients that know tasks.
Json tasks_capability();

/// Any thread. It must outlive the threads that its work runs on.
class Tasks {
 public:
  /// The call's result as JSON text, or what it asks its client for.
  using Outcome = std::variant<std::string, InputNeeded>;
  /// The call's work from its beginning; it is called again when the client has
  /// given its inputs.
  using Work = std::function<RpcResult<Outcome>(const Inputs& inputs, const std::stop_token& stop)>;
  /// Runs something soon on another thread.
  using Run = std::function<void(std::function<void()>)>;

  struct Limits {
    std::size_t count = 1000;
    std::chrono::milliseconds lifetime = std::chrono::hours(1);
  };

  explicit Tasks(Limits limits)
      : limits_(limits) {}

  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks() = default;

  /// @param end  Stops the work: the server ends.
  /// @return  The members of the task as a client sees it; null: there are too
  /// many.
  Json start(Inputs inputs, Work work, Run run, const std::stop_token& end);

  /// The members of the task, and what it asks for or came to. Null: there is
  /// none.
  [[nodiscard]] Json get(const std::string& id);

  /// Takes what the client gives; keys that nobody asked for are ignored.
  /// False: there is none.
  bool update(const std::string& id, const Json& responses);

  /// Ends the task unless it has ended. False: there is none.
  bool cancel(const std::string& id);

 private:
  enum class Status : std::uint8_t { kWorking, kInputRequired, kCompleted, kFailed, kCancelled };
  struct Task;

  void step(const std::shared_ptr<Task>& task);
  void settle(Task& task, RpcResult<Outcome> outcome);
  void remove_expired();
  std::shared_ptr<Task> find(const std::string& id);
  static void change(Task& task, Status status);
  static Json members(const Task& task, std::chrono::milliseconds lifetime);

  const Limits limits_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Task>> tasks_;  // guarded by mutex_, and so are the tasks
};

}  // namespace ws::server
