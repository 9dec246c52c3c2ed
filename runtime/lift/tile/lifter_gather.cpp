// Single elements of the arrays of cuTile, by their indices.
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {

Result<Lifter::Places> Lifter::places(const Node& node, const Value& array, const Value& indices,
                                      bool check) {
  const std::size_t rank = array.shape.size();
  WS_TRY(std::vector<Value> items, indices_of(node, indices, rank));
  Places made;
  made.pointer = array;
  made.pointer.kind = ValueKind::kPointer;
  made.pointer.shape.clear();
  made.pointer.text = "0";
  made.pointer.precedence = kTight;
  made.pointer.integer = 0;
  std::vector<Value*> all;
  for (Value& item : items) {
    item = named(item, "index", node.line);
    all.push_back(&item);
  }
  WS_TRY(const Shape shape, align(node, all));
  for (std::size_t d = 0; d < rank; ++d) {
    const Value size = number_of(DType::kI32, array.text + ".shape[" + std::to_string(d) + "]");
    if (check) {
      WS_TRY(const Value below, binary(node, "<", items[d], size));
      WS_TRY(const Value above, binary(node, ">=", items[d], constant_of(std::int64_t{0})));
      WS_TRY(Value both, items[d].is_tile()
                             ? binary(node, "&", above, below)
                             : Result<Value>(number_of(DType::kBool,
                                                       at(above, 3) + " and " + at(below, 3), 2)));
      if (made.inside && both.is_number() && made.inside->is_number()) {
        both = number_of(DType::kBool, at(*made.inside, 2) + " and " + at(both, 3), 2);
      } else if (made.inside) {
        WS_TRY(both, binary(node, "&", *made.inside, both));
      }
      made.inside = std::move(both);
    }
    Value stride = constant_of(std::int64_t{1});
    for (std::size_t i = d + 1; i < rank; ++i) {
      WS_TRY(stride,
             binary(node, "*", stride,
                    number_of(DType::kI32, array.text + ".shape[" + std::to_string(i) + "]")));
    }
    WS_TRY(const Value step,
           stride.integer == 1 ? Result<Value>(items[d]) : binary(node, "*", items[d], stride));
    WS_TRY(made.pointer, pointer_sum(node, "+", made.pointer, step));
  }
  if (!shape.empty() && made.pointer.shape != shape) {
    return complain(node, "the indices do not fit each other");
  }
  return made;
}

Result<Lifter::Places> Lifter::reached(const Node& node, const Value& array, const Value& indices,
                                       const Arguments& args) {
  const Value* check = args.find("check_bounds");
  WS_TRY(Places made, places(node, array, indices, check == nullptr || check->number() != 0));
  if (const Value* mask = args.find("mask")) {
    WS_TRY(made.inside,
           made.inside ? binary(node, "&", *made.inside, *mask) : Result<Value>(*mask));
  }
  return made;
}

Result<Value> Lifter::array_gather(const Node& node, const Arguments& args) {
  WS_TRY(const Value array, array_argument(node, args));
  const Value* indices = args.find("indices");
  if (indices == nullptr) {
    return complain(node, "`" + spelled(Api::kGather) + "` needs `indices`");
  }
  WS_TRY(const Places where, reached(node, array, *indices, args));
  const Value* padding = args.find("padding_value");
  return masked_gather(node, where.pointer, where.inside ? &*where.inside : nullptr, padding, "0");
}

Result<Value> Lifter::array_scatter(const Node& node, const ApiInfo& info, const Arguments& args) {
  WS_TRY(const Value array, array_argument(node, args));
  const bool adds = info.api == Api::kAtomicAdd;
  const Value* indices = args.find("indices");
  const Value* value = args.find(adds ? "update" : "value");
  if (indices == nullptr || value == nullptr) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).text() +
                              "` needs `indices` and a value");
  }
  WS_TRY(const Places where, reached(node, array, *indices, args));
  WS_CHECK(write(node, adds ? "scatter_add" : "scatter", where.pointer, *value,
                 where.inside ? &*where.inside : nullptr));
  return adds ? name_of("what was there before an atomic operation") : Value();
}

}  // namespace ws::lift::tile
