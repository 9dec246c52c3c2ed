#include "runtime/judge/inputs.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "runtime/base/keyed_stream.h"
#include "runtime/judge/draws.h"
#include "runtime/judge/draws_sparse.h"
#include "runtime/judge/fills.h"
#include "runtime/judge/layout.h"
#include "runtime/judge/poison.h"
#include "runtime/judge/random.h"

namespace ws {
namespace {

struct DistributionRow {
  Distribution distribution;
  std::string_view name;
};

constexpr DistributionRow kDistributions[] = {
    {Distribution::kDeclared, "declared"}, {Distribution::kNormalRowScale, "normal"},
    {Distribution::kUniform, "uniform"},   {Distribution::kExactIntegers, "exact_integers"},
    {Distribution::kSparse, "sparse"},     {Distribution::kLarge, "large"},
    {Distribution::kTies, "ties"},
};

/// The argument as the mixtures draw it: the range of a uniform fill is its domain, unless the
/// problem names a wider one. A problem that says [0.1, 10] has no answer for 0.
ArgSpec within_fill(const ArgSpec& arg) {
  const FillRow& row = *find_fill(arg.fill.kind);
  if (row.kind != FillKind::kUniform || arg.domain) {
    return arg;
  }
  ArgSpec narrowed = arg;
  narrowed.domain = {fill_param(arg, row, "low"), fill_param(arg, row, "high")};
  return narrowed;
}

/// Each argument has a stream of its own.
std::uint64_t input_seed(std::uint64_t seed, const ArgSpec& arg) {
  return derive_seed(seed, "input " + arg.name);
}

}  // namespace

std::string_view name_of(Distribution distribution) {
  for (const DistributionRow& row : kDistributions) {
    if (row.distribution == distribution) {
      return row.name;
    }
  }
  return "declared";
}

bool takes_mixtures(const ArgSpec& arg) {
  const bool input = arg.role == Role::kIn || arg.role == Role::kInout;
  return input && is_float(arg.type) && (arg.fill.kind == "normal" || arg.fill.kind == "uniform");
}

bool takes_mixtures(const Problem& problem) {
  return std::any_of(problem.args.begin(), problem.args.end(),
                     [](const ArgSpec& arg) { return takes_mixtures(arg); });
}

bool takes_large(const ArgSpec& arg) {
  return takes_mixtures(arg) && arg.fill.kind == "normal" && large_span(arg).has_value();
}

bool takes_large(const Problem& problem) {
  return std::any_of(problem.args.begin(), problem.args.end(),
                     [](const ArgSpec& arg) { return takes_large(arg); });
}

bool takes_ties(const ArgSpec& arg) {
  const bool input = arg.role == Role::kIn || arg.role == Role::kInout;
  const FillRow* row = find_fill(arg.fill.kind);
  return input && !is_float(arg.type) && arg.type != DType::kBool && row != nullptr &&
         row->any_order && row->kind != FillKind::kPermutation;
}

bool takes_ties(const Problem& problem) {
  return std::any_of(problem.args.begin(), problem.args.end(),
                     [](const ArgSpec& arg) { return takes_ties(arg); });
}

Status fill_input(const ArgSpec& declared, const BufferSpec& spec, Distribution distribution,
                  std::uint64_t seed, std::span<std::byte> bytes, double reduction_length,
                  const OffsetsOf* offsets) {
  const ArgSpec arg = with_fill_sizes(declared, spec);
  WS_CHECK(validate_fill(arg));
  if (bytes.size() != spec.bytes()) {
    return fail(ErrorCode::kInternal, "argument \"" + arg.name + "\": the buffer has " +
                                          std::to_string(bytes.size()) + " bytes, its spec " +
                                          std::to_string(spec.bytes()));
  }
  const std::uint64_t own_seed = input_seed(seed, arg);
  Poison(spec.type, own_seed).fill_gaps(spec, bytes);
  if (offsets != nullptr) {
    const std::uint64_t their_seed = input_seed(seed, offsets->arg);
    return draw_csr_columns({arg, spec, bytes, own_seed}, *offsets, their_seed);
  }
  if (distribution == Distribution::kTies && takes_ties(arg)) {
    return draw_ties({arg, spec, bytes, own_seed});
  }
  if (!takes_mixtures(arg) || distribution == Distribution::kDeclared) {
    return draw_declared({arg, spec, bytes, own_seed});
  }
  const ArgSpec narrowed = within_fill(arg);
  const Canvas canvas{narrowed, spec, bytes, own_seed};
  switch (distribution) {
    case Distribution::kNormalRowScale:
      return draw_row_scaled(canvas);
    case Distribution::kUniform:
      return draw_positive(canvas);
    case Distribution::kExactIntegers:
      return draw_exact(canvas, reduction_length);
    case Distribution::kSparse:
      return draw_sparse(canvas);
    case Distribution::kLarge:
      return takes_large(arg) ? draw_large(canvas) : draw_declared(canvas);
    case Distribution::kDeclared:
    case Distribution::kTies:
      break;
  }
  return draw_declared(canvas);
}

}  // namespace ws
