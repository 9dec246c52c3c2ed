#include "runtime/lift/orchestration/hole_statements.h"

#include <doctest/doctest.h>

#include "runtime/lift/orchestration/test_texts.h"
#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

struct Holes : TestTexts {
  explicit Holes(Tree& tree)
      : TestTexts(tree),
        holes(tree, facts, values, texts, buffers, tiles, draft) {
    holes.begin_walk();
    holes.open();
  }

  RegisterTiles tiles;
  HoleStatements holes;
};

VariableId add_number(Tree& tree, const std::string& name, TypeKind kind) {
  const auto type = static_cast<TypeId>(tree.types.size());
  tree.types.push_back({kind, kind == TypeKind::kInt ? "int" : "float", 4, true, kNone, 0, {}});
  tree.variables.push_back({name, type, Space::kLocal, false, 4, {0, 1, 1, 1, 2}});
  return static_cast<VariableId>(tree.variables.size()) - 1;
}

}  // namespace

TEST_SUITE("lift.hole_statements") {
  TEST_CASE("a hole reads and writes names of the program, but not what it declares itself") {
    SmallKernel kernel(256);
    const VariableId x = add_number(kernel.tree(), "x", TypeKind::kFloat);
    const VariableId own = add_number(kernel.tree(), "own", TypeKind::kFloat);
    Node declare;
    declare.kind = NodeKind::kDeclare;
    declare.index = own;
    declare.kids = {kernel.variable(x)};
    kernel.tree().nodes.push_back(declare);
    const auto declared = static_cast<NodeId>(kernel.tree().nodes.size()) - 1;
    const NodeId stored = kernel.assign(
        kernel.element(kernel.element(kernel.shared(), kernel.block()), kernel.thread()),
        kernel.variable(own));
    const NodeId changed = kernel.assign(kernel.variable(x), kernel.variable(own));
    Holes made(kernel.tree());
    Hole hole;
    hole.id = "hole_1";
    made.holes.add(declared, hole);
    made.holes.add(stored, hole);
    made.holes.add(changed, hole);
    CHECK(hole.inputs == std::vector<std::string>{"x", "self.s"});
    CHECK(hole.outputs == std::vector<std::string>{"self.s[blockIdx.x]", "self.s", "x"});
    CHECK(made.holes.nodes().size() == 3);
    CHECK(made.holes.declares(own));
    CHECK_FALSE(made.holes.has_declared(own));
    made.holes.close();
    made.holes.open();
    CHECK(made.holes.has_declared(own));
    CHECK_FALSE(made.holes.declares(own));
    made.holes.forget(own);
    CHECK_FALSE(made.holes.has_declared(own));
  }

  TEST_CASE("a hole is called with what it reads, and its tiles go into buffers") {
    SmallKernel kernel(256);
    Holes made(kernel.tree());
    made.tiles.declare("acc", {64});
    REQUIRE(made.tiles.sums("acc[0]", 128) == "acc");
    Hole hole;
    hole.id = "hole_2";
    hole.inputs = {"n", "acc", "self.s"};
    hole.outputs = {"acc", "self.s[1]", "m", "self.out"};
    const HoleStatements::Call call = made.holes.call(hole);
    CHECK(call.text == "value_1, value_2, m = self.hole_2(n, acc)");
    CHECK(call.given == std::vector<std::string>{"acc", "self.s[1]", "m"});
    CHECK(call.writes == std::vector<std::string>{"acc[:] = value_1", "copy(self.s[1], value_2)"});
    hole.inputs = {"self.s"};
    hole.outputs = {};
    CHECK(made.holes.call(hole).text == "self.hole_2()");
    CHECK(made.holes.stand_in(hole).empty());
  }

  TEST_CASE("a stand-in reads its tiles and gives some of the right sizes") {
    SmallKernel kernel(256);
    Holes made(kernel.tree());
    made.tiles.declare("acc", {64});
    made.tiles.declare("other", {64});
    REQUIRE(made.tiles.sums("acc[0]", 128) == "acc");
    REQUIRE(made.tiles.sums("other[0]", 128) == "other");
    made.tiles.set_rows("m", 2);
    Hole hole;
    hole.inputs = {"acc"};
    hole.outputs = {"other", "m", "self.s", "x"};
    CHECK(made.holes.stand_in(hole) ==
          std::vector<std::string>{"        seen_acc = acc * 1.0",
                                   "        return zeros((64, 128), \"f32\"), "
                                   "zeros((64, 1), \"f32\"), zeros((64, ), \"f32\"), 0.0"});
    hole.outputs = {"acc"};
    CHECK(made.holes.stand_in(hole) == std::vector<std::string>{"        return acc * 1.0"});
  }
}

}  // namespace ws::lift
