#include "runtime/ir/exec/value.h"

#include <bit>

namespace ws::ir {
namespace {

// Quiet NaNs whose payload lies in the bits that f32 keeps.
constexpr std::uint64_t kUndeterminedBits = 0x7ffdead000000000U;
constexpr std::uint64_t kTooLargeBits = 0x7ffdeae000000000U;
thread_local std::int64_t alive = 0;

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

bool has_bits(double value, std::uint64_t bits) {
  return (std::bit_cast<std::uint64_t>(value) & ~kSignBit) == bits;
}

}  // namespace

Value Value::of(std::int64_t integer) {
  Value value;
  value.kind = Kind::kInt;
  value.integer = integer;
  return value;
}

Value Value::real(double number) {
  Value value;
  value.kind = Kind::kFloat;
  value.number = number;
  return value;
}

Value Value::truth(bool truth) {
  Value value = of(truth ? 1 : 0);
  value.kind = Kind::kBool;
  return value;
}

Value Value::string(std::string text) {
  Value value;
  value.kind = Kind::kString;
  value.text = std::move(text);
  return value;
}

Value Value::of(Tile tile) {
  Value value;
  value.kind = Kind::kTile;
  const auto count = static_cast<std::int64_t>(tile.data.size());
  value.tile = std::shared_ptr<const Tile>(new Tile(std::move(tile)), [count](const Tile* dropped) {
    alive -= count;
    delete dropped;
  });
  alive += count;
  return value;
}

std::int64_t live_elements() {
  return alive;
}

std::shared_ptr<const void> count_alive(std::int64_t elements) {
  alive += elements;
  return {&alive, [elements](const void*) { alive -= elements; }};
}

Value Value::undetermined_of(Kind kind, double why) {
  Value value = real(why);
  value.kind = kind;
  value.unknown = kind != Kind::kFloat;
  return value;
}

double Value::as_number() const {
  return kind == Kind::kFloat || unknown ? number : static_cast<double>(integer);
}

bool Value::is_determined() const {
  return !unknown && (kind != Kind::kFloat || !is_undetermined(number));
}

Type type_of(const Value& value) {
  switch (value.kind) {
    case Kind::kInt:
      return Type::integer(value.unknown ? Affine::unknown() : Affine(value.integer));
    case Kind::kBool:
      return Type::boolean(value.unknown ? Affine::unknown() : Affine(value.integer));
    case Kind::kFloat:
      return Type::real();
    case Kind::kString:
      return Type::string(value.text);
    case Kind::kTile:
      return Type::tile(value.tile->dtype, value.tile->shape);
    case Kind::kBuffer:
      return Type::buffer(value.space, value.dtype, value.shape);
    case Kind::kTuple:
    case Kind::kRange: {
      std::vector<Type> items;
      items.reserve(value.items.size());
      for (const Value& item : value.items) {
        items.push_back(type_of(item));
      }
      Type type = Type::tuple(std::move(items));
      type.kind = value.kind;
      return type;
    }
    case Kind::kNone:
    case Kind::kDtype:
    case Kind::kBarrier:
    case Kind::kRing:
    case Kind::kMethod:
    case Kind::kMixed:
      break;
  }
  Type type;
  type.kind = value.kind;
  type.dtype = value.dtype;
  type.shape = value.shape;
  type.text = value.text;
  return type;
}

double undetermined() {
  return std::bit_cast<double>(kUndeterminedBits);
}

double too_large() {
  return std::bit_cast<double>(kTooLargeBits);
}

bool is_undetermined(double value) {
  return has_bits(value, kUndeterminedBits) || is_too_large(value);
}

bool is_too_large(double value) {
  return has_bits(value, kTooLargeBits);
}

double undetermined_by(double x, double y) {
  return is_too_large(x) || is_too_large(y) ? too_large() : undetermined();
}

}  // namespace ws::ir
