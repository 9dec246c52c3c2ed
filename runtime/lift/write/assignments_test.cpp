#include "runtime/lift/write/assignments.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

struct AssignmentBench : WritingBench {
  Assignments assignments{on, variables, names, values};

  std::string made(ObjectId id, const std::vector<TermId>& now) {
    const Result<Assignment> one = assignments.make(id, now);
    return one ? print(one->target) + " = " + print(one->value) : one.error().message;
  }
};

TEST_SUITE("lift.assignments") {
  TEST_CASE("a variable gets a tile") {
    AssignmentBench on;
    const ObjectId v = on.variable("v", 1, 8);
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const TermId first = on.load(1, Poly(0));
    CHECK(on.made(v, {x}) == "v_ = self.x[0:8][None, :]");
    CHECK(on.made(v, {on.terms.number(0, DType::kF32)}) == "v_ = zeros((1, 8), \"f32\")");
    CHECK(on.made(v, {on.terms.number(2, DType::kF32)}) == "v_ = full((1, 8), 2.0, \"f32\")");
    CHECK(on.made(v, {on.terms.operation(ir::Op::kExp, DType::kF32, {first})}) ==
          "v_ = full((1, 8), exp(self.x[0]), \"f32\")");
    CHECK(on.made(v, {kNone}) == "`v` has no value before the loop");
    on.layouts[v].places[0] = {0, 0, 1, 2, 3, 4, 5, 6};
    CHECK(on.made(v, {x}) == "`v` differs between threads that share a row");
    on.layouts.erase(v);
    CHECK(on.made(v, {x}) == "`v` changes in a loop in an unknown way");
  }

  TEST_CASE("values that need each other are assigned at once") {
    AssignmentBench on;
    const auto one = [&](const char* target, const char* value) {
      return Assignment{on.on.tree.parsed(target), on.on.tree.parsed(value),
                        WritingBench::at(target[0] - 'a' + 1), 0};
    };
    on.assignments.write({one("a", "b + 1"), one("b", "a_2"), one("c", "c * 2")});
    on.assignments.write({one("a", "exp(b)"), one("b", "a.T")});
    CHECK(on.lines() ==
          "a = b + 1  # @ k.cu:1-1\n"
          "b = a_2  # @ k.cu:2-2\n"
          "c = c * 2  # @ k.cu:3-3\n"
          "(a, b) = (exp(b), a.T)  # @ k.cu:1-2\n");
  }
}

}  // namespace
}  // namespace ws::lift
