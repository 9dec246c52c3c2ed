// A launch gives its arguments to the parameters of the kernel.
#include <algorithm>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

/// The sizes of a descriptor's tile.
Shape block_of(const TileArg& arg) {
  return {arg.shape.begin() + static_cast<std::ptrdiff_t>(arg.strides.size()), arg.shape.end()};
}

std::string type_text(const TileArg& arg, bool tensor) {
  const std::string type(ws::name_of(arg.type));
  return arg.kind == TileArg::Kind::kDescriptor
             ? "descriptor of " + type + " " + to_text(block_of(arg))
             : (tensor ? "*" : "") + type;
}

}  // namespace

void Lifter::bind_parameters(const Function& function) {
  result_.complaints = check_launch(file_, function, launch_);
  for (std::size_t i = 0; i < function.parameters.size() && result_.complaints.empty(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (i >= launch_.args.size()) {
      const Result<Value> value = default_of(parameter);
      scopes_.back().names[parameter.name] = value ? *value : unknown_value();
      continue;
    }
    const TileArg& arg = launch_.args[i];
    const bool tensor = arg.kind == TileArg::Kind::kTensor || arg.kind == TileArg::Kind::kNull;
    result_.parameters.push_back(
        {parameter.name,
         is_constant_parameter(file_, parameter) ? "constexpr" : type_text(arg, tensor), tensor,
         arg.kind == TileArg::Kind::kInteger, arg.kind == TileArg::Kind::kDescriptor});
    const Value value = parameter_value(function, i, arg);
    scopes_.back().names[parameter.name] = value;
    bind_type_name(parameter, value);
  }
}

void Lifter::bind_type_name(const Parameter& parameter, const Value& value) {
  if (parameter.annotation == kNoNode || value.kind != ValueKind::kArray) {
    return;
  }
  const Node& annotation = file_.node(parameter.annotation);
  if (annotation.kind == NodeKind::kIndex && annotation.text == "{" && annotation.kids.size() > 1) {
    const Node& type = file_.node(annotation.kids[1]);
    if (type.kind == NodeKind::kName) {
      scopes_.back().names.emplace(type.text, type_of(value.dtype));
    }
  }
}

Value Lifter::parameter_value(const Function& function, std::size_t index, const TileArg& arg) {
  const Parameter& parameter = function.parameters[index];
  switch (arg.kind) {
    case TileArg::Kind::kNull:
      return {};
    case TileArg::Kind::kTensor:
      return tensor_value(arg, index);
    case TileArg::Kind::kDescriptor:
      return descriptor_value(arg, index);
    case TileArg::Kind::kInteger:
    case TileArg::Kind::kFloat:
      break;
  }
  const bool whole = arg.kind == TileArg::Kind::kInteger;
  const std::string name = variable(parameter.name);
  if (is_constant_parameter(file_, parameter)) {
    const bool truth = arg.type == DType::kBool || names_word(file_, parameter.annotation, "Bool");
    Value value = !whole  ? constant_of(arg.real())
                  : truth ? truth_of(arg.value != 0)
                          : constant_of(arg.value);
    head_.constants.push_back(name + " = " + value.text);
    value.text = name;
    value.precedence = kTight;
    return value;
  }
  made_.scalars.push_back({name, index});
  const Value given = whole ? constant_of(arg.value) : constant_of(arg.real());
  head_.numbers.push_back(name + "=" + given.text);
  return number_of(arg.type, "self." + name);
}

std::size_t Lifter::tensor_of(const TileArg& arg, std::size_t index) {
  const auto known = std::ranges::find(buffers_, arg.name);
  if (known != buffers_.end()) {
    return static_cast<std::size_t>(known - buffers_.begin());
  }
  // A pointer knows nothing of shapes: the program sees all elements in one row.
  ProgramTensor tensor{writer_.take(arg.name), index,
                       triton() ? Shape{std::max<std::int64_t>(arg.span, 1)} : arg.shape};
  head_.parameters.push_back(tensor.name);
  made_.tensors.push_back(std::move(tensor));
  buffers_.push_back(arg.name);
  return buffers_.size() - 1;
}

Value Lifter::tensor_value(const TileArg& arg, std::size_t index) {
  Value value;
  value.kind = triton() ? ValueKind::kPointer : ValueKind::kArray;
  value.dtype = arg.type;
  value.tensor = static_cast<int>(tensor_of(arg, index));
  if (triton()) {
    value.text = std::to_string(arg.value);
    value.precedence = kTight;
    value.integer = arg.value;
  } else {
    value.shape = arg.shape;
    value.text = "self." + made_.tensors[static_cast<std::size_t>(value.tensor)].name;
    value.precedence = kTight;
  }
  return value;
}

// Its sizes are numbers of the run, as Triton has it.
Value Lifter::descriptor_value(const TileArg& arg, std::size_t index) {
  auto view = std::make_shared<BlockView>();
  TileArg whole = arg;
  whole.value = 0;
  view->base = tensor_value(whole, index);
  for (std::size_t d = 0; d < arg.strides.size(); ++d) {
    view->sizes.push_back(number_of(DType::kI32, std::to_string(arg.shape[d])));
    view->strides.push_back(arg.strides[d] == 1
                                ? constant_of(std::int64_t{1})
                                : number_of(DType::kI64, std::to_string(arg.strides[d])));
  }
  view->block = block_of(arg);
  view->descriptor = true;
  view->nan = arg.value != 0;
  Value value;
  value.kind = ValueKind::kBlock;
  value.dtype = arg.type;
  value.items.assign(view->block.size(), constant_of(std::int64_t{0}));
  value.block = std::move(view);
  return value;
}

}  // namespace ws::lift::tile
