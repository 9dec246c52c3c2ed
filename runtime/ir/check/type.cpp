#include "runtime/ir/check/type.h"

#include <array>
#include <cstdlib>

namespace ws::ir {

Type Type::integer(Affine value) {
  Type type;
  type.kind = Kind::kInt;
  type.value = std::move(value);
  return type;
}

Type Type::integer(std::int64_t value) {
  return integer(Affine(value));
}

Type Type::real() {
  Type type;
  type.kind = Kind::kFloat;
  return type;
}

Type Type::boolean(Affine value) {
  Type type = integer(std::move(value));
  type.kind = Kind::kBool;
  return type;
}

Type Type::string(std::string text) {
  Type type;
  type.kind = Kind::kString;
  type.text = std::move(text);
  return type;
}

Type Type::tile(DType dtype, Shape shape) {
  Type type;
  type.kind = Kind::kTile;
  type.dtype = dtype;
  type.shape = std::move(shape);
  return type;
}

Type Type::buffer(Space space, DType dtype, Shape shape) {
  Type type = tile(dtype, std::move(shape));
  type.kind = Kind::kBuffer;
  type.space = space;
  return type;
}

Type Type::tuple(std::vector<Type> items) {
  Type type;
  type.kind = Kind::kTuple;
  type.items = std::move(items);
  return type;
}

std::optional<std::int64_t> Type::constant() const {
  return kind == Kind::kInt || kind == Kind::kBool ? value.constant() : std::nullopt;
}

std::optional<std::int64_t> count_of(const Shape& shape) {
  constexpr std::int64_t limit = std::int64_t{1} << 62U;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > limit) {
      return std::nullopt;
    }
  }
  return count;
}

std::int64_t bytes_of(const Shape& shape, DType dtype) {
  return count_of(shape).value_or(0) * static_cast<std::int64_t>(size_of(dtype));
}

std::int64_t swizzle_bytes(const std::string& swizzle) {
  return swizzle.empty() || swizzle == "none" ? 0 : std::strtoll(swizzle.c_str(), nullptr, 10);
}

std::string to_text(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string word_of(Space space) {
  constexpr std::array<const char*, 3> words = {"global", "shared", "register"};
  return words.at(static_cast<std::size_t>(space));
}

std::string describe(const Type& type) {
  const std::string elements = to_text(type.shape) + " of " + std::string(name_of(type.dtype));
  switch (type.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kInt:
      return "an integer";
    case Kind::kFloat:
      return "a number";
    case Kind::kBool:
      return "a truth value";
    case Kind::kString:
      return "the text \"" + type.text + "\"";
    case Kind::kDtype:
      return "an element type";
    case Kind::kTile:
      return "a tile " + elements;
    case Kind::kBuffer:
      return "a " + word_of(type.space) + " buffer " + elements;
    case Kind::kBarrier:
      return count_of(type.shape) == 1 ? "a barrier" : "an array of barriers";
    case Kind::kRing:
      return "a ring";
    case Kind::kTuple:
      return "a tuple";
    case Kind::kMethod:
      return "the method " + type.text;
    case Kind::kRange:
      return "a range";
    case Kind::kMixed:
      return type.text;
  }
  return "";
}

namespace {

Type mixed(const Type& a, const Type& b) {
  Type type;
  type.kind = Kind::kMixed;
  type.text = describe(a) + " or " + describe(b);
  return type;
}

}  // namespace

Type join(const Type& a, const Type& b) {
  if (a.kind == Kind::kNone || b.kind == Kind::kNone) {
    return a.kind == Kind::kNone ? b : a;
  }
  if (a.kind == Kind::kMixed || b.kind == Kind::kMixed) {
    return a.kind == Kind::kMixed ? a : b;
  }
  if (a.is_number() && b.is_number() && a.kind != b.kind) {
    return a.kind == Kind::kFloat || b.kind == Kind::kFloat ? Type::real()
                                                            : Type::integer(Affine::unknown());
  }
  if (a.is_tile() && b.is_tile() && a.kind != b.kind && a.dtype == b.dtype && a.shape == b.shape) {
    return Type::tile(a.dtype, a.shape);
  }
  const bool same = a.kind == b.kind && a.shape == b.shape && a.text == b.text &&
                    a.items.size() == b.items.size() &&
                    (!a.is_tile() || (a.dtype == b.dtype && a.space == b.space));
  if (!same) {
    return mixed(a, b);
  }
  Type type = a;
  type.value = a.value == b.value ? a.value : Affine::unknown();
  for (std::size_t i = 0; i < type.items.size(); ++i) {
    type.items[i] = join(a.items[i], b.items[i]);
  }
  return type;
}

}  // namespace ws::ir
