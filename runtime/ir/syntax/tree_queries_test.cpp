#include "runtime/ir/syntax/tree_queries.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/tree_builder.h"

namespace ws::ir {
namespace {

TEST_SUITE("ir.tree_queries") {
  TEST_CASE("expressions are the same by what they say") {
    TreeBuilder tree;
    const ExprId one = tree.parsed("f(self.x[0:n], y=1.5)");
    CHECK(is_same(tree.program(), one, tree.parsed("f( self.x[ 0:n ], y = 1.5 )")));
    for (const char* const other :
         {"f(self.x[0:m], y=1.5)", "f(self.x[0:n], z=1.5)", "f(self.x[0:n], y=2.5)",
          "f(self.x[0:n], 1.5)", "f(self.x[0], y=1.5)", "f(self.x[0:], y=1.5)", "f"}) {
      CAPTURE(other);
      CHECK_FALSE(is_same(tree.program(), one, tree.parsed(other)));
    }
  }

  TEST_CASE("an expression mentions what stands in it") {
    TreeBuilder tree;
    const ExprId whole = tree.parsed("sum(acc_1.T + self.acc[i], acc=b, kind=\"c\")");
    for (const char* const part : {"acc_1", "self.acc", "i", "b", "self.acc[i]", "acc_1.T"}) {
      CAPTURE(part);
      CHECK(mentions(tree.program(), whole, tree.parsed(part)));
    }
    for (const char* const part : {"acc", "T", "c", "kind", "self.b"}) {
      CAPTURE(part);
      CHECK_FALSE(mentions(tree.program(), whole, tree.parsed(part)));
    }
  }

  TEST_CASE("a node that is printed very often is looked at once") {
    // So often that a look at each would not end; no builder makes a tree that is so large.
    Program program;
    program.exprs.resize(66);
    program.exprs[0].kind = ExprKind::kName;
    program.exprs[0].text = "x";
    program.exprs[65].kind = ExprKind::kName;
    program.exprs[65].text = "y";
    for (ExprId i = 1; i < 65; ++i) {
      program.exprs[i].kind = ExprKind::kBinary;
      program.exprs[i].operators = {Operator::kAdd};
      program.exprs[i].kids = {i - 1, i - 1};
    }
    CHECK(mentions(program, 64, 0));
    CHECK_FALSE(mentions(program, 64, 65));
    CHECK_FALSE(divides(program, 64));
  }

  TEST_CASE("divisions are found where they stand") {
    TreeBuilder tree;
    CHECK(divides(tree.program(), tree.parsed("n // 2")));
    CHECK(divides(tree.program(), tree.parsed("cdiv(n / 2, m) * 3")));
    CHECK(divides(tree.program(), tree.parsed("i * (n % 4)")));
    CHECK_FALSE(divides(tree.program(), tree.parsed("cdiv(n, 2) * 3 - m")));
  }

  TEST_CASE("calls of operations are known by their names") {
    TreeBuilder tree;
    CHECK(called_op(tree.program(), tree.parsed("gemm(a, b)")) == Op::kGemm);
    CHECK_FALSE(called_op(tree.program(), tree.parsed("gemm(a, b) + c")));
    CHECK_FALSE(called_op(tree.program(), tree.parsed("self.gemm(a, b)")));
    CHECK_FALSE(called_op(tree.program(), tree.parsed("f(a)")));
  }
}

}  // namespace
}  // namespace ws::ir
