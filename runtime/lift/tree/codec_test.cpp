#include <cmath>
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {
namespace {

/// `x += 1;`
Tree small_tree() {
  Tree tree;
  tree.regions = {"source"};
  tree.types.push_back({TypeKind::kInt, "int", 4, true, kNone, 0, {}});
  tree.variables.push_back({"x", 0, Space::kLocal, false, 4, {0, 1, 1, 1, 2}});
  Node target;
  target.kind = NodeKind::kVariable;
  target.index = 0;
  Node value;
  value.kind = NodeKind::kInt;
  value.value = 1;
  Node assign;
  assign.kind = NodeKind::kAssign;
  assign.op = COperator::kAdd;
  assign.kids = {0, 1};
  tree.nodes = {target, value, assign};
  Function function;
  function.name = "k";
  function.kernel = true;
  function.body = 2;
  tree.functions.push_back(function);
  tree.entries = {0};
  return tree;
}

std::string refusal(const std::function<void(Tree&)>& spoil) {
  Tree tree = small_tree();
  spoil(tree);
  const Result<Tree> back = decode_tree(encode(tree));
  return back ? "" : to_text(back.error());
}

}  // namespace

TEST_SUITE("lift.tree") {
  TEST_CASE("a tree comes back as it was") {
    const Tree tree = small_tree();
    const Result<Tree> back = decode_tree(encode(tree));
    REQUIRE(back);
    CHECK(encode(*back) == encode(tree));
    CHECK(back->node(2).kids == tree.node(2).kids);
    CHECK(back->node(2).op == COperator::kAdd);
    CHECK(operator_text(back->node(2)) == "+=");
    CHECK(back->variable(0).name == "x");
  }

  TEST_CASE("a tree from a hostile worker is refused where anything refers to what is not there") {
    const std::string broken = "internal: a device tree with a broken reference";
    CHECK(refusal([](Tree& tree) { tree.nodes[2].kids = {0, 2}; }) == broken);  // A cycle.
    CHECK(refusal([](Tree& tree) { tree.nodes[2].kids = {0}; }) == broken);
    CHECK(refusal([](Tree& tree) { tree.nodes[0].index = 1; }) == broken);
    CHECK(refusal([](Tree& tree) { tree.nodes[2].op = static_cast<COperator>(99); }) == broken);
    CHECK(refusal([](Tree& tree) { tree.nodes[1].range.region = 7; }) == broken);
    CHECK(refusal([](Tree& tree) { tree.types[0].element = 0; }) == broken);
    CHECK(refusal([](Tree& tree) { tree.variables[0].type = 3; }) == broken);
    CHECK(refusal([](Tree& tree) { tree.functions[0].body = 3; }) == broken);
    CHECK(refusal([](Tree& tree) { tree.entries = {1}; }) == broken);
    const Result<Tree> text = decode_tree("{\"nodes\": 1}");
    REQUIRE_FALSE(text);
    CHECK(text.error().message == "a malformed device tree");
  }

  TEST_CASE("numbers that JSON has none of come back as they were") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double number : {0.5, -0.0, infinity, -infinity, std::nan("")}) {
      CAPTURE(number);
      Tree tree = small_tree();
      tree.nodes[1].kind = NodeKind::kFloat;
      tree.nodes[1].number = number;
      const Result<Tree> back = decode_tree(encode(tree));
      REQUIRE(back);
      const double read = back->node(1).number;
      CHECK((std::isnan(number) ? std::isnan(read) : read == number));
      CHECK(std::signbit(read) == std::signbit(number));
    }
  }

  TEST_CASE("nodes nested deeper than a reader can follow are refused") {
    const auto deep = [](int levels) {
      return refusal([&](Tree& tree) {
        for (int i = 0; i < levels; ++i) {
          Node block;
          block.kind = NodeKind::kBlock;
          block.kids = {static_cast<NodeId>(tree.nodes.size()) - 1};
          tree.nodes.push_back(block);
        }
      });
    };
    CHECK(deep(kMaxTreeDepth - 1).empty());
    CHECK(deep(kMaxTreeDepth) == "internal: a device tree with a broken reference");
  }
}

}  // namespace ws::lift
