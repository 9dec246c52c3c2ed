#include "runtime/lift/orchestration/local_names.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

/// A tree whose functions have the bodies that a test gives them.
struct Names {
  VariableId add(const std::string& name) { return add_variable(kernel.tree(), name, whole()); }

  TypeId whole() { return kernel.tree().node(kernel.number(0)).type; }

  NodeId declare(VariableId id) {
    return add_node(kernel.tree(), NodeKind::kDeclare, id, {kernel.number(1)});
  }

  /// A scope: it does more than declare.
  NodeId block(std::vector<NodeId> kids) {
    kids.push_back(kernel.barrier());
    return together(std::move(kids));
  }

  /// `int a = 1, b = 1;`
  NodeId together(std::vector<NodeId> kids) {
    return add_node(kernel.tree(), NodeKind::kBlock, kNone, std::move(kids));
  }

  FunctionId function(std::vector<VariableId> params, NodeId body) {
    return add_function(kernel.tree(), std::move(params), body);
  }

  NodeId call(FunctionId id, std::vector<NodeId> args) {
    return add_node(kernel.tree(), NodeKind::kCall, id, std::move(args));
  }

  SmallKernel kernel{32};
};

}  // namespace

TEST_SUITE("lift.local_names") {
  TEST_CASE("a block's own variable has another name than the one that it hides") {
    Names all;
    const VariableId outer = all.add("z");
    const VariableId inner = all.add("z");
    const VariableId taken = all.add("z_");
    const FunctionId entry = all.function(
        {}, all.block({all.declare(outer), all.block({all.declare(inner)}), all.declare(taken)}));
    const LocalNames names(all.kernel.tree(), entry);
    CHECK(names.of(outer) == "z");
    CHECK(names.of(inner) == "z__");
    CHECK(names.of(taken) == "z_");
  }

  TEST_CASE("variables of blocks beside each other may share a name") {
    Names all;
    const VariableId first = all.add("i");
    const VariableId second = all.add("i");
    const FunctionId entry =
        all.function({}, all.block({all.block({all.declare(first)}),
                                    all.block({all.declare(second)}), all.declare(all.add("j"))}));
    const LocalNames names(all.kernel.tree(), entry);
    CHECK(names.of(first) == "i");
    CHECK(names.of(second) == "i");
  }

  TEST_CASE("a statement that declares several variables is no scope") {
    Names all;
    const VariableId outer = all.add("b");
    const VariableId inner = all.add("b");
    const FunctionId entry =
        all.function({}, all.block({all.together({all.declare(all.add("a")), all.declare(outer)}),
                                    all.block({all.declare(inner)})}));
    const LocalNames names(all.kernel.tree(), entry);
    CHECK(names.of(outer) == "b");
    CHECK(names.of(inner) == "b_");
  }

  TEST_CASE("an object has the names of its fields") {
    Names all;
    Tree& tree = all.kernel.tree();
    Type type;
    type.kind = TypeKind::kStruct;
    type.fields = {{"now", all.whole(), 0}};
    tree.types.push_back(type);
    const auto add_object = [&] {
      const VariableId id = all.add("o");
      tree.variables[static_cast<std::size_t>(id)].type =
          static_cast<TypeId>(tree.types.size()) - 1;
      return id;
    };
    const VariableId first = add_object();
    const VariableId field = all.add("o_now");
    const VariableId second = add_object();
    const FunctionId entry = all.function(
        {}, all.block({all.declare(first), all.declare(field), all.block({all.declare(second)})}));
    const LocalNames names(tree, entry);
    CHECK(names.of(first) == "o");
    CHECK(names.of(field) == "o_now_");
    CHECK(names.of(second) == "o_");
  }

  TEST_CASE("a function's variables have other names than those where it is called") {
    Names all;
    const VariableId own = all.add("stage");
    const VariableId param = all.add("stage");
    const VariableId local = all.add("i");
    const VariableId later = all.add("i");
    const FunctionId callee = all.function({param}, all.block({all.declare(local)}));
    const NodeId first = all.call(callee, {all.kernel.variable(own)});
    const NodeId second = all.call(callee, {all.kernel.number(1)});
    // `i` is known at the second call only.
    const FunctionId entry =
        all.function({}, all.block({all.declare(own), first, all.declare(later), second}));
    const LocalNames names(all.kernel.tree(), entry);
    CHECK(names.of(own) == "stage");
    CHECK(names.of(param) == "stage_");
    CHECK(names.of(later) == "i");
    CHECK(names.of(local) == "i_");
  }

  TEST_CASE("a function that calls itself ends, and reserved words are no names") {
    Names all;
    const VariableId word = all.add("range");
    const FunctionId callee = all.function({all.add("n")}, kNone);
    const NodeId again = all.call(callee, {all.kernel.number(1)});
    all.kernel.tree().functions[static_cast<std::size_t>(callee)].body =
        all.block({again, all.declare(word)});
    const LocalNames names(all.kernel.tree(), callee);
    CHECK(names.of(word) == "range_");
  }
}

}  // namespace ws::lift
