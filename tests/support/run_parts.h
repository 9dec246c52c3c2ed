// The parts of a symbolic run, for tests of one of them: a kernel of some float variables, a tensor
// `in` and an array `s` of 64 floats in shared memory, by four threads.
#pragma once

#include <string>
#include <utility>

#include "runtime/lift/symbolic/memory.h"
#include "tests/support/small_kernel.h"

namespace ws::lift {

struct RunParts {
  static constexpr std::size_t kThreads = 4;
  static constexpr ObjectId kIn = 0;      ///< The tensor.
  static constexpr ObjectId kShared = 1;  ///< The array.

  // Types and variables of the kernel, by their numbers.
  static constexpr TypeId kFloat = 0;
  static constexpr TypeId kHalf = 1;
  static constexpr TypeId kWord = 2;
  static constexpr TypeId kArray = 3;
  static constexpr VariableId kS = 0;
  static constexpr VariableId kX = 1;

  const std::size_t threads;
  Tree tree = make_tree();
  LaunchInput input = make_input();
  RunMode mode;
  Terms terms{threads};
  Symbols symbols;
  Arithmetic numbers{terms, symbols, input};
  Scalars scalars{tree};
  Steps steps{input.time_budget, terms};
  Guards guards{terms, numbers};
  Control control;
  Recorded events;
  Reports reports{events};
  RoundReads reads{terms};
  Basis basis{tree, input, mode, terms, symbols, numbers, scalars};
  ObjectTable objects{basis, guards, control};
  Memory memory{basis, objects, steps, guards, control, reports, reads};

  explicit RunParts(std::size_t count = kThreads)
      : threads(count) {
    control.enter({});
    objects.declare_globals();
  }

  /// Variable `x` of a type, with nothing in it.
  ObjectId declare_x(TypeId type) {
    tree.variables[kX].type = type;
    return objects.declare(kX, {type, std::vector<Leaf>(scalars.of(type).size())});
  }

  /// A float.
  TermId number(double value) { return terms.number(value, DType::kF32); }

  /// Whether a size is less than a number.
  TermId small(std::int64_t number) {
    return numbers
        .result(ir::Operator::kLess, terms.integer(Poly::of(symbols.intern("self.n"))),
                terms.integer(Poly(number)), DType::kBool)
        .value_or(kNone);
  }

  /// The reason; empty: there is no error.
  template <typename T>
  static std::string error_of(const T& result) {
    return result ? "" : result.error().message;
  }

 private:
  static Tree make_tree() {
    Tree made;
    const auto add = [&](TypeKind kind, const char* name, std::int64_t bytes) -> Type& {
      Type type;
      type.kind = kind;
      type.name = name;
      type.bytes = bytes;
      made.types.push_back(std::move(type));
      return made.types.back();
    };
    add(TypeKind::kFloat, "float", 4);
    add(TypeKind::kFloat, "__half", 2);
    add(TypeKind::kInt, "unsigned int", 4);
    Type& array = add(TypeKind::kArray, "float[64]", 256);
    array.element = kFloat;
    array.count = 64;
    made.variables.resize(2);
    made.variables[kS].name = "s";
    made.variables[kS].type = kArray;
    made.variables[kS].space = Space::kShared;
    made.variables[kX].name = "x";
    made.variables[kX].type = kFloat;
    return made;
  }

  LaunchInput make_input() {
    LaunchInput made;
    made.block = {static_cast<std::int64_t>(threads), 1, 1};
    made.tensors = {{"in", DType::kF32, {Poly(64)}, false}};
    return made;
  }
};

}  // namespace ws::lift
