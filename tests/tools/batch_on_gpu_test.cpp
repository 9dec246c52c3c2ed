// How the kernels of a batch share a GPU: which runs name a batch, which kernels are verified for,
// and which are there at a time.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/evaluate/measure/measurement.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/validate/validation.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// The GPU's limit; a kernel is small with less than a sixteenth.
constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 20U;
/// The memory that a GPU needs for kernels to share it.
constexpr std::uint64_t kLeastToShare = std::uint64_t{8} << 30U;

struct Opened {
  std::string owner;
  std::string batch;
  bool verified = false;

  [[nodiscard]] bool is_candidate() const {
    return owner.starts_with(std::to_string(static_cast<int>(RunAs::kCandidate)));
  }
};

/// All sessions of a backend, in the order they were opened. Any thread.
class Record {
 public:
  /// How long a candidate waits for two others before it runs.
  std::chrono::milliseconds patience{0};
  std::uint64_t memory_bytes = kLeastToShare;  ///< The GPU's memory.

  std::size_t add(Opened opened) {
    std::unique_lock lock(mutex_);
    const bool candidate = opened.is_candidate();
    all_.push_back(std::move(opened));
    const std::size_t index = all_.size() - 1;
    if (candidate) {
      most_ = std::max(most_, ++open_);
      came_.notify_all();
      came_.wait_for(lock, patience, [this] { return most_ > 2; });
    }
    return index;
  }

  void close(std::size_t index) {
    const std::lock_guard lock(mutex_);
    open_ -= all_[index].is_candidate() ? 1U : 0U;
  }

  /// Candidates that were open at a time.
  [[nodiscard]] std::size_t most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

  void mark_verified(std::size_t index) {
    const std::lock_guard lock(mutex_);
    all_[index].verified = true;
  }

  [[nodiscard]] std::vector<Opened> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Opened> all_;  // guarded by mutex_
  std::size_t open_ = 0;     // guarded by mutex_
  std::size_t most_ = 0;     // guarded by mutex_
};

class RecordingSession : public Session {
 public:
  RecordingSession(std::unique_ptr<Session> inner, Record& record, std::size_t index)
      : inner_(std::move(inner)),
        record_(record),
        index_(index) {}

  RecordingSession(const RecordingSession&) = delete;
  RecordingSession& operator=(const RecordingSession&) = delete;
  RecordingSession(RecordingSession&&) = delete;
  RecordingSession& operator=(RecordingSession&&) = delete;

  ~RecordingSession() override { record_.close(index_); }

  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override {
    return inner_->run(poison, limit, stop);
  }

  Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                             const std::stop_token& stop) override {
    return inner_->time(request, limit, stop);
  }

  void mark_verified() override {
    record_.mark_verified(index_);
    inner_->mark_verified();
  }

 private:
  std::unique_ptr<Session> inner_;
  Record& record_;
  std::size_t index_;
};

class RecordingBackend : public Backend {
 public:
  RecordingBackend(std::unique_ptr<Backend> inner, Record& record)
      : inner_(std::move(inner)),
        record_(record) {}

  Result<DeviceInfo> info() override {
    WS_TRY(DeviceInfo info, inner_->info());
    info.limits.max_buffer_bytes = kMaxBufferBytes;
    info.memory_bytes = record_.memory_bytes;
    return info;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    return inner_->compile(request, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    WS_TRY(std::unique_ptr<Session> session, inner_->open(image, plan, std::move(arena)));
    const std::size_t index = record_.add({plan.owner, plan.batch});
    return std::make_unique<RecordingSession>(std::move(session), record_, index);
  }

  void warm() override { inner_->warm(); }

 private:
  std::unique_ptr<Backend> inner_;
  Record& record_;
};

/// Tools with one fake GPU whose sessions are written down.
struct WatchedBench {
  Record record;
  ToolBench bench{1};

  WatchedBench() {
    std::unique_ptr<Backend>& backend = bench.services().devices.front().backend;
    backend = std::make_unique<RecordingBackend>(std::move(backend), record);
  }

  [[nodiscard]] Backend& gpu() const { return *bench.services().devices.front().backend; }

  [[nodiscard]] Subject subject(const Json& problem, const std::string& entry) {
    auto subject =
        load_subject(*bench.services().archive, bench.compiled(problem, bump_kernel(entry)));
    REQUIRE(subject.has_value());
    return *std::move(subject);
  }

  [[nodiscard]] std::vector<Opened> candidates() const {
    std::vector<Opened> found = record.all();
    std::erase_if(found, [](const Opened& each) { return !each.is_candidate(); });
    return found;
  }
};

/// Each size is run twice, the smallest first. @param by_itself  The kernel is its own reference.
std::string validated(WatchedBench& watched, const std::string& entry, const Json& sizes,
                      bool by_itself) {
  Json problem = bump_problem();
  problem["dims"]["n"] = sizes;
  Subject subject = watched.subject(problem, entry);
  if (by_itself) {
    subject.problem.reference = std::make_shared<Kernel>(subject.kernel);
    subject.problem.reference_trusted = false;
  }
  ValidationRequest request;
  request.params = {Params{}};
  request.level = ValidationLevel::kStandard;
  request.batch = "batch";
  const auto result =
      validate_kernel(watched.gpu(), *watched.bench.services().host_workers, subject, request, {});
  REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
  return std::string(name_of(result->verdict));
}

std::string measured(WatchedBench& watched, const Ceilings& ceilings, const Json& sizes) {
  Json problem = bump_problem();
  problem["dims"]["n"] = sizes;
  problem["flops"] = "1000000 * n";
  const Subject subject = watched.subject(problem, "add_one");
  BenchmarkRequest request;
  request.hot = true;  // The fake flushes a cache by writing 128 MiB of the host's memory.
  request.time_budget_ms = 50;
  request.secret = 11;
  request.batch = "batch";
  request.ceilings = ceilings;
  request.baseline.kernel = subject.kernel;
  const auto result = measure_kernel(watched.gpu(), subject, request, {});
  REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
  return std::string(name_of(result->verdict));
}

}  // namespace

