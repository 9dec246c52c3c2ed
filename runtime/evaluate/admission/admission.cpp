#include "runtime/evaluate/admission/admission.h"

#include <algorithm>
#include <utility>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/numbers.h"
#include "runtime/evaluate/admission/examination.h"

namespace ws {
namespace {

using Kind = NullModel::Kind;
using Part = NullModel::Part;

constexpr double kLargestTolerance = 0.1;
constexpr double kLargestOfBytes = 0.25;  // Types of eight bits are that coarse.

/// The weaknesses that show without a run.
Weaknesses wide_tolerances(const Problem& problem) {
  Weaknesses found;
  for (const ArgSpec& arg : problem.args) {
    const Tolerance sent = arg.tolerance.value_or(problem.tolerance.value_or(Tolerance{}));
    const double most = std::max(sent.rtol.value_or(0), sent.atol.value_or(0));
    const bool written = arg.role == Role::kOut || arg.role == Role::kInout;
    const double limit = size_of(arg.type) == 1 ? kLargestOfBytes : kLargestTolerance;
    if (written && is_float(arg.type) && most > limit) {
      found.push_back("the tolerance of `" + arg.name + "` is larger than " + three_digits(limit));
    }
  }
  return found;
}

bool is_copy(const NullModel& model) {
  return model.part == Part::kWhole && (model.kind == Kind::kInput || model.kind == Kind::kNegated);
}

/// Those models that passed and show a weakness. A multiple of an input, and a half that is zeros
/// or a copy, may be just what the problem asks for: they count where only the tolerance made them
/// pass. So does a copy in an output of its own, beside an output that needs work. A half is told
/// of once.
std::vector<NullModel> telling(const std::vector<NullModel>& passed, const ResolvedPlan& plan) {
  const auto any = [&passed](const auto& is) {
    return std::any_of(passed.begin(), passed.end(), is);
  };
  const auto whole_of = [](std::size_t output) {
    return [output](const NullModel& model) {
      return model.part == Part::kWhole && model.output == output &&
             !(model.kind == Kind::kScaled && model.exact);
    };
  };
  bool works = false;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    works =
        works || (is_output(plan.buffers[i]) && plan.buffers[i].elements > 0 && !any(whole_of(i)));
  }
  std::vector<NullModel> counted;
  for (const NullModel& model : passed) {
    const bool asked_for =
        is_copy(model) && works && plan.buffers[model.output].role == BufferRole::kOut;
    const bool half = model.part != Part::kWhole;
    const auto is_same = [&model](const NullModel& other) {
      return other.output == model.output && other.part == model.part;
    };
    const bool needs_tolerance = half || model.kind == Kind::kScaled || asked_for;
    const bool said =
        half
            ? any(whole_of(model.output)) || std::any_of(counted.begin(), counted.end(), is_same)
            : model.kind == Kind::kScaled && any([&](const NullModel& other) {
                return is_copy(other) && other.output == model.output && other.input == model.input;
              });
    if (!said && !(needs_tolerance && model.exact)) {
      counted.push_back(model);
    }
  }
  return counted;
}

/// One sentence for each suspicion that stands.
Weaknesses sentences(const Suspicions& suspicions, const ResolvedPlan& plan) {
  const auto name = [&plan](std::size_t i) { return "`" + plan.buffers[i].name + "`"; };
  Weaknesses found;
  for (const std::size_t output : suspicions.empty) {
    found.push_back(name(output) + " has no elements");
  }
  for (const NullModel& model : telling(suspicions.models, plan)) {
    found.push_back(model.text(plan));
  }
  for (const IdleInput& input : suspicions.inputs) {
    found.push_back(name(input.buffer) + (input.varies ? " does not change its results"
                                                       : " always has the same values"));
  }
  return found;
}

/// The suspicions of one problem, workload after workload.
class Inquiry {
 public:
  Inquiry(const Problem& problem, const ReferenceOpener& open, std::uint64_t secret,
          const std::stop_token& stop)
      : problem_(problem),
        open_(open),
        secret_(secret),
        stop_(stop),
        found_(wide_tolerances(problem)) {}

  /// @return  False: the reference could not be used.
  Result<bool> begin(const Workload& workload) {
    WS_TRY(const std::unique_ptr<Reference> reference, open_(workload));
    if (!reference) {
      return false;
    }
    WS_TRY(const ErrorModel error_model, ErrorModel::of(problem_, workload));
    Examination examination(*reference, error_model, secret_, stop_);
    suspicions_ = examination.everything();
    WS_TRY(const bool usable, examination.refute(suspicions_));
    if (!usable) {
      return false;
    }
    plan_ = reference->plan();
    WS_TRY(const auto unsteady, examination.unsteady_output());
    if (unsteady) {
      unsteady_ = "its reference gives different `" + plan_.buffers[*unsteady].name +
                  "` for the same inputs";
    }
    return true;
  }

  /// Another workload. One on which the reference cannot be used refutes nothing.
  Status go_on(const Workload& workload) {
    if (sentences(suspicions_, plan_).empty()) {
      return {};
    }
    WS_TRY(const std::unique_ptr<Reference> reference, open_(workload));
    if (!reference) {
      return {};
    }
    WS_TRY(const ErrorModel error_model, ErrorModel::of(problem_, workload));
    Examination examination(*reference, error_model, derive_seed(secret_, "another size"), stop_);
    Suspicions left = suspicions_;
    WS_TRY(const bool usable, examination.refute(left));
    if (usable) {
      suspicions_ = std::move(left);
    }
    return {};
  }

  Weaknesses result() {
    for (std::string& sentence : sentences(suspicions_, plan_)) {
      found_.push_back(std::move(sentence));
    }
    if (!unsteady_.empty()) {
      found_.push_back(std::move(unsteady_));
    }
    return std::move(found_);
  }

 private:
  const Problem& problem_;
  const ReferenceOpener& open_;
  std::uint64_t secret_;
  const std::stop_token& stop_;
  Weaknesses found_;
  Suspicions suspicions_;
  ResolvedPlan plan_;  ///< The first workload's.
  std::string unsteady_;
};

}  // namespace

Result<std::optional<Weaknesses>> find_weaknesses(const Problem& problem,
                                                  const std::vector<Workload>& workloads,
                                                  const ReferenceOpener& open, std::uint64_t secret,
                                                  const std::stop_token& stop) {
  Inquiry inquiry(problem, open, secret, stop);
  WS_TRY(const bool usable, inquiry.begin(workloads.front()));
  if (!usable) {
    return std::optional<Weaknesses>();
  }
  for (std::size_t i = 1; i < workloads.size(); ++i) {
    WS_CHECK(inquiry.go_on(workloads[i]));
  }
  return std::optional(inquiry.result());
}

}  // namespace ws
