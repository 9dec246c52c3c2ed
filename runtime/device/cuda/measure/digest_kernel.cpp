#include "runtime/device/cuda/measure/digest_kernel.h"

#include <string_view>

namespace ws::cuda {
namespace {

/// How an element at %at becomes the double %value.
struct Reading {
  DType type;
  const char* ptx;
};

constexpr Reading kReadings[] = {
    {DType::kF64, "ld.global.f64 %value, [%at];"},
    {DType::kF32, "ld.global.f32 %single, [%at];\n  cvt.f64.f32 %value, %single;"},
    {DType::kTf32, "ld.global.f32 %single, [%at];\n  cvt.f64.f32 %value, %single;"},
    {DType::kF16,
     "ld.global.b16 %half, [%at];\n  cvt.f32.f16 %single, %half;\n  cvt.f64.f32 %value, %single;"},
    {DType::kBf16,
     "ld.global.u16 %word, [%at];\n  shl.b32 %word, %word, 16;\n  mov.b32 %single, %word;\n"
     "  cvt.f64.f32 %value, %single;"},
    {DType::kI64, "ld.global.s64 %bits, [%at];\n  cvt.rn.f64.s64 %value, %bits;"},
    {DType::kI32, "ld.global.s32 %word, [%at];\n  cvt.rn.f64.s32 %value, %word;"},
    {DType::kI16, "ld.global.s16 %word, [%at];\n  cvt.rn.f64.s32 %value, %word;"},
    {DType::kI8, "ld.global.s8 %word, [%at];\n  cvt.rn.f64.s32 %value, %word;"},
    {DType::kU64, "ld.global.u64 %bits, [%at];\n  cvt.rn.f64.u64 %value, %bits;"},
    {DType::kU32, "ld.global.u32 %word, [%at];\n  cvt.rn.f64.u32 %value, %word;"},
    {DType::kU16, "ld.global.u16 %word, [%at];\n  cvt.rn.f64.u32 %value, %word;"},
    {DType::kU8, "ld.global.u8 %word, [%at];\n  cvt.rn.f64.u32 %value, %word;"},
    {DType::kBool, "ld.global.u8 %word, [%at];\n  cvt.rn.f64.u32 %value, %word;"},
};

constexpr const char* kHead = ".version 7.0\n.target sm_75\n.address_size 64\n";

constexpr std::string_view kKernel = R"ptx(
.visible .entry ENTRY(.param .u64 values, .param .u64 count, .param .u64 key, .param .u64 parts)
{
  .reg .pred %p, %negative;
  .reg .b16 %half;
  .reg .b32 %word, %part, %step, %lane, %low, %high;
  .reg .b64 %values, %at, %index, %end, %stride, %key, %hash, %bits, %parts;
  .reg .f32 %single;
  .reg .f64 %value, %sum, %squares, %other;
  ld.param.u64 %values, [values];
  ld.param.u64 %end, [count];
  ld.param.u64 %key, [key];
  ld.param.u64 %parts, [parts];
  cvta.to.global.u64 %values, %values;
  cvta.to.global.u64 %parts, %parts;
  mov.u32 %part, %ctaid.y;
  cvt.u64.u32 %bits, %part;
  mul.lo.u64 %index, %end, %bits;
  add.u64 %end, %index, %end;
  shr.u64 %index, %index, 4;
  shr.u64 %end, %end, 4;
  mov.u32 %word, %ctaid.x;
  mov.u32 %step, %ntid.x;
  mov.u32 %lane, %tid.x;
  mad.lo.u32 %word, %word, %step, %lane;
  cvt.u64.u32 %bits, %word;
  add.u64 %index, %index, %bits;
  mov.u32 %word, %nctaid.x;
  mul.wide.u32 %stride, %word, %step;
  mov.f64 %sum, 0d0000000000000000;
  mov.f64 %squares, 0d0000000000000000;
next:
  setp.ge.u64 %p, %index, %end;
  @%p bra reduce;
  mad.lo.u64 %at, %index, SIZE, %values;
  READING
  fma.rn.f64 %squares, %value, %value, %squares;
  add.u64 %hash, %index, %key;
  mul.lo.u64 %hash, %hash, 0x9e3779b97f4a7c15;
  shr.u64 %bits, %hash, 32;
  xor.b64 %hash, %hash, %bits;
  mul.lo.u64 %hash, %hash, 0xd6e8feb86659fd93;
  setp.lt.s64 %negative, %hash, 0;
  @%negative neg.f64 %value, %value;
  add.f64 %sum, %sum, %value;
  add.u64 %index, %index, %stride;
  bra next;
reduce:
  mov.u32 %step, 16;
fold:
  mov.b64 {%low, %high}, %sum;
  shfl.sync.bfly.b32 %low, %low, %step, 31, 0xffffffff;
  shfl.sync.bfly.b32 %high, %high, %step, 31, 0xffffffff;
  mov.b64 %other, {%low, %high};
  add.f64 %sum, %sum, %other;
  mov.b64 {%low, %high}, %squares;
  shfl.sync.bfly.b32 %low, %low, %step, 31, 0xffffffff;
  shfl.sync.bfly.b32 %high, %high, %step, 31, 0xffffffff;
  mov.b64 %other, {%low, %high};
  add.f64 %squares, %squares, %other;
  shr.u32 %step, %step, 1;
  setp.ne.u32 %p, %step, 0;
  @%p bra fold;
  and.b32 %lane, %lane, 31;
  setp.ne.u32 %p, %lane, 0;
  @%p bra end;
  mul.wide.u32 %bits, %part, 16;
  add.u64 %parts, %parts, %bits;
  red.global.add.f64 [%parts], %sum;
  red.global.add.f64 [%parts+8], %squares;
end:
  ret;
}
)ptx";

void replace(std::string& text, std::string_view word, const std::string& by) {
  text.replace(text.find(word), word.size(), by);
}

std::string kernel_text(const Reading& reading) {
  std::string text(kKernel);
  replace(text, "ENTRY", digest_entry(reading.type));
  replace(text, "SIZE", std::to_string(size_of(reading.type)));
  replace(text, "READING", reading.ptx);
  return text;
}

}  // namespace

std::string digest_entry(DType type) {
  return "ws_digest_" + std::string(name_of(type));
}

std::string digest_ptx(DType type) {
  std::string text = kHead;
  for (const Reading& reading : kReadings) {
    text += reading.type == type ? kernel_text(reading) : "";
  }
  return text;
}

std::string all_digests_ptx() {
  std::string text = kHead;
  for (const Reading& reading : kReadings) {
    text += kernel_text(reading);
  }
  return text;
}

}  // namespace ws::cuda
