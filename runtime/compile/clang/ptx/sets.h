// Sets of types and of modifiers that the table of instructions and the rules name.
#pragma once

#include "runtime/compile/clang/ptx/modifier.h"
#include "runtime/compile/clang/ptx/type.h"

namespace ws::clang_engine::ptx {

inline constexpr Types kWords = {Type::kU32, Type::kS32};
inline constexpr Types kBits = {Type::kB16, Type::kB32, Type::kB64};
inline constexpr Types kLongBits = {Type::kB32, Type::kB64};
inline constexpr Types kFloats = {Type::kF32, Type::kF64};
inline constexpr Types kHalf = {Type::kF16, Type::kF16x2};
inline constexpr Types kBrain = {Type::kBf16, Type::kBf16x2};
inline constexpr Types kHalves = kHalf | kBrain;

/// The ways to round to a number with a fraction.
inline constexpr Modifiers kWays = {Modifier::kRn, Modifier::kRz, Modifier::kRm, Modifier::kRp};

}  // namespace ws::clang_engine::ptx
