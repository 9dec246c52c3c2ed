// One process of tests/bench/scale.py: a server or a node without compilers, on the real broker and
// archive.
//
//   ws_scale_bench tables URL                          makes the tables, and one kernel
//   ws_scale_bench front URL FIRST COUNT OWNERS THREADS PAUSE_MS
//                                                      submits jobs, and waits for none
//   ws_scale_bench node URL NAME WORK_MS SLOTS EVIDENCE  works until its stdin ends
//
// Prints one JSON object: latencies in ms, or the ids that were acknowledged.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "runtime/archive/store/archive.h"
#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/viewer.h"
#include "runtime/broker/pg_broker.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr const char* kKernel = "krn_scale";

int fail_with(const Error& error) {
  std::fputs((to_text(error) + "\n").c_str(), stderr);
  return 1;
}

/// Times that calls took.
class Latencies {
 public:
  void add(double ms) {
    const std::lock_guard lock(mutex_);
    ms_.push_back(ms);
  }

  Json json() {
    const std::lock_guard lock(mutex_);
    std::sort(ms_.begin(), ms_.end());
    const auto at = [&](double share) {
      const auto place = static_cast<std::size_t>(share * static_cast<double>(ms_.size() - 1));
      return ms_.empty() ? 0.0 : ms_[place];
    };
    return {{"count", ms_.size()}, {"p50_ms", at(0.5)}, {"p99_ms", at(0.99)}, {"max_ms", at(1)}};
  }

 private:
  std::mutex mutex_;
  std::vector<double> ms_;  // guarded by mutex_
};

int make_tables(const std::string& url) {
  auto archive = Archive::open(ArchivePlace({}, url));
  if (!archive) {
    return fail_with(archive.error());
  }
  const Status problem = (*archive)->put_problem({"prb_scale", "scale", "{}", ""});
  const Status kernel = (*archive)->put_kernel({kKernel, "scale", "prb_scale", "", "{}", ""});
  return problem && kernel ? 0 : fail_with(problem ? kernel.error() : problem.error());
}

int run_front(const std::string& url, int first, int count, int owners, int threads, int pause_ms) {
  PgBroker broker(url, static_cast<std::size_t>(threads));
  Latencies latencies;
  std::atomic<int> next = 0;
  std::mutex printing;
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) {
      all.emplace_back([&] {
        for (int number = next++; number < count; number = next++) {
          const std::string owner = "owner" + std::to_string(number % owners);
          const NodeJob job{.id = "job_" + random_hex(32),
                            .tool = "validate",
                            .arguments = "{}",
                            .lane = "cpu",
                            .key = "question" + std::to_string(first + number),
                            .client = owner,
                            .owner = owner};
          const auto start = std::chrono::steady_clock::now();
          Result<Submitted> submitted = broker.submit(job);
          while (!submitted) {  // The database is down: as a client would, it sends it again.
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            submitted = broker.submit(job);
          }
          latencies.add(elapsed_ms(start));
          std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
          const std::lock_guard lock(printing);
          std::printf("%s\n", submitted->id.c_str());
          std::fflush(stdout);
        }
      });
    }
  }
  std::printf("%s\n", Json{{"submit", latencies.json()}}.dump().c_str());
  return 0;
}

/// A node whose work is to sleep.
class SimulatedNode {
 public:
  SimulatedNode(const std::string& url, const std::string& name, int work_ms, bool evidence)
      : broker_(url, 4),
        url_(url),
        node_{.name = name,
              .instance = random_hex(16),
              .host = "here",
              .devices = "cpu:0",
              .lanes = {"cpu"},
              .version = "1"},
        work_ms_(work_ms),
        evidence_(evidence) {}

