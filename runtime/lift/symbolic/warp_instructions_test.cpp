#include "runtime/lift/symbolic/warp_instructions.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// An instruction on `x`, a float, whose other operand is 2.
struct Instructed : RunParts, Runner {
  ObjectId x = declare_x(kFloat);
  CopyQueue copies{basis, objects, memory, guards, steps};
  WarpInstructions instructions{basis, *this, steps, guards, objects, memory, copies};
  TermId two = RunParts::number(2);
  Leaf given{two, kNone, {}};

  std::string run(const std::string& text) {
    Node node;
    node.kind = NodeKind::kAsm;
    node.text = text;
    node.value = 1;
    node.kids = {0, 1};
    return error_of(instructions.run(node));
  }

  Status statement(NodeId /*id*/) override { return {}; }

  Result<Value> evaluate(NodeId /*id*/) override { return Value{kFloat, {given}}; }

  Result<ValuePlace> place(NodeId /*id*/) override { return ValuePlace{x, {}, kFloat}; }
};

}  // namespace

TEST_SUITE("lift.warp_instructions") {
  TEST_CASE("an instruction of the table computes a value, others and several end the run") {
    Instructed on;
    CHECK(on.run("ex2.approx.ftz.f32 %0, %1;").empty());
    const Term& made = on.terms.at(on.objects.at(on.x).leaves.front().term);
    CHECK(made.kind == TermKind::kOperation);
    CHECK(made.args == std::vector<TermId>{on.two});
    CHECK(on.run("nanosleep.u32 %1;") == WarpInstructions::kInlineAssembly);
    CHECK(on.run("ex2.approx.ftz.f32 %0, %1; ex2.approx.ftz.f32 %0, %1;") ==
          WarpInstructions::kInlineAssembly);
    CHECK(on.run("cp.async.commit_group;") == WarpInstructions::kInlineAssembly);
  }

  TEST_CASE("copies are grouped and waited for where warps are known") {
    Instructed on;
    on.mode.by_warps = true;
    CHECK(on.run("cp.async.commit_group;").empty());
    CHECK(on.run("cp.async.commit_group;").empty());
    CHECK(on.copies.groups().size() == 2);
    CHECK(on.run("cp.async.wait_group 1;").empty());
    CHECK(on.copies.groups().size() == 1);
    CHECK(on.run("cp.async.wait_all;").empty());
    CHECK(on.copies.groups().empty());
    CHECK(on.run("cp.async.wait_group 12345;") ==
          "`cp.async.wait_group` with an operand that is not known");
  }

  TEST_CASE("a matrix comes from a tile in shared memory") {
    Instructed on;
    on.mode.by_warps = true;
    CHECK(on.run("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];") ==
          "an address that is not in a tile in shared memory");
    CHECK(on.run("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};") ==
          "an address that is not in a tile in shared memory");
    CHECK(on.run("cp.async.cg.shared.global [%0], [%1], 16;") ==
          "`cp.async.cg.shared.global` of a form, or under a condition, that is not known");
    CHECK(on.instructions.copied().empty());
  }

  TEST_CASE("a matrix goes to halves in shared memory, from as many registers as the form says") {
    Instructed on;
    const SharedArrays arrays;
    on.mode.arrays = &arrays;
    Object& tile = on.objects.at(RunParts::kShared);
    tile.dims = {8, 8};
    tile.element = DType::kF16;
    on.given = {kNone, RunParts::kShared, {}};
    for (const std::string form :
         {"m8n8.x2.shared.b16", "m8n8.x1.shared.b8", "m16n8.x1.shared.b16"}) {
      const std::string name = "stmatrix.sync.aligned." + form;
      CHECK(on.run(name + " [%0], {%1};") ==
            "`" + name + "` of a form, or by threads, that are not known");
    }
  }
}

}  // namespace ws::lift
