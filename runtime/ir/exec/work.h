// Counts what a program does, line by line, while it runs.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "runtime/ir/exec/value.h"
#include "runtime/ir/syntax/ops.h"
#include "runtime/kernel/tile_work.h"

namespace ws::ir {

/// The work of one launch: blocks run one after another.
class Work {
 public:
  /// An access by a tile. @param elements  Of the tile. @param places  The elements of the buffer
  /// that it reaches, each once, in any order.
  void add_access(TileWorkKind kind, std::int64_t line, DType type, std::size_t elements,
                  std::vector<std::size_t> places);

  /// A pure operation. Numbers and what only moves elements cost nothing.
  void add_operation(Op op, std::int64_t line, std::span<const Value> args, const Value& result);
  void add_operator(Operator op, std::int64_t line, const Value& a, const Value& b,
                    const Value& result);

  void end_block();

  /// The rows by line, without their program.
  [[nodiscard]] std::vector<TileWork> rows() const;

  [[nodiscard]] const TileProgramWork& blocks() const { return blocks_; }

 private:
  TileWork& row(TileWorkKind kind, std::int64_t line, DType type);
  void add_elements(TileWorkKind kind, std::int64_t line, const Value& tile);
  void add_product(std::int64_t line, const Value& a, const Value& result);

  std::map<std::tuple<std::int64_t, TileWorkKind, DType>, TileWork> rows_;
  TileProgramWork blocks_;
  double block_ = 0;  // The work of the block that runs.
};

}  // namespace ws::ir
