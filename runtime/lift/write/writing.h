// The values of the run and the program that is made of them: the parts of the writer share these.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/tiles.h"
#include "runtime/lift/write/tile_numbers.h"
#include "runtime/lift/write/tile_parts.h"

namespace ws::lift {

struct Writing {
  /// All outlive this. @param symbols  By which `input` and the terms name integers.
  Writing(Terms& own_terms, const Symbols& symbols, const LaunchInput& launch,
          const std::map<ObjectId, Layout>& known, const std::vector<std::string>& regions)
      : terms(own_terms),
        input(launch),
        layouts(known),
        tiles(own_terms, launch),
        polys(tree, symbols),
        statements(tree, regions),
        numbers(tree, polys),
        parts(tree, polys, statements) {}

  Terms& terms;
  const LaunchInput& input;
  const std::map<ObjectId, Layout>& layouts;
  const std::vector<Object>* objects = nullptr;  ///< Those of the block that runs.
  Tiles tiles;
  ir::TreeBuilder tree;
  PolyTree polys;
  Statements statements;
  TileNumbers numbers;
  TileParts parts;
};

/// The base of the writer's parts.
class WritingPart {
 protected:
  /// @param on  Outlives this.
  explicit WritingPart(Writing& on)
      : terms_(on.terms),
        input_(on.input),
        layouts_(on.layouts),
        tiles_(on.tiles),
        tree_(on.tree),
        polys_(on.polys),
        statements_(on.statements),
        numbers_(on.numbers),
        parts_(on.parts),
        on_(on) {}

  [[nodiscard]] const std::vector<Object>& objects() const { return *on_.objects; }

  [[nodiscard]] const Object& object(ObjectId id) const {
    return objects()[static_cast<std::size_t>(id)];
  }

  TileExpr whole(TileExpr part, std::int64_t rows, std::int64_t cols) {
    return lift::whole(tree_, std::move(part), rows, cols);
  }

  Terms& terms_;
  const LaunchInput& input_;
  const std::map<ObjectId, Layout>& layouts_;
  Tiles& tiles_;
  ir::TreeBuilder& tree_;
  PolyTree& polys_;
  Statements& statements_;
  TileNumbers& numbers_;
  TileParts& parts_;

 private:
  const Writing& on_;
};

}  // namespace ws::lift
