#include "tools/common/kernel_changes.h"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/kernel/lines.h"

namespace ws {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

/// common[i][j]: the length of the longest common subsequence of the lines from i and from j on.
std::vector<std::vector<std::size_t>> common_lengths(const Lines& before, const Lines& after) {
  std::vector<std::vector<std::size_t>> common(before.size() + 1,
                                               std::vector<std::size_t>(after.size() + 1, 0));
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      common[i][j] = before[i] == after[j] ? common[i + 1][j + 1] + 1
                                           : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}

/// Lines [from, to) of a text, 0-based.
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;

  [[nodiscard]] bool empty() const { return from == to; }
};

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
  const auto common = common_lengths(before, after);
  Json edits = Json::array();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      ++i;
      ++j;
      continue;
    }
    Span removed{i, i};
    Span added{j, j};
    while ((i < before.size() || j < after.size()) &&
           !(i < before.size() && j < after.size() && before[i] == after[j])) {
      const bool drop =
          j == after.size() || (i < before.size() && common[i + 1][j] >= common[i][j + 1]);
      (drop ? removed.to : added.to) = drop ? ++i : ++j;
    }
    edits.push_back(edit_form(before, removed, after, added));
    edits.back()["region"] = region;
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