TEST_SUITE("tools.batch_on_gpu") {
  TEST_CASE("a right kernel of a batch is verified for when it was validated, a wrong one is not") {
    struct Row {
      std::string entry;
      Json sizes;
      std::string verdict;
    };

    const Row rows[] = {{"add_one", {64, 128}, "passed"},
                        {"small_only", {64, 128}, "incorrect"},
                        {"right_once", {64}, "incorrect"},
                        {"add_one", {64, 128}, "suspect"}};  // Compared with itself.
    for (const Row& row : rows) {
      CAPTURE(row.entry);
      CAPTURE(row.verdict);
      const bool right = row.verdict == "passed";
      WatchedBench watched;
      CHECK(validated(watched, row.entry, row.sizes, row.verdict == "suspect") == row.verdict);
      const std::vector<Opened> candidates = watched.candidates();
      REQUIRE(candidates.size() == row.sizes.size());
      for (const Opened& each : candidates) {
        CHECK(each.batch == candidates.front().batch);
        CHECK(each.batch != "");
      }
      CHECK(candidates.back().verified == right);
      CHECK(std::any_of(candidates.begin(), candidates.end(),
                        [](const Opened& each) { return each.verified; }) == right);
      for (const Opened& each : watched.record.all()) {
        CHECK((each.is_candidate() || (each.batch.empty() && !each.verified)));
      }
    }
  }

  TEST_CASE("a timed kernel is verified for, unless its times cannot be true") {
    const Ceilings slow{.tflops = {{"f32", 1e-9}}, .complete = true};
    for (const bool suspect : {false, true}) {
      CAPTURE(suspect);
      WatchedBench watched;
      CHECK((measured(watched, suspect ? slow : Ceilings{}, {64}) == "suspect") == suspect);
      const std::vector<Opened> all = watched.record.all();
      REQUIRE(all.size() == 2);
      CHECK(all[0].batch != "");
      CHECK(all[0].verified == !suspect);
      CHECK(all[1].batch == "");  // The baseline.
      CHECK_FALSE(all[1].verified);
    }
  }

  TEST_CASE("a timed kernel is verified for when its times on all sizes can be true") {
    // In the microsecond that the fake takes: 64 and 128 TFLOPS.
    for (const double tflops : {90.0, 200.0}) {
      CAPTURE(tflops);
      const bool suspect = tflops < 128;
      WatchedBench watched;
      const Ceilings ceilings{.tflops = {{"f32", tflops}}, .complete = true};
      CHECK((measured(watched, ceilings, {64, 128}) == "suspect") == suspect);
      const std::vector<Opened> all = watched.record.all();
      REQUIRE(all.size() == 4);
      CHECK_FALSE(all[0].verified);
      CHECK(all[2].batch != "");
      CHECK(all[2].verified == !suspect);
    }
  }

  TEST_CASE("kernels are batch that one evaluate was given, and no others") {
    WatchedBench watched;
    const auto evaluated = [&](Json what) {
      const std::size_t before = watched.candidates().size();
      what["problem"] = bump_problem();
      watched.bench.result("evaluate", what);
      const std::vector<Opened> all = watched.candidates();
      REQUIRE(all.size() > before);
      return std::vector<Opened>(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
    };
    const std::vector<Opened> alone = evaluated({{"kernel", bump_kernel("twice", 1)}});
    CHECK(alone.front().batch == "");
    const std::vector<Opened> batch =
        evaluated({{"kernels", {bump_kernel("twice", 2), bump_kernel("twice", 3)}}});
    REQUIRE(batch.size() >= 2);
    CHECK(batch.front().batch != "");
    CHECK(batch.front().batch == batch.back().batch);
    CHECK(batch.front().owner != batch.back().owner);
    const std::vector<Opened> other =
        evaluated({{"kernels", {bump_kernel("twice", 4), bump_kernel("twice", 5)}}});
    CHECK(other.front().batch != batch.front().batch);
  }

  TEST_CASE("of a batch three small kernels are on a large GPU at a time, others one by one") {
    struct Row {
      int n;
      std::uint64_t memory_bytes;
      std::size_t most;
    };

    for (const Row& row :
         {Row{64, kLeastToShare, 3}, Row{65536, kLeastToShare, 1}, Row{64, kLeastToShare - 1, 1}}) {
      CAPTURE(row.n);
      CAPTURE(row.memory_bytes);
      WatchedBench watched;
      watched.record.patience = std::chrono::milliseconds(row.most > 1 ? 10'000 : 300);
      watched.record.memory_bytes = row.memory_bytes;
      Json problem = bump_problem();
      problem["dims"]["n"]["values"] = {row.n};
      const Json result =
          watched.bench.result("evaluate", {{"problem", problem},
                                            {"kernels",
                                             {bump_kernel("twice", 1), bump_kernel("twice", 2),
                                              bump_kernel("twice", 3), bump_kernel("twice", 4)}}});
      CHECK(result["valid"] == 0);
      CHECK(watched.candidates().size() >= 4);
      CHECK(watched.record.most() == row.most);
    }
  }
}

}  // namespace ws::test
