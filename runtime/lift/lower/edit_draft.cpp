#include "runtime/lift/lower/edit_draft.h"

#include <algorithm>

#include "runtime/kernel/form/lines.h"
#include "runtime/lift/lower/c_text.h"

namespace ws::lift {

EditDraft::EditDraft(const Tree& tree, const std::map<std::string, std::string>& lines)
    : tree_(tree) {
  for (const auto& [region, text] : lines) {
    lines_[region] = split_lines(text);
  }
}

std::string EditDraft::line_at(const std::string& region, std::int32_t line) const {
  const auto found = lines_.find(region);
  const auto at = static_cast<std::size_t>(line) - 1;
  return found == lines_.end() || at >= found->second.size() ? "" : found->second[at];
}

std::string EditDraft::text_at(const Range& range) const {
  const std::string line = range.region == kNone ? "" : line_at(region_of(range), range.line);
  if (range.line != range.end_line || range.column < 1 || range.end_column <= range.column ||
      static_cast<std::size_t>(range.end_column) > line.size() + 1) {
    return {};
  }
  return line.substr(static_cast<std::size_t>(range.column) - 1,
                     static_cast<std::size_t>(range.end_column - range.column));
}

Status EditDraft::replace(const Range& range, const std::string& text) {
  if (text_at(range).empty()) {
    return no_form("line " + std::to_string(range.line) + " has only a part of the expression");
  }
  const auto found = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return piece.range.region == range.region && piece.range.line == range.line &&
           piece.range.column == range.column;
  });
  if (found == pieces_.end()) {
    pieces_.push_back({range, text});
  } else if (found->text != text) {
    return no_form("line " + std::to_string(range.line) + " would become two things");
  }
  return {};
}

void EditDraft::insert(const std::string& region, std::int32_t line, const std::string& text) {
  const auto same = std::find_if(
      insertions_.begin(), insertions_.end(),
      [&](const ProposedEdit& edit) { return edit.region == region && edit.line == line; });
  if (same == insertions_.end()) {
    insertions_.push_back({region, line, "", text, true});
  } else {
    same->text += "\n" + text;
  }
}

std::vector<ProposedEdit> EditDraft::made() const {
  std::map<std::pair<std::string, std::int32_t>, std::vector<const Piece*>> by_line;
  for (const Piece& piece : pieces_) {
    by_line[{region_of(piece.range), piece.range.line}].push_back(&piece);
  }
  std::vector<ProposedEdit> edits;
  for (auto& [at, pieces] : by_line) {
    const std::string old = line_at(at.first, at.second);
    std::string text = old;
    std::sort(pieces.begin(), pieces.end(), [](const Piece* a, const Piece* b) {
      return a->range.column > b->range.column;  // From the right: the others stay in place.
    });
    for (const Piece* piece : pieces) {
      text.replace(static_cast<std::size_t>(piece->range.column) - 1,
                   static_cast<std::size_t>(piece->range.end_column - piece->range.column),
                   piece->text);
    }
    edits.push_back({at.first, at.second, old, std::move(text), false});
  }
  edits.insert(edits.end(), insertions_.begin(), insertions_.end());
  return edits;
}

}  // namespace ws::lift
