#include "runtime/compile/clang/intrinsics.h"

namespace ws::clang_engine {

namespace id = llvm::Intrinsic;

// NOLINTNEXTLINE(readability-function-size): a table, one line each.
bool only_computes(id::ID intrinsic) {
  switch (intrinsic) {
    case id::abs:
    case id::arithmetic_fence:
    case id::bitreverse:
    case id::bswap:
    case id::canonicalize:
    case id::ceil:
    case id::convert_from_fp16:
    case id::convert_to_fp16:
    case id::copysign:
    case id::cos:
    case id::ctlz:
    case id::ctpop:
    case id::cttz:
    case id::exp:
    case id::exp10:
    case id::exp2:
    case id::expect:
    case id::expect_with_probability:
    case id::fabs:
    case id::floor:
    case id::fma:
    case id::fmuladd:
    case id::fptosi_sat:
    case id::fptoui_sat:
    case id::frexp:
    case id::fshl:
    case id::fshr:
    case id::is_constant:
    case id::is_fpclass:
    case id::ldexp:
    case id::llrint:
    case id::llround:
    case id::log:
    case id::log10:
    case id::log2:
    case id::lrint:
    case id::lround:
    case id::maximum:
    case id::maxnum:
    case id::minimum:
    case id::minnum:
    case id::nearbyint:
    case id::objectsize:
    case id::pow:
    case id::powi:
    case id::ptrmask:
    case id::rint:
    case id::round:
    case id::roundeven:
    case id::sadd_sat:
    case id::sadd_with_overflow:
    case id::scmp:
    case id::sin:
    case id::smax:
    case id::smin:
    case id::smul_with_overflow:
    case id::sqrt:
    case id::sshl_sat:
    case id::ssub_sat:
    case id::ssub_with_overflow:
    case id::tan:
    case id::trap:
    case id::trunc:
    case id::uadd_sat:
    case id::uadd_with_overflow:
    case id::ucmp:
    case id::umax:
    case id::umin:
    case id::umul_with_overflow:
    case id::ushl_sat:
    case id::usub_sat:
    case id::usub_with_overflow:
    case id::vector_deinterleave2:
    case id::vector_extract:
    case id::vector_insert:
    case id::vector_interleave2:
    case id::vector_reduce_add:
    case id::vector_reduce_and:
    case id::vector_reduce_fadd:
    case id::vector_reduce_fmax:
    case id::vector_reduce_fmaximum:
    case id::vector_reduce_fmin:
    case id::vector_reduce_fminimum:
    case id::vector_reduce_fmul:
    case id::vector_reduce_mul:
    case id::vector_reduce_or:
    case id::vector_reduce_smax:
    case id::vector_reduce_smin:
    case id::vector_reduce_umax:
    case id::vector_reduce_umin:
    case id::vector_reduce_xor:
    case id::vector_reverse:
    case id::vector_splice:
      return true;
    default:
      return false;
  }
}

bool only_marks(id::ID intrinsic) {
  switch (intrinsic) {
    case id::assume:
    case id::dbg_assign:
    case id::dbg_declare:
    case id::dbg_label:
    case id::dbg_value:
    case id::donothing:
    case id::experimental_noalias_scope_decl:
    case id::invariant_end:
    case id::invariant_start:
    case id::lifetime_end:
    case id::lifetime_start:
    case id::prefetch:
    case id::pseudoprobe:
    case id::sideeffect:
      return true;
    default:
      return false;
  }
}

bool accesses_memory(id::ID intrinsic) {
  switch (intrinsic) {
    case id::masked_gather:
    case id::masked_load:
    case id::masked_scatter:
    case id::masked_store:
    case id::memcpy:
    case id::memcpy_inline:
    case id::memmove:
    case id::memset:
    case id::memset_inline:
      return true;
    default:
      return false;
  }
}

}  // namespace ws::clang_engine
