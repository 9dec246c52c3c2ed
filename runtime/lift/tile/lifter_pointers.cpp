// Triton's memory: a pointer is an index into the tensor that it points at.
#include <algorithm>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr int kSum = 9;  // The precedence of `+`, as operators.def has it.

/// A pointer's elements from the start of its tensor, as a number or a tile.
Value offsets_of(const Value& pointer) {
  Value made = pointer.shape.empty()
                   ? number_of(DType::kI32, pointer.text, pointer.precedence)
                   : tile_of(DType::kI32, pointer.shape, pointer.text, pointer.precedence);
  made.integer = pointer.integer;
  made.weak = pointer.integer.has_value();
  return made;
}

}  // namespace

Result<Value> Lifter::memory(const Node& node, const ApiInfo& info, const Arguments& args) {
  const Value& first = args.first();
  switch (info.api) {
    case Api::kLoad:
      return triton() ? pointer_load(node, first, args) : array_load(node, args);
    case Api::kStore:
      return triton() ? pointer_store(node, first, args) : array_store(node, args);
    case Api::kAtomicAdd:
      return triton() ? pointer_add(node, first, args) : array_scatter(node, info, args);
    case Api::kGather:
      return array_gather(node, args);
    case Api::kScatter:
      return array_scatter(node, info, args);
    case Api::kAdvance:
      return advance(node, args);
    case Api::kLoadParts:
      return load_parts(node, args);
    case Api::kPart:
      return array_part(node, args);
    case Api::kSliceArray:
      return array_slice(node, args);
    case Api::kLoadDescriptor:
    case Api::kStoreDescriptor: {
      const Value* value = args.find("value");
      if (value == nullptr && info.api == Api::kStoreDescriptor) {
        return complain(node, "`" + spelled(info.api) + "` needs `value`");
      }
      return at_offsets(node, first, args.find("offsets"), value);
    }
    default:  // kMakeBlockPtr, kMakeDescriptor
      return make_block(node, info, args);
  }
}

Result<std::string> Lifter::mask_text(const Node& node, const Value* mask, const Shape& shape) {
  if (mask == nullptr || (mask->is_constant() && mask->number() != 0)) {
    return std::string();
  }
  if (!mask->is_numeric()) {
    return complain(node, "a mask is a tile of truth values, got " + describe(*mask));
  }
  WS_TRY(const Value whole, broadcast(node, cast(*mask, DType::kBool), shape));
  return ", mask=" + whole.text;
}

Result<Value> Lifter::masked_gather(const Node& node, const Value& pointer, const Value* mask,
                                    const Value* other, const std::string& otherwise) {
  if (other != nullptr && !other->is_numeric()) {
    return complain(node, "`other` is a number or a tile, got " + describe(*other));
  }
  const Value filler = other == nullptr ? Value() : operand(*other, pointer.dtype);
  const ProgramTensor& whole = made_.tensors[static_cast<std::size_t>(pointer.tensor)];
  const std::string tensor = "self." + whole.name;
  if (pointer.shape.empty()) {
    // Brackets take an index for each dimension, and the pointer counts through all of them.
    const bool flat = whole.shape.size() == 1;
    const std::string element =
        flat ? tensor + "[" + pointer.text + "]"
             : "gather(" + tensor + ", arange(1) + (" + pointer.text + "))[0]";
    if (mask == nullptr || (mask->is_constant() && mask->number() != 0)) {
      return number_of(pointer.dtype, element);
    }
    if (!mask->is_number()) {
      return complain(node, "the mask is " + describe(*mask) + ", the pointer is one");
    }
    return number_of(
        pointer.dtype,
        element + " if " + at(*mask, 1) + " else " + (other == nullptr ? otherwise : at(filler, 1)),
        0);
  }
  WS_TRY(const std::string masked, mask_text(node, mask, pointer.shape));
  std::string text = "gather(" + tensor + ", " + pointer.text + masked;
  if (!masked.empty() && other != nullptr) {
    WS_TRY(const Value filled,
           filler.is_number() ? Result<Value>(filler) : broadcast(node, filler, pointer.shape));
    text += ", other=" + filled.text;
  } else if (!masked.empty()) {
    text += ", other=" + otherwise;
  }
  return tile_of(pointer.dtype, pointer.shape, text + ")");
}

