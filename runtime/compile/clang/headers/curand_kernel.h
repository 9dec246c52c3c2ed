// cuRAND's generators XORWOW and Philox4x32-10, with the numbers of the real library: integers and
// uniform numbers bit for bit, normal ones but for the rounding of its approximate sine and cosine.
// Sources: the cuRAND guide; Marsaglia, "Xorshift RNGs" (2003); Salmon et al., "Parallel random numbers:
// as easy as 1, 2, 3" (2011).
#pragma once

#include "curand_jumps.h"

#define WS_NO_GENERATOR(name)                                                                     \
  struct __attribute__((unavailable(                                                              \
      "the CPU engine has the generators XORWOW (`curandState`) and Philox "                      \
      "(`curandStatePhilox4_32_10_t`) only"))) name {};
WS_NO_GENERATOR(curandStateMRG32k3a)
WS_NO_GENERATOR(curandStateMRG32k3a_t)
WS_NO_GENERATOR(curandStateMtgp32_t)
WS_NO_GENERATOR(curandStateSobol32_t)
WS_NO_GENERATOR(curandStateSobol64_t)
WS_NO_GENERATOR(curandStateScrambledSobol32_t)
WS_NO_GENERATOR(curandStateScrambledSobol64_t)
#undef WS_NO_GENERATOR

// ---- XORWOW -------------------------------------------------------------------------------------
struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

WS_D void ws_xorwow_step(unsigned* v) {
  unsigned t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] ^= (v[4] << 4) ^ t ^ (t << 1);
}
/// As many steps as the bits of n say, of the rows from `first` on.
WS_D void ws_xorwow_jump(unsigned* v, unsigned long long n, unsigned first) {
  for (unsigned row = first; n != 0; n >>= 1, ++row) {
    if ((n & 1) == 0) continue;
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (unsigned power = 0; power < 160; ++power) {
      unsigned take = 0u - (ws_xorwow_jumps[row][power / 32] >> power % 32 & 1u);
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & take;
      ws_xorwow_step(v);
    }
    for (int i = 0; i < 5; ++i) v[i] = sum[i];
  }
}
WS_D void skipahead(unsigned long long n, curandStateXORWOW* s) {
  ws_xorwow_jump(s->v, n, 0);
  s->d += 362437u * (unsigned)n;
}
WS_D void skipahead_sequence(unsigned long long n, curandStateXORWOW* s) {
  ws_xorwow_jump(s->v, n, 64);  // The counter d comes round again.
}
WS_D void curand_init(unsigned long long seed, unsigned long long sequence,
                      unsigned long long offset, curandStateXORWOW* s) {
  unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
  unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  s->d = 6615241u + high + low;
  s->v[0] = 123456789u + low;
  s->v[1] = 362436069u ^ low;
  s->v[2] = 521288629u + high;
  s->v[3] = 88675123u ^ high;
  s->v[4] = 5783321u + low;
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0;
  s->boxmuller_extra_double = 0;
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}
WS_D unsigned curand(curandStateXORWOW* s) {
  ws_xorwow_step(s->v);
  s->d += 362437u;
  return s->v[4] + s->d;
}
/// Four in a row, as the real library takes them for a double.
WS_D uint4 ws_next4(curandStateXORWOW* s) {
  unsigned x = curand(s), y = curand(s), z = curand(s), w = curand(s);
  return {x, y, z, w};
}

// ---- Philox4x32-10 ------------------------------------------------------------------------------
struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned STATE;  ///< The place in `output` of the next number.
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

WS_D uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    unsigned long long x = 0xd2511f53ull * c.x, z = 0xcd9e8d57ull * c.z;
    c = {(unsigned)(z >> 32) ^ c.y ^ k.x, (unsigned)z, (unsigned)(x >> 32) ^ c.w ^ k.y, (unsigned)x};
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}
/// Adds to the number of 128 bits, from its low or its high half on.
WS_D void ws_philox_add(curandStatePhilox4_32_10* s, unsigned long long low,
                        unsigned long long high) {
  unsigned long long a = s->ctr.x | (unsigned long long)s->ctr.y << 32;
  unsigned long long b = s->ctr.z | (unsigned long long)s->ctr.w << 32;
  a += low;
  b += high + (a < low);
  s->ctr = {(unsigned)a, (unsigned)(a >> 32), (unsigned)b, (unsigned)(b >> 32)};
  s->output = curand_Philox4x32_10(s->ctr, s->key);
}
WS_D void skipahead(unsigned long long n, curandStatePhilox4_32_10* s) {
  unsigned long long place = s->STATE + (n & 3);
  s->STATE = (unsigned)place & 3u;
  ws_philox_add(s, n / 4 + place / 4, 0);
}
WS_D void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* s) {
  ws_philox_add(s, 0, n);
}
WS_D void curand_init(unsigned long long seed, unsigned long long sequence,
                      unsigned long long offset, curandStatePhilox4_32_10* s) {
  *s = {};
  s->key = {(unsigned)seed, (unsigned)(seed >> 32)};
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}
WS_D unsigned curand(curandStatePhilox4_32_10* s) {
  unsigned at = s->STATE;
  unsigned next = at == 0 ? s->output.x : at == 1 ? s->output.y : at == 2 ? s->output.z : s->output.w;
  skipahead(1, s);
  return next;
}
WS_D uint4 curand4(curandStatePhilox4_32_10* s) {
  uint4 a = s->output;
  ws_philox_add(s, 1, 0);
  uint4 b = s->output;
  switch (s->STATE) {
    case 1:
      return {a.y, a.z, a.w, b.x};
    case 2:
      return {a.z, a.w, b.x, b.y};
    case 3:
      return {a.w, b.x, b.y, b.z};
  }
  return a;
}
WS_D uint4 ws_next4(curandStatePhilox4_32_10* s) { return curand4(s); }

#include "curand_distributions.h"
