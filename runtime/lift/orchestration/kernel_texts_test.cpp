#include "runtime/lift/orchestration/kernel_texts.h"

#include <array>

#include <doctest/doctest.h>

#include "runtime/lift/orchestration/test_texts.h"
#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

VariableId add_pointer(SmallKernel& kernel, const std::string& name) {
  Tree& tree = kernel.tree();
  const TypeId type = tree.node(kernel.in()).type;
  tree.variables.push_back({name, type, Space::kLocal, false, 8, {0, 1, 1, 1, 2}});
  return static_cast<VariableId>(tree.variables.size()) - 1;
}

NodeId statement_of(SmallKernel& kernel, NodeKind kind, std::int32_t index, COperator op,
                    std::vector<NodeId> kids) {
  return add_node(kernel.tree(), kind, index, std::move(kids), kNone, op);
}

}  // namespace

TEST_SUITE("lift.kernel_texts") {
  TEST_CASE("integers are written with parentheses, and what threads differ in has no form") {
    SmallKernel kernel(256);
    const NodeId quotient = kernel.binary(COperator::kDivide, kernel.block(), kernel.number(4));
    const NodeId element = kernel.element(kernel.shared(), quotient);
    const NodeId thread = kernel.thread();
    const NodeId group = kernel.binary(COperator::kDivide, thread, kernel.number(128));
    TestTexts made(kernel.tree());
    CHECK(made.texts.of(quotient) == "(blockIdx.x) // (4)");
    CHECK(made.texts.of(element) == "self.s[(blockIdx.x) // (4)]");
    CHECK(made.texts.of(thread).empty());
    CHECK(made.texts.of(group).empty());
    CHECK(made.texts.exact(group).has_value());
    made.draft.begin_role(Role::of({1}, 128));
    Lanes all(256, 1);
    made.draft.begin_role({WorkerKind::kWarpgroup, {0, 1}, all, 128});
    CHECK(made.texts.of(group) == "wg");
  }

  TEST_CASE("parameters have the names of arguments until the function is left") {
    SmallKernel kernel(256);
    const VariableId param = add_pointer(kernel, "p");
    const NodeId read = kernel.variable(param);
    TestTexts made(kernel.tree());
    CHECK(made.texts.depth() == 1);
    CHECK(made.texts.variable(param) == "p");
    made.texts.enter({{param, "self.s[2]"}});
    made.texts.set_argument(param, read);
    CHECK(made.texts.depth() == 2);
    CHECK(made.texts.of(read) == "self.s[2]");
    made.texts.leave();
    CHECK(made.texts.variable(param) == "p");
    CHECK(made.texts.argument(param) == read);
    made.texts.set_result(read, "next_1");
    CHECK(made.texts.of(read) == "next_1");
    made.texts.begin_walk();
    CHECK(made.texts.argument(param) == kNone);
    CHECK(made.texts.of(read).empty());
  }

  TEST_CASE("a pointer that moves points to its place, and to none after a loop that moves it") {
    SmallKernel kernel(256);
    const VariableId pointer = add_pointer(kernel, "p");
    const NodeId declared =
        statement_of(kernel, NodeKind::kDeclare, pointer, COperator::kNone, {kernel.shared()});
    const NodeId moved = statement_of(kernel, NodeKind::kAssign, kNone, COperator::kAdd,
                                      {kernel.variable(pointer), kernel.number(64)});
    const NodeId again = statement_of(kernel, NodeKind::kAssign, kNone, COperator::kAdd,
                                      {kernel.variable(pointer), kernel.number(64)});
    const NodeId read = kernel.variable(pointer);
    const NodeId loop = statement_of(kernel, NodeKind::kWhile, kNone, COperator::kNone,
                                     {kernel.number(1), kernel.several({again})});
    TestTexts made(kernel.tree());
    CHECK(made.texts.move_pointer(kernel.tree().node(declared)));
    CHECK(made.texts.of(read) == "self.s");
    CHECK(made.texts.move_pointer(kernel.tree().node(moved)));
    CHECK(made.texts.of(read) == "self.s[64]");
    const KernelTexts::Places before = made.texts.pointers();
    const KernelTexts::Rounds rounds = made.texts.enter_rounds(kernel.tree().node(loop));
    CHECK(made.texts.of(read).empty());
    made.texts.leave_rounds(rounds);
    CHECK(made.texts.of(read).empty());
    made.texts.set_pointers(before);
    CHECK(made.texts.of(read) == "self.s[64]");
    made.texts.forget_moves(moved);
    CHECK(made.texts.of(read).empty());
    CHECK_FALSE(made.texts.move_pointer(kernel.tree().node(loop)));
  }
}

}  // namespace ws::lift
