#include "server/protocol/client_state.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/base/hash.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxSubscriptions = 1000;
constexpr std::size_t kMaxSessions = 1024;
constexpr std::size_t kSessionDigits = 32;
constexpr std::size_t kAskDigits = 32;

}  // namespace

struct Asks::Round {
  Json responses = Json::object();
  std::size_t left = 0;
  Done done;
  std::optional<std::stop_callback<std::function<void()>>> stopped;
};

void Asks::ask(const Json& requests, const NotifyFn& send, const std::stop_token& stop, Done done) {
  const auto round = std::make_shared<Round>();
  round->left = requests.size();
  round->done = std::move(done);
  std::vector<std::string> lines;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, request] : requests.items()) {
      const std::string id = "ask_" + random_hex(kAskDigits);
      rows_[id] = {round, key};
      Json message = request;
      message.update({{"jsonrpc", "2.0"}, {"id", id}});
      lines.push_back(to_line(message));
    }
  }
  for (std::string& line : lines) {
    send(std::move(line));
  }
  round->stopped.emplace(stop, [this, weak = std::weak_ptr<Round>(round)] {
    if (const auto own = weak.lock()) {
      finish(own, rpc_fail(rpc::kInternal, "the call was cancelled while it asked the client"));
    }
  });
}

void Asks::finish(const std::shared_ptr<Round>& round, RpcResult<Json> result) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(round->done, nullptr);
    std::erase_if(rows_, [&round](const auto& row) { return row.second.round == round; });
  }
  if (done) {
    done(std::move(result));
  }
}

bool Asks::take(const Json& response) {
  std::shared_ptr<Round> round;
  RpcResult<Json> result;
  {
    const std::lock_guard lock(mutex_);
    const Json id = response.value("id", Json());
    const auto row = id.is_string() ? rows_.find(id.get<std::string>()) : rows_.end();
    if (row == rows_.end()) {
      return false;
    }
    round = row->second.round;
    if (const auto error = response.find("error"); error != response.end()) {
      const Json message = error->is_object() ? error->value("message", Json()) : Json();
      result = rpc_fail(rpc::kInternal,
                        "the client could not answer what it was asked: " +
                            (message.is_string() ? message.get<std::string>() : to_line(*error)));
    } else {
      round->responses[row->second.key] = response["result"];
      rows_.erase(row);
      if (--round->left > 0) {
        return true;
      }
      result = round->responses;
    }
  }
  finish(round, std::move(result));
  return true;
}

void Asks::drop_all() {
  std::vector<std::shared_ptr<Round>> rounds;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, row] : rows_) {
      rounds.push_back(row.round);
    }
  }
  for (const auto& round : rounds) {
    finish(round, rpc_fail(rpc::kInternal, "the client's session has ended"));
  }
}

void ClientState::introduce(Json capabilities) {
  const std::lock_guard lock(mutex_);
  capabilities_ = std::move(capabilities);
}

Json ClientState::capabilities() const {
  const std::lock_guard lock(mutex_);
  return capabilities_;
}

bool ClientState::subscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  if (subscriptions_.size() >= kMaxSubscriptions && !subscriptions_.contains(uri)) {
    return false;
  }
  subscriptions_.insert(uri);
  return true;
}

void ClientState::unsubscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  subscriptions_.erase(uri);
}

bool ClientState::is_subscribed(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return subscriptions_.contains(uri);
}

void ClientState::follow(const std::string& task) {
  const std::lock_guard lock(mutex_);
  if (tasks_.size() < kMaxSubscriptions) {
    tasks_.insert(task);
  }
}

bool ClientState::follows(const std::string& task) const {
  const std::lock_guard lock(mutex_);
  return tasks_.contains(task);
}

void ClientState::end() {
  asks_.drop_all();
  end_.request_stop();
}

std::string new_session_id() {
  return random_hex(kSessionDigits);
}

Sessions::Row Sessions::put(const std::string& id, Row row) {
  Row gone;
  if (rows_.size() >= kMaxSessions) {
    const auto oldest = std::min_element(
        rows_.begin(), rows_.end(),
        [](const auto& left, const auto& right) { return left.second.used < right.second.used; });
    gone = std::move(oldest->second);
    rows_.erase(oldest);
  }
  rows_[id] = std::move(row);
  return gone;
}

std::string Sessions::open(Json capabilities, std::string client, std::string principal) {
  auto state = std::make_shared<ClientState>();
  state->introduce(std::move(capabilities));
  std::string id = new_session_id();
  Row gone;  // Ends when the lock is no longer held.
  {
    const std::lock_guard lock(mutex_);
    gone = put(id, {std::move(state), Clock::now(), std::move(client), std::move(principal)});
  }
  end(gone);
  return id;
}

std::shared_ptr<ClientState> Sessions::find(const std::string& id, const std::string& principal,
                                            bool adopt) {
  Row gone;
  std::shared_ptr<ClientState> found;
  {
    const std::lock_guard lock(mutex_);
    const auto row = rows_.find(id);
    if (row != rows_.end() && row->second.principal != principal) {
      return nullptr;
    }
    if (row != rows_.end()) {
      row->second.used = Clock::now();
      return row->second.state;
    }
    if (!adopt || std::find(ended_.begin(), ended_.end(), id) != ended_.end()) {
      return nullptr;
    }
    found = std::make_shared<ClientState>();
    gone = put(id, {found, Clock::now(), {}, principal});
  }
  end(gone);
  return found;
}

std::vector<SessionFacts> Sessions::list() {
  constexpr std::size_t kShown = 8;
  std::vector<SessionFacts> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, row] : rows_) {
      const std::chrono::duration<double> idle = Clock::now() - row.used;
      all.push_back({id.substr(0, kShown), row.client, row.principal, idle.count()});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const SessionFacts& a, const SessionFacts& b) { return a.idle_s < b.idle_s; });
  return all;
}

void Sessions::end(const Row& row) {
  if (row.state) {
    row.state->end();  // It calls back, so not under the lock.
  }
}

bool Sessions::end(const std::string& id, const std::string& principal) {
  Row row;
  {
    const std::lock_guard lock(mutex_);
    const auto at = rows_.find(id);
    if (at == rows_.end() || at->second.principal != principal) {
      return false;
    }
    row = std::move(at->second);
    rows_.erase(at);
    ended_.push_back(id);
    if (ended_.size() > kMaxSessions) {
      ended_.pop_front();
    }
  }
  end(row);
  return true;
}

}  // namespace ws::server
