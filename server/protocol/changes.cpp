#include "server/protocol/changes.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace ws::server {
namespace {

constexpr std::size_t kMaxListeners = 1024;
constexpr std::size_t kMaxUris = 1000;

struct Kind {
  const char* name;
  bool ChangeFilter::* wanted;
};

constexpr std::array kKinds = {Kind{"toolsListChanged", &ChangeFilter::tools},
                               Kind{"promptsListChanged", &ChangeFilter::prompts},
                               Kind{"resourcesListChanged", &ChangeFilter::resources}};
constexpr const char* kUris = "resourceSubscriptions";
constexpr const char* kTasks = "taskIds";

tl::unexpected<RpcError> bad(const std::string& message) {
  return rpc_fail(rpc::kInvalidParams, message);
}

RpcResult<std::set<std::string>> texts_of(const Json& wanted, const char* key, const char* what) {
  const Json list = wanted.value(key, Json::array());
  if (!list.is_array() || list.size() > kMaxUris) {
    return bad("`" + std::string(key) + "` must be a list of at most " + std::to_string(kMaxUris) +
               " " + what);
  }
  std::set<std::string> texts;
  for (const Json& text : list) {
    if (!text.is_string()) {
      return bad("`" + std::string(key) + "` must hold texts");
    }
    texts.insert(text.get<std::string>());
  }
  return texts;
}

}  // namespace

RpcResult<ChangeFilter> filter_of(const Json& params) {
  const Json wanted = params.value("notifications", Json());
  if (!wanted.is_object()) {
    return bad("`notifications` must be an object that says which changes are wanted");
  }
  ChangeFilter filter;
  for (const Kind& kind : kKinds) {
    const Json flag = wanted.value(kind.name, Json(false));
    if (!flag.is_boolean()) {
      return bad("`" + std::string(kind.name) + "` must be true or false");
    }
    filter.*kind.wanted = flag.get<bool>();
  }
  RpcResult<std::set<std::string>> uris = texts_of(wanted, kUris, "addresses");
  RpcResult<std::set<std::string>> tasks = texts_of(wanted, kTasks, "ids");
  if (!uris || !tasks) {
    return tl::unexpected(uris ? tasks.error() : uris.error());
  }
  filter.uris = *std::move(uris);
  filter.tasks = *std::move(tasks);
  return filter;
}

Json to_json(const ChangeFilter& filter) {
  Json json = Json::object();
  for (const Kind& kind : kKinds) {
    if (filter.*kind.wanted) {
      json[kind.name] = true;
    }
  }
  if (!filter.uris.empty()) {
    json[kUris] = filter.uris;
  }
  if (!filter.tasks.empty()) {
    json[kTasks] = filter.tasks;
  }
  return json;
}

void Changes::notify(const Listener& listener, const char* method, Json params) {
  if (!listener.subscription.is_null()) {
    params["_meta"] = {{meta::kSubscription, listener.subscription}};
  }
  Json message = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) {
    message["params"] = std::move(params);
  }
  listener.send(to_line(message));
}

bool Changes::listen(Listener listener, const std::stop_token& stop, std::function<void()> ended) {
  const auto row = std::make_shared<Row>();
  row->listener = std::move(listener);
  row->ended = std::move(ended);
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (rows_.size() >= kMaxListeners) {
      return false;
    }
    number = ++last_;
    rows_[number] = row;
    if (!row->listener.subscription.is_null()) {  // First of all, before any change.
      notify(row->listener, "notifications/subscriptions/acknowledged",
             {{"notifications", to_json(row->listener.filter)}});
    }
  }
  row->stopped = std::make_unique<std::stop_callback<std::function<void()>>>(
      stop, [this, number] { end(number); });
  return true;
}

void Changes::end(std::uint64_t number) {
  std::shared_ptr<Row> row;
  {
    const std::lock_guard lock(mutex_);
    const auto at = rows_.find(number);
    if (at == rows_.end()) {
      return;
    }
    row = std::move(at->second);
    rows_.erase(at);
  }
  if (row->ended) {
    row->ended();
  }
}

std::map<ViewerPtr, bool> Changes::seeing(const Wants& wants, const Sees& sees) {
  std::map<ViewerPtr, bool> viewers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, row] : rows_) {
      if (wants(row->listener)) {
        viewers.emplace(row->listener.viewer, true);
      }
    }
  }
  for (auto& [viewer, hears] : viewers) {
    const ViewerScope scope(viewer);
    hears = !sees || sees();
  }
  return viewers;
}

void Changes::tell(const char* method, const Json& params, const Wants& wants, const Sees& sees) {
  const std::map<ViewerPtr, bool> viewers = seeing(wants, sees);
  const std::lock_guard lock(mutex_);
  for (const auto& [number, row] : rows_) {
    const auto viewer = viewers.find(row->listener.viewer);
    if (viewer != viewers.end() && viewer->second && wants(row->listener)) {
      notify(row->listener, method, params);
    }
  }
}

void Changes::list_changed(const char* method, bool ChangeFilter::* wanted, const Sees& sees) {
  tell(
      method, Json::object(),
      [wanted](const Listener& listener) { return listener.state || listener.filter.*wanted; },
      sees);
}

void Changes::tools_changed() {
  list_changed("notifications/tools/list_changed", &ChangeFilter::tools);
}

void Changes::prompts_changed() {
  list_changed("notifications/prompts/list_changed", &ChangeFilter::prompts);
}

void Changes::resources_changed(const Sees& sees) {
  list_changed("notifications/resources/list_changed", &ChangeFilter::resources, sees);
}

void Changes::resource_updated(const std::string& uri, const Sees& sees) {
  tell(
      "notifications/resources/updated", {{"uri", uri}},
      [&uri](const Listener& listener) {
        return listener.state ? listener.state->is_subscribed(uri)
                              : listener.filter.uris.contains(uri);
      },
      sees);
}

void Changes::task_changed(const std::string& id, const Json& older, const Json& modern) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, row] : rows_) {
    const Listener& listener = row->listener;
    if (listener.state && listener.state->follows(id)) {
      notify(listener, "notifications/tasks/status", older);
    } else if (!listener.state && listener.filter.tasks.contains(id)) {
      notify(listener, "notifications/tasks", modern);
    }
  }
}

bool Changes::begin_watch(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return watched_.insert(id).second;
}

void Changes::end_watch(const std::string& id) {
  const std::lock_guard lock(mutex_);
  watched_.erase(id);
}

}  // namespace ws::server
