// Types of operands and results.
#include <algorithm>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

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
  if (is_float(a)) {
    return a == b ? a : size_of(a) == 1 ? DType::kF16 : DType::kF32;
  }
  return is_unsigned(a) ? a : b;
}

}  // namespace

Result<DType> Lifter::promote(const Node& node, const Value& a, const Value& b) {
  if (a.dtype == b.dtype) {
    return a.dtype;
  }
  // A number as it is written takes the other's type, unless its own is of a higher kind.
  const int kind_a = category(a.dtype);
  const int kind_b = category(b.dtype);
  if (a.weak != b.weak) {
    const Value& strong = a.weak ? b : a;
    const Value& weak = a.weak ? a : b;
    return category(strong.dtype) >= category(weak.dtype) ? strong.dtype
           : is_float(weak.dtype)                         ? DType::kF32
                                                          : DType::kI32;
  }
  if (kind_a != kind_b) {
    return kind_a > kind_b ? a.dtype : b.dtype;
  }
  const bool mixed_sign = kind_a == 1 && is_unsigned(a.dtype) != is_unsigned(b.dtype);
  const bool mixed_halves = kind_a == 2 && size_of(a.dtype) == size_of(b.dtype);
  if (!triton() && (mixed_sign || mixed_halves) && !a.weak) {
    return complain(node,
                    "the language does not mix " + std::string(ws::name_of(a.dtype)) + " and " +
                        std::string(ws::name_of(b.dtype)),
                    julia() ? "convert(ct.Tile{T}, x) first" : "ct.astype(x, dtype) first");
  }
  return wider(a.dtype, b.dtype);
}

Value Lifter::cast(const Value& value, DType dtype) {
  if (value.dtype == dtype || value.is_number()) {
    Value made = value;
    made.dtype = dtype;
    if (value.is_number() && is_float(value.dtype) && !is_float(dtype) && !value.real) {
      made.text = "int(" + value.text + ")";
      made.precedence = kTight;
    } else if (value.is_number() && !is_float(value.dtype) && is_float(dtype) && !value.integer) {
      made.text = "float(" + value.text + ")";
      made.precedence = kTight;
    } else if (value.integer && is_float(dtype)) {
      made = constant_of(static_cast<double>(*value.integer));
      made.dtype = dtype;
    } else if (value.real && !is_float(dtype)) {
      made = constant_of(static_cast<std::int64_t>(*value.real));
      made.dtype = dtype;
    }
    made.weak = false;
    return made;
  }
  return tile_of(dtype, value.shape,
                 "to(" + value.text + ", \"" + std::string(ws::name_of(dtype)) + "\")");
}

}  // namespace ws::lift::tile
