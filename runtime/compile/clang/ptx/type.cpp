#include "runtime/compile/clang/ptx/type.h"

#include <array>

#include <llvm/IR/DerivedTypes.h>

namespace ws::clang_engine::ptx {
namespace {

struct TypeRow {
  Type type;
  const char* name;
  unsigned bits;
};

constexpr std::array kTypeRows = {
    TypeRow{Type::kPred, "pred", 1},      TypeRow{Type::kB8, "b8", 8},
    TypeRow{Type::kB16, "b16", 16},       TypeRow{Type::kB32, "b32", 32},
    TypeRow{Type::kB64, "b64", 64},       TypeRow{Type::kU8, "u8", 8},
    TypeRow{Type::kU16, "u16", 16},       TypeRow{Type::kU32, "u32", 32},
    TypeRow{Type::kU64, "u64", 64},       TypeRow{Type::kS8, "s8", 8},
    TypeRow{Type::kS16, "s16", 16},       TypeRow{Type::kS32, "s32", 32},
    TypeRow{Type::kS64, "s64", 64},       TypeRow{Type::kF16, "f16", 16},
    TypeRow{Type::kBf16, "bf16", 16},     TypeRow{Type::kF32, "f32", 32},
    TypeRow{Type::kF64, "f64", 64},       TypeRow{Type::kF16x2, "f16x2", 32},
    TypeRow{Type::kBf16x2, "bf16x2", 32}, TypeRow{Type::kTf32, "tf32", 32},
    TypeRow{Type::kE4m3x2, "e4m3x2", 16}, TypeRow{Type::kE5m2x2, "e5m2x2", 16},
};

const TypeRow& row_of(Type type) {
  return kTypeRows.at(static_cast<std::size_t>(type));
}

}  // namespace

std::optional<Type> type_named(llvm::StringRef suffix) {
  for (const TypeRow& row : kTypeRows) {
    if (suffix == row.name) {
      return row.type;
    }
  }
  return std::nullopt;
}

std::string name_of(Type type) {
  return std::string(".") + row_of(type).name;
}

std::string names_of(Types types) {
  std::string names;
  for (const TypeRow& row : kTypeRows) {
    if (types.has(row.type)) {
      names += (names.empty() ? "" : " ") + name_of(row.type);
    }
  }
  return names;
}

unsigned bits_of(Type type) {
  return row_of(type).bits;
}

bool is_signed(Type type) {
  return Types{Type::kS8, Type::kS16, Type::kS32, Type::kS64}.has(type);
}

bool is_float(Type type) {
  return Types{Type::kF16, Type::kBf16, Type::kF32, Type::kF64}.has(type);
}

bool is_pair(Type type) {
  return Types{Type::kF16x2, Type::kBf16x2}.has(type);
}

Type half_of(Type pair) {
  return pair == Type::kF16x2 ? Type::kF16 : Type::kBf16;
}

llvm::Type* llvm_type(Type type, llvm::LLVMContext& context) {
  switch (type) {
    case Type::kF16:
      return llvm::Type::getHalfTy(context);
    case Type::kF32:
      return llvm::Type::getFloatTy(context);
    case Type::kF64:
      return llvm::Type::getDoubleTy(context);
    default:
      return llvm::Type::getIntNTy(context, bits_of(type));
  }
}

}  // namespace ws::clang_engine::ptx
