// Atomic functions.
#pragma once

// ---- atomics: relaxed, as on the GPU ------------------------------------------------------------
#define WS_ATOMIC(name, builtin, type)      \
  WS_D type name(type* p, type v) {         \
    return builtin(p, v, __ATOMIC_RELAXED); \
  }
#define WS_ATOMIC_INTS(name, builtin)          \
  WS_ATOMIC(name, builtin, int)                \
  WS_ATOMIC(name, builtin, unsigned)           \
  WS_ATOMIC(name, builtin, long long)          \
  WS_ATOMIC(name, builtin, unsigned long long) \
  WS_ATOMIC(name, builtin, unsigned long)
WS_ATOMIC_INTS(atomicAdd, __atomic_fetch_add)
WS_ATOMIC(atomicAdd, __atomic_fetch_add, float)
WS_ATOMIC(atomicAdd, __atomic_fetch_add, double)
WS_ATOMIC_INTS(atomicSub, __atomic_fetch_sub)
WS_ATOMIC_INTS(atomicMin, __atomic_fetch_min)
WS_ATOMIC_INTS(atomicMax, __atomic_fetch_max)
WS_ATOMIC_INTS(atomicAnd, __atomic_fetch_and)
WS_ATOMIC_INTS(atomicOr, __atomic_fetch_or)
WS_ATOMIC_INTS(atomicXor, __atomic_fetch_xor)
WS_ATOMIC_INTS(atomicExch, __atomic_exchange_n)

WS_D float atomicExch(float* p, float v) {
  return ws_rt_from_bits<float>(
      __atomic_exchange_n((unsigned*)p, (unsigned)ws_rt_bits(v), __ATOMIC_RELAXED));
}

#define WS_CAS(type)                                                                         \
  WS_D type atomicCAS(type* p, type expected, type v) {                                      \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                         \
  }
WS_CAS(int)
WS_CAS(unsigned)
WS_CAS(unsigned long long)
WS_CAS(unsigned short)
#undef WS_CAS

// The first guess is any number: the swap tells the right one, and no read stands beside it.

WS_D unsigned atomicInc(unsigned* p, unsigned limit) {
  unsigned old = 0, seen;
  while ((seen = atomicCAS(p, old, old >= limit ? 0u : old + 1u)) != old)
    old = seen;
  return old;
}

WS_D unsigned atomicDec(unsigned* p, unsigned limit) {
  unsigned old = 0, seen;
  while ((seen = atomicCAS(p, old, old == 0 || old > limit ? limit : old - 1u)) != old)
    old = seen;
  return old;
}

#undef WS_ATOMIC
#undef WS_ATOMIC_INTS
