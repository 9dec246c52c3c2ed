#include "runtime/lift/lower/digits_text.h"

namespace ws::lift {
namespace {

/// Bits of a counter that count together: (counter >> low) % (1 << bits), times `weight`.
struct Digit {
  std::size_t counter = 0;
  std::int64_t low = 1;   ///< The divisor of the counter.
  std::int64_t size = 2;  ///< How many values it has.
  std::int64_t weight = 0;
};

/// The digits of a counter by what each of its bits adds.
void add_digits(const std::vector<std::int64_t>& added, std::size_t counter,
                std::vector<Digit>& digits) {
  std::int64_t low = 1;
  bool open = false;
  for (const std::int64_t weight : added) {
    if (open && weight == digits.back().weight * digits.back().size) {
      digits.back().size *= 2;
    } else if (weight != 0) {
      digits.push_back({counter, low, 2, weight});
    }
    open = weight != 0;
    low *= 2;
  }
}

std::string digit_text(const Digit& digit, const Counter& counter) {
  const bool whole = digit.low * digit.size >= counter.count && !counter.wraps;
  return counter.text + (digit.low == 1 ? "" : " / " + std::to_string(digit.low)) +
         (whole ? "" : " % " + std::to_string(digit.size)) +
         (digit.weight == 1 ? "" : " * " + std::to_string(digit.weight));
}

/// How far apart values are that differ by 1 in each counter.
std::vector<std::size_t> strides_of(const std::vector<Counter>& counters) {
  std::vector<std::size_t> strides(counters.size(), 1);
  for (std::size_t i = counters.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * static_cast<std::size_t>(counters[i].count);
  }
  return strides;
}

std::int64_t sum_of(const std::vector<Digit>& digits, const std::vector<Counter>& counters,
                    const std::vector<std::size_t>& strides, std::size_t place) {
  std::int64_t value = 0;
  for (const Digit& digit : digits) {
    const auto at =
        static_cast<std::int64_t>(place / strides[digit.counter]) % counters[digit.counter].count;
    value += at / digit.low % digit.size * digit.weight;
  }
  return value;
}

}  // namespace

std::optional<std::string> digits_text(const std::vector<Counter>& counters,
                                       const std::vector<std::int64_t>& values) {
  const std::vector<std::size_t> strides = strides_of(counters);
  if (values.empty() || values.front() < 0) {
    return std::nullopt;
  }
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    std::vector<std::int64_t> added;
    for (std::int64_t bit = 1; bit < counters[i].count; bit *= 2) {
      const std::size_t place = static_cast<std::size_t>(bit) * strides[i];
      added.push_back(values[place] - values.front());
    }
    add_digits(added, i, digits);
  }
  for (std::size_t place = 0; place < values.size(); ++place) {
    if (values[place] != values.front() + sum_of(digits, counters, strides, place)) {
      return std::nullopt;
    }
  }
  std::string text;
  for (const Digit& digit : digits) {
    if (digit.weight < 0) {
      return std::nullopt;
    }
    text += (text.empty() ? "" : " + ") + digit_text(digit, counters[digit.counter]);
  }
  if (values.front() != 0 || text.empty()) {
    text += (text.empty() ? "" : " + ") + std::to_string(values.front());
  }
  return text;
}

}  // namespace ws::lift
