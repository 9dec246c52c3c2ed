#include "runtime/queue/work_quotas.h"

#include <future>
#include <string>

#include <doctest/doctest.h>

#include "runtime/queue/job_queue.h"

namespace ws {
namespace {

std::string words_of(const Status& admitted) {
  return admitted ? "admitted" : to_text(admitted.error());
}

Result<std::string> nothing(CallContext& /*context*/) {
  return std::string("{}");
}

/// Quotas of this process, until the end of a test.
struct Quotas {
  explicit Quotas(WorkQuotas::ByPrincipal own) { work_quotas().set(std::move(own), {}); }

  Quotas(const Quotas&) = delete;
  Quotas& operator=(const Quotas&) = delete;

  ~Quotas() { work_quotas().set({}, {}); }
};

}  // namespace

TEST_SUITE("queue.work_quotas") {
  TEST_CASE(
      "a principal without a quota may ask for all it wants, one with a quota for that much") {
    WorkQuotas quotas;
    quotas.set({{"ci", {.queued_jobs = 2, .compile_seconds = 10, .device_seconds = 20}}},
               {{"compile", LaneWork::kCompile}, {"cpu:0", LaneWork::kDevice}});
    CHECK(words_of(quotas.admit("other", "cpu:0", 1000, 1)) == "admitted");
    CHECK(words_of(quotas.admit("ci", "cpu:0", 1, 1)) == "admitted");
    CHECK(words_of(quotas.admit("ci", "evaluate", 2, 1)) ==
          "busy: 2 jobs of the principal `ci` wait, as many as may; call again when some of them "
          "have run");
    quotas.charge("ci", "cpu:0", 19'999, 1);
    quotas.charge("ci", "evaluate", 1'000'000, 1);
    CHECK(words_of(quotas.admit("ci", "cpu:0", 0, 1)) == "admitted");
    quotas.charge("ci", "cpu:0", 1, 1);
    CHECK(words_of(quotas.admit("ci", "cpu:0", 0, 1)) ==
          "busy: the principal `ci` has used the 20 device seconds that it has a day; call again "
          "after 00:00 UTC, or ask the operator of the server for more");
    CHECK(words_of(quotas.admit("ci", "compile", 0, 1)) == "admitted");
    quotas.charge("ci", "compile", 10'000, 1);
    CHECK(words_of(quotas.admit("ci", "compile", 0, 1)) ==
          "busy: the principal `ci` has used the 10 compile seconds that it has a day; call again "
          "after 00:00 UTC, or ask the operator of the server for more");
    CHECK(words_of(quotas.admit("ci", "evaluate", 0, 1)) == "admitted");
    CHECK(words_of(quotas.admit("ci", "compile", 0, 2)) == "admitted");
    quotas.charge("ci", "compile", 500, 2);
    CHECK(words_of(quotas.admit("ci", "cpu:0", 0, 2)) == "admitted");
    const auto uses = quotas.uses();
    REQUIRE(uses.size() == 2);
    CHECK(uses[0].principal == "ci");
    CHECK(uses[0].compile_s == 10.5);
    CHECK(uses[0].device_s == 20);
    CHECK(uses[1].principal == "other");
    quotas.set({}, {});
    CHECK(words_of(quotas.admit("ci", "cpu:0", 1000, 2)) == "admitted");
  }

  TEST_CASE("a queue counts a principal's jobs in all lanes, under whatever names they came") {
    JobQueue queue({{.name = "a"}, {.name = "b"}}, {});
    const Quotas quotas({{"ci", {.queued_jobs = 2}}});
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    const auto submit = [&](const std::string& lane, const std::string& client, JobWork work) {
      return queue.submit({.lanes = {lane}, .tool = "t", .caller = {client}}, std::move(work));
    };
    for (const char* lane : {"a", "b"}) {  // The jobs that follow wait.
      std::promise<void> begun;
      REQUIRE(submit(lane, "", [&begun, ended](CallContext& /*context*/) {
                begun.set_value();
                ended.wait();
                return Result<std::string>("{}");
              }).has_value());
      begun.get_future().wait();
    }
    CHECK(submit("a", "@ci 10.0.0.7 one", nothing).has_value());
    const auto last = submit("b", "@ci 10.0.0.7 two", nothing);
    REQUIRE(last.has_value());
    const auto refused = submit("a", "@ci 10.0.0.8 three", nothing);
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) ==
          "busy: 2 jobs of the principal `ci` wait, as many as may; call again when some of them "
          "have run");
    CHECK(submit("a", "@bob 10.0.0.7 one", nothing).has_value());
    end.set_value();
    CHECK(queue.wait(*last, std::chrono::seconds(10), {})->state == JobState::kDone);
    CHECK(submit("a", "@ci 10.0.0.8 three", nothing).has_value());
  }

  TEST_CASE("a principal that has filled a lane keeps no other one out") {
    JobQueue queue({{.name = "a", .capacity = 1}}, {});
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    std::promise<void> begun;
    REQUIRE(queue
                .submit("a", "t", "",
                        [&begun, ended](CallContext& /*context*/) {
                          begun.set_value();
                          ended.wait();
                          return Result<std::string>("{}");
                        })
                .has_value());
    begun.get_future().wait();
    const auto submit = [&](const std::string& client) {
      return queue.submit({.lanes = {"a"}, .tool = "t", .caller = {client}}, nothing);
    };
    for (int i = 0; i < 16; ++i) {
      REQUIRE(submit("@ci made up " + std::to_string(i)).has_value());
    }
    const auto refused = submit("@ci another");
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) ==
          "busy: the queue of a is full (16 jobs wait); call again later");
    CHECK(submit("@bob 10.0.0.7").has_value());
    end.set_value();
  }
}

}  // namespace ws
