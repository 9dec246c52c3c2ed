#include "runtime/ir/diff/diff.h"

#include <algorithm>
#include <array>

#include "runtime/ir/diff/compare_steps.h"
#include "runtime/ir/diff/outline.h"
#include "runtime/ir/diff/regions.h"

namespace ws::ir {
namespace {

const Outline* find(const std::vector<Outline>& outlines, const std::string& name) {
  const auto found = std::find_if(outlines.begin(), outlines.end(),
                                  [&](const Outline& outline) { return outline.name == name; });
  return found == outlines.end() ? nullptr : &*found;
}

std::vector<std::string> row_keys(const Outline& outline) {
  std::vector<std::string> keys;
  for (const OutlineRow& row : outline.rows) {
    keys.push_back(row.key);
  }
  return keys;
}

// A method that the other program lacks: all of it went or came.
Outline nothing_of(const Outline& outline) {
  return {outline.name, {}, {}, {}};
}

Status compare(const Outline& source, const Outline& target, Regions& regions, ProgramDiff& diff) {
  WS_TRY(const Pairs rows, align_texts(row_keys(source), row_keys(target)));
  WS_TRY(const StepComparison steps, compare_steps(source, target, rows));
  regions.add(source, target, rows, steps);
  const bool both = source.place.line != 0 && target.place.line != 0;
  if (both) {
    diff.breaches.insert(diff.breaches.end(), steps.breaches.begin(), steps.breaches.end());
  } else if (!steps.breaches.empty()) {
    diff.breaches.push_back({Rule::kKeepStructure,
                             "`" + source.name + "`, which orchestrates, is " +
                                 (source.place.line != 0 ? "gone" : "new"),
                             source.place, target.place});
  }
  return {};
}

}  // namespace

std::string_view word_of(Change change) {
  constexpr std::array<std::string_view, 4> words = {"kept", "changed", "added", "removed"};
  return words.at(static_cast<std::size_t>(change));
}

Result<ProgramDiff> diff_programs(const Program& source, const Program& target) {
  WS_TRY(const OutlinePair outlines, outline(source, target));
  ProgramDiff diff;
  Regions regions;
  for (const Outline& method : outlines.source) {
    const Outline* other = find(outlines.target, method.name);
    WS_CHECK(compare(method, other != nullptr ? *other : nothing_of(method), regions, diff));
  }
  for (const Outline& method : outlines.target) {
    if (find(outlines.source, method.name) == nullptr) {
      WS_CHECK(compare(nothing_of(method), method, regions, diff));
    }
  }
  diff.orchestration_kept = diff.breaches.empty();
  regions.finish(diff);
  return diff;
}

}  // namespace ws::ir
