#include "runtime/compile/clang/ptx/table.h"

#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/sets.h"

namespace ws::clang_engine::ptx {
namespace {

constexpr Types kUnsigned = {Type::kU16, Type::kU32, Type::kU64};
constexpr Types kSigned = {Type::kS16, Type::kS32, Type::kS64};
constexpr Types kIntegers = kUnsigned | kSigned;
constexpr Types kWholes = {Type::kU32, Type::kU64, Type::kS32, Type::kS64};
constexpr Types kNumbers = kFloats | kHalves;
constexpr Types kCompared = kIntegers | kBits | kFloats | Types{Type::kF16, Type::kBf16};
constexpr Types kMemory = kIntegers | kBits | kFloats | Types{Type::kB8, Type::kU8, Type::kS8};
constexpr Types kConverted = kIntegers | kNumbers | Types{Type::kU8, Type::kS8};

constexpr Types kSmall = {Type::kTf32, Type::kE4m3x2, Type::kE5m2x2};
constexpr Types kState = {Type::kB64};

using enum Modifier;
constexpr Modifiers kNone;
constexpr Modifiers kParts = {kLo, kHi, kWide};
constexpr Modifiers kRounded = kWays | Modifiers{kFtz, kSat};
constexpr Modifiers kFast = {kApprox, kFtz};
constexpr Modifiers kComparisons = {kEq,  kNe,    kLt,  kLe,  kGt,  kGe,  kLo,  kLs,
                                    kHi,  kHs,    kEqu, kNeu, kLtu, kLeu, kGtu, kGeu,
                                    kNum, kIsNan, kAnd, kOr,  kXor, kFtz};
constexpr Modifiers kSpaces = {kGlobal, kShared, kSharedCta, kLocal, kConst};
constexpr Modifiers kOrders = {kVolatile, kWeak,    kRelaxed, kAcquire, kRelease,
                               kCta,      kCluster, kGpu,     kSys};
constexpr Modifiers kHints = {kCa,
                              kCg,
                              kCs,
                              kCv,
                              kLu,
                              kWb,
                              kWt,
                              kNc,
                              kL1EvictNormal,
                              kL1EvictUnchanged,
                              kL1EvictFirst,
                              kL1EvictLast,
                              kL1NoAllocate,
                              kL2EvictNormal,
                              kL2EvictFirst,
                              kL2EvictLast,
                              kL2CacheHint,
                              kL2Bytes64,
                              kL2Bytes128,
                              kL2Bytes256,
                              kL1,
                              kL2};
constexpr Modifiers kAccess = kSpaces | kOrders | kHints | Modifiers{kV2, kV4};
constexpr Modifiers kReductions =
    kSpaces | kOrders | kHints |
    Modifiers{kAcqRel, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kNoftz};
constexpr Modifiers kUpdates = kReductions | Modifiers{kExch, kCas};
constexpr Types kUpdated = kLongBits | kWholes | kNumbers | Types{Type::kB16};
constexpr Modifiers kBarrier = {kSync, kAligned, kCta, kWarp};
constexpr Modifiers kReduction = {kAligned, kPopc, kAnd, kOr};
constexpr Modifiers kBlockShared = {kShared, kSharedCta};
constexpr Modifiers kArrival = kBlockShared | Modifiers{kRelease, kRelaxed, kCta};
constexpr Modifiers kLook = kBlockShared | Modifiers{kParity, kAcquire, kRelaxed, kCta};
constexpr Modifiers kFence = {kSc, kAcqRel, kAcquire, kRelease, kCta, kCluster, kGpu, kSys};

constexpr Row kRows[] = {
    {"add", kIntegers | kNumbers, {}, kRounded, 3, 3, emit_add},
    {"sub", kIntegers | kNumbers, {}, kRounded, 3, 3, emit_sub},
    {"mul", kIntegers | kNumbers, {}, kParts | kRounded, 3, 3, emit_mul},
    {"mad", kIntegers | kFloats, {}, kParts | kRounded, 4, 4, emit_mad},
    {"fma", kNumbers, {}, kRounded | Modifiers{kRelu}, 4, 4, emit_fma},
    {"div", kIntegers | kFloats, {}, kWays | kFast | Modifiers{kFull}, 3, 3, emit_div},
    {"rem", kIntegers, {}, kNone, 3, 3, emit_rem},
    {"neg", kSigned | kNumbers, {}, {kFtz}, 2, 2, emit_neg},
    {"abs", kSigned | kNumbers, {}, {kFtz}, 2, 2, emit_abs},
    {"min", kIntegers | kNumbers, {}, {kFtz, kNan}, 3, 3, emit_min},
    {"max", kIntegers | kNumbers, {}, {kFtz, kNan}, 3, 3, emit_max},
    {"mul24", kWords, {}, {kLo, kHi}, 3, 3, emit_mul24},
    {"mad24", kWords, {}, {kLo, kHi}, 4, 4, emit_mad24},
    {"sad", kIntegers, {}, kNone, 4, 4, emit_sad},
    {"dp4a", kWords, kWords, kNone, 4, 4, emit_dp4a},
    {"dp2a", kWords, kWords, {kLo, kHi}, 4, 4, emit_dp2a},
    {"ex2", kHalves | Types{Type::kF32}, {}, kFast, 2, 2, emit_ex2},
    {"lg2", {Type::kF32}, {}, kFast, 2, 2, emit_lg2},
    {"rcp", kFloats, {}, kFast | kWays, 2, 2, emit_rcp},
    {"rsqrt", kFloats, {}, kFast, 2, 2, emit_rsqrt},
    {"sqrt", kFloats, {}, kFast | kWays, 2, 2, emit_sqrt},
    {"sin", {Type::kF32}, {}, kFast, 2, 2, emit_sin},
    {"cos", {Type::kF32}, {}, kFast, 2, 2, emit_cos},
    {"tanh", kHalves | Types{Type::kF32}, {}, kFast, 2, 2, emit_tanh},
    {"testp",
     kFloats,
     {},
     {kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal},
     2,
     2,
     emit_testp},
    {"copysign", kFloats, {}, kNone, 3, 3, emit_copysign},
    {"and", kBits | Types{Type::kPred}, {}, kNone, 3, 3, emit_and},
    {"or", kBits | Types{Type::kPred}, {}, kNone, 3, 3, emit_or},
    {"xor", kBits | Types{Type::kPred}, {}, kNone, 3, 3, emit_xor},
    {"not", kBits | Types{Type::kPred}, {}, kNone, 2, 2, emit_not},
    {"cnot", kBits, {}, kNone, 2, 2, emit_cnot},
    {"shl", kBits, {}, kNone, 3, 3, emit_shl},
    {"shr", kBits | kIntegers, {}, kNone, 3, 3, emit_shr},
    {"shf", {Type::kB32}, {}, {kLeft, kRight, kWrap, kClamp}, 4, 4, emit_shf},
    {"lop3", {Type::kB32}, {}, kNone, 5, 5, emit_lop3},
    {"prmt", {Type::kB32}, {}, {kF4e, kB4e, kRc8, kEcl, kEcr, kRc16}, 4, 4, emit_prmt},
    {"bfe", kWholes, {}, kNone, 4, 4, emit_bfe},
    {"bfi", kLongBits, {}, kNone, 5, 5, emit_bfi},
    {"bfind", kWholes, {}, {kShiftamt}, 2, 2, emit_bfind},
    {"brev", kLongBits, {}, kNone, 2, 2, emit_brev},
    {"clz", kLongBits, {}, kNone, 2, 2, emit_clz},
    {"popc", kLongBits, {}, kNone, 2, 2, emit_popc},
    {"setp", kCompared, {}, kComparisons, 3, 4, emit_setp},
    {"set", {Type::kU32, Type::kS32, Type::kF32}, kCompared, kComparisons, 3, 4, emit_set},
    {"selp", kBits | kIntegers | kFloats, {}, kNone, 4, 4, emit_selp},
    {"slct", kBits | kIntegers | kFloats, {Type::kS32, Type::kF32}, {kFtz}, 4, 4, emit_slct},
    {"cvt", kConverted | kSmall, kConverted | kSmall,
     kWays | Modifiers{kRna, kRni, kRzi, kRmi, kRpi, kFtz, kSat, kSatfinite, kRelu}, 2, 3,
     emit_cvt},
    {"mov", kBits | kIntegers | kFloats | Types{Type::kPred}, {}, kNone, 2, 2, emit_mov},
    {"cvta", {Type::kU32, Type::kU64}, {}, kSpaces | Modifiers{kTo}, 2, 2, emit_cvta},
    {"isspacep", {}, {}, {kShared, kSharedCta, kGlobal}, 2, 2, emit_isspacep},
    {"ld", kMemory, {}, kAccess, 2, 3, emit_ld},
    {"ldu", kMemory, {}, kAccess, 2, 2, emit_ld},
    {"st", kMemory, {}, kAccess, 2, 3, emit_st},
    {"atom", kUpdated, {}, kUpdates, 3, 5, emit_atom},
    {"red", kUpdated, {}, kReductions, 2, 3, emit_red},
    {"prefetch", {}, {}, kSpaces | kHints, 1, 1, emit_nothing},
    {"prefetchu", {}, {}, kHints, 1, 1, emit_nothing},
    {"membar", {}, {}, {kCta, kSys, kGl}, 0, 0, emit_fence},
    {"fence", {}, {}, kFence, 0, 0, emit_fence},
    {"fence.mbarrier_init", {}, {}, {kRelease, kCluster}, 0, 0, emit_fence},
    {"cp.async", {}, {}, kBlockShared | kHints | Modifiers{kGlobal}, 3, 5, emit_cp_async},
    {"cp.async.commit_group", {}, {}, kNone, 0, 0, emit_nothing},
    {"cp.async.wait_group", {}, {}, kNone, 1, 1, emit_cp_async_wait_group},
    {"cp.async.wait_all", {}, {}, kNone, 0, 0, emit_nothing},
    {"cp.async.mbarrier.arrive",
     kState,
     {},
     kBlockShared | Modifiers{kNoinc},
     1,
     1,
     emit_cp_async_arrive},
    {"mbarrier.init", kState, {}, kBlockShared, 2, 2, emit_mbarrier_init},
    {"mbarrier.inval", kState, {}, kBlockShared, 1, 1, emit_nothing},
    {"mbarrier.arrive", kState, {}, kArrival, 2, 3, emit_mbarrier_arrive},
    {"mbarrier.arrive.expect_tx", kState, {}, kArrival, 3, 3, emit_mbarrier_arrive_expect},
    {"mbarrier.arrive_drop", kState, {}, kArrival, 2, 3, emit_mbarrier_drop},
    {"mbarrier.expect_tx", kState, {}, kArrival, 2, 2, emit_mbarrier_expect},
    {"mbarrier.complete_tx", kState, {}, kArrival, 2, 2, emit_mbarrier_complete},
    {"mbarrier.test_wait", kState, {}, kLook, 3, 3, emit_mbarrier_wait},
    {"mbarrier.try_wait", kState, {}, kLook, 3, 4, emit_mbarrier_wait},
    {"mbarrier.pending_count", kState, {}, kNone, 2, 2, emit_mbarrier_pending},
    {"bra", {}, {}, {kUni}, 1, 1, emit_nothing},  // Jumps are made by Flow (flow.h).
    {"exit", {}, {}, kNone, 0, 0, emit_nothing},
    {"bar", {}, {}, kBarrier, 1, 2, emit_bar},
    {"bar.arrive", {}, {}, {kAligned}, 2, 2, emit_bar_arrive},
    {"barrier.arrive", {}, {}, {kAligned}, 2, 2, emit_bar_arrive},
    {"barrier.cta.arrive", {}, {}, {kAligned}, 2, 2, emit_bar_arrive},
    {"bar.red", {Type::kPred, Type::kU32}, {}, kReduction, 3, 4, emit_bar_red},
    {"barrier", {}, {}, kBarrier, 1, 2, emit_bar},
    {"barrier.red", {Type::kPred, Type::kU32}, {}, kReduction, 3, 4, emit_bar_red},
    {"barrier.cta.red", {Type::kPred, Type::kU32}, {}, kReduction, 3, 4, emit_bar_red},
    {"shfl", {Type::kB32}, {}, {kSync, kIdx, kUp, kDown, kBfly}, 5, 5, emit_shfl},
    {"vote", {Type::kPred, Type::kB32}, {}, {kSync, kAll, kAny, kUni, kBallot}, 3, 3, emit_vote},
    {"match", kLongBits, {}, {kSync, kAny, kAll}, 3, 3, emit_match},
    {"redux",
     kWords | Types{Type::kB32},
     {},
     {kSync, kAdd, kMin, kMax, kAnd, kOr, kXor},
     3,
     3,
     emit_redux},
    {"activemask", {Type::kB32}, {}, kNone, 1, 1, emit_activemask},
    {"trap", {}, {}, kNone, 0, 0, emit_trap},
    {"nanosleep", {Type::kU32}, {}, kNone, 1, 1, emit_nanosleep},
};

}  // namespace

llvm::ArrayRef<Row> rows() {
  return kRows;
}

}  // namespace ws::clang_engine::ptx
