#include "tests/support/task_client.h"

#include <chrono>

#include <doctest/doctest.h>

namespace ws::test {
namespace {

constexpr std::chrono::seconds kPatience{60};

}  // namespace

TaskServer::TaskServer() {
  start();
  kernel_ = tools_.compiled(twice_problem(), good_kernel());
}

TaskServer::~TaskServer() {
  let_go();
}

void TaskServer::start() {
  server::McpServer::Options options;
  options.resources = &tools_.resources();
  options.app = &view_;
  options.talks = true;
  options.adopts_sessions = true;
  options.jobs = dynamic_cast<JobBook*>(tools_.registry().find("job")->tool.get());
  listed_ = std::make_unique<server::ListedResources>(*tools_.services().archive);
  options.resource_list = listed_.get();
  options.news = [this](const Json& answer) { return listed_->note(answer); };
  server_ = std::make_unique<server::McpServer>(tools_.registry(), options);
}

void TaskServer::hold() {
  held_ = std::make_unique<std::promise<void>>();
  const auto held = tools_.services().jobs->submit(
      "cpu:0", "test", "", [open = held_->get_future().share()](CallContext& own) {
        while (!own.stop.stop_requested() &&
               open.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
        }
        return Result<std::string>("{}");
      });
  REQUIRE(held.has_value());
}

void TaskServer::let_go() {
  if (held_) {
    held_->set_value();
    held_.reset();
  }
}

void TaskServer::restart() {
  server_.reset();
  tools_.restart();
  start();
}

std::size_t TaskClient::begin(const std::string& method, const Json& params, bool modern) {
  std::size_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = replies_.size();
    replies_.emplace_back();
  }
  server::RequestContext context;
  context.connection = &connection_;
  context.client = name_;
  context.stop = stop_;
  if (viewer_) {
    auto who = std::make_shared<server::Principal>();
    who->name = viewer_->owner;
    who->role = server::Role::kUse;
    who->viewer = viewer_;
    context.principal = who;
  }
  context.end = connection_.end.get_token();
  context.go_on = [](const std::function<void()>& rest) { rest(); };
  context.notify = [this](const std::string& line) {
    const std::lock_guard lock(mutex_);
    said_.push_back(Json::parse(line));
    changed_.notify_all();
  };
  const auto take = [this, number](const server::Reply& reply) {
    const std::lock_guard lock(mutex_);
    replies_[number] = Json::parse(reply.body);
    changed_.notify_all();
  };
  Json message = {{"jsonrpc", "2.0"}, {"id", number}, {"method", method}, {"params", params}};
  if (modern && !params.contains("_meta")) {
    message["params"]["_meta"] = {{server::meta::kVersion, "2026-07-28"},
                                  {server::meta::kCapabilities, Json::object()}};
  }
  server::Accepted accepted = server_.accept(message.dump(), context);
  if (accepted.reply) {
    take(*accepted.reply);
  } else {
    accepted.work(take);
  }
  return number;
}

Json TaskClient::reply(std::size_t number) {
  std::unique_lock lock(mutex_);
  REQUIRE(changed_.wait_for(lock, kPatience, [&] { return !replies_[number].is_null(); }));
  return replies_[number];
}

bool TaskClient::replied(std::size_t number) {
  const std::lock_guard lock(mutex_);
  return !replies_[number].is_null();
}

Json TaskClient::modern(const std::string& method, const Json& params, bool knows_tasks) {
  Json whole = params;
  whole["_meta"] = {
      {server::meta::kVersion, "2026-07-28"},
      {server::meta::kCapabilities, knows_tasks ? server::tasks_capability() : Json::object()}};
  return reply(begin(method, whole, true));
}

Json TaskClient::older(const std::string& method, const Json& params) {
  return reply(begin(method, params, false));
}

Json TaskClient::respond(const std::string& method, std::size_t count, const Json& result) {
  Json asked = wait_said(method, count)[count - 1];
  Json id;
  {
    const std::lock_guard lock(mutex_);
    for (const Json& message : said_) {
      id = message["method"] == method ? message["id"] : id;
    }
  }
  server::RequestContext context;
  context.connection = &connection_;
  context.client = name_;
  const Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"result", result}};
  REQUIRE(server_.accept(message.dump(), context).reply->body.empty());
  return asked;
}

void TaskClient::initialize(const std::string& revision, const Json& capabilities) {
  const Json hello = older("initialize", {{"protocolVersion", revision},
                                          {"capabilities", capabilities},
                                          {"clientInfo", {{"name", "t"}, {"version", "1"}}}});
  REQUIRE(hello["result"]["protocolVersion"] == revision);
}

std::vector<Json> TaskClient::said(const std::string& method) {
  const std::lock_guard lock(mutex_);
  std::vector<Json> own;
  for (const Json& message : said_) {
    if (message["method"] == method) {
      own.push_back(message.value("params", Json::object()));
    }
  }
  return own;
}

std::vector<Json> TaskClient::wait_said(const std::string& method, std::size_t count) {
  const auto end = Clock::now() + kPatience;
  std::vector<Json> own = said(method);
  while (own.size() < count && Clock::now() < end) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(100));
    lock.unlock();
    own = said(method);
  }
  REQUIRE(own.size() >= count);
  return own;
}

}  // namespace ws::test
