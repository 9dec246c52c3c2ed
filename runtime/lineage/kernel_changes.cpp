#include "runtime/lineage/kernel_changes.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/align.h"
#include "runtime/kernel/form/lines.h"

namespace ws {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

/// Lines [from, to) of a text, 0-based.
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;

  [[nodiscard]] bool empty() const { return from == to; }
};

std::vector<std::uint32_t> numbers_of(const Lines& lines, TextNumbers& number) {
  std::vector<std::uint32_t> numbers;
  std::transform(lines.begin(), lines.end(), std::back_inserter(numbers), std::ref(number));
  return numbers;
}

Json edit_form(const Lines& before, Span removed, const Lines& after, Span added) {
  Json form = {{"from", removed.from + 1}};
  if (!removed.empty()) {
    form["to"] = removed.to;
    form["old"] = join_lines(before, removed.from + 1, removed.to);
  }
  if (!added.empty()) {
    // With its line end: a single empty line would read as no line otherwise.
    form["text"] = join_lines(after, added.from + 1, added.to) + "\n";
  }
  form["op"] = removed.empty() ? "insert" : added.empty() ? "delete" : "replace";
  return form;
}

}  // namespace

Json line_edits(std::string_view before_text, std::string_view after_text,
                std::string_view region) {
  const Lines before = split_lines(before_text);
  const Lines after = split_lines(after_text);
  TextNumbers number;
  AlignedPairs pairs = align(numbers_of(before, number), numbers_of(after, number)).pairs;
  pairs.emplace_back(before.size(), after.size());
  Json edits = Json::array();
  Span removed;
  Span added;
  for (const auto& [i, j] : pairs) {
    removed.to = i;
    added.to = j;
    if (!removed.empty() || !added.empty()) {
      edits.push_back(edit_form(before, removed, after, added));
      edits.back()["region"] = region;
    }
    removed.from = i + 1;
    added.from = j + 1;
  }
  return edits;
}

Json plan_changes(const Json& before, const Json& after) {
  const auto is_plan = [](const std::string& field) {
    return field != "source" && field != "macros";
  };
  Json changes = Json::object();
  for (const auto& [field, value] : after.items()) {
    if (is_plan(field) && (!before.contains(field) || before[field] != value)) {
      changes[field] = value;
    }
  }
  for (const auto& [field, value] : before.items()) {
    if (is_plan(field) && !after.contains(field)) {
      changes[field] = nullptr;
    }
  }
  return changes;
}

}  // namespace ws
