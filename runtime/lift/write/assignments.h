// Assignments to the variables that a loop changes.
#pragma once

#include <vector>

#include "runtime/lift/write/named_values.h"
#include "runtime/lift/write/program_variables.h"
#include "runtime/lift/write/tile_expressions.h"

namespace ws::lift {

/// `target = value`, at lines of the source.
struct Assignment {
  ir::ExprId target = ir::kNoExpr;
  ir::ExprId value = ir::kNoExpr;
  Range range;
  std::uint64_t key = 0;  ///< The hash of the value, where it has the target's size; else 0.
};

class Assignments : private WritingPart {
 public:
  /// All outlive this.
  Assignments(Writing& on, ProgramVariables& variables, NamedValues& names, TileExpressions& values)
      : WritingPart(on),
        variables_(variables),
        names_(names),
        values_(values) {}

  /// The new value of a variable, as a tile. @param now  The contents of its slots.
  /// @errors kUnsupported: they are no tile, or none that CuIR can compute.
  Result<Assignment> make(ObjectId id, const std::vector<TermId>& now);

  /// Writes assignments that take place at once: one by one where no value needs what another one
  /// was, else as a tuple.
  void write(std::vector<Assignment> all);

 private:
  Result<Tile> tile_of(ObjectId id, const std::vector<TermId>& now);

  ProgramVariables& variables_;
  NamedValues& names_;
  TileExpressions& values_;
};

}  // namespace ws::lift
