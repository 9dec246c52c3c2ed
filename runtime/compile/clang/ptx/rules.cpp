#include "runtime/compile/clang/ptx/rules.h"

#include <llvm/ADT/StringRef.h>

#include "runtime/compile/clang/ptx/sets.h"
#include "runtime/compile/clang/ptx/table.h"

namespace ws::clang_engine::ptx {
namespace {

using enum Modifier;
constexpr Modifiers kApproximate = {kApprox};
constexpr Modifiers kPart = {kLo, kHi};
constexpr Types kSingle = {Type::kF32};
constexpr Types kDouble = {Type::kF64};
constexpr Types kFlushed = kSingle | kHalf;
constexpr Types kPredicate = {Type::kPred};
constexpr Types kExtremes = kWords | Types{Type::kU64, Type::kS64} | kHalves;
constexpr Modifiers kAccessOrders = {kRelaxed, kAcquire, kRelease};
constexpr Modifiers kScopes = {kCta, kCluster, kGpu, kSys};
constexpr Modifiers kTogether = {kSync};

/// Modifiers of which an instruction has at most one.
constexpr Modifiers kChoices[] = {
    kWays | Modifiers{kRna, kRni, kRzi, kRmi, kRpi},
    {kApprox, kFull, kRn},
    {kApprox, kFull, kRz},
    {kApprox, kFull, kRm},
    {kApprox, kFull, kRp},
    {kLo, kHi, kWide, kEq, kNe, kLt, kLe, kGt, kGe, kLs, kHs},
    {kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kIsNan},
    {kGlobal, kLocal, kConst},
    {kShared, kSharedCta, kLocal, kConst},
    {kVolatile, kWeak, kRelaxed, kAcquire, kRelease, kAcqRel, kSc},
    {kCta, kCluster, kGpu, kSys, kGl},
    {kV2, kV4},
    {kAdd, kMin, kMax, kInc, kDec, kExch, kCas, kAnd, kOr, kXor, kPopc},
    {kIdx, kUp, kDown, kBfly},
    {kAll, kAny, kUni, kBallot},
    {kLeft, kRight},
    {kWrap, kClamp},
    {kF4e, kB4e, kRc8, kEcl, kEcr, kRc16},
    {kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal},
    {kSat, kRelu},
};

/// An instruction of these types has one of the modifiers.
struct NeedRow {
  const char* name;
  Types types;  ///< Empty: of any, or none.
  Modifiers one_of;
  bool where_it_adds = false;  ///< Only where .add stands.
};

constexpr NeedRow kNeeds[] = {
    {"mad", kFloats, kWays},
    {"fma", kFloats | kHalves, kWays},
    {"div", kSingle, kWays | Modifiers{kApprox, kFull}},
    {"div", kDouble, kWays},
    {"rcp", kFloats, kWays | kApproximate},
    {"sqrt", kSingle, kWays | kApproximate},
    {"sqrt", kDouble, kWays},
    {"rsqrt", kFloats, kApproximate},
    {"ex2", kSingle | kHalves, kApproximate},
    {"lg2", kSingle, kApproximate},
    {"sin", kSingle, kApproximate},
    {"cos", kSingle, kApproximate},
    {"tanh", kSingle | kHalves, kApproximate},
    {"mul24", kWords, kPart},
    {"mad24", kWords, kPart},
    {"dp2a", kWords, kPart},
    {"shf", {}, {kWrap, kClamp}},
    {"setp", kBits, {kEq, kNe}},
    {"set", kBits, {kEq, kNe}},
    {"atom", kHalves, {kNoftz}, true},
    {"red", kHalves, {kNoftz}, true},
    {"fence", {}, kScopes},
    {"membar", {}, {kCta, kSys, kGl}},
    {"bar", {}, {kSync, kWarp}},
    {"barrier", {}, kTogether},
    {"bar.red", {}, {kPopc, kAnd, kOr}},
    {"barrier.red", {}, {kPopc, kAnd, kOr}},
    {"barrier.cta.red", {}, {kPopc, kAnd, kOr}},
    {"shfl", {}, kTogether},
    {"vote", {}, kTogether},
    {"match", {}, kTogether},
    {"redux", {}, kTogether},
};

/// The modifier stands only where the last type is one of these.
struct LimitRow {
  const char* name;
  Modifier modifier;
  Types types;
};

constexpr LimitRow kLimits[] = {
    {"add", kFtz, kFlushed},
    {"sub", kFtz, kFlushed},
    {"mul", kFtz, kFlushed},
    {"mad", kFtz, kSingle},
    {"fma", kFtz, kFlushed},
    {"neg", kFtz, kFlushed},
    {"abs", kFtz, kFlushed},
    {"min", kFtz, kFlushed},
    {"max", kFtz, kFlushed},
    {"div", kFtz, kSingle},
    {"sqrt", kFtz, kSingle},
    {"ex2", kFtz, kSingle | kBrain},
    {"tanh", kFtz, {}},
    {"setp", kFtz, kFlushed},
    {"set", kFtz, kFlushed},
    {"slct", kFtz, kSingle},
    {"add", kSat, kFlushed | Types{Type::kS32}},
    {"sub", kSat, kFlushed | Types{Type::kS32}},
    {"mul", kSat, kFlushed},
    {"mad", kSat, kSingle | Types{Type::kS32}},
    {"fma", kSat, kFlushed},
    {"fma", kRelu, kHalves},
    {"min", kNan, kSingle | kHalves},
    {"max", kNan, kSingle | kHalves},
    {"div", kApprox, kSingle},
    {"div", kFull, kSingle},
    {"sqrt", kApprox, kSingle},
    {"atom", kAdd, kFloats | kHalves | kWords | Types{Type::kU64}},
    {"atom", kMin, kExtremes},
    {"atom", kMax, kExtremes},
    {"atom", kInc, {Type::kU32}},
    {"atom", kDec, {Type::kU32}},
    {"atom", kExch, kLongBits},
    {"atom", kCas, kLongBits | Types{Type::kB16}},
    {"atom", kAnd, kLongBits},
    {"atom", kOr, kLongBits},
    {"atom", kXor, kLongBits},
    {"bar.red", kPopc, {Type::kU32}},
    {"bar.red", kAnd, kPredicate},
    {"bar.red", kOr, kPredicate},
    {"vote", kBallot, {Type::kB32}},
    {"vote", kAll, kPredicate},
    {"vote", kAny, kPredicate},
    {"vote", kUni, kPredicate},
    {"redux", kAdd, kWords},
    {"redux", kMin, kWords},
    {"redux", kMax, kWords},
    {"redux", kAnd, {Type::kB32}},
    {"redux", kOr, {Type::kB32}},
    {"redux", kXor, {Type::kB32}},
};

/// The row by whose limits an instruction goes that has another name.
llvm::StringRef name_of_limits(llvm::StringRef name) {
  const bool reduces = name == "barrier.red" || name == "barrier.cta.red";
  return reduces ? "bar.red" : name == "red" ? "atom" : name;
}

/// The instruction is of one of the types; where it has two, the sources are.
bool is_of(const Instruction& instruction, Types types) {
  return !instruction.types.empty() && types.has(instruction.types.back());
}

std::string broken_need(const Instruction& instruction) {
  const llvm::StringRef name = instruction.row->name;
  for (const NeedRow& row : kNeeds) {
    const bool meant = name == row.name && (row.types.empty() || is_of(instruction, row.types)) &&
                       (!row.where_it_adds || instruction.modifiers.has(kAdd));
    if (meant && !instruction.modifiers.has_any(row.one_of)) {
      return expected_one_of(row.one_of);
    }
  }
  const bool cut = name == "mad" && instruction.modifiers.has(kSat) && is_of(instruction, kWords);
  return cut && !instruction.modifiers.has(kHi) ? expected_one_of({kHi}) : "";
}

std::string broken_limit(const Instruction& instruction) {
  const llvm::StringRef name = name_of_limits(instruction.row->name);
  for (const LimitRow& row : kLimits) {
    if (name == row.name && instruction.modifiers.has(row.modifier) &&
        !is_of(instruction, row.types)) {
      return "`" + name_of(row.modifier) + "` is not for `" + name_of(instruction.types.back()) +
             "`";
    }
  }
  const Modifiers spaces = instruction.modifiers & Modifiers{kGlobal, kShared, kSharedCta};
  const bool both = spaces.has(kGlobal) && spaces.has_any({kShared, kSharedCta});
  return both && name != "cp.async" ? "only one of " + names_of(spaces) + " may stand there" : "";
}

/// Says which operand a comparison lacks, or which modifier.
std::string broken_join(const Instruction& instruction) {
  const bool predicate = instruction.text->operands.size() == 4;
  const bool joins = instruction.modifiers.has_any({kAnd, kOr, kXor});
  if (predicate && !joins) {
    return "expected one of .and .or .xor for the fourth operand";
  }
  return !predicate && joins ? "expected a predicate as fourth operand" : "";
}

/// The same for a load or a store.
std::string broken_order(const Instruction& instruction) {
  const bool order = instruction.modifiers.has_any(kAccessOrders);
  const bool scope = instruction.modifiers.has_any(kScopes);
  if (order != scope) {
    return order ? expected_one_of(kScopes) + " beside the order"
                 : expected_one_of(kAccessOrders) + " beside the scope";
  }
  const bool policy = instruction.modifiers.has(kL2CacheHint);
  return policy == (instruction.text->operands.size() == 3)
             ? ""
             : "`.L2::cache_hint` and a cache policy need each other";
}

}  // namespace

std::string broken_by(Modifier modifier, Modifiers before) {
  if (before.has(modifier)) {
    return "modifier `" + name_of(modifier) + "` stands twice";
  }
  for (const Modifiers& choice : kChoices) {
    if (choice.has(modifier) && before.has_any(choice)) {
      return "only one of " + names_of(choice & (before | Modifiers{modifier})) +
             " may stand there";
    }
  }
  return {};
}

std::string broken_rule(const Instruction& instruction) {
  const llvm::StringRef name = instruction.row->name;
  if (std::string rule = broken_need(instruction); !rule.empty()) {
    return rule;
  }
  if (std::string rule = broken_limit(instruction); !rule.empty()) {
    return rule;
  }
  if (name == "setp" || name == "set") {
    return broken_join(instruction);
  }
  if (name == "cvt") {
    return broken_conversion(instruction);
  }
  return name == "ld" || name == "st" ? broken_order(instruction) : "";
}

}  // namespace ws::clang_engine::ptx
