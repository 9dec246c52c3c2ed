// The facts about a program of tiles that a translation must keep: which elements it reaches, how
// it masks, loops, reduces, multiplies and rounds. They are written so that a right translation has
// the same ones: indices from 0, places in memory, dimensions in one order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/check/checker.h"
#include "runtime/ir/translation/position.h"

namespace ws::ir {

enum class FactKind : std::uint8_t {
  kBlock,     // object: the number of a block, or of all, along an axis of the grid
  kRead,      // object: a tensor; detail: its padding; position: the elements
  kWrite,     // object: a tensor; position
  kMask,      // position: a mask holds where it is below 0
  kLoop,      // position: the number of its rounds
  kCarried,   // object: a name or a value; detail: the shape of what a round takes from the one
              // before
  kUnused,    // a value that nothing reads
  kReduce,    // object: the operation; detail: the size of what is reduced
  kFunction,  // object: a function of elements
  kOperator,  // object: an operator of tiles
  kSelect,    // a choice by elements
  kProduct,   // object: the tensors that its operands come from; detail: types
  kFill,      // object: the number; detail: the type
  kCast,      // object: the type
  kPermute,   // detail: the order of dimensions and the sizes
  kReshape,   // detail: both shapes
};

struct Fact {
  FactKind kind;
  std::uint32_t line = 0;  ///< In the program.
  std::string object;
  std::string detail;
  std::optional<Position> position;  ///< Nothing: not known.
  /// Lines that the position comes from: where it was last computed, and where its blocks and
  /// rounds begin.
  std::uint32_t computed = 0;
  std::map<std::string, std::uint32_t> origins = {};

  [[nodiscard]] bool same(const Fact& other) const {
    return kind == other.kind && object == other.object && detail == other.detail &&
           position == other.position;
  }
};

/// A tensor of the program.
struct FactTensor {
  std::string parameter;
  std::string name;                   ///< The same in both programs.
  std::vector<std::int64_t> strides;  ///< In memory, in elements, by dimension.
  bool flat = false;                  ///< Indices of single elements are places in memory.
};

struct FactsRequest {
  std::vector<KernelArg> args;
  std::vector<FactTensor> tensors;
  bool reversed = false;  ///< Dimensions run the other way round, as in Julia.
};

/// Any thread. @errors kInvalidArgument: the program has a mistake.
Result<std::vector<Fact>> facts_of(const std::string& program, const FactsRequest& request);

}  // namespace ws::ir
