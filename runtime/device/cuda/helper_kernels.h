// Our own device code, as PTX that the driver compiles for whatever GPU there is.
#pragma once

namespace ws::cuda {

/// ws_poison_shared(u32 seed, u32 words): one block fills its dynamic shared memory with words that
/// follow from `seed`. With all the memory that a block can have, and one block for each
/// multiprocessor, no kernel finds what an earlier one left there.
///
/// PTX 7.0 is what the oldest driver that is good enough reads. Stores are volatile: nobody here
/// reads them.
inline constexpr const char* kHelperPtx = R"ptx(
.version 7.0
.target sm_75
.address_size 64

.extern .shared .align 16 .b8 ws_shared[];

.visible .entry ws_poison_shared(.param .u32 seed, .param .u32 words)
{
  .reg .pred %done;
  .reg .b32 %seed, %words, %index, %step, %base, %value, %place;
  ld.param.u32 %seed, [seed];
  ld.param.u32 %words, [words];
  mov.u32 %index, %tid.x;
  mov.u32 %step, %ntid.x;
  mov.u32 %base, ws_shared;
next:
  setp.ge.u32 %done, %index, %words;
  @%done bra end;
  mad.lo.u32 %value, %index, 747796405, %seed;
  xor.b32 %value, %value, 0x5bd1e995;
  shl.b32 %place, %index, 2;
  add.u32 %place, %place, %base;
  st.volatile.shared.u32 [%place], %value;
  add.u32 %index, %index, %step;
  bra next;
end:
  ret;
}
)ptx";

}  // namespace ws::cuda
