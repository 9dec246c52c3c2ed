// The comparison of two launches' rows, in words.
#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/base/numbers.h"
#include "runtime/judge/unordered.h"
#include "runtime/judge/unordered_match.h"
#include "runtime/judge/unordered_pairs.h"

namespace ws {
namespace {

constexpr int kDigits = 9;  ///< All of f32.
constexpr std::int64_t kMostShown = 8;

using Rows = std::vector<std::int64_t>;

/// An element in full: whole numbers of 64 bits may be larger than a double can tell apart.
std::string element_text(const BufferSpec& spec, std::span<const std::byte> bytes,
                         std::int64_t at) {
  const std::byte* const element = bytes.data() + static_cast<std::size_t>(at) * size_of(spec.type);
  if (spec.type == DType::kI64) {
    std::int64_t value = 0;
    std::memcpy(&value, element, sizeof value);
    return std::to_string(value);
  }
  if (spec.type == DType::kU64) {
    std::uint64_t value = 0;
    std::memcpy(&value, element, sizeof value);
    return std::to_string(value);
  }
  const double value = element_of(spec, bytes, at);
  return is_float(spec.type) ? significant_digits(value, kDigits)
                             : std::to_string(static_cast<std::int64_t>(value));
}

/// "17.25", "(3, 17.25)".
std::string row_text(const SortedRows& rows, std::int64_t row) {
  std::string text;
  std::int64_t shown = 0;
  for (std::size_t i = 0; i < rows.specs.size(); ++i) {
    const std::int64_t length = row_length(rows.specs[i]);
    for (std::int64_t column = 0; column < length && shown <= kMostShown; ++column, ++shown) {
      text += shown == 0 ? "" : ", ";
      text += shown == kMostShown
                  ? "..."
                  : element_text(rows.specs[i], rows.bytes[i], row * length + column);
    }
  }
  return shown == 1 ? text : "(" + text + ")";
}

/// "1 of 812 values is missing (17.25)", "3 of 811 values are surplus (0 among them)".
std::string side_text(const SortedRows& side, const Rows& rows, const std::string& word) {
  const bool single = rows.size() == 1;
  const bool values = side.specs.size() == 1 && row_length(side.specs.front()) == 1;
  return std::to_string(rows.size()) + " of " + std::to_string(side.rows()) +
         (values ? " value" : " row") + (side.rows() == 1 ? "" : "s") +
         (single ? " is " : " are ") + word + " (" + row_text(side, rows.front()) +
         (single ? ")" : " among them)");
}

/// The output's place among those whose rows belong together.
std::size_t part_of(const ArgSpec& output, const SortedRows& rows) {
  const auto own = std::ranges::find(rows.specs, output.name, &BufferSpec::name);
  return static_cast<std::size_t>(own - rows.specs.begin());
}

/// How many rows of the output still hold what lay there before the launch.
std::int64_t unwritten_rows(const ArgSpec& output, const SortedRows& got, const Rows& surplus,
                            const Poison* poison) {
  const std::int64_t length = row_length(got.specs[part_of(output, got)]);
  if (poison == nullptr || length == 0) {
    return 0;
  }
  PoisonReader reader(*poison);
  return std::ranges::count_if(surplus, [&](std::int64_t row) {
    return reader.holds(got.own.data(), got.places[static_cast<std::size_t>(row)] * length);
  });
}

std::string pattern_text(const ArgSpec& output, const SortedRows& got, const SortedRows& want,
                         const RowMatching& matching, std::int64_t unwritten) {
  std::string text =
      matching.missing.empty() ? std::string() : side_text(want, matching.missing, "missing");
  if (!matching.surplus.empty()) {
    text += (text.empty() ? "" : ", ") + side_text(got, matching.surplus, "surplus");
  }
  text.insert(0, matching.complete ? "" : "at least ");
  if (unwritten > 0) {
    text += ", " + std::to_string(unwritten) + " of these never written";
  }
  if (got.said != want.said) {
    text += "; `" + output.unordered->count + "` is " + std::to_string(got.said) + ", not " +
            std::to_string(want.said);
  }
  return text;
}

WorstElement worst_of(const ArgSpec& output, const SortedRows& got, const SortedRows& want,
                      const RowMatching& matching) {
  WorstElement worst;
  const std::size_t part = part_of(output, want);
  const auto first = [part](const SortedRows& side, const Rows& rows) {
    const bool has = !rows.empty() && side.specs[part].elements > 0;
    return has ? element_of(side.specs[part], side.bytes[part],
                            rows.front() * row_length(side.specs[part]))
               : 0;
  };
  const SortedRows& side = matching.surplus.empty() ? want : got;
  const Rows& rows = matching.surplus.empty() ? matching.missing : matching.surplus;
  worst.index.assign(side.specs[part].shape.size(), 0);
  worst.index.front() = side.places[static_cast<std::size_t>(rows.front())];
  worst.got = first(got, matching.surplus);
  worst.want = first(want, matching.missing);
  return worst;
}

/// Adds the errors of the pairs.
void add_errors(const SortedRows& got, const SortedRows& want,
                const std::vector<ErrorBound>& bounds, const RowMatching& matching,
                Comparison& comparison) {
  for (std::size_t i = 0; i < want.specs.size(); ++i) {
    const std::size_t row_bytes =
        static_cast<std::size_t>(row_length(want.specs[i])) * size_of(want.specs[i].type);
    const Comparison pairs =
        compare(want.specs[i], rows_at(got.bytes[i], row_bytes, matching.partner), want.bytes[i],
                bounds[i]);
    comparison.max_abs_error = std::max(comparison.max_abs_error, pairs.max_abs_error);
    comparison.max_rel_error = std::max(comparison.max_rel_error, pairs.max_rel_error);
  }
}

MismatchPattern undecided(const ArgSpec& output, const SortedRows& want,
                          const RowMatching& matching) {
  return {{},
          "too many rows differ to be matched: " + std::to_string(matching.open) + " of " +
              std::to_string(want.rows()) +
              " rows have no partner yet, and too many others are within the tolerance of several",
          "validate smaller sizes, or give `" + output.name + "` a smaller `tolerance`"};
}

}  // namespace

RowsComparison compare_rows(const ArgSpec& output, const SortedRows& got, const SortedRows& want,
                            const std::vector<ErrorBound>& bounds, const Poison* poison,
                            std::int64_t most_compared) {
  RowsComparison result;
  Comparison& comparison = result.comparison;
  const std::int64_t length =
      std::max<std::int64_t>(row_length(want.specs[part_of(output, want)]), 1);
  comparison.elements = std::max(got.rows(), want.rows()) * length;
  RowPairs pairs(got, want, bounds);
  const RowMatching matching = match_rows(pairs, most_compared);
  if (matching.missing.empty() && matching.surplus.empty()) {
    if (!matching.complete) {
      return {Agreement::kUnknown, comparison, undecided(output, want, matching)};
    }
    add_errors(got, want, bounds, matching, comparison);
    return result;
  }
  result.agreement = Agreement::kOther;
  const std::int64_t unwritten = unwritten_rows(output, got, matching.surplus, poison);
  comparison.mismatches =
      static_cast<std::int64_t>(std::max(matching.missing.size(), matching.surplus.size())) *
      length;
  comparison.unwritten = unwritten * length;
  comparison.worst = worst_of(output, got, want, matching);
  result.pattern = {
      kMissingRows, pattern_text(output, got, want, matching, unwritten),
      "their order does not count, but each must be there once: look for two threads that take the "
      "same place (take it from the result of one atomicAdd), for places that nobody writes, and "
      "for a condition that keeps too much or too little"};
  return result;
}

}  // namespace ws
