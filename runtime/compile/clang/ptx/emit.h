// Makes code: a function for each kind of instruction.
#pragma once

#include "runtime/compile/clang/ptx/step.h"

namespace ws::clang_engine::ptx {

// Arithmetic of integers, and of numbers with a fraction (number.h).
void emit_add(Step& step);
void emit_sub(Step& step);
void emit_mul(Step& step);
void emit_mad(Step& step);
void emit_fma(Step& step);
void emit_div(Step& step);
void emit_rem(Step& step);
void emit_neg(Step& step);
void emit_abs(Step& step);
void emit_min(Step& step);
void emit_max(Step& step);
void emit_mul24(Step& step);
void emit_mad24(Step& step);
void emit_sad(Step& step);
void emit_dp4a(Step& step);
void emit_dp2a(Step& step);

// Functions of one number.
void emit_ex2(Step& step);
void emit_lg2(Step& step);
void emit_rcp(Step& step);
void emit_rsqrt(Step& step);
void emit_sqrt(Step& step);
void emit_sin(Step& step);
void emit_cos(Step& step);
void emit_tanh(Step& step);
void emit_testp(Step& step);
void emit_copysign(Step& step);

// Bits.
void emit_and(Step& step);
void emit_or(Step& step);
void emit_xor(Step& step);
void emit_not(Step& step);
void emit_cnot(Step& step);
void emit_shl(Step& step);
void emit_shr(Step& step);
void emit_shf(Step& step);
void emit_lop3(Step& step);
void emit_prmt(Step& step);
void emit_bfe(Step& step);
void emit_bfi(Step& step);
void emit_bfind(Step& step);
void emit_brev(Step& step);
void emit_clz(Step& step);
void emit_popc(Step& step);

// Comparisons, choices, conversions.
void emit_setp(Step& step);
void emit_set(Step& step);
void emit_selp(Step& step);
void emit_slct(Step& step);
void emit_cvt(Step& step);
void emit_mov(Step& step);
void emit_cvta(Step& step);
void emit_isspacep(Step& step);

// Memory.
void emit_ld(Step& step);
void emit_st(Step& step);
void emit_atom(Step& step);
void emit_red(Step& step);
void emit_fence(Step& step);
void emit_nothing(Step& step);

// Copies that are waited for, and mbarriers.
void emit_cp_async(Step& step);
void emit_cp_async_wait_group(Step& step);
void emit_cp_async_arrive(Step& step);
void emit_mbarrier_init(Step& step);
void emit_mbarrier_arrive(Step& step);
void emit_mbarrier_drop(Step& step);
void emit_mbarrier_expect(Step& step);
void emit_mbarrier_complete(Step& step);
void emit_mbarrier_arrive_expect(Step& step);
void emit_mbarrier_wait(Step& step);
void emit_mbarrier_pending(Step& step);

// Warps and blocks.
void emit_bar(Step& step);
void emit_bar_arrive(Step& step);
void emit_bar_red(Step& step);
void emit_warp_barrier(Step& step);
void emit_shfl(Step& step);
void emit_vote(Step& step);
void emit_match(Step& step);
void emit_redux(Step& step);
void emit_activemask(Step& step);
void emit_trap(Step& step);
void emit_nanosleep(Step& step);

}  // namespace ws::clang_engine::ptx
