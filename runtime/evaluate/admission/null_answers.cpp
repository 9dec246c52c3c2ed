// The answers of null models, and whether the judge takes them.
#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/evaluate/admission/null_models.h"
#include "runtime/judge/layout.h"

namespace ws {
namespace {

using Kind = NullModel::Kind;
using Part = NullModel::Part;

/// A buffer's elements in row-major order, as numbers.
class Elements {
 public:
  Elements(const BufferSpec& spec, std::span<const std::byte> bytes)
      : type_(spec.type),
        count_(spec.elements),
        bytes_(bytes),
        view_(spec) {}

  [[nodiscard]] double operator[](std::int64_t i) const {
    return load_element(type_, bytes_.data(), static_cast<std::size_t>(view_.offset_of(i)));
  }

  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  DType type_;
  std::int64_t count_;
  std::span<const std::byte> bytes_;
  RowView view_;
};

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Range range_of(Part part, std::int64_t count) {
  return {part == Part::kSecondHalf ? count / 2 : 0, part == Part::kFirstHalf ? count / 2 : count};
}

double mean_of(const Elements& elements, const Range& range) {
  double sum = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    sum += std::isfinite(elements[i]) ? elements[i] : 0;
  }
  return sum / static_cast<double>(std::max<std::int64_t>(range.end - range.begin, 1));
}

/// The number that fits `want` best as a multiple of `input`, by least squares; 0 where none does.
double best_scale(const Elements& input, const Elements& want) {
  double products = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < want.count(); ++i) {
    const double x = input[i];
    if (std::isfinite(x) && std::isfinite(want[i])) {
      products += x * want[i];
      squares += x * x;
    }
  }
  return squares > 0 && std::isfinite(products / squares) ? products / squares : 0;
}

bool reads_input(Kind kind) {
  return kind == Kind::kInput || kind == Kind::kNegated || kind == Kind::kScaled;
}

bool needs_previous(Kind kind) {
  return kind == Kind::kMean || kind == Kind::kPrevious;
}

/// A model's answer, element by element.
class Answer {
 public:
  /// @param source  The elements that the model reads, where it reads any.
  Answer(const NullModel& model, const Elements& want, const std::optional<Elements>& source)
      : model_(model),
        want_(want),
        source_(source),
        range_(range_of(model.part, want.count())),
        mean_(model.kind == Kind::kMean ? mean_of(*source, range_) : 0) {}

  [[nodiscard]] double operator[](std::int64_t i) const {
    return i >= range_.begin && i < range_.end ? made(i) : want_[i];
  }

 private:
  [[nodiscard]] double made(std::int64_t i) const {
    switch (model_.kind) {
      case Kind::kZeros:
        return 0;
      case Kind::kOnes:
        return 1;
      case Kind::kMean:
        return mean_;
      case Kind::kPrevious:
      case Kind::kInput:
        return (*source_)[i];
      case Kind::kNegated:
        return -(*source_)[i];
      case Kind::kScaled:
        break;
    }
    return *model_.scale * (*source_)[i];
  }

  const NullModel& model_;
  const Elements& want_;
  const std::optional<Elements>& source_;
  Range range_;
  double mean_;
};

double as_stored(DType type, double value) {
  std::array<std::byte, sizeof(double)> bytes{};
  store_element(type, bytes.data(), 0, value);
  return load_element(type, bytes.data(), 0);
}

/// Whether a few elements show already that the judge refuses the answer: one is off by more than
/// any row's bound. Most models end here, without a pass over a large output.
bool is_far_off(const Answer& answer, const Elements& want, DType type, const ErrorBound& bound,
                double largest) {
  constexpr std::int64_t kLooks = 512;
  const std::int64_t step = std::max<std::int64_t>(want.count() / kLooks, 1);
  for (std::int64_t i = 0; i < want.count(); i += step) {
    const double allowed = bound.rtol * std::abs(want[i]) + (bound.atol + bound.sum) * largest;
    if (std::abs(as_stored(type, answer[i]) - want[i]) > 1.001 * allowed) {
      return true;
    }
  }
  return false;
}

std::vector<std::byte> stored(const Answer& answer, const BufferSpec& spec,
                              const std::vector<std::byte>& want) {
  std::vector<std::byte> bytes = want;
  const RowView view(spec);
  for (std::int64_t i = 0; i < spec.elements; ++i) {
    store_element(spec.type, bytes.data(), static_cast<std::size_t>(view.offset_of(i)), answer[i]);
  }
  return bytes;
}

/// Whether they are the same but for the last bits of a product.
bool equals(const Elements& got, const Elements& want, DType type) {
  const double most = is_float(type) ? 4 * unit_roundoff(type) : 0;
  for (std::int64_t i = 0; i < want.count(); ++i) {
    if (!(std::abs(got[i] - want[i]) <= most * std::abs(want[i]))) {
      return false;
    }
  }
  return true;
}

ErrorBound bound_of(const ErrorModel& error_model, const BufferSpec& output) {
  for (const OutputBound& each : error_model.bounds({output})) {
    return each.explained.bound;
  }
  return {};
}

}  // namespace

double largest_magnitude(const BufferSpec& spec, std::span<const std::byte> bytes) {
  const Elements elements(spec, bytes);
  double largest = 0;
  for (std::int64_t i = 0; i < elements.count(); ++i) {
    largest = std::max(largest, std::abs(elements[i]));
  }
  return largest;
}

bool passes(NullModel& model, const ResolvedPlan& plan, const ErrorModel& error_model,
            const NullDraw& draw) {
  const BufferSpec& spec = plan.buffers[model.output];
  const std::vector<std::byte>& bytes = draw.outputs.at(model.output);
  const Elements want(spec, bytes);
  std::optional<Elements> source;
  if (needs_previous(model.kind)) {
    if (draw.previous.empty()) {
      return true;
    }
    source.emplace(spec, draw.previous.at(model.output));
  } else if (reads_input(model.kind)) {
    source.emplace(plan.buffers[model.input], draw.inputs.at(model.input));
    if (source->count() != want.count()) {
      return false;
    }
    if (model.kind == Kind::kScaled && !model.scale) {
      model.scale = best_scale(*source, want);
    }
  }
  const Answer answer(model, want, source);
  const bool any_order = has_any_order(error_model.problem(), spec.name);
  if (!any_order && is_far_off(answer, want, spec.type, bound_of(error_model, spec),
                               draw.largest.at(model.output))) {
    return false;
  }
  const std::vector<std::byte> got = stored(answer, spec, bytes);
  const auto expected = [&draw](std::size_t i) {
    return std::span<const std::byte>(draw.outputs.at(i));
  };
  const auto answered = [&](std::size_t i) {
    return i == model.output ? std::span<const std::byte>(got) : expected(i);
  };
  if (error_model.agreement(plan.buffers, model.output, answered, expected, draw.distribution) !=
      Agreement::kSame) {
    return false;
  }
  model.exact = model.exact && equals(Elements(spec, got), want, spec.type);
  return true;
}

}  // namespace ws
