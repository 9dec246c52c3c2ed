// Edits of a kernel's text that are being collected.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/lift/lower/proposal.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

class EditDraft {
 public:
  /// @param lines  Texts by region.
  EditDraft(const Tree& tree, const std::map<std::string, std::string>& lines);

  /// Empty: there is no such line.
  [[nodiscard]] std::string line_at(const std::string& region, std::int32_t line) const;

  /// The text of an expression that stands in one line; empty: it does not.
  [[nodiscard]] std::string text_at(const Range& range) const;

  [[nodiscard]] const std::string& region_of(const Range& range) const {
    return tree_.regions[static_cast<std::size_t>(range.region)];
  }

  /// Puts a text in the place of an expression. The same once more changes nothing.
  /// @errors kUnsupported: the expression stands in several lines, or became another text.
  Status replace(const Range& range, const std::string& text);

  /// Adds lines before a line, behind those that were added there.
  void insert(const std::string& region, std::int32_t line, const std::string& text);

  /// One edit for a line.
  [[nodiscard]] std::vector<ProposedEdit> made() const;

 private:
  /// An expression of the kernel's text and the text that comes in its place.
  struct Piece {
    Range range;
    std::string text;
  };

  const Tree& tree_;
  std::map<std::string, std::vector<std::string>> lines_;
  std::vector<Piece> pieces_;
  std::vector<ProposedEdit> insertions_;
};

}  // namespace ws::lift
