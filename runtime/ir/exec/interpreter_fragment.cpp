// Fragments. The hardware leaves the elements of a product with other threads than it takes
// operands from, but for 16-bit elements on the left side; what is computed element by element
// stays where its operands are. Numbers do not show it here, on a GPU they do. PTX 8.0, "Matrix
// fragments for wgmma.mma_async" and "for mma.m16n8k16", "m16n8k32".
#include <algorithm>

#include "runtime/base/units.h"
#include "runtime/ir/exec/interpreter.h"

namespace ws::ir {

// The fragment of an operation element by element: row and column vectors go where the whole tile
// is.
SourcePlace Interpreter::fragment_of(std::span<const Value> from, const Value& result) {
  const auto found = std::find_if(from.begin(), from.end(), [&](const Value& value) {
    return value.kind == Kind::kTile && value.product.line > 0 && result.kind == Kind::kTile &&
           value.tile->shape == result.tile->shape;
  });
  return found == from.end() ? SourcePlace{} : found->product;
}

void Interpreter::note_fragment(const View& target, const Value& source) {
  Buffer& buffer = *target.buffer;
  const bool whole = target.count == buffer.shape;
  const bool product = source.product.line > 0;
  if (buffer.space == Space::kRegister && (whole || product)) {
    buffer.product = source.product;
  }
  if (buffer.space == Space::kShared && (whole || product)) {
    buffer.fragments = product;
  }
}

bool Interpreter::lies_as_product(const Value& value) {
  return value.kind == Kind::kBuffer && value.view->buffer->fragments;
}

// A reduction of several rows to fewer numbers than there are warps goes across warps. Each warp
// takes the whole right operand of a product, and its own rows of the left one if it wrote them as
// a product left them.
bool Interpreter::gathers(const OpInfo& info, std::span<const Value> args,
                          std::size_t which) const {
  if (info.group == OpGroup::kProduct) {
    return which == 1 || (which == 0 && !lies_as_product(args[0]));
  }
  const bool reduces = info.group == OpGroup::kReduce || info.group == OpGroup::kScan;
  if (!reduces || which != 0 || args[0].kind != Kind::kBuffer || args[0].shape.empty()) {
    return false;
  }
  const auto rank = static_cast<std::int64_t>(args[0].shape.size());
  const std::int64_t dim = args[1].integer < 0 ? args[1].integer + rank : args[1].integer;
  const std::int64_t row = args[0].shape[static_cast<std::size_t>(dim)];
  const std::int64_t results = count_of(args[0].shape).value_or(0) / std::max<std::int64_t>(row, 1);
  return row > 1 && results * kWarpSize < actor_.threads;
}

void Interpreter::check_fragment(const std::string& op, const std::string& param,
                                 const Value& operand) {
  const bool memory = operand.kind == Kind::kBuffer;
  const SourcePlace product = memory ? operand.view->buffer->product : operand.product;
  const DType dtype = memory ? operand.dtype : operand.tile->dtype;
  const bool left = param == "a";
  if (product.line == 0 || (left && size_of(dtype) == 2)) {
    return;
  }
  machine_.report(FindingKind::kLayoutMismatch, actor_, place_, product, param,
                  "`" + param + "` of " + std::string(name_of(dtype)) +
                      " lies as the product at line " + std::to_string(product.line) +
                      " left it, and " + op + " takes it from other threads",
                  left ? "as_operand(x), or go through shared memory; 16-bit elements need neither"
                       : "x.T, as_operand(x), or go through shared memory");
}

}  // namespace ws::ir
