#include "runtime/lift/tile/value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ws::lift::tile {
namespace {

constexpr int kPrefix = 11;  // The precedence of a sign, as operators.def has it.

std::string text_of_real(double value) {
  if (std::isnan(value)) {
    return "(inf - inf)";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

}  // namespace

double Value::number() const {
  return integer ? static_cast<double>(*integer) : real.value_or(0);
}

Value constant_of(std::int64_t value) {
  Value made = number_of(value >= INT32_MIN && value <= INT32_MAX ? DType::kI32 : DType::kI64,
                         std::to_string(value), value < 0 ? kPrefix : kTight);
  made.weak = true;
  made.integer = value;
  return made;
}

Value constant_of(double value) {
  Value made = number_of(DType::kF32, text_of_real(value), std::signbit(value) ? kPrefix : kTight);
  made.weak = true;
  made.real = value;
  return made;
}

Value truth_of(bool value) {
  Value made = number_of(DType::kBool, value ? "True" : "False");
  made.weak = true;
  made.integer = value ? 1 : 0;
  return made;
}

Value number_of(DType dtype, std::string text, int precedence) {
  Value made;
  made.kind = ValueKind::kNumber;
  made.dtype = dtype;
  made.text = std::move(text);
  made.precedence = precedence;
  return made;
}

Value tile_of(DType dtype, Shape shape, std::string text, int precedence) {
  Value made = number_of(dtype, std::move(text), precedence);
  made.kind = ValueKind::kTile;
  made.shape = std::move(shape);
  return made;
}

Value tuple_of(std::vector<Value> items) {
  Value made;
  made.kind = ValueKind::kTuple;
  made.items = std::move(items);
  return made;
}

Value type_of(DType dtype) {
  Value made;
  made.kind = ValueKind::kType;
  made.dtype = dtype;
  return made;
}

Value text_of(std::string text) {
  Value made;
  made.kind = ValueKind::kText;
  made.text = std::move(text);
  return made;
}

Value name_of(std::string text) {
  Value made;
  made.kind = ValueKind::kName;
  made.text = std::move(text);
  return made;
}

Value unknown_value() {
  Value made;
  made.kind = ValueKind::kUnknown;
  return made;
}

std::string at(const Value& value, int precedence) {
  return value.precedence < precedence ? "(" + value.text + ")" : value.text;
}

std::string to_text(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string describe(const Value& value) {
  const std::string type(ws::name_of(value.dtype));
  switch (value.kind) {
    case ValueKind::kNone:
      return "None";
    case ValueKind::kNumber:
      return value.dtype == DType::kBool ? "a truth value"
             : is_float(value.dtype)     ? "a number of " + type
                                         : "an integer";
    case ValueKind::kTile:
      return "a tile " + to_text(value.shape) + " of " + type;
    case ValueKind::kPointer:
      return value.shape.empty() ? "a pointer to " + type
                                 : "a tile " + to_text(value.shape) + " of pointers to " + type;
    case ValueKind::kArray:
      return "an array of " + std::to_string(value.shape.size()) + " dimensions of " + type;
    case ValueKind::kPart:
      return "a `ct.Slice`";
    case ValueKind::kBlock:
      return value.block->descriptor ? "a tensor descriptor" : "a block pointer";
    case ValueKind::kTuple:
      return "a tuple of " + std::to_string(value.items.size());
    case ValueKind::kText:
      return "a text";
    case ValueKind::kType:
      return "the type " + type;
    case ValueKind::kName:
    case ValueKind::kMethod:
      return "`" + value.text + "`";
    case ValueKind::kUnknown:
      break;
  }
  return "something unknown";
}

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) {
      return INT64_MAX;
    }
  }
  return count;
}

std::size_t parts_of(const Value& value) {
  std::size_t parts = 1;
  for (const Value& item : value.items) {
    parts += parts_of(item);
  }
  return parts;
}

bool same_type(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!same_type(a.items[i], b.items[i])) {
      return false;
    }
  }
  switch (a.kind) {
    case ValueKind::kNumber:
      return is_float(a.dtype) == is_float(b.dtype);
    case ValueKind::kTile:
      return a.dtype == b.dtype && a.shape == b.shape;
    case ValueKind::kPointer:
      return a.tensor == b.tensor && a.shape == b.shape;
    case ValueKind::kArray:
      return a.tensor == b.tensor && a.block == b.block;
    case ValueKind::kPart:
      return a.shape == b.shape;
    case ValueKind::kBlock:
      return a.block == b.block;
    case ValueKind::kText:
    case ValueKind::kName:
    case ValueKind::kMethod:
      return a.text == b.text;
    case ValueKind::kType:
      return a.dtype == b.dtype;
    default:
      return true;
  }
}

}  // namespace ws::lift::tile
