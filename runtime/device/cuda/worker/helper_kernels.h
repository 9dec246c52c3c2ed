// Our own device code, as PTX that the driver compiles for whatever GPU there is.
#pragma once

namespace ws::cuda {

/// ws_poison_shared(u32 keys[27], u32 words): one block fills its dynamic shared memory with the
/// stream of poison_keys.h. With all the memory that a block can have, and one block for each
/// multiprocessor, no kernel finds what an earlier one left there.
///
/// PTX 7.0 is what the oldest driver that is good enough reads. Stores are volatile: nobody here
/// reads them.
inline constexpr const char* kHelperPtx = R"ptx(
.version 7.0
.target sm_75
.address_size 64

.extern .shared .align 16 .b8 ws_shared[];

.visible .entry ws_poison_shared(.param .align 4 .b8 keys[108], .param .u32 words)
{
  .reg .pred %done;
  .reg .b32 %words, %index, %step, %base, %place, %x, %y, %key;
  .reg .b64 %first, %at, %end;
  ld.param.u32 %words, [words];
  mov.b64 %first, keys;
  add.u64 %end, %first, 108;
  mov.u32 %index, %tid.x;
  shl.b32 %index, %index, 1;
  mov.u32 %step, %ntid.x;
  shl.b32 %step, %step, 1;
  mov.u32 %base, ws_shared;
next:
  setp.ge.u32 %done, %index, %words;
  @%done bra end;
  mov.u32 %x, %index;
  mov.u32 %y, 0;
  mov.u64 %at, %first;
round:
  ld.param.u32 %key, [%at];
  shf.r.wrap.b32 %x, %x, %x, 8;
  add.u32 %x, %x, %y;
  xor.b32 %x, %x, %key;
  shf.l.wrap.b32 %y, %y, %y, 3;
  xor.b32 %y, %y, %x;
  add.u64 %at, %at, 4;
  setp.lt.u64 %done, %at, %end;
  @%done bra round;
  shl.b32 %place, %index, 2;
  add.u32 %place, %place, %base;
  st.volatile.shared.v2.u32 [%place], {%x, %y};
  add.u32 %index, %index, %step;
  bra next;
end:
  ret;
}
)ptx";

/// ws_poison_local(u32 keys[27], u32 words): each thread fills that many words of its local memory
/// with a stream of its own. BYTES stands for how much a thread has, a multiple of 8. A block stays
/// until all have written, or for 0.1 ms where the device is shared: one that left early would make
/// room for the next in its own place, and other places would keep what they hold.
inline constexpr const char* kLocalPoisonPtx = R"ptx(
.version 7.0
.target sm_75
.address_size 64

.global .align 4 .u32 ws_arrived;

.visible .entry ws_poison_local(.param .align 4 .b8 keys[108], .param .u32 words)
{
  .local .align 16 .b8 ws_local[BYTES];
  .reg .pred %done;
  .reg .b32 %words, %index, %blocks, %target, %thread, %x, %y, %key;
  .reg .b64 %place, %start, %now, %first, %at, %end;
  ld.param.u32 %words, [words];
  mov.b64 %first, keys;
  add.u64 %end, %first, 108;
  mov.u64 %place, ws_local;
  cvta.local.u64 %place, %place;
  mov.u32 %blocks, %ctaid.x;
  mov.u32 %thread, %ntid.x;
  mov.u32 %index, %tid.x;
  mad.lo.u32 %thread, %blocks, %thread, %index;
  add.u32 %thread, %thread, 1;
  mov.u32 %index, 0;
next:
  setp.ge.u32 %done, %index, %words;
  @%done bra written;
  mov.u32 %x, %index;
  mov.u32 %y, %thread;
  mov.u64 %at, %first;
round:
  ld.param.u32 %key, [%at];
  shf.r.wrap.b32 %x, %x, %x, 8;
  add.u32 %x, %x, %y;
  xor.b32 %x, %x, %key;
  shf.l.wrap.b32 %y, %y, %y, 3;
  xor.b32 %y, %y, %x;
  add.u64 %at, %at, 4;
  setp.lt.u64 %done, %at, %end;
  @%done bra round;
  st.volatile.v2.u32 [%place], {%x, %y};
  add.u64 %place, %place, 8;
  add.u32 %index, %index, 2;
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

/// ws_make_evictable(u64 address, u64 bytes): takes every line of the range back to the cache's
/// ordinary priority. A kernel may have read it with `evict_last`, and such lines survive the flush
/// before the next launch. GPUs before sm_80 have no such priorities.
inline constexpr const char* kEvictablePtx = R"ptx(
.version 7.4
.target sm_80
.address_size 64

.visible .entry ws_make_evictable(.param .u64 address, .param .u64 bytes)
{
  .reg .pred %done;
  .reg .b32 %block, %width, %thread, %blocks;
  .reg .b64 %at, %end, %step, %offset;
  ld.param.u64 %at, [address];
  ld.param.u64 %end, [bytes];
  cvta.to.global.u64 %at, %at;
  add.u64 %end, %at, %end;
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mad.lo.u32 %thread, %block, %width, %thread;
  mul.wide.u32 %offset, %thread, 128;
  add.u64 %at, %at, %offset;
  mul.lo.u32 %blocks, %blocks, %width;
  mul.wide.u32 %step, %blocks, 128;
next:
  setp.ge.u64 %done, %at, %end;
  @%done bra end;
  applypriority.global.L2::evict_normal [%at], 128;
  add.u64 %at, %at, %step;
  bra next;
end:
  ret;
}
)ptx";

}  // namespace ws::cuda
