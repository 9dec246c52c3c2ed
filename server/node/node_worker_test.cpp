#include "server/node/node_worker.h"

#include <algorithm>
#include <atomic>
#include <deque>

#include <doctest/doctest.h>

#include "runtime/broker/fake_broker.h"
#include "tests/support/test_tools.h"
#include "tests/support/tool_bench.h"
#include "tools/typed_tool.h"

namespace ws::server {
namespace {

constexpr std::chrono::milliseconds kOften{5};

NodeClaim attempt_at(const std::string& id, std::int64_t attempt, const std::string& tool,
                     const Json& arguments) {
  return {.id = id,
          .tool = tool,
          .arguments = arguments.dump(),
          .client = "ann",
          .owner = "ann",
          .sees_all = false,
          .shares = true,
          .most_bytes = std::nullopt,
          .background = false,
          .attempt = attempt};
}

/// Runs until it is told to stop.
NodeClaim long_attempt(const std::string& id, std::int64_t attempt) {
  return attempt_at(id, attempt, "wait", {{"ms", 600'000}});
}

/// Says for whom it works.
class ViewerTool : public Tool {
 public:
  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& /*arguments*/, CallContext& /*context*/) override {
    return Json{{"status", "done"}, {"summary", current_viewer().sees_all ? "all" : "own"}};
  }

 private:
  const ToolSpec spec_ = parse_spec(R"({"name": "viewer", "description": "Says what it sees.",
    "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}})");
};

/// A node of a broker that gives out what the test has put in.
class WorkerBench {
 public:
  explicit WorkerBench(NodeLimits limits = {.jobs = 2, .beat = kOften}) {
    add_test_tools(tools_);
    tools_.add(std::make_unique<ViewerTool>());
    REQUIRE_MESSAGE(tools_.status().has_value(), to_text(tools_.status().error()));
    broker.on_claim = [this]() -> Result<ClaimOutcome> {
      broker.note("claim");
      const std::lock_guard lock(mutex_);
      if (claims_.empty()) {
        return ClaimOutcome{.claim = std::nullopt, .look_again = kOften};
      }
      ClaimOutcome outcome{.claim = std::move(claims_.front())};
      claims_.pop_front();
      return outcome;
    };
    broker.on_beat = [this](const std::vector<WorkLease>& held) -> Result<BeatOutcome> {
      std::string line = "beat";
      for (const WorkLease& lease : held) {
        line += " " + lease.job + "/" + std::to_string(lease.attempt);
      }
      broker.note(line);
      const std::lock_guard lock(mutex_);
      return answer_;
    };
    worker_.emplace(broker, test::tools().services(), tools_,
                    NodeInfo{.name = "one",
                             .instance = "1",
                             .host = "here",
                             .devices = "cpu:0",
                             .lanes = {"cpu"},
                             .version = "1"},
                    limits);
  }

  void offer(NodeClaim claim) {
    const std::lock_guard lock(mutex_);
    claims_.push_back(std::move(claim));
  }

  void answer_beats(Result<BeatOutcome> answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }

  void start() {
    thread_ = std::jthread([this] { done_ = worker_->run(); });
  }

  /// Gives back what runs. @return  How run() ended.
  Status stop() {
    worker_->stop();
    thread_.join();
    return done_;
  }

  NodeWorker& worker() { return *worker_; }

  /// The lines that the broker noted with this beginning.
  std::vector<std::string> lines(const std::string& beginning) {
    std::vector<std::string> lines = broker.noted();
    std::erase_if(lines, [&](const std::string& line) { return !line.starts_with(beginning); });
    return lines;
  }

  FakeBroker broker;

 private:
  std::mutex mutex_;
  std::deque<NodeClaim> claims_;               // guarded by mutex_
  Result<BeatOutcome> answer_{BeatOutcome{}};  // guarded by mutex_
  ToolRegistry tools_;
  std::optional<NodeWorker> worker_;
  Status done_;
  std::jthread thread_;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_SUITE("server.nodes.worker") {
  TEST_CASE("a node that claims its own late job begins it again when the old run has ended") {
    WorkerBench bench;
    bench.offer(long_attempt("job_1", 1));
    bench.offer(long_attempt("job_1", 2));
    bench.start();
    bench.broker.await_line("beat job_1/2");
    // The second attempt is not ended by an answer about the first one.
    bench.answer_beats(BeatOutcome{.cancelled = {{.job = "job_1", .node = "one", .attempt = 1}},
                                   .lost = {{.job = "job_1", .node = "one", .attempt = 1}}});
    const auto before = std::ssize(bench.lines("beat job_1/2"));
    bench.broker.await_line("beat job_1/2", before + 3);
    CHECK(bench.stop().has_value());
    CHECK(bench.lines("finish") == Lines{"finish job_1 2 gave_back"});
  }

  TEST_CASE("a lease that is lost or cancelled ends its job") {
    WorkerBench bench;
    bench.offer(long_attempt("job_1", 1));
    bench.offer(long_attempt("job_2", 1));
    bench.start();
    bench.broker.await_line("beat job_1/1 job_2/1");
    bench.answer_beats(BeatOutcome{.cancelled = {{.job = "job_1", .node = "one", .attempt = 1}},
                                   .lost = {{.job = "job_2", .node = "one", .attempt = 1}}});
    bench.broker.await_line("finish job_1 1 cancelled");
    const auto before = std::ssize(bench.lines("beat"));
    while (bench.lines("beat").back() != "beat" || std::ssize(bench.lines("beat")) <= before) {
      std::this_thread::yield();
    }
    CHECK(bench.stop().has_value());
    CHECK(bench.lines("finish") == Lines{"finish job_1 1 cancelled"});
  }

  TEST_CASE("after an error of the broker a node says that it lives before it claims again") {
    WorkerBench bench;
    bench.answer_beats(fail(ErrorCode::kIo, "no database"));
    bench.broker.on_claim = [&]() -> Result<ClaimOutcome> {
      bench.broker.note("claim");
      return fail(ErrorCode::kIo, "no database");
    };
    bench.start();
    bench.broker.await_line("claim");
    bench.broker.await_line("beat", 3);
    const Lines tries = bench.lines("claim");
    CHECK(tries.size() == 1);
    bench.answer_beats(BeatOutcome{});
    bench.broker.await_line("claim", 2);
    CHECK(bench.stop().has_value());
  }

  TEST_CASE("a node beats before it forgets old jobs, and forgets a little after each beat") {
    WorkerBench bench;
    std::atomic<int> left = 2;
    bench.broker.on_forget = [&]() -> Result<std::int64_t> {
      bench.broker.note("beat: forget");
      return left-- > 0 ? 2000 : 0;
    };
    bench.start();
    bench.broker.await_line("beat", 5);
    CHECK(bench.stop().has_value());
    Lines lines = bench.lines("beat");
    lines.resize(8);
    CHECK(lines == Lines{"beat", "beat: forget", "beat", "beat: forget", "beat", "beat: forget",
                         "beat", "beat"});
  }

  TEST_CASE("a node that lost its device leaves the next jobs to others for a while") {
    WorkerBench bench({.jobs = 1, .beat = std::chrono::hours(1)});
    bench.offer(attempt_at("job_1", 1, "refuse", {{"code", "device_lost"}}));
    bench.offer(long_attempt("job_2", 1));
    bench.start();
    bench.broker.await_line("finish job_1 1 try_again");
    bench.worker().drain();
    while (!bench.worker().idle()) {
      std::this_thread::yield();
    }
    CHECK(bench.stop().has_value());
    CHECK(bench.lines("claim") == Lines{"claim"});
  }

  TEST_CASE("a job of one that sees all sees all, and no other one does") {
    WorkerBench bench;
    NodeClaim own = attempt_at("job_1", 1, "viewer", Json::object());
    own.owner.clear();
    bench.offer(own);
    NodeClaim all = attempt_at("job_2", 1, "viewer", Json::object());
    all.sees_all = true;
    bench.offer(all);
    bench.start();
    bench.broker.await_line("finish job_1 1 done");
    bench.broker.await_line("finish job_2 1 done");
    CHECK(bench.stop().has_value());
    Lines results = bench.lines("result");
    std::sort(results.begin(), results.end());
    REQUIRE(results.size() == 2);
    CHECK(results[0] == R"(result {"output":{"status":"done","summary":"all"}})");
    CHECK(results[1] == R"(result {"output":{"status":"done","summary":"own"}})");
  }
}

}  // namespace ws::server
