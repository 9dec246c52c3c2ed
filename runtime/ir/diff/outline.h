// A program as lines that can be compared: what each is for, and the operations of its
// orchestration, in order, for each method.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/diff/rules.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

/// One step of a method's orchestration; values in it stand as `_`.
struct Step {
  std::string text;
  SourcePlace place;
  std::size_t row = 0;  ///< An index into Outline::rows.
  Rules allowed;        ///< By which rules it may be added: it uses what the other program lacks.
  bool block = false;   ///< The head or the end of a block.
};

/// One line: a statement, the head of a block, or the end of one.
struct OutlineRow {
  std::string key;   ///< The text that is compared; for a loop it leaves out how often it runs.
  std::string text;  ///< The canonical line.
  SourcePlace place;
  std::uint32_t last_line = 0;
  std::string path;     ///< "worker 7.3": statement 3 of the block of the method's statement 7.
  std::string subject;  ///< The name that it sets, or its operation.
  bool parameter = false;
  bool opens = false;  ///< The head of a block.
  bool closes = false;
  std::optional<Mark> mark;  ///< Its own, or that of what it is in.
  std::size_t first_step = 0;
  std::size_t steps = 0;  ///< An index into Outline::steps: its own.
  Rules rules;            ///< Used when it is changed, added or removed.
};

/// A method, or what stands outside of them (name empty).
struct Outline {
  std::string name;
  SourcePlace place;
  std::vector<OutlineRow> rows;
  std::vector<Step> steps;
};

/// The outlines of two programs. What a rule is depends on both: an input is new when the other
/// has none of that name.
struct OutlinePair {
  std::vector<Outline> source;
  std::vector<Outline> target;
};

/// @errors kInvalidArgument: a malformed source mark.
Result<OutlinePair> outline(const Program& source, const Program& target);

}  // namespace ws::ir
