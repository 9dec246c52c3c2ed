#include "runtime/judge/tolerance.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/base/parallel.h"
#include "runtime/judge/layout.h"

namespace ws {
namespace {

struct FloorRow {
  DType type;
  double floor;  ///< The least rtol and atol: the cost of one rounding to the type, or of a fast
                 ///< math function.
};

constexpr FloorRow kFloors[] = {
    {DType::kF64, 1e-12},   {DType::kF32, 1e-5},   {DType::kTf32, 1e-3},  {DType::kF16, 2e-3},
    {DType::kBf16, 1.6e-2}, {DType::kF8e4m3, 0.1}, {DType::kF8e5m2, 0.2},
};

constexpr double kDefaultFactor = 8;  // Honest sums stay below 5 * u * sqrt(K), tf32 inputs above.
constexpr double kSentFactor = 4;

double floor_of(DType type) {
  for (const FloorRow& row : kFloors) {
    if (row.type == type) {
      return row.floor;
    }
  }
  return 0;
}

double accumulated_error(DType type, double reduction_length) {
  const DType accumulator = type == DType::kF64 ? DType::kF64 : DType::kF32;
  return unit_roundoff(accumulator) * std::sqrt(reduction_length);
}

/// True when `name` stands in the expression as a whole word.
bool mentions(const std::string& expression, const std::string& name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = expression.find(name); at != std::string::npos;
       at = expression.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word(expression[at - 1]);
    const bool ends = end == expression.size() || !is_word(expression[end]);
    if (begins && ends) {
      return true;
    }
  }
  return false;
}

/// Sees whether values come from sums and products of small whole numbers (and halves): they are
/// multiples of 1/4. A large value is one after any rounding, so enough of them must be small.
/// Zeros and ones are also what is left of a row of one element that is divided by its own size,
/// and a mean of few elements is whole by chance, so there must be some other values.
class QuarterCount {
 public:
  explicit QuarterCount(DType type)
      : telling_(is_float(type) ? 0.25 / (2 * unit_roundoff(type)) : max_finite(type)) {}

  void add(double value) {
    quarters_ = quarters_ && value * 4 == std::floor(value * 4);
    nonzero_ += value != 0 ? 1 : 0;
    const bool small = value != 0 && std::abs(value) < telling_;
    small_ += small ? 1 : 0;
    other_ += small && std::abs(value) != 1 ? 1 : 0;
  }

  void add(const QuarterCount& other) {
    quarters_ = quarters_ && other.quarters_;
    nonzero_ += other.nonzero_;
    small_ += other.small_;
    other_ += other.other_;
  }

  [[nodiscard]] bool exact() const {
    return quarters_ && 2 * small_ >= nonzero_ && other_ >= kLeastOthers;
  }

 private:
  static constexpr std::int64_t kLeastOthers = 4;

  double telling_;  ///< Below this, neighbours in the type are less than 1/4 apart.
  bool quarters_ = true;
  std::int64_t nonzero_ = 0;
  std::int64_t small_ = 0;
  std::int64_t other_ = 0;  ///< Small ones that are neither 1 nor -1.
};

/// Examined by one core at a time.
constexpr std::int64_t kExaminedAtOnce = std::int64_t{1} << 17U;

/// The facts of some elements.
struct Examined {
  explicit Examined(DType type)
      : quarters(type) {}

  bool finite = true;
  bool in_range = true;
  QuarterCount quarters;
};

/// Adds elements [first, last), by their row-major numbers, to `facts`.
void examine(const BufferSpec& spec, std::span<const std::byte> bytes, std::int64_t first,
             std::int64_t last, Examined& facts) {
  // A result beside the largest number may overflow, but for a type that saturates: quantisation
  // goes to its very end.
  const bool saturates = spec.type == DType::kF8e4m3;
  const double range = max_finite(spec.type) / (saturates ? 1 : 2);
  const RowView view(spec);
  std::vector<double> line(static_cast<std::size_t>(std::min(view.columns(), last - first)));
  view.for_rows(first, last, [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
    const std::span some = std::span(line).first(static_cast<std::size_t>(end - begin));
    load_row(spec.type, bytes.data(), view.row_offset(row) + begin * view.column_stride(),
             view.column_stride(), some);
    for (const double value : some) {
      facts.finite = facts.finite && std::isfinite(value);
      facts.in_range = facts.in_range && std::abs(value) <= range;  // False for NaN.
      facts.quarters.add(value);
    }
  });
}

}  // namespace

