// Expressions of tiles from the terms that their elements are.
#pragma once

#include "runtime/lift/write/matrix_products.h"
#include "runtime/lift/write/named_values.h"
#include "runtime/lift/write/program_variables.h"
#include "runtime/lift/write/tile_reads.h"
#include "runtime/lift/write/tile_source.h"
#include "runtime/lift/write/tile_sums.h"

namespace ws::lift {

class TileExpressions : public TileSource, private WritingPart {
 public:
  /// All outlive this.
  TileExpressions(Writing& on, ProgramVariables& variables, NamedValues& names)
      : WritingPart(on),
        variables_(variables),
        names_(names),
        reads_(on, variables, *this),
        products_(on, *this),
        sums_(on, names, *this) {}

  Result<TileExpr> expression(Tile tile) override;

  /// The same for a value that becomes a statement of its own: it gets no other name.
  Result<TileExpr> statement(const Tile& tile);

 private:
  Result<TileExpr> built(const Tile& tile);
  Result<TileExpr> of_kind(const Tile& tile);
  Result<TileExpr> operation(const Tile& tile);
  TileExpr converted(const Term& term, TileExpr operand);
  Result<TileExpr> choice(const Tile& tile);
  std::optional<TileExpr> padded_load(const Tile& tile);
  Result<TileExpr> number_term(const Tile& tile);
  Result<TileExpr> named(const Tile& tile);
  [[nodiscard]] Tile operand(const Tile& tile, std::size_t index) const;
  [[nodiscard]] bool is_rounded(const Term& term) const;

  ProgramVariables& variables_;
  NamedValues& names_;
  TileReads reads_;
  MatrixProducts products_;
  TileSums sums_;
  int depth_ = 0;
  bool top_ = false;  // The next expression is a statement of its own.
};

}  // namespace ws::lift
