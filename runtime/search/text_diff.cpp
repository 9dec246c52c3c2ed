#include "runtime/search/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include "runtime/base/align.h"

namespace ws {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 2;

/// One line of both texts side by side: ' ' in both, '-' in the first, '+' in the second only.
struct Step {
  char mark = ' ';
  std::string_view line;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Step> steps_between(const Lines& a, const Lines& b) {
  TextNumbers number;
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;
  std::transform(a.begin(), a.end(), std::back_inserter(from), std::ref(number));
  std::transform(b.begin(), b.end(), std::back_inserter(to), std::ref(number));
  AlignedPairs pairs = align(from, to).pairs;
  pairs.emplace_back(a.size(), b.size());
  std::vector<Step> steps;
  std::size_t i = 0;
  std::size_t j = 0;
  for (const auto& [next_i, next_j] : pairs) {
    while (i < next_i) {
      steps.push_back({'-', a[i++]});
    }
    while (j < next_j) {
      steps.push_back({'+', b[j++]});
    }
    if (i < a.size()) {
      steps.push_back({' ', a[i]});
    }
    ++i;
    ++j;
  }
  return steps;
}

/// "@@ -3,4 +3,5 @@" and the lines of steps[from, to).
void add_hunk(const std::vector<Step>& steps, std::size_t from, std::size_t to, std::string& text) {
  const auto count = [&](std::size_t first, std::size_t last, char other) {
    return std::count_if(steps.begin() + static_cast<std::ptrdiff_t>(first),
                         steps.begin() + static_cast<std::ptrdiff_t>(last),
                         [other](const Step& step) { return step.mark != other; });
  };
  const auto range = [&](char other) {
    const auto length = count(from, to, other);
    const auto line = count(0, from, other) + (length > 0 ? 1 : 0);
    return std::to_string(line) + "," + std::to_string(length);
  };
  text += "@@ -" + range('+') + " +" + range('-') + " @@\n";
  for (std::size_t i = from; i < to; ++i) {
    text += steps[i].mark;
    text.append(steps[i].line);
    text += '\n';
  }
}

}  // namespace

TextDiff unified_diff(std::string_view from, std::string_view to) {
  const std::vector<Step> steps = steps_between(lines_of(from), lines_of(to));
  TextDiff diff;
  std::size_t shown = 0;  // Steps before it are in hunks, or too far from a change to be.
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (steps[at].mark == ' ') {
      continue;
    }
    const std::size_t begin = std::max(shown, at - std::min(at, kContext));
    std::size_t last = at;  // A change so near that its hunk would touch this one is part of it.
    for (std::size_t i = at; i < steps.size() && i <= last + 2 * kContext; ++i) {
      last = steps[i].mark == ' ' ? last : i;
    }
    shown = std::min(last + 1 + kContext, steps.size());
    add_hunk(steps, begin, shown, diff.text);
    at = last;
  }
  for (const Step& step : steps) {
    diff.added += step.mark == '+' ? 1U : 0U;
    diff.removed += step.mark == '-' ? 1U : 0U;
  }
  return diff;
}

}  // namespace ws
