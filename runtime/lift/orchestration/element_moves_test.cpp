#include "runtime/lift/orchestration/element_moves.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

/// The rows that 256 threads move from `in` to `s`, 64 floats; "no rows": there are none.
std::string moved(SmallKernel& kernel, NodeId statement) {
  Tree& tree = kernel.tree();
  LaunchInput input;
  input.entry = 0;
  input.tensors = {{"in", DType::kF32, {Poly(4096)}, false}};
  Argument argument;
  argument.kind = Argument::Kind::kTensor;
  input.args = {argument};
  Symbols symbols;
  const KernelFacts facts(tree);
  const ThreadValues values(tree, {256, 1, 1});
  const SharedBuffers buffers(tree, input);
  const ProgramDraft draft(tree, 256);
  KernelTexts texts(tree, input, symbols, facts, values, buffers, draft);
  texts.begin_walk();
  ElementMoves moves(tree, input, texts, values, buffers);
  const auto rows = moves.rows_of(statement, {1});
  std::string text = rows ? "" : "no rows";
  for (const MovedRow& row : rows.value_or(std::vector<MovedRow>())) {
    text += "warpgroup " + std::to_string(row.warpgroup) + ": " + moves.array() + "[" +
            std::to_string(row.to) + "] = " + moves.tensor() + "[" + moves.start() + " + " +
            std::to_string(row.from) + "] x " + std::to_string(row.count) + "; ";
  }
  return text;
}

/// `s[t + to] = in[blockIdx.x * 64 + t * step];`
NodeId moving(SmallKernel& kernel, NodeId thread, std::int64_t to, std::int64_t step = 1) {
  const NodeId row = kernel.binary(COperator::kMultiply, kernel.block(), kernel.number(64));
  const NodeId own = kernel.binary(COperator::kMultiply, thread, kernel.number(step));
  return kernel.assign(
      kernel.element(kernel.shared(), kernel.binary(COperator::kAdd, thread, kernel.number(to))),
      kernel.element(kernel.in(), kernel.binary(COperator::kAdd, row, own)));
}

NodeId below(SmallKernel& kernel, std::int64_t limit, NodeId statement) {
  return kernel.branch(kernel.binary(COperator::kLess, kernel.thread(), kernel.number(limit)),
                       statement);
}

}  // namespace

TEST_SUITE("lift.element_moves") {
  TEST_CASE("the elements that some threads copy are a row") {
    SmallKernel kernel(256);
    CHECK(moved(kernel, below(kernel, 32, moving(kernel, kernel.thread(), 0))) ==
          "warpgroup 0: self.s[0] = self.in[((blockIdx.x) * (64)) + 0] x 32; ");
    CHECK(moved(kernel, below(kernel, 32, moving(kernel, kernel.thread(), 8))) ==
          "warpgroup 0: self.s[8] = self.in[((blockIdx.x) * (64)) + 0] x 32; ");
    // From thread 96 on, of both warpgroups.
    const NodeId late = kernel.binary(
        COperator::kAnd, kernel.binary(COperator::kLessEqual, kernel.number(96), kernel.thread()),
        kernel.binary(COperator::kLess, kernel.thread(), kernel.number(160)));
    CHECK(moved(kernel, kernel.branch(late, moving(kernel, kernel.thread(), -96))) ==
          "warpgroup 0: self.s[0] = self.in[((blockIdx.x) * (64)) + 96] x 32; "
          "warpgroup 1: self.s[32] = self.in[((blockIdx.x) * (64)) + 128] x 32; ");
  }

  TEST_CASE("a loop copies a row that its threads share") {
    SmallKernel kernel(256);
    const NodeId start = kernel.thread();
    Tree& tree = kernel.tree();
    const TypeId whole = tree.node(start).type;
    const VariableId i = add_variable(tree, "i", whole);
    const auto node = [&](NodeKind kind, COperator op, std::vector<NodeId> kids) {
      Node made;
      made.kind = kind;
      made.op = op;
      made.type = whole;
      made.index = kind == NodeKind::kDeclare ? i : kNone;
      made.kids = std::move(kids);
      tree.nodes.push_back(std::move(made));
      return static_cast<NodeId>(tree.nodes.size()) - 1;
    };
    const NodeId declared = node(NodeKind::kDeclare, COperator::kNone, {start});
    const NodeId asked = kernel.binary(COperator::kLess, kernel.variable(i), kernel.number(64));
    const auto from = [&](COperator op) {
      return kernel.element(kernel.in(), kernel.binary(op, kernel.variable(i), kernel.number(3)));
    };
    const auto loop = [&](std::int64_t by, COperator op) {
      const NodeId body =
          kernel.assign(kernel.element(kernel.shared(), kernel.variable(i)), from(op));
      const NodeId step =
          node(NodeKind::kAssign, COperator::kAdd, {kernel.variable(i), kernel.number(by)});
      return node(NodeKind::kFor, COperator::kNone, {declared, asked, step, body});
    };
    CHECK(moved(kernel, loop(256, COperator::kAdd)) ==
          "warpgroup 0: self.s[0] = self.in[ + 3] x 64; ");
    // Threads write elements of others again, and one reads what is before the tensor.
    CHECK(moved(kernel, loop(32, COperator::kAdd)) == "no rows");
    CHECK(moved(kernel, loop(256, COperator::kSubtract)) == "no rows");
  }

  TEST_CASE("other statements, and elements that are no row, are left alone") {
    SmallKernel kernel(256);
    const auto of = [&](std::int64_t limit, NodeId statement) {
      return moved(kernel, below(kernel, limit, statement));
    };
    CHECK(of(65, moving(kernel, kernel.thread(), 0)) == "no rows");   // Beyond the array's end.
    CHECK(of(32, moving(kernel, kernel.thread(), -1)) == "no rows");  // Before its begin.
    CHECK(of(32, moving(kernel, kernel.thread(), 0, 2)) == "no rows");
    const NodeId half = kernel.binary(COperator::kDivide, kernel.thread(), kernel.number(2));
    CHECK(of(32, moving(kernel, half, 0)) == "no rows");  // Two threads write each element.
    CHECK(of(32, kernel.assign(kernel.element(kernel.shared(), kernel.thread()),
                               kernel.element(kernel.shared(), kernel.thread()))) == "no rows");
    CHECK(moved(kernel, kernel.barrier()) == "no rows");
  }
}

}  // namespace ws::lift
