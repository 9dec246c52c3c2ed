#include "server/protocol/tasks.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

const Json kAsked =
    Json::parse(R"({"a": {"method": "roots/list"}, "b": {"method": "roots/list"}})");
const Json kRoots = Json::parse(R"({"roots": []})");

/// Tasks whose steps run when the test says so.
struct Bench {
  explicit Bench(Tasks::Limits limits = {})
      : tasks(limits) {}

  Tasks tasks;
  std::vector<std::function<void()>> queued;
  std::stop_source end;

  std::string start(Tasks::Work work) {
    const Json task = tasks.start(
        {}, std::move(work),
        [this](std::function<void()> step) { queued.push_back(std::move(step)); }, end.get_token());
    return task.is_null() ? "" : task["taskId"].get<std::string>();
  }

  void run() {
    for (const auto& step : std::exchange(queued, {})) {
      step();
    }
  }

  std::string status(const std::string& id) { return tasks.get(id)["status"]; }
};

RpcResult<Tasks::Outcome> done(const Inputs& /*inputs*/, const std::stop_token& /*stop*/) {
  return std::string(R"({"content":[]})");
}

}  // namespace

TEST_SUITE("protocol.tasks") {
  TEST_CASE("a task shows its state and its result") {
    Bench bench;
    const std::string id = bench.start(done);
    CHECK(id.size() == 37);
    Json task = bench.tasks.get(id);
    CHECK(task["createdAt"] == task["lastUpdatedAt"]);
    task.erase("createdAt");
    task.erase("lastUpdatedAt");
    CHECK(task ==
          Json{{"taskId", id}, {"status", "working"}, {"ttlMs", 3600000}, {"pollIntervalMs", 500}});
    bench.run();
    CHECK(bench.status(id) == "completed");
    CHECK(bench.tasks.get(id)["result"] == Json::parse(R"({"content": []})"));
    CHECK(bench.tasks.get("task_0").is_null());
  }

  TEST_CASE("an error of the protocol and an exception fail a task") {
    Bench bench;
    const std::string failed = bench.start([](const auto&, const auto&) {
      return RpcResult<Tasks::Outcome>(rpc_fail(rpc::kInvalidParams, "no"));
    });
    const std::string thrown =
        bench.start([](const auto&, const auto&) -> RpcResult<Tasks::Outcome> {
          throw std::runtime_error("thrown");
        });
    bench.run();
    CHECK(bench.status(failed) == "failed");
    CHECK(bench.tasks.get(failed)["error"] == Json{{"code", -32602}, {"message", "no"}});
    CHECK(bench.tasks.get(thrown)["error"]["message"] == "the task failed: thrown");
  }

  TEST_CASE(
      "a task goes on when all that it asked for is there, and uses no "
      "key twice") {
    Bench bench;
    const std::string id =
        bench.start([](const Inputs& inputs, const auto&) -> RpcResult<Tasks::Outcome> {
          if (const Json open = inputs.unanswered(kAsked); !open.empty()) {
            return InputNeeded{open};
          }
          return std::string("{}");
        });
    bench.run();
    CHECK(bench.status(id) == "input_required");
    CHECK(bench.tasks.get(id)["inputRequests"] == kAsked);
    CHECK(bench.tasks.update(id, {{"a", kRoots}, {"other", kRoots}}));
    CHECK(bench.tasks.get(id)["inputRequests"] == Json{{"b", kAsked["b"]}});
    CHECK(bench.tasks.update(id, {{"b", {{"roots", 1}}}}));
    CHECK(bench.status(id) == "working");
    bench.run();
    CHECK(bench.tasks.get(id)["inputRequests"] == Json{{"b_2", kAsked["b"]}});
    CHECK(bench.tasks.update(id, {{"b_2", kRoots}}));
    bench.run();
    CHECK(bench.status(id) == "completed");
    CHECK_FALSE(bench.tasks.update("task_0", Json::object()));
  }

  TEST_CASE("a cancelled task stays cancelled, and an ended one as it is") {
    Bench bench;
    bool stopped = false;
    std::string id;
    id = bench.start([&](const auto&, const std::stop_token& stop) {
      bench.tasks.cancel(id);
      stopped = stop.stop_requested();
      return RpcResult<Tasks::Outcome>(std::string("{}"));
    });
    bench.run();
    CHECK(stopped);
    CHECK(bench.status(id) == "cancelled");
    const std::string early = bench.start(done);
    CHECK(bench.tasks.cancel(early));
    bench.run();
    CHECK(bench.status(early) == "cancelled");
    const std::string other = bench.start(done);
    bench.run();
    CHECK(bench.tasks.cancel(other));
    CHECK(bench.status(other) == "completed");
    CHECK_FALSE(bench.tasks.cancel("task_0"));
  }

  TEST_CASE("the server's end stops tasks, and there is a limit to them") {
    Bench bench({.count = 1});
    const std::string id = bench.start([](const auto&, const std::stop_token& stop) {
      return RpcResult<Tasks::Outcome>(std::string(stop.stop_requested() ? "true" : "false"));
    });
    CHECK(bench.start(done).empty());
    bench.end.request_stop();
    bench.run();
    CHECK(bench.tasks.get(id)["result"] == true);

    Bench short_lived({.lifetime = std::chrono::milliseconds(-1)});
    const std::string old = short_lived.start(done);
    const std::string next = short_lived.start(done);
    CHECK(short_lived.tasks.get(old).is_null());
    CHECK_FALSE(short_lived.tasks.get(next).is_null());
  }
}

}  // namespace ws::server
