// The bench of this folder's tests: the values of eight threads are written, or of a warp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/ir/syntax/printer.h"
#include "runtime/lift/write/tile_expressions.h"

namespace ws::lift {

struct WritingBench {
  static constexpr std::int64_t kLanes = 8;

  Terms terms;
  Symbols symbols;
  LaunchInput input;
  std::map<ObjectId, Layout> layouts;
  std::vector<std::string> regions = {"k.cu"};
  std::vector<Object> objects;
  Writing on{terms, symbols, input, layouts, regions};
  ProgramVariables variables{on};
  NamedValues names{on};
  TileExpressions values{on, variables, names};
  Poly n = Poly::of(symbols.intern("self.n"));

  explicit WritingBench(std::int64_t lanes = kLanes)
      : terms(static_cast<std::size_t>(lanes)) {
    on.objects = &objects;
  }

  ObjectId tensor(const std::string& name, std::vector<Poly> shape) {
    Object object;
    object.kind = ObjectKind::kTensor;
    object.name = name;
    object.tensor = input.tensors.size();
    objects.push_back(object);
    input.tensors.push_back({name, DType::kF32, std::move(shape), false});
    return static_cast<ObjectId>(objects.size()) - 1;
  }

  /// A variable that holds `rows` x `cols` numbers, lane by lane.
  ObjectId variable(const std::string& name, std::int64_t rows, std::int64_t cols) {
    Object object;
    object.name = name;
    objects.push_back(object);
    const auto id = static_cast<ObjectId>(objects.size()) - 1;
    std::vector<std::int64_t> places(static_cast<std::size_t>(kLanes), -1);
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      places[static_cast<std::size_t>(i)] = i;
    }
    layouts[id] = {rows, cols, {places}};
    return id;
  }

  /// first + f(lane)
  template <typename F>
  static Poly by_lane(F f, const Poly& first = Poly()) {
    Lanes lanes;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes.push_back(f(lane));
    }
    return first.plus(Poly(lanes));
  }

  TermId load(ObjectId object, const Poly& offset, std::vector<TermId> masks = {}) {
    Term term;
    term.kind = TermKind::kLoad;
    term.object = object;
    term.poly = offset;
    term.masks = std::move(masks);
    return terms.add(term);
  }

  /// The number that each thread has in an array of eight.
  TermId own(ObjectId object) {
    return load(object, by_lane([](std::int64_t lane) { return lane; }));
  }

  TermId carried(ObjectId object, int version = 0) {
    Term term;
    term.kind = TermKind::kCarried;
    term.object = object;
    term.version = version;
    return terms.add(term);
  }

  /// The values of a term in all threads, side by side.
  static Tile tile(TermId id, std::int64_t rows, std::int64_t cols) {
    Tile made{rows, cols, {}};
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      made.points.push_back({id, static_cast<std::int32_t>(i)});
    }
    return made;
  }

  static Range at(std::int32_t line) {
    Range range;
    range.region = 0;
    range.line = line;
    range.end_line = line;
    return range;
  }

  [[nodiscard]] std::string print(ir::ExprId id) const {
    return ir::print_expr(on.tree.program(), id);
  }

  /// The expression of a tile, or why there is none.
  std::string text(const Tile& of) {
    const Result<TileExpr> made = values.expression(of);
    return made ? print(made->expr) : made.error().message;
  }

  [[nodiscard]] std::string lines() const {
    std::string text;
    for (const ir::StmtId id : on.statements.body()) {
      text += ir::print_stmt(on.tree.program(), id, 0);
    }
    return text;
  }
};

}  // namespace ws::lift
