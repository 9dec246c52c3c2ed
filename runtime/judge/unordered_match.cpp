// Two launches' sorted rows side by side: which ones have no partner.
#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/base/numbers.h"
#include "runtime/judge/unordered.h"
#include "runtime/judge/unordered_rows.h"

namespace ws {
namespace {

/// Rows without a partner that are tried with each other once more.
constexpr std::size_t kMostTried = 4096;
constexpr int kDigits = 9;  ///< All of f32.
constexpr std::int64_t kMostShown = 8;

using Rows = std::vector<std::int64_t>;

std::vector<std::span<const std::byte>> spans_of(const SortedRows& rows) {
  return {rows.bytes.begin(), rows.bytes.end()};
}

/// The root mean square of the finite values.
double size_of_values(const BufferSpec& spec, std::span<const std::byte> bytes, std::int64_t from,
                      std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = from; i < from + count; ++i) {
    const double value = element_of(spec, bytes, i);
    sum += std::isfinite(value) ? value * value : 0;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

class RowMatcher {
 public:
  RowMatcher(const SortedRows& got, const SortedRows& want, const std::vector<ErrorBound>& bounds)
      : specs_(want.specs),
        got_(spans_of(got)),
        want_(spans_of(want)),
        bounds_(bounds) {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      sizes_.push_back(
          std::max(size_of_values(specs_[i], want_[i], 0, specs_[i].elements), bounds[i].lone));
    }
    match(got.rows(), want.rows());
    if (!std::ranges::all_of(bounds, &ErrorBound::exact)) {
      try_again();
    }
  }

  [[nodiscard]] const Rows& missing() const { return missing_; }

  [[nodiscard]] const Rows& surplus() const { return surplus_; }

 private:
  void match(std::int64_t got_rows, std::int64_t want_rows) {
    std::int64_t got = 0;
    std::int64_t want = 0;
    while (got < got_rows && want < want_rows) {
      if (alike(got, want)) {
        ++got;
        ++want;
      } else if (order_of_rows(specs_, {want_, want}, {got_, got}) < 0) {
        missing_.push_back(want++);
      } else {
        surplus_.push_back(got++);
      }
    }
    for (; want < want_rows; ++want) {
      missing_.push_back(want);
    }
    for (; got < got_rows; ++got) {
      surplus_.push_back(got);
    }
  }

  /// Rounding may change the order of rows that nearly tie.
  void try_again() {
    if (missing_.size() > kMostTried || surplus_.size() > kMostTried) {
      return;
    }
    std::erase_if(missing_, [this](std::int64_t want) {
      const auto partner =
          std::ranges::find_if(surplus_, [&](std::int64_t got) { return alike(got, want); });
      const bool found = partner != surplus_.end();
      if (found) {
        surplus_.erase(partner);
      }
      return found;
    });
  }

  [[nodiscard]] bool alike(std::int64_t got, std::int64_t want) const {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const std::int64_t length = row_length(specs_[i]);
      const double scale = length < kTellingElements
                               ? sizes_[i]
                               : size_of_values(specs_[i], want_[i], want * length, length);
      for (std::int64_t column = 0; column < length; ++column) {
        if (!within(i, got * length + column, want * length + column, scale)) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] bool within(std::size_t part, std::int64_t got, std::int64_t want,
                            double scale) const {
    const double x = element_of(specs_[part], got_[part], got);
    const double y = element_of(specs_[part], want_[part], want);
    const ErrorBound& bound = bounds_[part];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      return std::isnan(x) ? std::isnan(y) : x == y;
    }
    if (bound.exact) {
      const std::size_t size = size_of(specs_[part].type);
      return x == y &&
             (is_float(specs_[part].type) ||
              std::memcmp(got_[part].data() + static_cast<std::size_t>(got) * size,
                          want_[part].data() + static_cast<std::size_t>(want) * size, size) == 0);
    }
    return std::abs(x - y) <= bound.atol * scale + bound.rtol * std::abs(y);
  }

  const std::vector<BufferSpec>& specs_;
  std::vector<std::span<const std::byte>> got_;
  std::vector<std::span<const std::byte>> want_;
  const std::vector<ErrorBound>& bounds_;
  std::vector<double> sizes_;
  Rows missing_;
  Rows surplus_;
};

/// "17.25", "(3, 17.25)".
std::string row_text(const SortedRows& rows, std::int64_t row) {
  std::string text;
  std::int64_t shown = 0;
  for (std::size_t i = 0; i < rows.specs.size(); ++i) {
    const std::int64_t length = row_length(rows.specs[i]);
    for (std::int64_t column = 0; column < length && shown <= kMostShown; ++column, ++shown) {
      const double value = element_of(rows.specs[i], rows.bytes[i], row * length + column);
      text += shown == 0 ? "" : ", ";
      text += shown == kMostShown            ? "..."
              : is_float(rows.specs[i].type) ? significant_digits(value, kDigits)
                                             : std::to_string(static_cast<long long>(value));
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
                         const RowMatcher& matcher, std::int64_t unwritten) {
  std::string text =
      matcher.missing().empty() ? std::string() : side_text(want, matcher.missing(), "missing");
  if (!matcher.surplus().empty()) {
    text += (text.empty() ? "" : ", ") + side_text(got, matcher.surplus(), "surplus");
  }
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
                      const RowMatcher& matcher) {
  WorstElement worst;
  const std::size_t part = part_of(output, want);
  const auto first = [part](const SortedRows& side, const Rows& rows) {
    const bool has = !rows.empty() && side.specs[part].elements > 0;
    return has ? element_of(side.specs[part], side.bytes[part],
                            rows.front() * row_length(side.specs[part]))
               : 0;
  };
  const SortedRows& side = matcher.surplus().empty() ? want : got;
  const Rows& rows = matcher.surplus().empty() ? matcher.missing() : matcher.surplus();
  worst.index.assign(side.specs[part].shape.size(), 0);
  worst.index.front() = side.places[static_cast<std::size_t>(rows.front())];
  worst.got = first(got, matcher.surplus());
  worst.want = first(want, matcher.missing());
  return worst;
}

}  // namespace

RowsComparison compare_rows(const ArgSpec& output, const SortedRows& got, const SortedRows& want,
                            const std::vector<ErrorBound>& bounds, const Poison* poison) {
  RowsComparison result;
  Comparison& comparison = result.comparison;
  const std::int64_t length =
      std::max<std::int64_t>(row_length(want.specs[part_of(output, want)]), 1);
  comparison.elements = std::max(got.rows(), want.rows()) * length;
  const RowMatcher matcher(got, want, bounds);
  if (matcher.missing().empty() && matcher.surplus().empty()) {
    for (std::size_t i = 0; i < want.specs.size(); ++i) {
      const Comparison sorted = compare(want.specs[i], got.bytes[i], want.bytes[i], bounds[i]);
      if (sorted.passed()) {
        comparison.max_abs_error = std::max(comparison.max_abs_error, sorted.max_abs_error);
        comparison.max_rel_error = std::max(comparison.max_rel_error, sorted.max_rel_error);
      }
    }
    return result;
  }
  const std::int64_t unwritten = unwritten_rows(output, got, matcher.surplus(), poison);
  comparison.mismatches =
      static_cast<std::int64_t>(std::max(matcher.missing().size(), matcher.surplus().size())) *
      length;
  comparison.unwritten = unwritten * length;
  comparison.worst = worst_of(output, got, want, matcher);
  result.pattern = {
      kMissingRows, pattern_text(output, got, want, matcher, unwritten),
      "their order does not count, but each must be there once: look for two threads that take the "
      "same place (take it from the result of one atomicAdd), for places that nobody writes, and "
      "for a condition that keeps too much or too little"};
  return result;
}

}  // namespace ws
