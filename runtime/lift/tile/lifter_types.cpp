// Types of operands and results.
#include <algorithm>
#include <cmath>

#include "runtime/kernel/round_element.h"
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr int kComparison = 4;  // The precedence of `!=`, as operators.def has it.

/// bool < integers < floats.
int category(DType dtype) {
  return dtype == DType::kBool ? 0 : is_float(dtype) ? 2 : 1;
}

bool is_unsigned(DType dtype) {
  return ws::name_of(dtype).front() == 'u';
}

DType wider(DType a, DType b) {
  if (size_of(a) != size_of(b)) {
    return size_of(a) > size_of(b) ? a : b;
  }
  return is_float(a) ? (a == b ? a : DType::kF32) : is_unsigned(a) ? a : b;
}

bool is_half(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBf16;
}

/// The type that Triton computes with where one of two types is floating.
DType triton_float(DType a, DType b) {
  const auto either = [&](DType dtype) { return a == dtype || b == dtype; };
  for (const DType dtype : {DType::kF64, DType::kF32, DType::kTf32, DType::kF16}) {
    if (either(dtype)) {
      return dtype;
    }
  }
  return a == b ? a : either(DType::kBf16) ? DType::kF32 : DType::kF16;
}

}  // namespace

Result<DType> Lifter::promote(const Node& node, const Value& a, const Value& b, bool divides) {
  // Triton divides halves in f32.
  const auto quotient = [&](DType dtype) {
    return divides && triton() && is_half(dtype) ? DType::kF32 : dtype;
  };
  if (a.dtype == b.dtype) {
    return quotient(a.dtype);
  }
  // A number as it is written takes the other's type, unless its own is of a higher kind.
  const int kind_a = category(a.dtype);
  const int kind_b = category(b.dtype);
  if (a.weak != b.weak) {
    const Value& strong = a.weak ? b : a;
    const Value& weak = a.weak ? a : b;
    return category(strong.dtype) >= category(weak.dtype) ? quotient(strong.dtype)
           : is_float(weak.dtype)                         ? DType::kF32
                                                          : DType::kI32;
  }
  if (julia() && kind_a == kind_b && a.is_tile() != b.is_tile()) {
    return a.is_tile() ? a.dtype : b.dtype;  // So does any number beside a tile in Julia.
  }
  if (triton() && std::max(kind_a, kind_b) == 2) {
    return quotient(triton_float(a.dtype, b.dtype));
  }
  if (kind_a != kind_b) {
    return kind_a > kind_b ? a.dtype : b.dtype;
  }
  const bool mixed_sign = kind_a == 1 && is_unsigned(a.dtype) != is_unsigned(b.dtype);
  const bool mixed_halves = kind_a == 2 && size_of(a.dtype) == size_of(b.dtype);
  const bool refused = triton() ? mixed_sign && divides : mixed_sign || mixed_halves;
  if (refused && !a.weak) {
    return complain(
        node,
        std::string(divides ? "a division does not mix " : "the language does not mix ") +
            std::string(ws::name_of(a.dtype)) + " and " + std::string(ws::name_of(b.dtype)),
        triton()  ? "x.to(dtype) first"
        : julia() ? "convert(ct.Tile{T}, x) first"
                  : "ct.astype(x, dtype) first");
  }
  return wider(a.dtype, b.dtype);
}

Value Lifter::operand(const Value& value, DType dtype) {
  if (value.is_tile()) {
    return cast(value, dtype);
  }
  if (value.is_constant() && is_float(dtype)) {
    const double kept = round_element(dtype, value.number());
    return kept == value.number() || std::isnan(kept) ? value : constant_of(kept);
  }
  const bool other = is_float(value.dtype) && is_float(dtype) && value.dtype != dtype;
  return julia() && other ? cast(value, dtype) : value;
}

Value Lifter::rounded(Value value) {
  if (value.is_number() && !value.is_constant() && is_float(value.dtype) &&
      value.dtype != DType::kF64) {
    value.text = "to(" + value.text + ", \"" + std::string(ws::name_of(value.dtype)) + "\")";
    value.precedence = kTight;
  }
  return value;
}

Value Lifter::cast(const Value& value, DType dtype) {
  if (value.is_tile()) {
    return value.dtype == dtype
               ? value
               : tile_of(dtype, value.shape,
                         "to(" + value.text + ", \"" + std::string(ws::name_of(dtype)) + "\")");
  }
  Value made = value;
  if (value.integer && is_float(dtype)) {
    made = constant_of(static_cast<double>(*value.integer));
  } else if (value.real && !is_float(dtype)) {
    made = constant_of(static_cast<std::int64_t>(*value.real));
  } else if (!value.is_constant() && is_float(value.dtype) && dtype == DType::kBool) {
    made.text = at(value, kComparison + 1) + " != 0";
    made.precedence = kComparison;
  } else if (!value.is_constant() && is_float(value.dtype) != is_float(dtype)) {
    made.text = (is_float(dtype) ? "float(" : "int(") + value.text + ")";
    made.precedence = kTight;
  }
  if (made.real && is_float(dtype)) {
    made = constant_of(round_element(dtype, *made.real));
  }
  const bool same = made.dtype == dtype;
  made.dtype = dtype;
  made.weak = false;
  return same ? made : rounded(std::move(made));
}

}  // namespace ws::lift::tile
