// The state of a client of the older revisions: its words about itself, and open questions to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "server/protocol/content_tool.h"
#include "server/protocol/progress.h"

namespace ws::server {

/// Requests to one client that it has not answered yet. Any thread.
class Asks {
 public:
  /// The client's results by key; or its first error, or why there will be none.
  using Done = std::function<void(RpcResult<Json>)>;

  Asks() = default;
  Asks(const Asks&) = delete;
  Asks& operator=(const Asks&) = delete;

  ~Asks() { drop_all(); }

  /// Sends each of `requests`, {key: {method, params}}, and returns. `done` is called once, by the
  /// thread that brings the last response or that requests the stop, and must not block.
  void ask(const Json& requests, const NotifyFn& send, const std::stop_token& stop, Done done);

  /// False: it answers nothing that was asked here.
  bool take(const Json& response);

  /// Ends all of them: the client is gone.
  void drop_all();

 private:
  struct Round;

  void finish(const std::shared_ptr<Round>& round, RpcResult<Json> result);

  struct Row {
    std::shared_ptr<Round> round;
    std::string key;
  };

  std::mutex mutex_;
  std::map<std::string, Row> rows_;  // guarded by mutex_, and so are the rounds: by id
};

/// One session of HTTP, or the connection of stdio. Any thread.
class ClientState {
 public:
  void introduce(Json capabilities);
  [[nodiscard]] Json capabilities() const;

  /// The least severe log messages that it wants.
  void set_least(Severity severity) { least_ = severity; }

  [[nodiscard]] Severity least() const { return least_; }

  /// False: it has too many.
  [[nodiscard]] bool subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);
  [[nodiscard]] bool is_subscribed(const std::string& uri) const;

  /// It hears how the task stands from now on. One that follows a thousand hears of no more.
  void follow(const std::string& task);
  [[nodiscard]] bool follows(const std::string& task) const;

  [[nodiscard]] Asks& asks() { return asks_; }

  /// Requested when the session ends.
  [[nodiscard]] std::stop_token ended() const { return end_.get_token(); }

  /// Ends what it was asked, and its streams.
  void end();

 private:
  mutable std::mutex mutex_;
  Json capabilities_ = Json::object();   // guarded by mutex_
  std::set<std::string> subscriptions_;  // guarded by mutex_
  std::set<std::string> tasks_;          // guarded by mutex_
  std::atomic<Severity> least_ = Severity::kInfo;
  std::stop_source end_;
  Asks asks_;
};

/// Unguessable.
std::string new_session_id();

/// A session as those who operate the server see it.
struct SessionFacts {
  std::string id;      ///< Its first eight characters: who knows all of them can use it.
  std::string client;  ///< The address that began it, and the client's name; empty: it was adopted.
  std::string principal;  ///< Only its requests belong to the session.
  double idle_s = 0;      ///< Since its last request.
};

/// The sessions of HTTP. Any thread.
class Sessions {
 public:
  /// The id of a new one. The one that was unused longest may end for it.
  /// @param client, principal  As SessionFacts has them.
  std::string open(Json capabilities, std::string client, std::string principal);

  /// The one that was used last first.
  std::vector<SessionFacts> list();

  /// Null: the principal has none of that id, or it has ended.
  /// @param adopt  Begins one with that id, unless it has ended: its client has it from a server
  ///               before this one.
  std::shared_ptr<ClientState> find(const std::string& id, const std::string& principal,
                                    bool adopt = false);

  /// False: the principal has none of that id.
  bool end(const std::string& id, const std::string& principal);

 private:
  struct Row {
    std::shared_ptr<ClientState> state;
    Clock::time_point used;
    std::string client{};
    std::string principal{};
  };

  static void end(const Row& row);
  /// With the mutex held. @return  The one that ended for it: for after the lock.
  Row put(const std::string& id, Row row);

  std::mutex mutex_;
  std::map<std::string, Row> rows_;  // guarded by mutex_
  std::deque<std::string> ended_;    // guarded by mutex_; ids, the newest last
};

}  // namespace ws::server