  int run(int slots) {
    Status entered = broker_.enter(node_);
    while (!entered && entered.error().code != ErrorCode::kConflict) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      entered = broker_.enter(node_);
    }
    if (!entered) {
      return fail_with(entered.error());
    }
    {
      std::vector<std::jthread> all;
      for (int i = 0; i < slots; ++i) {
        all.emplace_back([this](const std::stop_token& stop) { work(stop); });
      }
      const std::jthread beats([this](const std::stop_token& stop) { beat(stop); });
      char byte = 0;
      while (::read(STDIN_FILENO, &byte, 1) > 0) {
      }
    }
    std::printf("%s\n", Json{{"claim", claims_.json()},
                             {"finish", finishes_.json()},
                             {"done", done_.load()},
                             {"refused", refused_.load()}}
                            .dump()
                            .c_str());
    return 0;
  }

 private:
  void work(const std::stop_token& stop) {
    Result<std::unique_ptr<Archive>> archive = fail(ErrorCode::kIo, "not opened");
    while (!stop.stop_requested()) {
      if (evidence_ && !archive) {  // Before a claim, which would be left lying.
        archive = Archive::open(ArchivePlace({}, url_));
        std::this_thread::sleep_for(std::chrono::milliseconds(archive ? 0 : 50));
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      const Result<ClaimOutcome> outcome = broker_.claim(node_);
      if (!outcome || !outcome->claim) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        continue;
      }
      claims_.add(elapsed_ms(start));
      do_job(*outcome->claim, evidence_ ? archive->get() : nullptr);
    }
  }

  void do_job(const NodeClaim& claim, Archive* archive) {
    const WorkLease lease{.job = claim.id, .node = node_.name, .attempt = claim.attempt};
    {
      const std::lock_guard lock(mutex_);
      held_.push_back(lease);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(work_ms_));
    const bool kept = archive == nullptr || measured(*archive, lease);
    const auto start = std::chrono::steady_clock::now();
    const NodeFinish how = kept ? NodeFinish::kDone : NodeFinish::kGaveBack;
    Result<bool> finished = broker_.finish(lease, how, "{}", work_ms_);
    while (!finished) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      finished = broker_.finish(lease, how, "{}", work_ms_);
    }
    finishes_.add(elapsed_ms(start));
    *finished&& kept ? ++done_ : ++refused_;
    const std::lock_guard lock(mutex_);
    std::erase(held_, lease);
  }

  static bool measured(Archive& archive, const WorkLease& lease) {
    const ViewerScope viewer(std::make_shared<const Viewer>(Viewer{.lease = lease}));
    EvidenceRow row;
    row.kernel_id = kKernel;
    row.problem_id = "prb_scale";
    row.device = "cpu:0";
    row.kind = "validate";
    row.key = lease.job;
    row.verdict = Verdict::kPassed;
    row.json = "{}";
    return archive.add_evidence(row).has_value();
  }

  void beat(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (int i = 0; i < 100 && !stop.stop_requested(); ++i) {
        std::this_thread::sleep_for(kNodeBeat / 100);
      }
      std::vector<WorkLease> held;
      {
        const std::lock_guard lock(mutex_);
        held = held_;
      }
      [[maybe_unused]] const auto outcome = broker_.beat(node_, held);
    }
  }

  PgBroker broker_;
  const std::string url_;
  const NodeInfo node_;
  const int work_ms_;
  const bool evidence_;
  Latencies claims_;
  Latencies finishes_;
  std::atomic<int> done_ = 0;
  std::atomic<int> refused_ = 0;
  std::mutex mutex_;
  std::vector<WorkLease> held_;  // guarded by mutex_
};

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t place) { return std::stoi(words.at(place)); };
  if (words.size() == 2 && words[0] == "tables") {
    return ws::make_tables(words[1]);
  }
  if (words.size() == 7 && words[0] == "front") {
    return ws::run_front(words[1], number(2), number(3), number(4), number(5), number(6));
  }
  if (words.size() == 6 && words[0] == "node") {
    return ws::SimulatedNode(words[1], words[2], number(3), number(5) != 0).run(number(4));
  }
  std::fputs("see the comment of tests/bench/scale.cpp\n", stderr);
  return 2;
}
