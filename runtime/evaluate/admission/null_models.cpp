#include "runtime/evaluate/admission/null_models.h"

#include <cmath>

#include "runtime/judge/layout.h"

namespace ws {
namespace {

std::vector<double> values_of(const BufferSpec& spec, std::span<const std::byte> bytes) {
  const RowView view(spec);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(spec.elements));
  for (std::int64_t element = 0; element < spec.elements; ++element) {
    values.push_back(
        load_element(spec.type, bytes.data(), static_cast<std::size_t>(view.offset_of(element))));
  }
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::isfinite(value) ? value : 0;
  }
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

std::string NullModel::text(const ResolvedPlan& plan) const {
  switch (kind) {
    case Kind::kZeros:
      return "zeros";
    case Kind::kOnes:
      return "ones";
    case Kind::kMean:
      return "the mean of the results";
    case Kind::kInput:
      return "a copy of `" + plan.buffers[input].name + "`";
    case Kind::kPrevious:
      return "the results for other inputs";
    case Kind::kReversed:
      break;
  }
  return "the results in reverse order";
}

std::vector<NullModel> null_models(const ResolvedPlan& plan) {
  using Kind = NullModel::Kind;
  std::vector<NullModel> models = {
      {Kind::kZeros}, {Kind::kOnes}, {Kind::kMean}, {Kind::kPrevious}, {Kind::kReversed}};
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].role == BufferRole::kIn || plan.buffers[i].role == BufferRole::kInout) {
      models.push_back({Kind::kInput, i});
    }
  }
  return models;
}

std::optional<std::vector<std::byte>> answer_of(const NullModel& model, const Reference& reference,
                                                std::size_t output,
                                                const std::vector<std::byte>& previous) {
  const BufferSpec& spec = reference.plan().buffers[output];
  const std::span<const std::byte> want = reference.arena().buffer(output);
  if (model.kind == NullModel::Kind::kPrevious) {
    return previous.empty() ? std::nullopt : std::optional(previous);
  }
  std::vector<double> values = values_of(spec, want);
  switch (model.kind) {
    case NullModel::Kind::kOnes:
      values.assign(values.size(), 1);
      break;
    case NullModel::Kind::kMean:
      if (values.size() < 2) {
        return std::nullopt;  // It would be the result.
      }
      values.assign(values.size(), mean_of(values));
      break;
    case NullModel::Kind::kReversed:
      if (values.size() < 2) {
        return std::nullopt;
      }
      values = {values.rbegin(), values.rend()};
      break;
    case NullModel::Kind::kInput: {
      const BufferSpec& input = reference.plan().buffers[model.input];
      if (input.elements != spec.elements) {
        return std::nullopt;
      }
      values = values_of(input, reference.arena().buffer(model.input));
      break;
    }
    default:
      values.assign(values.size(), 0);
      break;
  }
  std::vector<std::byte> bytes(want.begin(), want.end());
  const RowView view(spec);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<std::size_t>(view.offset_of(static_cast<std::int64_t>(i)));
    store_element(spec.type, bytes.data(), at, values[i]);
  }
  return bytes;
}

}  // namespace ws
