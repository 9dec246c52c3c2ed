// Loads, stores and exchanges of a block's values in the manner of CUB on the CPU engine.
#pragma once

#include "cub_block.h"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

/// Where item `i` of `rank` lies: neighbours in each thread, or rows of the block.
template <int N>
WS_D int ws_item(int rank, int i, int stripe) {
  return stripe == 0 ? rank * N + i : i * stripe + rank;
}
template <int N, class T, class From>
WS_D void ws_load(int rank, int stripe, From from, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i) {
    const int at = ws_item<N>(rank, i, stripe);
    if (at < valid) items[i] = from[at];
  }
}
template <int N, class T, class To>
WS_D void ws_store(int rank, int stripe, To to, const T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i) {
    const int at = ws_item<N>(rank, i, stripe);
    if (at < valid) to[at] = items[i];
  }
}

#define WS_DIRECT(name, access, Memory)                                                       \
  template <class T, int N, class Memory>                                                     \
  WS_D void name##Blocked(int rank, Memory memory, T (&items)[N], int valid = INT_MAX) {      \
    access(rank, 0, memory, items, valid);                                                    \
  }                                                                                           \
  template <int Threads, class T, int N, class Memory>                                        \
  WS_D void name##Striped(int rank, Memory memory, T (&items)[N], int valid = INT_MAX) {      \
    access(rank, Threads, memory, items, valid);                                              \
  }
WS_DIRECT(LoadDirect, ws_load, From)
WS_DIRECT(StoreDirect, ws_store, To)
#undef WS_DIRECT
template <int Threads, class T, int N, class From>
WS_D void LoadDirectStriped(int rank, From from, T (&items)[N], int valid, T other) {
  for (int i = 0; i < N; ++i) items[i] = other;
  ws_load(rank, Threads, from, items, valid);
}

template <class T, int X, int N, BlockLoadAlgorithm Way = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockLoad {
  static constexpr int kStripe = Way == BLOCK_LOAD_STRIPED ? X * Y * Z : 0;

 public:
  using TempStorage = NullType;
  __device__ BlockLoad() {}
  __device__ BlockLoad(TempStorage&) {}
  template <class From>
  __device__ void Load(From from, T (&items)[N], int valid = INT_MAX) {
    ws_load((int)ws_rank(), kStripe, from, items, valid);
  }
  template <class From, class Other>
  __device__ void Load(From from, T (&items)[N], int valid, Other other) {
    for (int i = 0; i < N; ++i) items[i] = (T)other;
    Load(from, items, valid);
  }
};

template <class T, int X, int N, BlockStoreAlgorithm Way = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockStore {
  static constexpr int kStripe = Way == BLOCK_STORE_STRIPED ? X * Y * Z : 0;

 public:
  using TempStorage = NullType;
  __device__ BlockStore() {}
  __device__ BlockStore(TempStorage&) {}
  template <class To>
  __device__ void Store(To to, T (&items)[N], int valid = INT_MAX) {
    ws_store((int)ws_rank(), kStripe, to, items, valid);
  }
};

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
  static constexpr int kThreads = X * Y * Z;

 public:
  using TempStorage = ws_room<T, kThreads * N>;
  __device__ BlockExchange(TempStorage& storage) : storage_(storage) {}

  template <class Out>
  __device__ void StripedToBlocked(const T (&in)[N], Out (&out)[N]) { pass(in, kThreads, out, 0); }
  template <class Out>
  __device__ void BlockedToStriped(const T (&in)[N], Out (&out)[N]) { pass(in, 0, out, kThreads); }
  __device__ void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
  __device__ void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
  template <class Out, class Offset>
  __device__ void ScatterToBlocked(const T (&in)[N], Out (&out)[N], Offset (&ranks)[N]) {
    scatter(in, ranks, out, 0);
  }
  template <class Out, class Offset>
  __device__ void ScatterToStriped(const T (&in)[N], Out (&out)[N], Offset (&ranks)[N]) {
    scatter(in, ranks, out, kThreads);
  }

 private:
  template <class Out>
  __device__ void pass(const T (&in)[N], int from, Out (&out)[N], int to) {
    ws_store((int)ws_rank(), from, storage_.values(), in, INT_MAX);
    __syncthreads();
    ws_load((int)ws_rank(), to, storage_.values(), out, INT_MAX);
  }
  template <class Out, class Offset>
  __device__ void scatter(const T (&in)[N], Offset (&ranks)[N], Out (&out)[N], int to) {
    for (int i = 0; i < N; ++i) storage_.values()[ranks[i]] = in[i];
    __syncthreads();
    ws_load((int)ws_rank(), to, storage_.values(), out, INT_MAX);
  }
  TempStorage& storage_;
};

}  // namespace cub