Result<Value> Lifter::pointer_load(const Node& node, const Value& pointer, const Arguments& args) {
  if (pointer.kind == ValueKind::kBlock) {
    WS_TRY(const BlockParts parts, block_parts(node, pointer, args.find("boundary_check")));
    const Value* padding = args.find("padding_option");
    const bool zero = pointer.block->descriptor || (padding != nullptr && padding->text == "zero");
    const bool nan = pointer.block->nan || (padding != nullptr && padding->text == "nan");
    return masked_gather(node, parts.pointer, parts.inside ? &*parts.inside : nullptr, nullptr,
                         nan    ? "inf - inf"
                         : zero ? "0"
                                : "undetermined()");
  }
  if (pointer.kind != ValueKind::kPointer) {
    return complain(node,
                    "`" + spelled(Api::kLoad) + "` takes a pointer, got " + describe(pointer));
  }
  return masked_gather(node, pointer, args.find("mask"), args.find("other"), "undetermined()");
}

Status Lifter::write(const Node& node, const std::string& op, const Value& pointer,
                     const Value& value, const Value* mask) {
  if (!value.is_numeric()) {
    return complain(node, "a number or a tile is stored, got " + describe(value));
  }
  const Shape shape = pointer.shape.empty() ? Shape{1} : pointer.shape;
  WS_TRY(const Value where, broadcast(node, offsets_of(pointer), shape));
  WS_TRY(const std::string masked, mask_text(node, mask, shape));
  Value stored =
      is_float(value.dtype) != is_float(pointer.dtype) ? cast(value, pointer.dtype) : value;
  if (stored.is_tile()) {
    WS_TRY(stored, broadcast(node, stored, shape));
  }
  emit(op + "(self." + made_.tensors[static_cast<std::size_t>(pointer.tensor)].name + ", " +
           where.text + ", " + stored.text + masked + ")",
       node.line);
  return {};
}

Result<Value> Lifter::pointer_store(const Node& node, const Value& pointer, const Arguments& args) {
  const Value* value = args.find("value");
  if (value == nullptr) {
    return complain(node, "`" + spelled(Api::kStore) + "` needs `value`");
  }
  if (pointer.kind == ValueKind::kBlock) {
    WS_TRY(const BlockParts parts, block_parts(node, pointer, args.find("boundary_check")));
    WS_CHECK(
        write(node, "scatter", parts.pointer, *value, parts.inside ? &*parts.inside : nullptr));
    return Value();
  }
  if (pointer.kind != ValueKind::kPointer) {
    return complain(node,
                    "`" + spelled(Api::kStore) + "` takes a pointer, got " + describe(pointer));
  }
  WS_CHECK(write(node, "scatter", pointer, *value, args.find("mask")));
  return Value();
}

Result<Value> Lifter::pointer_add(const Node& node, const Value& pointer, const Arguments& args) {
  const Value* value = args.find("val");
  if (pointer.kind != ValueKind::kPointer || value == nullptr) {
    return complain(node, "`" + spelled(Api::kAtomicAdd) + "` takes a pointer and a value, got " +
                              describe(pointer));
  }
  WS_CHECK(write(node, "scatter_add", pointer, *value, args.find("mask")));
  return name_of("what was there before an atomic operation");
}

Value Lifter::fixed(const Value& value, int line) {
  const bool argument =
      value.text.starts_with("self.") && value.text.find_first_of("[( ") == std::string::npos;
  return argument ? value : named(value, "view", line);
}

Result<Value> Lifter::make_block(const Node& node, const ApiInfo& info, const Arguments& args) {
  const Value* sizes = args.find("shape");
  const Value* strides = args.find("strides");
  const Value* offsets = args.find("offsets");
  const Value* block = args.find("block_shape");
  const bool descriptor = info.api == Api::kMakeDescriptor;
  if (args.first().kind != ValueKind::kPointer || sizes == nullptr || strides == nullptr ||
      block == nullptr || (offsets == nullptr && !descriptor)) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).text() +
                              "` needs a pointer, `shape`, `strides` and `block_shape`");
  }
  auto view = std::make_shared<BlockView>();
  view->base = fixed(args.first(), node.line);
  for (const Value& size : sizes->items) {
    view->sizes.push_back(fixed(size, node.line));
  }
  for (const Value& stride : strides->items) {
    view->strides.push_back(fixed(stride, node.line));
  }
  view->descriptor = descriptor;
  const Value* padding = args.find("padding_option");
  view->nan = descriptor && padding != nullptr && padding->text == "nan";
  WS_TRY(view->block, shape_of(node, *block));
  WS_CHECK(check_tile(node, view->block));
  Value made;
  made.kind = ValueKind::kBlock;
  made.dtype = args.first().dtype;
  made.items = offsets == nullptr
                   ? std::vector<Value>(view->block.size(), constant_of(std::int64_t{0}))
                   : offsets->items;
  const std::size_t rank = view->block.size();
  if (view->sizes.size() != rank || view->strides.size() != rank || made.items.size() != rank) {
    return complain(node,
                    "`shape`, `strides`, the offsets and `block_shape` must have as many "
                    "dimensions");
  }
  made.block = std::move(view);
  return made;
}

