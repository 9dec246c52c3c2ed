#include "runtime/evaluate/admission/null_models.h"

#include "runtime/base/numbers.h"

namespace ws {
namespace {

using Kind = NullModel::Kind;
using Part = NullModel::Part;

/// @param halves  Half of the output says something: its rows have an order.
void add_models(const ResolvedPlan& plan, std::size_t output, bool halves,
                std::vector<NullModel>& models) {
  const auto add = [&](Kind kind, std::size_t input = 0) {
    models.push_back({.kind = kind, .output = output, .input = input, .scale = {}});
    if (!halves || plan.buffers[output].elements < kTellingElements || kind == Kind::kOnes ||
        kind == Kind::kNegated || kind == Kind::kScaled) {
      return;
    }
    for (const Part part : {Part::kFirstHalf, Part::kSecondHalf}) {
      models.push_back({.kind = kind, .part = part, .output = output, .input = input, .scale = {}});
    }
  };
  add(Kind::kZeros);
  add(Kind::kOnes);
  if (plan.buffers[output].elements > 1) {
    add(Kind::kMean);
  }
  add(Kind::kPrevious);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferRole role = plan.buffers[i].role;
    if (role == BufferRole::kIn || role == BufferRole::kInout) {
      add(Kind::kInput, i);
      add(Kind::kNegated, i);
      add(Kind::kScaled, i);
    }
  }
}

std::string answer_text(const NullModel& model, const ResolvedPlan& plan) {
  const std::string input = "`" + plan.buffers[model.input].name + "`";
  switch (model.kind) {
    case Kind::kZeros:
      return "zeros";
    case Kind::kOnes:
      return "ones";
    case Kind::kMean:
      return "one number for all elements";
    case Kind::kPrevious:
      return "the results for other inputs";
    case Kind::kInput:
      return "a copy of " + input;
    case Kind::kNegated:
      return input + " with the sign changed";
    case Kind::kScaled:
      break;
  }
  return input + " times " + three_digits(model.scale.value_or(1));
}

}  // namespace

std::string NullModel::text(const ResolvedPlan& plan) const {
  const char* const half = part == Part::kFirstHalf    ? "the first half of "
                           : part == Part::kSecondHalf ? "the second half of "
                                                       : "";
  return answer_text(*this, plan) + " would pass as " + half + "`" + plan.buffers[output].name +
         "`";
}

std::vector<NullModel> null_models(const Problem& problem, const ResolvedPlan& plan) {
  std::vector<NullModel> models;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    const ArgSpec* const arg = problem.find_arg(buffer.name);
    if (arg != nullptr && is_output(buffer) && buffer.elements > 0) {
      add_models(plan, i, !arg->unordered, models);
    }
  }
  return models;
}

}  // namespace ws
