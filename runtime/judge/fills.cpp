#include "runtime/judge/fills.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ranges>
#include <string>
#include <vector>

#include "runtime/base/nearest.h"
#include "runtime/base/numbers.h"

namespace ws {
namespace {

constexpr double kFromCount = std::numeric_limits<double>::quiet_NaN();

constexpr FillParam kNormalParams[] = {{"mean", 0, 0}, {"std", 1, 32}};
constexpr FillParam kUniformParams[] = {{"low", 0, 0}, {"high", 1, 100}};
constexpr FillParam kIotaParams[] = {{"start", 0, 0}, {"step", 1, 1}};
constexpr FillParam kExactParams[] = {{"limit", 4, 4}};
constexpr FillParam kLogParams[] = {{"low", 1e-3, 1}, {"high", 1e3, 1e6}};
constexpr FillParam kSparseParams[] = {{"density", 0.1, 0.1}, {"mean", 0, 0}, {"std", 1, 32}};
constexpr FillParam kStructuredParams[] = {{"pattern", -1, -1}};
constexpr FillParam kPermutationParams[] = {{"start", 0, 0}};
constexpr FillParam kOffsetsParams[] = {{"low", 0, 0}, {"high", kFromCount, kFromCount}};
constexpr FillParam kRangeParams[] = {{"low", 0, 0}, {"high", kFromCount, kFromCount}};
constexpr FillParam kCsrOffsetsParams[] = {{"columns", kFromCount, kFromCount},
                                           {"nonzeros", kFromCount, kFromCount},
                                           {"fewest", kFromCount, kFromCount}};
constexpr FillParam kComputedParams[] = {{"value", 0, 0}};
constexpr FillParam kCsrColumnsParams[] = {{"offsets", kFromCount, kFromCount}};

// clang-format off
constexpr FillRow kFills[] = {
    //                        name              floats integers any order parameters
    {FillKind::kNormal,       "normal",         true,  true, true,     kNormalParams,      "mean + std * N(0, 1)"},
    {FillKind::kUniform,      "uniform",        true,  true, true,     kUniformParams,     "[low, high), integers [low, high]"},
    {FillKind::kOnes,         "ones",           true,  true, true,     {},                 "1 everywhere"},
    {FillKind::kZeros,        "zeros",          true,  true, true,     {},                 "0 everywhere"},
    {FillKind::kIota,         "iota",           true,  true, false,    kIotaParams,        "start + step * i, row-major i"},
    {FillKind::kExactIntegers,"exact_integers", true,  true, true,     kExactParams,       "whole numbers in [-limit, limit]"},
    {FillKind::kLogUniform,   "log_uniform",    true,  true, true,     kLogParams,         "exp(uniform), 0 < low <= high"},
    {FillKind::kSparse,       "sparse",         true,  true, true,     kSparseParams,      "normal with probability density, else 0"},
    {FillKind::kStructured,   "structured",     true,  true, false,    kStructuredParams,  "0 identity, 1 diagonal, 2 equal rows, 3 ties, 4 diagonally dominant, 5 positive definite, -1 the seed chooses among 0 to 3"},
    {FillKind::kPermutation,  "permutation",    false, true, true,     kPermutationParams, "start .. start + count - 1, shuffled"},
    {FillKind::kSortedOffsets,"sorted_offsets", false, true, false,    kOffsetsParams,     "ascending, first low, last high (default: count - 1)"},
    {FillKind::kRange,        "range",          false, true, true,     kRangeParams,       "random whole numbers low .. high - 1 (default high: count)"},
    {FillKind::kSortedIndices,"sorted_indices", false, true, false,    kRangeParams,       "in each row different whole numbers low .. high - 1, ascending (default high: twice the row's length)"},
    {FillKind::kComputed,     "computed",       false, true, false,    kComputedParams,    "value, an expression over dims and the element's row-major number i"},
    {FillKind::kCsrOffsets,   "csr_offsets",    false, true, false,    kCsrOffsetsParams,  "row offsets of a sparse matrix of so many columns and values"},
    {FillKind::kCsrColumns,   "csr_columns",    false, true, false,    kCsrColumnsParams,  "the column indices that belong to row offsets, ascending in each row"},
};
// clang-format on

/// As a person would have written it.
std::string number(double value) {
  return significant_digits(value, 15);
}

tl::unexpected<Error> bad(const ArgSpec& arg, const std::string& message, std::string hint = {}) {
  return fail(ErrorCode::kInvalidArgument, "argument \"" + arg.name + "\": " + message,
              std::move(hint));
}

std::string named(const FillRow& row) {
  return "fill \"" + std::string(row.name) + "\"";
}

/// The names of the parameters that were sent, of any form.
std::vector<std::string> sent_names(const Fill& fill) {
  std::vector<std::string> names;
  std::ranges::copy(std::views::keys(fill.params), std::back_inserter(names));
  std::ranges::copy(std::views::keys(fill.sizes), std::back_inserter(names));
  if (!fill.offsets.empty()) {
    names.emplace_back("offsets");
  }
  return names;
}

Status check_known(const ArgSpec& arg, const FillRow& row) {
  std::vector<std::string> names;
  for (const FillParam& param : row.params) {
    names.emplace_back(param.name);
  }
  for (const std::string& name : sent_names(arg.fill)) {
    if (std::ranges::find(names, name) == names.end()) {
      return bad(arg, named(row) + " has no parameter \"" + name + "\"",
                 names.empty() ? "it takes none" : suggest(name, names));
    }
  }
  for (const auto& [name, value] : arg.fill.params) {
    if (!std::isfinite(value)) {
      return bad(arg, named(row) + " needs a finite \"" + name + "\"");
    }
  }
  return {};
}

/// A rule that one parameter keeps by itself.
struct Limit {
  std::string_view param;
  double low;
  double high;
};

constexpr Limit kLimits[] = {
    {"std", 0, 1e300},
    {"density", 0, 1},
    {"limit", 1, 1e6},
    {"pattern", -1, 5},
};

Status check_limits(const ArgSpec& arg, const FillRow& row) {
  for (const auto& [name, value] : arg.fill.params) {
    for (const Limit& limit : kLimits) {
      if (limit.param == name && (value < limit.low || value > limit.high)) {
        return bad(arg, "fill parameter \"" + name + "\" must be " + number(limit.low) + " to " +
                            number(limit.high) + ", got " + number(value));
      }
    }
  }
  const bool has_bounds = !row.params.empty() && row.params.front().name == "low";
  if (!has_bounds) {
    return {};
  }
  const double low = fill_param(arg, row, "low");
  const double high = fill_param(arg, row, "high");
  const bool open_end = row.kind == FillKind::kRange || row.kind == FillKind::kSortedIndices;
  if (low > high || (open_end && low >= high)) {
    return bad(arg,
               named(row) + " needs low below high, got " + number(low) + " and " + number(high));
  }
  if (row.kind == FillKind::kLogUniform && low <= 0) {
    return bad(arg, "fill \"log_uniform\" needs low above 0, got " + number(low));
  }
  return {};
}

}  // namespace

const FillRow* find_fill(std::string_view name) {
  for (const FillRow& row : kFills) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

double fill_param(const ArgSpec& arg, const FillRow& row, std::string_view name) {
  if (const auto sent = arg.fill.params.find(std::string(name)); sent != arg.fill.params.end()) {
    return sent->second;
  }
  if (arg.fill.sizes.contains(std::string(name))) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  for (const FillParam& param : row.params) {
    if (param.name == name) {
      return is_float(arg.type) ? param.for_floats : param.for_integers;
    }
  }
  return kFromCount;
}

ArgSpec with_fill_sizes(const ArgSpec& arg, const BufferSpec& spec) {
  ArgSpec numbers = arg;
  if (arg.fill.kind == "computed") {
    return numbers;  // Its expression has a value for each element.
  }
  for (const auto& [name, value] : spec.fill_sizes) {
    numbers.fill.params[name] = value;
    numbers.fill.sizes.erase(name);
  }
  return numbers;
}

Status validate_fill(const ArgSpec& arg) {
  const FillRow* row = find_fill(arg.fill.kind);
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const FillRow& known : kFills) {
      names.emplace_back(known.name);
    }
    return bad(arg, "unknown fill \"" + arg.fill.kind + "\"", suggest(arg.fill.kind, names));
  }
  if (!(is_float(arg.type) ? row->floats : row->integers)) {
    return bad(arg, "fill \"" + arg.fill.kind + "\" needs an integer type, got " +
                        std::string(name_of(arg.type)));
  }
  WS_CHECK(check_known(arg, *row));
  WS_CHECK(check_limits(arg, *row));
  if (arg.domain && !(arg.domain->first <= arg.domain->second)) {
    return bad(arg, "domain needs low <= high, got " + number(arg.domain->first) + " and " +
                        number(arg.domain->second));
  }
  return {};
}

}  // namespace ws