Result<Value> Lifter::at_offsets(const Node& node, const Value& descriptor, const Value* offsets,
                                 const Value* value) {
  if (descriptor.kind != ValueKind::kBlock || !descriptor.block->descriptor) {
    return complain(node, "a tensor descriptor is wanted, got " + describe(descriptor),
                    "tl.make_tensor_descriptor makes one, and so does the host: list it in the "
                    "kernel's `tensor_maps`, and pass its name");
  }
  const std::size_t rank = descriptor.block->block.size();
  if (offsets == nullptr || offsets->kind != ValueKind::kTuple || offsets->items.size() != rank) {
    return complain(node, "a tensor descriptor of " + std::to_string(rank) +
                              " dimensions takes a list of as many offsets, got " +
                              (offsets == nullptr ? "nothing" : describe(*offsets)));
  }
  Arguments bound;
  Value moved = descriptor;
  moved.items = offsets->items;
  bound.set("pointer", moved);
  if (value == nullptr) {
    return pointer_load(node, moved, bound);
  }
  bound.set("value", *value);
  return pointer_store(node, moved, bound);
}

std::optional<Value> Lifter::of_descriptor(const Value& descriptor, const std::string& what) {
  const BlockView& view = *descriptor.block;
  if (what == "shape" || what == "strides") {
    return tuple_of(what == "shape" ? view.sizes : view.strides);
  }
  if (what == "block_shape") {
    std::vector<Value> sizes;
    for (const std::int64_t size : view.block) {
      sizes.push_back(constant_of(size));
    }
    return tuple_of(std::move(sizes));
  }
  return what == "dtype" ? std::optional(type_of(descriptor.dtype)) : std::nullopt;
}

Result<Value> Lifter::advance(const Node& node, const Arguments& args) {
  const Value* by = args.find("offsets");
  Value made = args.first();
  if (made.kind != ValueKind::kBlock || by == nullptr || by->items.size() != made.items.size()) {
    return complain(node, "`tl.advance` takes a block pointer and as many offsets");
  }
  for (std::size_t i = 0; i < made.items.size(); ++i) {
    WS_TRY(made.items[i], binary(node, "+", made.items[i], by->items[i]));
  }
  return made;
}

Result<Lifter::BlockParts> Lifter::block_parts(const Node& node, const Value& block,
                                               const Value* checked) {
  const BlockView& view = *block.block;
  const std::size_t rank = view.block.size();
  std::vector<bool> checks(rank, view.descriptor);
  const std::vector<Value> none;
  for (const Value& item : checked == nullptr ? none : checked->items) {
    WS_TRY(const std::int64_t dim, axis_of(node, item, rank));
    checks[static_cast<std::size_t>(dim)] = true;
  }
  BlockParts parts{view.base, std::nullopt};
  for (std::size_t d = 0; d < rank; ++d) {
    std::string axes;
    Shape shape(rank, 1);
    shape[d] = view.block[d];
    for (std::size_t i = 0; i < rank; ++i) {
      axes += (i == 0 ? "" : ", ") + std::string(i == d ? ":" : "None");
    }
    Value index = tile_of(
        DType::kI32, shape,
        "arange(" + std::to_string(view.block[d]) + ")" + (rank == 1 ? "" : "[" + axes + "]"));
    WS_TRY(index, binary(node, "+", index, block.items[d]));
    WS_CHECK(add_dim(node, parts, named(index, "index", node.line), view.strides[d],
                     checks[d] ? &view.sizes[d] : nullptr));
  }
  parts.pointer.precedence = std::min(parts.pointer.precedence, kSum);
  return parts;
}

Status Lifter::add_dim(const Node& node, BlockParts& parts, const Value& index, const Value& stride,
                       const Value* size) {
  if (size != nullptr) {
    WS_TRY(const Value below, binary(node, "<", index, *size));
    WS_TRY(const Value above, binary(node, ">=", index, constant_of(std::int64_t{0})));
    WS_TRY(Value both,
           index.is_tile()
               ? binary(node, "&", above, below)
               : Result<Value>(number_of(DType::kBool, at(above, 3) + " and " + at(below, 3), 2)));
    if (parts.inside && both.is_number() && parts.inside->is_number()) {
      both = number_of(DType::kBool, at(*parts.inside, 2) + " and " + at(both, 3), 2);
    } else if (parts.inside) {
      WS_TRY(both, binary(node, "&", *parts.inside, both));
    }
    parts.inside = std::move(both);
  }
  WS_TRY(const Value step,
         stride.integer == 1 ? Result<Value>(index) : binary(node, "*", index, stride));
  WS_TRY(parts.pointer, pointer_sum(node, "+", parts.pointer, step));
  return {};
}

}  // namespace ws::lift::tile
