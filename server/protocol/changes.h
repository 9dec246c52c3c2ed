// Tells those who want to know that a list or a resource has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>

#include "runtime/base/viewer.h"
#include "server/protocol/client_state.h"

namespace ws::server {

/// The kinds of changes that a client has asked for.
struct ChangeFilter {
  bool tools = false;
  bool prompts = false;
  bool resources = false;         ///< Their list.
  std::set<std::string> uris{};   ///< The content of these.
  std::set<std::string> tasks{};  ///< How these stand.
};

/// As subscriptions/listen has them. @errors -32602
RpcResult<ChangeFilter> filter_of(const Json& params);

/// The same as the server repeats it.
Json to_json(const ChangeFilter& filter);

/// Any thread.
class Changes {
 public:
  /// Somebody on a stream. Of the older revisions it wants all lists, and what its state says.
  struct Listener {
    NotifyFn send;
    Json subscription = nullptr;  ///< Null: of the older revisions.
    ChangeFilter filter{};
    std::shared_ptr<ClientState> state = nullptr;  ///< Null: the filter says what it wants.
    ViewerPtr viewer = nullptr;                    ///< The one that it listens for.
  };

  /// Until `stop` is requested, when `ended` is called once, by that thread.
  ///
  /// @return  False: there are too many; `ended` will not be called.
  bool listen(Listener listener, const std::stop_token& stop, std::function<void()> ended);

  void tools_changed();
  void prompts_changed();

  /// Whether the viewer of this thread (viewer.h) is to hear of a change. Null: all are.
  using Sees = std::function<bool()>;

  /// @param sees  Asked once for each viewer that listens for this, without a lock.
  void resources_changed(const Sees& sees = nullptr);
  void resource_updated(const std::string& uri, const Sees& sees = nullptr);

  /// Tells those that follow a task how it stands.
  /// @param older  The notification's params for clients of the older revisions.
  void task_changed(const std::string& id, const Json& older, const Json& modern);

  /// Notes that somebody watches the task for this. False: somebody does already.
  bool begin_watch(const std::string& id);
  void end_watch(const std::string& id);

 private:
  struct Row {
    Listener listener;
    std::function<void()> ended;
    std::unique_ptr<std::stop_callback<std::function<void()>>> stopped;
  };

  using Wants = std::function<bool(const Listener& listener)>;

  void end(std::uint64_t number);
  void list_changed(const char* method, bool ChangeFilter::* wanted, const Sees& sees = nullptr);
  void tell(const char* method, const Json& params, const Wants& wants, const Sees& sees);
  std::map<ViewerPtr, bool> seeing(const Wants& wants, const Sees& sees);
  static void notify(const Listener& listener, const char* method, Json params);

  std::mutex mutex_;
  std::uint64_t last_ = 0;                              // guarded by mutex_
  std::set<std::string> watched_;                       // guarded by mutex_; tasks
  std::map<std::uint64_t, std::shared_ptr<Row>> rows_;  // guarded by mutex_
};

}  // namespace ws::server
