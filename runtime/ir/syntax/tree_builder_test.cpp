#include "runtime/ir/syntax/tree_builder.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::ir {
namespace {

std::string text_of(const TreeBuilder& tree, const std::vector<StmtId>& body, int level) {
  std::string text;
  for (const StmtId id : body) {
    text += print_stmt(tree.program(), id, level);
  }
  return text;
}

std::string why(const Status& status) {
  return status ? "" : status.error().message;
}

TEST_SUITE("ir.tree_builder") {
  TEST_CASE("nodes are printed as they would be written") {
    TreeBuilder tree;
    const ExprId n = tree.name("n");
    const ExprId two = tree.integer(2);
    const ExprId sum = tree.binary(Operator::kAdd, n, tree.integer(-7));
    const std::vector<std::pair<ExprId, const char*>> rows = {
        {sum, "n + -7"},
        {tree.real(1e-5, "1e-05"), "1e-05"},
        {tree.string("wgmma"), "\"wgmma\""},
        {tree.boolean(true), "True"},
        {tree.none(), "None"},
        {tree.self("A"), "self.A"},
        {tree.attribute(sum, "T"), "(n + -7).T"},
        {tree.index(tree.self("A"), {sum, tree.slice(n, sum), tree.slice(kNoExpr, kNoExpr)}),
         "self.A[n + -7, n:n + -7, :]"},
        {tree.tuple({n}), "(n,)"},
        {tree.tuple({n, two}), "(n, 2)"},
        {tree.call(Op::kSum, {sum, tree.integer(1)}, {{"keepdim", tree.boolean(true)}}),
         "sum(n + -7, 1, keepdim=True)"},
        {tree.unary(Operator::kNot, sum), "not n + -7"},
        {tree.binary(Operator::kMultiply, sum, sum), "(n + -7) * (n + -7)"},
        {tree.binary(Operator::kSubtract, sum, sum), "n + -7 - (n + -7)"},
        {tree.binary(Operator::kLess, sum, two), "n + -7 < 2"},
        {tree.binary(Operator::kOr, n, two), "n or 2"},
        {tree.parsed("( (a+b)*c )[:,None]"), "((a + b) * c)[:, None]"},
    };
    for (const auto& [id, text] : rows) {
      CHECK(print_expr(tree.program(), id) == text);
      CHECK(tree.bytes(id) == std::string_view(text).size());
      CHECK(TreeBuilder::check(id));
    }
  }

  TEST_CASE("statements know the size of their text") {
    TreeBuilder tree;
    const ExprId n = tree.name("n");
    const StmtId assigned = tree.assignment(n, tree.integer(1), "# @ k.cu:3-4");
    const StmtId called = tree.statement(tree.call(Op::kCtaSync, {}));
    const StmtId branch = tree.branch(tree.binary(Operator::kLess, n, n), {tree.leave()});
    const StmtId loop = tree.loop("i", tree.call(Op::kRange, {n}), {called, branch}, "# rounds");
    const std::string text =
        "        n = 1  # @ k.cu:3-4\n"
        "        for i in range(n):  # rounds\n"
        "            cta_sync()\n"
        "            if n < n:\n"
        "                return\n";
    CHECK(text_of(tree, {assigned, loop}, 2) == text);
    CHECK(tree.bytes({assigned, loop}, 2) == text.size());
    CHECK(tree.check_body({assigned, loop}));
  }

  TEST_CASE("what is made of an expression that is too large is too large") {
    TreeBuilder tree;
    const ExprId large = tree.name(std::string(kMaxProgramBytes, 'x'));
    CHECK(TreeBuilder::check(large));
    const ExprId larger = tree.unary(Operator::kNegate, large);
    CHECK(larger == TreeBuilder::kTooLarge);
    CHECK(tree.call(Op::kExp, {larger}) == TreeBuilder::kTooLarge);
    CHECK(tree.integer(INT64_MIN) == TreeBuilder::kTooLarge);
    CHECK(tree.integer(INT64_MIN + 1) != TreeBuilder::kTooLarge);
    const StmtId inner = tree.statement(larger);
    const StmtId outer = tree.loop("i", tree.name("n"), {inner});
    CHECK(why(TreeBuilder::check(larger)) == "an expression that is too large");
    CHECK(why(tree.check_body({tree.leave(), outer})) == "an expression that is too large");
  }

  TEST_CASE("names that CuIR cannot have have no node") {
    TreeBuilder tree;
    for (const char* const text : {"", "$x", "x$", "1x", "a b", "gr\u00f6\u00dfe"}) {
      CAPTURE(text);
      CHECK(tree.name(text) == TreeBuilder::kUnreadable);
      CHECK(tree.attribute(tree.name("self"), text) == TreeBuilder::kUnreadable);
    }
    CHECK(TreeBuilder::check(tree.attribute(tree.name("_x1"), "y")));
  }

  TEST_CASE("text that is no expression has no node") {
    for (const char* const text : {"", "a +", "a b", "a = b", "quotient of n", "(a", "$"}) {
      CAPTURE(text);
      TreeBuilder tree;
      const ExprId id = tree.parsed(text);
      CHECK(id == TreeBuilder::kUnreadable);
      CHECK(tree.tuple({tree.name("n"), id}) == TreeBuilder::kUnreadable);
      CHECK(why(tree.check_body({tree.statement(id)})) ==
            "an expression or a name that CuIR does not have");
    }
  }
}

}  // namespace
}  // namespace ws::ir
