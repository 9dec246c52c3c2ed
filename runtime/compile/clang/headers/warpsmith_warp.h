// Shuffles, votes, matches and reductions of a warp.
#pragma once

template <class T>
WS_D unsigned long long ws_rt_bits(T v) {
  static_assert(sizeof(T) <= 8, "warp operations take values of at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &v, sizeof(T));
  return bits;
}

template <class T>
WS_D T ws_rt_from_bits(unsigned long long bits) {
  T v;
  __builtin_memcpy(&v, &bits, sizeof(T));
  return v;
}

/// A shuffle of any value: 8 bytes at a time.
template <class T>
WS_D T ws_rt_shuffle(unsigned mode, unsigned mask, const T& v, unsigned lane, unsigned width) {
  if constexpr (sizeof(T) <= 8) {
    return ws_rt_from_bits<T>(ws_rt_warp(mode, mask, ws_rt_bits(v), lane, width, 0));
  } else {
    constexpr unsigned kParts = (sizeof(T) + 7) / 8;
    unsigned long long parts[kParts] = {};
    __builtin_memcpy(parts, &v, sizeof(T));
    for (unsigned i = 0; i < kParts; ++i)
      parts[i] = ws_rt_warp(mode, mask, parts[i], lane, width, 0);
    T shuffled;
    __builtin_memcpy(&shuffled, parts, sizeof(T));
    return shuffled;
  }
}

#define WS_SHUFFLE(name, mode, lane_type)                                    \
  template <class T>                                                         \
  WS_D T name(unsigned mask, T v, lane_type lane, int width = 32) {          \
    return ws_rt_shuffle(mode, mask, v, (unsigned)lane, (unsigned)width);    \
  }
WS_SHUFFLE(__shfl_sync, 1, int)
WS_SHUFFLE(__shfl_up_sync, 2, unsigned)
WS_SHUFFLE(__shfl_down_sync, 3, unsigned)
WS_SHUFFLE(__shfl_xor_sync, 4, int)
#undef WS_SHUFFLE

WS_D int __all_sync(unsigned mask, int p) {
  return (int)ws_rt_warp(5, mask, p != 0, 0, 32, 0);
}

WS_D int __any_sync(unsigned mask, int p) {
  return (int)ws_rt_warp(6, mask, p != 0, 0, 32, 0);
}

WS_D unsigned __ballot_sync(unsigned mask, int p) {
  return (unsigned)ws_rt_warp(7, mask, p != 0, 0, 32, 0);
}

#define WS_REDUCE(name, mode, type)                               \
  WS_D type name(unsigned mask, type v) {                         \
    return (type)ws_rt_warp(mode, mask, ws_rt_bits(v), 0, 32, 0); \
  }
WS_REDUCE(__reduce_add_sync, 8, unsigned)
WS_REDUCE(__reduce_add_sync, 8, int)
WS_REDUCE(__reduce_min_sync, 9, unsigned)
WS_REDUCE(__reduce_max_sync, 10, unsigned)
WS_REDUCE(__reduce_min_sync, 11, int)
WS_REDUCE(__reduce_max_sync, 12, int)
WS_REDUCE(__reduce_and_sync, 13, unsigned)
WS_REDUCE(__reduce_or_sync, 14, unsigned)
WS_REDUCE(__reduce_xor_sync, 15, unsigned)
#undef WS_REDUCE

template <class T>
WS_D unsigned __match_any_sync(unsigned mask, T v) {
  return (unsigned)ws_rt_warp(16, mask, ws_rt_bits(v), 0, 32, 0);
}
