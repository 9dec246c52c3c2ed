#include "runtime/lift/symbolic/scalars.h"

namespace ws::lift {

const std::vector<Scalar>& Scalars::of(TypeId type) {
  const auto [entry, fresh] = known_.try_emplace(type);
  if (fresh) {
    add(type, 0, entry->second);
  }
  return entry->second;
}

void Scalars::add(TypeId id, std::int64_t offset, std::vector<Scalar>& scalars) const {
  if (id == kNone || scalars.size() > kMost) {
    return;
  }
  const Type& type = tree_.type(id);
  if (type.kind == TypeKind::kArray) {
    const std::int64_t bytes = type.element == kNone ? 0 : tree_.type(type.element).bytes;
    for (std::int64_t i = 0; i < type.count && scalars.size() <= kMost; ++i) {
      add(type.element, offset + i * bytes, scalars);
    }
  } else if (type.kind == TypeKind::kStruct) {
    for (const Field& field : type.fields) {
      add(field.type, offset + field.offset, scalars);
    }
  } else {
    scalars.push_back({offset, id});
  }
}

DType Scalars::dtype_of(TypeId id) const {
  if (id == kNone) {
    return DType::kI32;
  }
  const Type& type = tree_.type(id);
  constexpr std::int64_t wide = 8;
  constexpr std::int64_t half = 2;
  if (type.kind == TypeKind::kFloat) {
    if (type.bytes == half) {
      return type.name.find("bf") != std::string::npos ? DType::kBf16 : DType::kF16;
    }
    return type.bytes == wide ? DType::kF64 : DType::kF32;
  }
  switch (type.bytes) {
    case 1:
      return type.name == "bool" ? DType::kBool : type.is_signed ? DType::kI8 : DType::kU8;
    case half:
      return type.is_signed ? DType::kI16 : DType::kU16;
    case wide:
      return type.is_signed ? DType::kI64 : DType::kU64;
    default:
      return type.is_signed ? DType::kI32 : DType::kU32;
  }
}

}  // namespace ws::lift
