// Errors that rounding, or an approximation, explains: no index and no barrier is to blame for
// them.
#include <algorithm>
#include <cmath>

#include "runtime/base/numbers.h"
#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

/// Errors of a row's size times this are rounding, whatever the type.
constexpr double kRoundingSized = 0.01;
/// Errors of so little of the whole output's size are, too: what an approximation with a constant
/// error does to rows of small values.
constexpr double kFaint = 1e-3;
constexpr std::int64_t kScaleSample = 4096;

/// Results of whole numbers (and quarters) that differ by such: terms are lost or added twice.
bool differ_by_whole_numbers(const MismatchMap& map) {
  const double telling = 0.25 / (2 * unit_roundoff(map.type()));
  const auto whole = [](double value) { return value * 4 == std::floor(value * 4); };
  std::int64_t small = 0;
  for (const std::int64_t element : map.sample()) {
    const double want = map.want(element);
    if (!whole(want) || !whole(map.got(element))) {
      return false;
    }
    small += std::abs(want) < telling ? 1 : 0;
  }
  return 2 * small >= std::ssize(map.sample());
}

/// Bits of the significand, the leading one included; 0 for 0.
int significant_bits(double value) {
  int exponent = 0;
  double part = std::abs(std::frexp(value, &exponent));
  int bits = 0;
  while (part != 0 && bits < 53) {
    part = 2 * part - std::floor(2 * part);
    ++bits;
  }
  return bits;
}

struct NarrowRow {
  int bits;
  const char* types;
};

constexpr NarrowRow kNarrow[] = {{8, "bf16"}, {11, "f16 or tf32"}};

/// The narrow types that hold every wrong value, where hardly any right one fits into them.
const NarrowRow* narrow_type(const MismatchMap& map) {
  const std::int64_t count = std::ssize(map.sample());
  for (const NarrowRow& row : kNarrow) {
    std::int64_t got = 0;
    std::int64_t want = 0;
    for (const std::int64_t element : map.sample()) {
      got += significant_bits(map.got(element)) <= row.bits ? 1 : 0;
      want += significant_bits(map.want(element)) <= row.bits ? 1 : 0;
    }
    if (count >= kFewestAlike && 100 * got >= 98 * count && 10 * want <= count) {
      return &row;
    }
  }
  return nullptr;
}

bool may_be_rounding(const MismatchMap& map) {
  const Comparison& result = map.result();
  return is_float(map.type()) && result.class_mismatches == 0 && result.unwritten == 0 &&
         (!differ_by_whole_numbers(map) || narrow_type(map) != nullptr);
}

double rounding_size(DType type) {
  return std::max(kRoundingSized, std::min(16 * unit_roundoff(type), 0.25));
}

std::string slightly_off(const MismatchMap& map) {
  return counted(map.count(), "element") + (map.count() == 1 ? " is" : " are") + " slightly off";
}

/// Where they lie, if that is regular: arithmetic that differs by place.
std::string period_words(const MismatchMap& map) {
  const auto period = find_every_kth(map);
  return period ? "; " + period->text : "";
}

/// Root mean square of the finite right values, over an even sample of all.
double size_of_output(const MismatchMap& map) {
  const std::int64_t step = std::max<std::int64_t>(1, map.elements() / kScaleSample);
  double sum = 0;
  double count = 0;
  for (std::int64_t element = 0; element < map.elements(); element += step) {
    const double want = map.want(element);
    sum += std::isfinite(want) ? want * want : 0;
    ++count;
  }
  return std::sqrt(sum / std::max(count, 1.0));
}

}  // namespace

std::optional<MismatchPattern> find_imprecise(const MismatchMap& map) {
  if (!may_be_rounding(map) || map.result().max_rel_error > rounding_size(map.type())) {
    return std::nullopt;
  }
  if (auto ratio = find_slight_ratio(map)) {
    return ratio;
  }
  if (auto offset = find_slight_offset(map)) {
    return offset;
  }
  MismatchPattern found{"imprecise",
                        slightly_off(map) + ": the largest error is " +
                            significant_digits(map.result().max_rel_error, 4) +
                            " of its row's size" + period_words(map),
                        "this is rounding, not indexing: accumulate in a wider type, and check for "
                        "fast-math, tf32 or half intermediates"};
  if (const NarrowRow* narrow = narrow_type(map);
      narrow != nullptr && unit_roundoff(map.type()) < unit_roundoff(DType::kF16)) {
    found.hint = "this is rounding, not indexing: every wrong value has at most " +
                 std::to_string(narrow->bits) + " significant bits, so it went through " +
                 narrow->types;
  }
  return found;
}

std::optional<MismatchPattern> find_faint(const MismatchMap& map) {
  if (!may_be_rounding(map)) {
    return std::nullopt;
  }
  double largest = 0;
  for (const std::int64_t element : map.sample()) {
    largest = std::max(largest, std::abs(map.got(element) - map.want(element)));
  }
  const double size = size_of_output(map);
  if (!(largest <= kFaint * size)) {
    return std::nullopt;
  }
  return MismatchPattern{
      "imprecise",
      slightly_off(map) + ": the largest error is " + significant_digits(largest / size, 4) +
          " of the output's size, but up to " + significant_digits(map.result().max_rel_error, 4) +
          " of a row of small values",
      "this is no indexing: an approximation, a cancellation or a constant such as an epsilon has "
      "an error that does not shrink with the values; make it relatively right near zero"};
}

}  // namespace ws
