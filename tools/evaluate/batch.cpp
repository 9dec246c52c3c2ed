#include "tools/evaluate/batch.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/base/viewer.h"
#include "tools/answer/next_steps.h"

namespace ws {
namespace {

constexpr std::size_t kRowsShown = 16;
constexpr std::size_t kBatchDigits = 16;

BatchRow row_of(std::size_t index, const Result<Evaluation>& evaluation) {
  BatchRow row;
  row.index = index;
  if (!evaluation) {
    row.error = evaluation.error();
    // Only what is wrong with the kernel is worth nothing; of what failed here nothing is known.
    if (row.error->code == ErrorCode::kInvalidArgument ||
        row.error->code == ErrorCode::kUnsupported) {
      row.reward = 0;
    }
    return row;
  }
  row.kernel_id = evaluation->kernel_id;
  row.verdict = evaluation->verdict;
  row.reward = evaluation->reward;
  row.speedup = evaluation->speedup;
  row.evidence_id = evaluation->evidence_id;
  return row;
}

/// The verdict's name, or the error's.
std::string word_of(const BatchRow& row) {
  return std::string(row.error ? word(row.error->code) : name_of(*row.verdict));
}

std::string line_of(const BatchRow& row) {
  return (row.error ? "kernels[" + std::to_string(row.index) + "]" : row.kernel_id) + ": " +
         word_of(row) + ", " + reward_text(row.reward);
}

/// Right ones first, then by reward; where there is none, by the speed-up.
bool is_better(const BatchRow& a, const BatchRow& b) {
  const auto worth = [](const BatchRow& row) {
    return std::tuple(row.valid(), row.reward.value_or(0), row.speedup.value_or(0));
  };
  return worth(a) > worth(b);
}

/// The best first; equals as they were sent.
std::vector<BatchRow> ranked(std::vector<BatchRow> rows) {
  std::stable_sort(rows.begin(), rows.end(), is_better);
  return rows;
}

/// The results so far while a batch runs. Not for several threads.
class Tally {
 public:
  explicit Tally(std::size_t total)
      : total_(total) {}

  /// Takes in a row and tells of it.
  void add(const BatchRow& row, const CallContext& context) {
    ++done_;
    valid_ += row.valid() ? 1U : 0U;
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
  std::vector<BatchRow> best_;  ///< The best first.
};

}  // namespace

void to_json(Json& form, const BatchRow& row) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  form = {{"index", row.index},
          {"verdict", word_of(row)},
          {"reward", number(row.reward)},
          {"speedup", number(row.speedup)}};
  if (row.error) {
    form["message"] = quoted(to_text(*row.error));
  } else {
    form["kernel_id"] = row.kernel_id;
    form["evidence_id"] = row.evidence_id;
  }
}

Result<std::vector<BatchRow>> evaluate_all(const std::vector<EvaluateParams>& kernels,
                                           std::size_t at_once, const EvaluateOne& one,
                                           CallContext& context) {
  std::vector<BatchRow> rows(kernels.size());
  std::atomic<std::size_t> next = 0;
  const std::string batch = random_hex(kBatchDigits);
  std::mutex mutex;
  Tally tally(kernels.size());  // guarded by mutex
  std::exception_ptr error;     // guarded by mutex
  const auto evaluate = [&](std::size_t i) {
    CallContext own = context.part();
    own.caller.background = true;  // A caller that asked for many waits for the last.
    own.batch = batch;
    rows[i] = row_of(i, one(kernels[i], own));
    const std::lock_guard lock(mutex);
    tally.add(rows[i], context);
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < kernels.size() && !context.stop.stop_requested(); i = next++) {
      try {
        evaluate(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        next = kernels.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(at_once, kernels.size()); ++i) {
      threads.emplace_back([&work, eyes = kept_viewer()] {
        const ViewerScope viewer(eyes);
        work();
      });
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

Answer answer_of(const BatchEvaluation& batch) {
  const std::vector<BatchRow>& rows = batch.rows;
  const std::vector<BatchRow> best = ranked(rows);
  const auto valid = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const BatchRow& row) { return row.valid(); }));
  const std::size_t shown = batch.full ? rows.size() : std::min(rows.size(), kRowsShown);
  const std::vector<BatchRow> listed =
      batch.full
          ? rows
          : std::vector<BatchRow>(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(shown));
  Answer answer;
  answer.summary =
      std::to_string(valid) + " of " + std::to_string(rows.size()) + " kernels are correct";
  answer.body = {{"verdict", name_of(Verdict::kEvaluated)},
                 {"kernels_total", rows.size()},
                 {"valid", valid},
                 {"results", listed}};
  if (valid > 0) {
    answer.summary += "; the best is " + line_of(best.front());
    answer.next_steps.push_back(
        edit_step("evaluate", best.front().kernel_id, "continue from the best one"));
  }
  if (shown < rows.size()) {
    answer.body["left_out"] = rows.size() - shown;
    answer.next_steps.push_back(
        advice("the same call with `detail` \"full\" lists all of them, from the archive"));
  }
  return answer;
}

}  // namespace ws
