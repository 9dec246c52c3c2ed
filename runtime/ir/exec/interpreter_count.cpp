// Counts of what was done, for launches that are profiled.
#include <algorithm>

#include "runtime/ir/exec/interpreter.h"

namespace ws::ir {

void Interpreter::count_access(TileWorkKind kind, const View& view) {
  Work* const work = machine_.grid().work;
  if (work == nullptr) {
    return;
  }
  std::vector<std::size_t> places = places_of(view);
  const std::size_t elements = places.size();
  std::erase(places, kOutside);
  work->add_access(kind, place_.line, view.buffer->dtype, elements, std::move(places));
}

void Interpreter::count_elements(TileWorkKind kind, const Value& tensor, std::size_t elements,
                                 std::span<const std::int64_t> at) {
  Work* const work = machine_.grid().work;
  if (work == nullptr) {
    return;
  }
  // Flat indices of a whole tensor are the places of its elements.
  std::vector<std::size_t> places(at.begin(), at.end());
  work->add_access(kind, place_.line, tensor.dtype, elements, std::move(places));
}

void Interpreter::count_operation(Op op, std::span<const Value> args, const Value& result) {
  if (Work* const work = machine_.grid().work) {
    work->add_operation(op, place_.line, args, result);
  }
}

void Interpreter::count_operator(Operator op, const Value& a, const Value& b, const Value& result) {
  if (Work* const work = machine_.grid().work) {
    work->add_operator(op, place_.line, a, b, result);
  }
}

}  // namespace ws::ir
