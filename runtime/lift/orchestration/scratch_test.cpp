#include "runtime/lift/orchestration/scratch.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

/// `float values[8]; float* words = (float*)values; words[0] = 1;`
struct Scratch {
  SmallKernel kernel{128};
  VariableId values = add_variable("values", TypeKind::kArray);
  VariableId words = add_variable("words", TypeKind::kPointer);
  NodeId array = add_node(kernel.tree(), NodeKind::kDeclare, values, {});
  NodeId pointer =
      add_node(kernel.tree(), NodeKind::kDeclare, words,
               {add_node(kernel.tree(), NodeKind::kCast, kNone, {kernel.variable(values)})});
  NodeId use = write(words);

  VariableId add_variable(const std::string& name, TypeKind kind) {
    Tree& tree = kernel.tree();
    Type type;
    type.kind = kind;
    tree.types.push_back(type);
    tree.variables.push_back({name,
                              static_cast<TypeId>(tree.types.size()) - 1,
                              Space::kLocal,
                              false,
                              4,
                              {0, 1, 1, 1, 2}});
    return static_cast<VariableId>(tree.variables.size()) - 1;
  }

  NodeId write(VariableId id) {
    return kernel.assign(kernel.element(kernel.variable(id), kernel.number(0)), kernel.number(1));
  }

  std::set<NodeId> found(const std::vector<NodeId>& statements) {
    const KernelFacts facts(kernel.tree());
    const ThreadValues threads(kernel.tree(), {128, 1, 1});
    return scratch_of(kernel.tree(), facts, threads, statements);
  }
};

}  // namespace

TEST_SUITE("lift.scratch") {
  TEST_CASE("an array and a pointer to it that only the statements use are scratch") {
    Scratch on;
    on.kernel.several({on.array, on.pointer, on.use});
    CHECK(on.found({on.use}) == std::set<NodeId>{on.array, on.pointer});
    CHECK(on.found({on.array, on.use}) == std::set<NodeId>{on.array, on.pointer});
    CHECK(on.found({on.array, on.pointer, on.use}) == std::set<NodeId>{on.array, on.pointer});
  }

  TEST_CASE("what other statements use is no scratch, nor is what a pointer to it was made from") {
    for (const bool by_pointer : {true, false}) {
      CAPTURE(by_pointer);
      Scratch on;
      const NodeId other = on.write(by_pointer ? on.words : on.values);
      on.kernel.several({on.array, on.pointer, on.use, other});
      CHECK(on.found({on.use}).empty());
      CHECK(on.found({on.use, other}) == std::set<NodeId>{on.array, on.pointer});
    }
  }

  TEST_CASE("an array keeps its values from round to round where it stands around the loop") {
    Scratch on;
    on.kernel.several({on.array, on.pointer, on.kernel.several({on.use})});
    CHECK(on.found({on.use}).empty());
  }

  TEST_CASE("a pointer that moves is no scratch") {
    Scratch on;
    const NodeId moved = on.kernel.assign(on.kernel.variable(on.words), on.kernel.number(0));
    on.kernel.several({on.array, on.pointer, on.use, moved});
    CHECK(on.found({on.use, moved}).empty());
  }
}

}  // namespace ws::lift