double reduction_length(const ArgSpec& output, const Workload& workload,
                        std::optional<double> flops, std::int64_t elements) {
  if (flops) {
    return std::max(1.0, *flops / (2.0 * static_cast<double>(std::max<std::int64_t>(1, elements))));
  }
  double length = 1;
  for (const auto& dim : workload.dims) {
    const bool named =
        std::any_of(output.shape.begin(), output.shape.end(),
                    [&](const std::string& text) { return mentions(text, dim.first); });
    length *= named ? 1.0 : static_cast<double>(dim.second);
  }
  return std::max(1.0, length);
}

std::string_view name_of(BoundOrigin origin) {
  switch (origin) {
    case BoundOrigin::kType:
      return "type";
    case BoundOrigin::kReduction:
      return "reduction";
    case BoundOrigin::kProblem:
      return "problem";
    case BoundOrigin::kArgument:
      break;
  }
  return "argument";
}

ExplainedBound explain_bound(const Problem& problem, const ArgSpec& output,
                             double reduction_length) {
  if (!is_float(output.type)) {
    return {.bound = {.exact = true}, .reduction_length = reduction_length};
  }
  const double error = accumulated_error(output.type, reduction_length);
  const double floor = floor_of(output.type);
  const double usual = std::max(floor, kDefaultFactor * error);
  const BoundOrigin usual_from = usual > floor ? BoundOrigin::kReduction : BoundOrigin::kType;
  const Tolerance sent = output.tolerance.value_or(problem.tolerance.value_or(Tolerance{}));
  const BoundOrigin sent_from = output.tolerance ? BoundOrigin::kArgument : BoundOrigin::kProblem;
  ExplainedBound found{.bound = {.rtol = sent.rtol.value_or(usual),
                                 .atol = sent.atol.value_or(usual),
                                 .sum = reduction_length > 1 ? kDefaultFactor * error : 0},
                       .rtol_from = sent.rtol ? sent_from : usual_from,
                       .atol_from = sent.atol ? sent_from : usual_from,
                       .reduction_length = reduction_length};
  if (sent.atol && reduction_length > 1 && kSentFactor * error > found.bound.atol) {
    found.bound.atol = kSentFactor * error;
    found.atol_from = BoundOrigin::kReduction;
  }
  return found;
}

ErrorBound error_bound(const Problem& problem, const ArgSpec& output, double reduction_length) {
  return explain_bound(problem, output, reduction_length).bound;
}

ErrorBound scaled(const ErrorBound& bound, double factor) {
  return {.rtol = factor * bound.rtol,
          .atol = factor * bound.atol,
          .sum = factor * bound.sum,
          .lone = bound.lone,
          .exact = bound.exact};
}

ReferenceFacts examine_reference(const BufferSpec& spec, std::span<const std::byte> bytes) {
  const auto count =
      static_cast<std::size_t>((spec.elements + kExaminedAtOnce - 1) / kExaminedAtOnce);
  std::vector<Examined> pieces(count, Examined(spec.type));
  parallel_for(count, [&](std::size_t i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * kExaminedAtOnce;
    examine(spec, bytes, first, std::min(spec.elements, first + kExaminedAtOnce), pieces[i]);
  });
  Examined whole(spec.type);
  for (const Examined& piece : pieces) {
    whole.finite = whole.finite && piece.finite;
    whole.in_range = whole.in_range && piece.in_range;
    whole.quarters.add(piece.quarters);
  }
  return {.finite = whole.finite,
          .in_range = whole.in_range || !is_float(spec.type),
          .exact_sum = whole.quarters.exact()};
}

ErrorBound bound_for_run(const ErrorBound& bound, Distribution distribution,
                         const ReferenceFacts& facts) {
  if (distribution == Distribution::kExactIntegers && facts.exact_sum) {
    return {.exact = true};
  }
  return bound;
}

}  // namespace ws
