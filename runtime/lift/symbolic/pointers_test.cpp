#include "runtime/lift/symbolic/pointers.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// Every expression is a pointer to `in`, or a number.
struct Pointing : RunParts, Runner {
  Pointers pointers{basis, *this, objects};
  TypeId pointer = 4;
  Leaf value{kNone, kIn, {}};

  Pointing() {
    tree.types.resize(5);
    tree.types[4].kind = TypeKind::kPointer;
    tree.types[4].element = kFloat;
  }

  /// The offset in bytes of a pointer to `object` that was moved; nothing: it is refused.
  std::optional<Poly> moved(COperator op, ObjectId object, const Poly& by, TypeId type,
                            bool first = true) {
    const Leaf from{kNone, object, Poly(16)};
    const Result<Leaf> made = pointers.moved(op, from, terms.integer(by), type, first);
    return made ? std::optional(made->offset) : std::nullopt;
  }

  NodeId add(NodeKind kind, std::vector<NodeId> kids) {
    Node node;
    node.kind = kind;
    node.type = kFloat;
    node.kids = std::move(kids);
    tree.nodes.push_back(std::move(node));
    return static_cast<NodeId>(tree.nodes.size()) - 1;
  }

  Status statement(NodeId /*id*/) override { return {}; }

  Result<Value> evaluate(NodeId id) override {
    return id == 0 ? Value{pointer, {value}} : one_number(kWord, terms.integer(Poly(3)));
  }

  Result<ValuePlace> place(NodeId id) override { return pointers.place(id); }
};

}  // namespace

TEST_SUITE("lift.pointers") {
  TEST_CASE("pointers are moved by elements, and addresses by bytes and bits") {
    Pointing on;
    CHECK(on.moved(COperator::kAdd, RunParts::kIn, Poly(2), on.pointer) == Poly(24));
    CHECK(on.moved(COperator::kSubtract, RunParts::kIn, Poly(2), on.pointer) == Poly(8));
    CHECK_FALSE(on.moved(COperator::kSubtract, RunParts::kIn, Poly(2), on.pointer, false));
    CHECK_FALSE(on.moved(COperator::kMultiply, RunParts::kIn, Poly(2), on.pointer));
    CHECK(on.moved(COperator::kAdd, RunParts::kShared, Poly(2), RunParts::kWord) == Poly(18));
    CHECK(on.moved(COperator::kBitXor, RunParts::kShared, Poly(24), RunParts::kWord) == Poly(8));
    CHECK_FALSE(on.moved(COperator::kBitXor, RunParts::kIn, Poly(24), RunParts::kWord));
    const Poly unknown = Poly::of(on.symbols.intern("i"));
    CHECK_FALSE(on.moved(COperator::kBitXor, RunParts::kShared, unknown, RunParts::kWord));
  }

  TEST_CASE("a place is a variable, an element or what a pointer points to") {
    Pointing on;
    const NodeId base = on.add(NodeKind::kCall, {});
    const NodeId index = on.add(NodeKind::kInt, {});
    const NodeId element = on.add(NodeKind::kIndex, {base, index});
    const Result<ValuePlace> third = on.pointers.place(element);
    REQUIRE(third.has_value());
    CHECK(third->object == RunParts::kIn);
    CHECK(third->offset == Poly(12));
    const NodeId x = on.add(NodeKind::kVariable, {});
    on.tree.nodes.back().index = RunParts::kX;
    CHECK(RunParts::error_of(on.pointers.place(x)) == "`x` is no variable of the kernel");
    const ObjectId id = on.declare_x(RunParts::kFloat);
    const Result<ValuePlace> place = on.pointers.place(x);
    REQUIRE(place.has_value());
    CHECK(place->object == id);
    on.value.where = on.small(3);
    CHECK(RunParts::error_of(on.pointers.place(on.add(NodeKind::kDereference, {base}))) ==
          "a pointer to something unknown is followed");
    CHECK(RunParts::error_of(on.pointers.place(index)) ==
          "an expression that is no place in memory");
  }
}

}  // namespace ws::lift
