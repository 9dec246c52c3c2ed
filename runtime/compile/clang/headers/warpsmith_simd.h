// Integers in parts of a word, four bytes or two halves at a time, and the functions of dynamic
// programming: each part is computed as its page of the CUDA Math API says.
#pragma once

#define WS_SIMD(name, type, bits, expression)                                       \
  WS_D unsigned name(unsigned a, unsigned b) {                                      \
    unsigned r = 0;                                                                 \
    for (int i = 0; i < 32; i += bits) {                                            \
      int x = (type)(a >> i), y = (type)(b >> i);                                   \
      r |= ((unsigned)(expression) & (0xffffffffu >> (32 - bits))) << i;            \
    }                                                                               \
    return r;                                                                       \
  }
#define WS_SIMD_BOTH(name, u, s, bits)                                              \
  WS_SIMD(__vadd##name, u, bits, x + y)                                             \
  WS_SIMD(__vsub##name, u, bits, x - y)                                             \
  WS_SIMD(__vaddus##name, u, bits, min(x + y, (1 << bits) - 1))                     \
  WS_SIMD(__vsubus##name, u, bits, max(x - y, 0))                                   \
  WS_SIMD(__vaddss##name, s, bits, min(max(x + y, -(1 << (bits - 1))), (1 << (bits - 1)) - 1)) \
  WS_SIMD(__vsubss##name, s, bits, min(max(x - y, -(1 << (bits - 1))), (1 << (bits - 1)) - 1)) \
  WS_SIMD(__vmaxs##name, s, bits, max(x, y))                                        \
  WS_SIMD(__vmins##name, s, bits, min(x, y))                                        \
  WS_SIMD(__vmaxu##name, u, bits, max(x, y))                                        \
  WS_SIMD(__vminu##name, u, bits, min(x, y))                                        \
  WS_SIMD(__vabsdiffu##name, u, bits, abs(x - y))                                   \
  WS_SIMD(__vabsdiffs##name, s, bits, abs(x - y))                                   \
  WS_SIMD(__vavgu##name, u, bits, (x + y + 1) >> 1)                                 \
  WS_SIMD(__vcmpeq##name, u, bits, x == y ? ~0u : 0u)                               \
  WS_SIMD(__vcmpne##name, u, bits, x != y ? ~0u : 0u)                               \
  WS_SIMD(__vcmpgts##name, s, bits, x > y ? ~0u : 0u)                               \
  WS_SIMD(__vcmpgtu##name, u, bits, x > y ? ~0u : 0u)                               \
  WS_SIMD(__vcmpgeu##name, u, bits, x >= y ? ~0u : 0u)                              \
  WS_SIMD(__vcmpges##name, s, bits, x >= y ? ~0u : 0u)                              \
  WS_SIMD(__vcmpltu##name, u, bits, x < y ? ~0u : 0u)                               \
  WS_SIMD(__vcmplts##name, s, bits, x < y ? ~0u : 0u)                               \
  WS_SIMD(__vcmpleu##name, u, bits, x <= y ? ~0u : 0u)                              \
  WS_SIMD(__vcmples##name, s, bits, x <= y ? ~0u : 0u)                              \
  WS_SIMD(__vseteq##name, u, bits, x == y)                                          \
  WS_SIMD(__vsetne##name, u, bits, x != y)                                          \
  WS_SIMD(__vsetgts##name, s, bits, x > y)                                          \
  WS_SIMD(__vsetgtu##name, u, bits, x > y)                                          \
  WS_SIMD(__vsetges##name, s, bits, x >= y)                                         \
  WS_SIMD(__vsetgeu##name, u, bits, x >= y)                                         \
  WS_SIMD(__vsetlts##name, s, bits, x < y)                                          \
  WS_SIMD(__vsetltu##name, u, bits, x < y)                                          \
  WS_SIMD(__vsetles##name, s, bits, x <= y)                                         \
  WS_SIMD(__vsetleu##name, u, bits, x <= y)                                         \
  WS_SIMD(__vhaddu##name, u, bits, (x + y) >> 1)                                    \
  WS_SIMD(__vavgs##name, s, bits, (x + y + (x + y >= 0)) >> 1)                      \
  WS_D unsigned __vabs##name(unsigned a) { return __vabsdiffs##name(a, 0u); }       \
  WS_D unsigned __vneg##name(unsigned a) { return __vsub##name(0u, a); }            \
  WS_D unsigned __vnegss##name(unsigned a) { return __vsubss##name(0u, a); }        \
  WS_D unsigned __vabsss##name(unsigned a) { return __vmaxs##name(a, __vnegss##name(a)); } \
  WS_D unsigned __vsadu##name(unsigned a, unsigned b) {                             \
    unsigned sum = 0, parts = __vabsdiffu##name(a, b);                              \
    for (int i = 0; i < 32; i += bits) sum += parts >> i & (0xffffffffu >> (32 - bits)); \
    return sum;                                                                     \
  }                                                                                 \
  WS_D unsigned __vsads##name(unsigned a, unsigned b) {                             \
    unsigned sum = 0, parts = __vabsdiffs##name(a, b);                              \
    for (int i = 0; i < 32; i += bits) sum += parts >> i & (0xffffffffu >> (32 - bits)); \
    return sum;                                                                     \
  }
WS_SIMD_BOTH(4, unsigned char, signed char, 8)
WS_SIMD_BOTH(2, unsigned short, short, 16)
#undef WS_SIMD_BOTH
#undef WS_SIMD

// ---- the largest or smallest of sums and of three -------------------------------------------------
#define WS_THREE(type, suffix)                                                                  \
  WS_D type __vimax3_##suffix(type a, type b, type c) { return max(max(a, b), c); }             \
  WS_D type __vimin3_##suffix(type a, type b, type c) { return min(min(a, b), c); }             \
  WS_D type __viaddmax_##suffix(type a, type b, type c) {                                       \
    return max((type)((unsigned)a + (unsigned)b), c);                                           \
  }                                                                                             \
  WS_D type __viaddmin_##suffix(type a, type b, type c) {                                       \
    return min((type)((unsigned)a + (unsigned)b), c);                                           \
  }
WS_THREE(int, s32)
WS_THREE(unsigned, u32)
#undef WS_THREE
#define WS_THREE(suffix, kind)                                                                  \
  WS_D unsigned __vimax3_##suffix(unsigned a, unsigned b, unsigned c) {                         \
    return __vmax##kind##2(__vmax##kind##2(a, b), c);                                           \
  }                                                                                             \
  WS_D unsigned __vimin3_##suffix(unsigned a, unsigned b, unsigned c) {                         \
    return __vmin##kind##2(__vmin##kind##2(a, b), c);                                           \
  }                                                                                             \
  WS_D unsigned __viaddmax_##suffix(unsigned a, unsigned b, unsigned c) {                       \
    return __vmax##kind##2(__vadd2(a, b), c);                                                   \
  }                                                                                             \
  WS_D unsigned __viaddmin_##suffix(unsigned a, unsigned b, unsigned c) {                       \
    return __vmin##kind##2(__vadd2(a, b), c);                                                   \
  }
WS_THREE(s16x2, s)
WS_THREE(u16x2, u)
#undef WS_THREE
#define WS_RELU(type, suffix, positive)                                                         \
  WS_D type __vimax_##suffix##_relu(type a, type b) { return positive(ws_max_##suffix(a, b)); } \
  WS_D type __vimin_##suffix##_relu(type a, type b) { return positive(ws_min_##suffix(a, b)); } \
  WS_D type __vimax3_##suffix##_relu(type a, type b, type c) {                                  \
    return positive(__vimax3_##suffix(a, b, c));                                                \
  }                                                                                             \
  WS_D type __vimin3_##suffix##_relu(type a, type b, type c) {                                  \
    return positive(__vimin3_##suffix(a, b, c));                                                \
  }                                                                                             \
  WS_D type __viaddmax_##suffix##_relu(type a, type b, type c) {                                \
    return positive(__viaddmax_##suffix(a, b, c));                                              \
  }                                                                                             \
  WS_D type __viaddmin_##suffix##_relu(type a, type b, type c) {                                \
    return positive(__viaddmin_##suffix(a, b, c));                                              \
  }
WS_D int ws_max_s32(int a, int b) { return max(a, b); }
WS_D int ws_min_s32(int a, int b) { return min(a, b); }
WS_D int ws_positive_s32(int a) { return max(a, 0); }
WS_D unsigned ws_max_s16x2(unsigned a, unsigned b) { return __vmaxs2(a, b); }
WS_D unsigned ws_min_s16x2(unsigned a, unsigned b) { return __vmins2(a, b); }
WS_D unsigned ws_positive_s16x2(unsigned a) { return __vmaxs2(a, 0u); }
WS_RELU(int, s32, ws_positive_s32)
WS_RELU(unsigned, s16x2, ws_positive_s16x2)
#undef WS_RELU
