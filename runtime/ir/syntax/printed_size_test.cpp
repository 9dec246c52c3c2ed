#include "runtime/ir/syntax/printed_size.h"

#include <functional>

#include <doctest/doctest.h>

#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/ir/syntax/tree_builder.h"

namespace ws::ir {
namespace {

constexpr std::array<const char*, 20> kExpressions = {
    "n",
    "1e-05",
    "\"f32\"",
    "True",
    "None",
    "self.x.T",
    "(2).T",
    "(a + b).T",
    "x[0, 1:n + 1, :, ::2, -1]",
    "f(x, dim=1, keepdim=False)",
    "f()",
    "(a, b)",
    "(a,)",
    "()",
    "a if b else c if d else e",
    "-(a + b) * -c // d % e",
    "(a - (b - c)) * (d + e)",
    "2 ** (3 ** (-n)) ** 2",
    "a < b <= c",
    "not (a and b or c) and (d < e) == f",
};

/// One more level around an expression, as a node and as text.
struct Level {
  const char* name;
  std::function<ExprId(TreeBuilder&, ExprId)> node;
  std::function<std::string(const std::string&)> text;
};

std::vector<Level> levels() {
  return {
      {"negation", [](TreeBuilder& tree, ExprId x) { return tree.unary(Operator::kNegate, x); },
       [](const std::string& x) { return "-" + x; }},
      {"call", [](TreeBuilder& tree, ExprId x) { return tree.call(Op::kExp, {x}); },
       [](const std::string& x) { return "exp(" + x + ")"; }},
      {"keyword",
       [](TreeBuilder& tree, ExprId x) { return tree.call(tree.name("f"), {}, {{"x", x}}); },
       [](const std::string& x) { return "f(x=" + x + ")"; }},
      {"left operand",
       [](TreeBuilder& tree, ExprId x) {
         return tree.binary(Operator::kSubtract, x, tree.name("a"));
       },
       [](const std::string& x) { return x + " - a"; }},
      {"right operand",
       [](TreeBuilder& tree, ExprId x) {
         return tree.binary(Operator::kSubtract, tree.name("a"), x);
       },
       [](const std::string& x) { return "a - (" + x + ")"; }},
      {"comparison",
       [](TreeBuilder& tree, ExprId x) { return tree.binary(Operator::kLess, x, tree.name("a")); },
       [](const std::string& x) { return "(" + x + ") < a"; }},
      {"conjunction",
       [](TreeBuilder& tree, ExprId x) { return tree.binary(Operator::kAnd, tree.name("a"), x); },
       [](const std::string& x) { return "a and (" + x + ")"; }},
      {"part",
       [](TreeBuilder& tree, ExprId x) {
         return tree.index(tree.name("a"), {x, tree.slice(x, kNoExpr)});
       },
       [](const std::string& x) { return "a[" + x + ", " + x + ":]"; }},
      {"transposed",
       [](TreeBuilder& tree, ExprId x) {
         return tree.attribute(tree.unary(Operator::kNegate, x), "T");
       },
       [](const std::string& x) { return "(-" + x + ").T"; }},
      {"tuple", [](TreeBuilder& tree, ExprId x) { return tree.tuple({x}); },
       [](const std::string& x) { return "(" + x + ",)"; }},
  };
}

bool can_be_parsed(const std::string& expression) {
  Diagnostics diagnostics;
  return parse("class K(KernelBase):\n    def run(self):\n        x = " + expression + "\n",
               diagnostics)
      .has_value();
}

TEST_SUITE("ir.printed_size") {
  TEST_CASE("the size of an expression is that of its text") {
    for (const char* const text : kExpressions) {
      CAPTURE(text);
      TreeBuilder tree;
      const ExprId id = tree.parsed(text);
      REQUIRE(TreeBuilder::check(id));
      CHECK(print_expr(tree.program(), id) == text);
      CHECK(tree.bytes(id) == std::string_view(text).size());
    }
  }

  TEST_CASE("what is as deep as the parser allows has a node, and nothing deeper") {
    for (const Level& level : levels()) {
      CAPTURE(level.name);
      TreeBuilder tree;
      ExprId deepest = tree.name("n");
      ExprId next = level.node(tree, deepest);
      // Text that doubles at each level is too long before it is too deep.
      for (int i = 0; i < 200 && next != TreeBuilder::kTooLarge; ++i) {
        deepest = next;
        next = level.node(tree, deepest);
      }
      REQUIRE(next == TreeBuilder::kTooLarge);
      const std::string text = print_expr(tree.program(), deepest);
      CHECK(tree.bytes(deepest) == text.size());
      CHECK(can_be_parsed(text));
      CHECK_FALSE(can_be_parsed(level.text(text)));
    }
  }
}

}  // namespace
}  // namespace ws::ir
