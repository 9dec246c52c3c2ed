// Programs whose every name has a value before it is read, so that they check and can be verified
// while they still have holes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/ir/syntax/ast.h"

namespace ws::lift {

/// A statement that read a name without a value.
struct Valueless {
  std::string name;  ///< "base", "self.smem".
  std::string mark;  ///< The statement's comment: "# @ source:12-12"; empty: it has none.
};

/// Takes out of `program` what reads names that no statement before it has given a value: an
/// argument of a hole, together with its parameter; a branch's condition, which becomes `True`; a
/// loop's bounds, which become one round. Any other statement becomes `pass` below a comment.
///
/// @param holes  The names of the methods that are holes.
/// @return       Every statement that was changed, but for those that call holes, in the order of
///               the program.
std::vector<Valueless> give_names_values(ir::Program& program, const std::set<std::string>& holes);

}  // namespace ws::lift
