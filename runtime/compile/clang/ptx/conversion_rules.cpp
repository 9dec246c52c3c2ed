// Which modifiers PTX wants, and which it forbids, in a conversion.
#include "runtime/compile/clang/ptx/number.h"
#include "runtime/compile/clang/ptx/rules.h"
#include "runtime/compile/clang/ptx/sets.h"

namespace ws::clang_engine::ptx {
namespace {

using enum Modifier;
constexpr Modifiers kWholeWays = {kRni, kRzi, kRmi, kRpi};
constexpr Modifiers kAllWays = kWays | kWholeWays | Modifiers{kRna};
constexpr Modifiers kPlainWays = {kRn, kRz};
constexpr Types kBytes = {Type::kE4m3x2, Type::kE5m2x2};

/// The ways to round of which a conversion has one.
struct Ways {
  Modifiers known;
  bool needed = true;
};

Ways ways_of(Type to, Type from) {
  const auto is_number = [](Type type) { return is_float(type) || is_pair(type); };
  if (to == Type::kTf32) {
    return {kPlainWays | Modifiers{kRna}};
  }
  if (kBytes.has(to) || kBytes.has(from)) {
    return {{kRn}};
  }
  if (!is_number(from)) {
    return is_number(to) ? Ways{kWays} : Ways{{}, false};
  }
  if (!is_number(to)) {
    return {kWholeWays};
  }
  if (is_pair(to)) {
    return {kPlainWays};
  }
  if (to == from) {
    return {kWholeWays, false};
  }
  // All numbers of type bf16 are in the larger types, yet PTX lets a way be named.
  return bits_of(to) > bits_of(from) ? Ways{from == Type::kBf16 ? kWays : Modifiers{}, false}
                                     : Ways{kWays, bits_of(to) < bits_of(from)};
}

std::string broken_way(const Instruction& instruction, Type to, Type from) {
  const Ways ways = ways_of(to, from);
  const Modifiers named = instruction.modifiers & kAllWays;
  if (ways.needed && !named.has_any(ways.known)) {
    return expected_one_of(ways.known);
  }
  return named.has_any(kAllWays) && !named.has_any(ways.known)
             ? "`" + names_of(named) + "` is not for this conversion"
             : "";
}

/// Whether a modifier that is no way to round may stand in a conversion.
bool is_allowed(Modifier modifier, const Instruction& instruction, Type to, Type from) {
  const bool to_bytes = kBytes.has(to);
  const bool from_bytes = kBytes.has(from);
  const bool fewer =
      kHalves.has(to) && from == Type::kF32 && instruction.modifiers.has_any(kPlainWays);
  switch (modifier) {
    case kFtz:
      return (to == Type::kF32 || from == Type::kF32) && !is_pair(to) && !to_bytes &&
             to != Type::kTf32;
    case kSat:
      return !kBrain.has(to) && !kBrain.has(from) && !is_pair(to) && !to_bytes && !from_bytes &&
             to != Type::kTf32;
    case kRelu:
      return fewer || to_bytes || from_bytes ||
             (to == Type::kTf32 && !instruction.modifiers.has(kRna));
    default:  // .satfinite
      return fewer || to_bytes || to == Type::kTf32;
  }
}

}  // namespace

std::string broken_conversion(const Instruction& instruction) {
  const Type to = instruction.types.front();
  const Type from = instruction.types.back();
  if (const std::string way = broken_way(instruction, to, from); !way.empty()) {
    return way;
  }
  for (const Modifier modifier : {kFtz, kSat, kRelu, kSatfinite}) {
    if (instruction.modifiers.has(modifier) && !is_allowed(modifier, instruction, to, from)) {
      return "`" + name_of(modifier) + "` is not for this conversion";
    }
  }
  return kBytes.has(to) && !instruction.modifiers.has(kSatfinite) ? expected_one_of({kSatfinite})
                                                                  : "";
}

}  // namespace ws::clang_engine::ptx
