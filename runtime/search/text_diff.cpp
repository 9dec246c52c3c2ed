#include "runtime/search/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ws {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kMaxMiddle = 4000;
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

/// Of the middles, by the lengths of longest common subsequences of their ends.
void add_shortest(const Lines& a, const Lines& b, std::vector<Step>& steps) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint16_t> common((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      const std::uint16_t longer = std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
      const auto both = static_cast<std::uint16_t>(common[(i + 1) * width + j + 1] + 1);
      common[i * width + j] = a[i] == b[j] ? both : longer;
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      steps.push_back({' ', a[i++]});
      ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      steps.push_back({'-', a[i++]});
    } else {
      steps.push_back({'+', b[j++]});
    }
  }
}

std::vector<Step> steps_between(const Lines& a, const Lines& b) {
  const auto first = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  const auto before = static_cast<std::size_t>(first - a.begin());
  const std::size_t room = std::min(a.size(), b.size()) - before;
  std::size_t after = 0;
  while (after < room && a[a.size() - 1 - after] == b[b.size() - 1 - after]) {
    ++after;
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < before; ++i) {
    steps.push_back({' ', a[i]});
  }
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(before),
                 lines.end() - static_cast<std::ptrdiff_t>(after));
  };
  const Lines middle_a = middle(a);
  const Lines middle_b = middle(b);
  if (middle_a.size() + middle_b.size() <= kMaxMiddle) {
    add_shortest(middle_a, middle_b, steps);
  } else {
    for (const std::string_view line : middle_a) {
      steps.push_back({'-', line});
    }
    for (const std::string_view line : middle_b) {
      steps.push_back({'+', line});
    }
  }
  for (std::size_t i = a.size() - after; i < a.size(); ++i) {
    steps.push_back({' ', a[i]});
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
