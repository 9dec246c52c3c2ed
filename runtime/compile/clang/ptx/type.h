// The types of PTX, by their suffixes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Type.h>

namespace ws::clang_engine::ptx {

enum class Type : std::uint8_t {
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kBf16,
  kF32,
  kF64,
  kF16x2,
  kBf16x2,
  kTf32,    ///< A float whose lower 13 bits are zeros.
  kE4m3x2,  ///< Two numbers of 8 bits.
  kE5m2x2,
};

/// A set of types.
class Types {
 public:
  constexpr Types() = default;

  constexpr Types(std::initializer_list<Type> types) {
    for (const Type type : types) {
      bits_ |= 1U << static_cast<unsigned>(type);
    }
  }

  [[nodiscard]] constexpr bool has(Type type) const {
    return (bits_ >> static_cast<unsigned>(type) & 1U) != 0;
  }

  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

  constexpr Types operator|(Types other) const {
    Types both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }

 private:
  std::uint32_t bits_ = 0;
};

/// @param suffix  Without its dot: "u32".
std::optional<Type> type_named(llvm::StringRef suffix);

/// ".u32"
std::string name_of(Type type);

/// ".u32 .s32", in the order of Type.
std::string names_of(Types types);

unsigned bits_of(Type type);
bool is_signed(Type type);
/// One number with a fraction: not a pair of them.
bool is_float(Type type);
/// Two numbers of 16 bits.
bool is_pair(Type type);
/// The type of each half of a pair.
Type half_of(Type pair);
/// An integer of its bits, or the floating-point type. Numbers of type bf16 and pairs are integers.
llvm::Type* llvm_type(Type type, llvm::LLVMContext& context);

}  // namespace ws::clang_engine::ptx
