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

/// ws_poison_local(u32 seed, u32 words): each thread fills that many words of its local memory.
/// BYTES stands for how much a thread has. A block stays until all have written, or for 0.1 ms
/// where the device is shared: one that left early would make room for the next in its own place,
/// and other places would keep what they hold.
inline constexpr const char* kLocalPoisonPtx = R"ptx(
.version 7.0
.target sm_75
.address_size 64

.global .align 4 .u32 ws_arrived;

.visible .entry ws_poison_local(.param .u32 seed, .param .u32 words)
{
  .local .align 16 .b8 ws_local[BYTES];
  .reg .pred %done;
  .reg .b32 %value, %words, %index, %blocks, %target;
  .reg .b64 %place, %start, %now;
  ld.param.u32 %value, [seed];
  ld.param.u32 %words, [words];
  mov.u64 %place, ws_local;
  cvta.local.u64 %place, %place;
  mov.u32 %index, 0;
next:
  setp.ge.u32 %done, %index, %words;
  @%done bra written;
  mad.lo.u32 %value, %value, 747796405, 2891336453;
  st.volatile.u32 [%place], %value;
  add.u64 %place, %place, 4;
  add.u32 %index, %index, 1;
  bra next;
written:
  bar.sync 0;
  mov.u32 %index, %tid.x;
  setp.ne.u32 %done, %index, 0;
  @%done bra end;
  mov.u32 %blocks, %nctaid.x;
  atom.global.add.u32 %target, [ws_arrived], 1;
  div.u32 %target, %target, %blocks;
  mad.lo.u32 %target, %target, %blocks, %blocks;
  mov.u64 %start, %globaltimer;
wait:
  ld.volatile.global.u32 %index, [ws_arrived];
  sub.u32 %index, %index, %target;
  setp.ge.s32 %done, %index, 0;
  @%done bra end;
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %done, %now, 100000;
  @%done bra wait;
end:
  bar.sync 0;
  ret;
}
)ptx";

}  // namespace ws::cuda
