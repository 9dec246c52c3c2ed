// Changes of a program that act on values one by one: a tile's elements, or an integer.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/syntax/ast.h"
#include "runtime/lift/lower/hunks.h"

namespace ws::lift {

struct ValueChange {
  enum class Kind : std::uint8_t {
    kBefore,   ///< The elements of `name` become `value` before the statement.
    kBehind,   ///< The elements of `name` become `value` behind the statement.
    kInside,   ///< `old`, an expression of the statement that no variable holds, becomes `value`.
    kInteger,  ///< The statement gives `value` to the integer `name`.
  };
  Kind kind = Kind::kBefore;
  std::string name;  ///< In the program; empty: kInside.
  std::string old;   ///< As printed. `value` has it where the element is; empty: kInteger.
  ir::ExprId value = ir::kNoExpr;             ///< In the target.
  std::map<std::string, ir::ExprId> defined;  ///< New names in `value` that stand for expressions.
  std::size_t line = 0;                       ///< The statement, in the lifted program's lines.
};

/// @param tiles  Names of the lifted program that are registers.
/// @errors kUnsupported: lines that are another change, with the reason.
Result<std::vector<ValueChange>> value_changes(const ReadProgram& lifted, const ReadProgram& target,
                                               const std::set<std::string>& tiles);

/// The registers that hold a tile's elements: `name`, or those that it was made from by a choice.
/// Empty: there are none, or several.
/// @param before  The line before which the name has that value.
std::string registers_of(const ReadProgram& lifted, const std::set<std::string>& tiles,
                         const std::string& name, std::size_t before);

}  // namespace ws::lift
