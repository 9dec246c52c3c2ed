#include "tools/evaluate/batch.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "runtime/base/hash.h"
#include "tools/answer/next_steps.h"
#include "tools/evaluate/evaluation.h"
#include "tools/evaluate/reward.h"

namespace ws {
namespace {

constexpr std::size_t kRowsShown = 16;
constexpr std::size_t kBatchDigits = 16;

Json row_of(std::size_t index, const Result<Json>& result) {
  if (!result) {
    // Only what is wrong with the kernel is worth nothing; of what failed here nothing is known.
    const bool kernels_fault = result.error().code == ErrorCode::kInvalidArgument ||
                               result.error().code == ErrorCode::kUnsupported;
    return {{"index", index},
            {"verdict", word(result.error().code)},
            {"reward", kernels_fault ? Json(0.0) : Json(nullptr)},
            {"speedup", nullptr},
            {"message", quoted(to_text(result.error()))}};
  }
  Json row = {{"index", index}};
  for (const char* field : {"kernel_id", "verdict", "reward", "speedup", "evidence_id"}) {
    row[field] = (*result)[field];
  }
  return row;
}

std::string line_of(const Json& row) {
  return row.value("kernel_id", "kernels[" + row["index"].dump() + "]") + ": " +
         row["verdict"].get<std::string>() + ", " + reward_text(row["reward"]);
}

/// Right ones first, then by reward; where there is none, by the speed-up.
bool is_better(const Json& a, const Json& b) {
  const auto worth = [](const Json& row) {
    const auto number = [&row](const char* field) {
      return row[field].is_number() ? row[field].get<double>() : 0;
    };
    return std::tuple(is_valid(row["verdict"].get<std::string>()), number("reward"),
                      number("speedup"));
  };
  return worth(a) > worth(b);
}

/// The best first; equals as they were sent.
std::vector<Json> ranked(std::vector<Json> rows) {
  std::stable_sort(rows.begin(), rows.end(), is_better);
  return rows;
}

/// What is known while a batch runs. Not for several threads.
class Tally {
 public:
  explicit Tally(std::size_t total)
      : total_(total) {}

  /// Takes in a row and tells of it.
  void add(const Json& row, const CallContext& context) {
    ++done_;
    valid_ += is_valid(row["verdict"].get<std::string>()) ? 1U : 0U;
    best_.insert(std::upper_bound(best_.begin(), best_.end(), row, is_better), row);
    best_.resize(std::min(best_.size(), kRowsShown));
    context.report_result(
        static_cast<double>(done_) / static_cast<double>(total_),
        std::to_string(done_) + " of " + std::to_string(total_) + ": " + line_of(row),
        partial().dump(-1, ' ', false, Json::error_handler_t::replace));
  }

 private:
  [[nodiscard]] Json partial() const {
    return {
        {"kernels_done", done_}, {"kernels_total", total_}, {"valid", valid_}, {"results", best_}};
  }

  const std::size_t total_;
  std::size_t done_ = 0;
  std::size_t valid_ = 0;
  std::vector<Json> best_;  ///< The best first.
};

}  // namespace

Result<std::vector<Json>> evaluate_all(const std::vector<Json>& arguments, std::size_t at_once,
                                       const EvaluateOne& one, CallContext& context) {
  std::vector<Json> rows(arguments.size());
  std::atomic<std::size_t> next = 0;
  const std::string batch = random_hex(kBatchDigits);
  std::mutex mutex;
  Tally tally(arguments.size());  // guarded by mutex
  std::exception_ptr error;       // guarded by mutex
  const auto evaluate = [&](std::size_t i) {
    CallContext own = context.part();
    own.caller.background = true;  // Who asked for many waits for the last.
    own.batch = batch;
    rows[i] = row_of(i, one(arguments[i], own));
    const std::lock_guard lock(mutex);
    tally.add(rows[i], context);
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < arguments.size() && !context.stop.stop_requested();
         i = next++) {
      try {
        evaluate(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        next = arguments.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(at_once, arguments.size()); ++i) {
      threads.emplace_back(work);
    }
  }
  if (error) {
    std::rethrow_exception(error);
  }
  if (context.stop.stop_requested()) {
    return fail(ErrorCode::kCancelled, "the call was cancelled");
  }
  return rows;
}

Json batch_answer(const std::vector<Json>& rows, bool full) {
  const std::vector<Json> best = ranked(rows);
  const auto valid =
      static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const Json& row) {
        return is_valid(row["verdict"].get<std::string>());
      }));
  const std::size_t shown = full ? rows.size() : std::min(rows.size(), kRowsShown);
  const std::vector<Json> listed =
      full ? rows
           : std::vector<Json>(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(shown));
  Json body = {{"verdict", name_of(Verdict::kEvaluated)},
               {"kernels_total", rows.size()},
               {"valid", valid},
               {"results", listed}};
  std::string summary =
      std::to_string(valid) + " of " + std::to_string(rows.size()) + " kernels are right";
  std::vector<Json> steps;
  if (valid > 0) {
    summary += "; the best is " + line_of(best.front());
    steps.push_back(edit_step("evaluate", best.front()["kernel_id"], "go on from the best"));
  }
  if (shown < rows.size()) {
    body["left_out"] = rows.size() - shown;
    steps.push_back(
        advice("the same call with `detail` \"full\" lists all of them, from the archive"));
  }
  return finished(summary, std::move(body), std::move(steps));
}

}  // namespace ws
