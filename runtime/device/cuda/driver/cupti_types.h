// The part of CUPTI's binary interface that is used here (CUDA 12.6 and newer): the parameter
// blocks of its Range Profiler and Profiler Host API. These are our own declarations, as a machine
// that builds this has no toolkit. Source: NVIDIA's CUPTI reference, "Range Profiling API" and
// "Profiler Host API".
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda/driver/driver_types.h"

namespace ws::cuda {

using CuptiResult = int;

inline constexpr CuptiResult kCuptiSuccess = 0;
inline constexpr int kCuptiRangeProfiler = 0;
inline constexpr int kCuptiUserRange = 2;
inline constexpr int kCuptiUserReplay = 3;

struct CuptiHost;  // Opaque, as below.
struct CuptiRanges;

// Each begins with the number of bytes up to and with its last field, and a null.

struct CuptiInitialize {
  std::size_t size = 16;
  void* priv = nullptr;
};

struct CuptiChipName {
  std::size_t size = 32;
  void* priv = nullptr;
  std::size_t device = 0;
  const char* name = nullptr;  ///< Out.
};

struct CuptiCounterAvailability {
  std::size_t size = 40;
  void* priv = nullptr;
  CuContext context = nullptr;
  std::size_t image_bytes = 0;  ///< Out when `image` is null.
  std::uint8_t* image = nullptr;
};

struct CuptiHostInitialize {
  std::size_t size = 48;
  void* priv = nullptr;
  int profiler = kCuptiRangeProfiler;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  CuptiHost* host = nullptr;  ///< Out.
};

struct CuptiHostDeinitialize {
  std::size_t size = 24;
  void* priv = nullptr;
  CuptiHost* host = nullptr;
};

struct CuptiAddMetrics {
  std::size_t size = 40;
  void* priv = nullptr;
  CuptiHost* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};

struct CuptiConfigImageSize {
  std::size_t size = 32;
  void* priv = nullptr;
  CuptiHost* host = nullptr;
  std::size_t bytes = 0;  ///< Out.
};

struct CuptiConfigImage {
  std::size_t size = 40;
  void* priv = nullptr;
  CuptiHost* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};

struct CuptiPasses {
  std::size_t size = 40;
  void* priv = nullptr;
  std::size_t image_bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;  ///< Out.
};

struct CuptiEvaluate {
  std::size_t size = 72;
  void* priv = nullptr;
  CuptiHost* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0;
  std::size_t range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};

struct CuptiEnable {
  std::size_t size = 32;
  void* priv = nullptr;
  CuContext context = nullptr;
  CuptiRanges* ranges = nullptr;  ///< Out.
};

/// For disable, start, pop.
struct CuptiRangesOnly {
  std::size_t size = 24;
  void* priv = nullptr;
  CuptiRanges* ranges = nullptr;
};

struct CuptiCounterDataSize {
  std::size_t size = 64;
  void* priv = nullptr;
  CuptiRanges* ranges = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::size_t most_ranges = 1;
  std::uint32_t most_nodes = 1;
  std::size_t bytes = 0;  ///< Out.
};

struct CuptiCounterDataInitialize {
  std::size_t size = 40;
  void* priv = nullptr;
  CuptiRanges* ranges = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};

struct CuptiSetConfig {
  std::size_t size = 90;
  void* priv = nullptr;
  CuptiRanges* ranges = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = kCuptiUserRange;
  int replay = kCuptiUserReplay;
  std::size_t most_ranges = 1;  ///< The most ranges of a pass.
  std::uint16_t nesting_levels = 1;
  std::uint16_t least_nesting = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting = 0;
};

struct CuptiPush {
  std::size_t size = 32;
  void* priv = nullptr;
  CuptiRanges* ranges = nullptr;
  const char* name = nullptr;
};

struct CuptiStop {
  std::size_t size = 41;
  void* priv = nullptr;
  CuptiRanges* ranges = nullptr;
  std::size_t pass = 0;
  std::size_t target_nesting = 0;
  std::uint8_t all_passes = 0;  ///< Out: 1 when nothing is left to measure.
};

struct CuptiDecode {
  std::size_t size = 32;
  void* priv = nullptr;
  CuptiRanges* ranges = nullptr;
  std::size_t dropped = 0;  ///< Out.
};

static_assert(offsetof(CuptiSetConfig, target_nesting) + sizeof(std::uint16_t) == 90);
static_assert(offsetof(CuptiStop, all_passes) + sizeof(std::uint8_t) == 41);
static_assert(sizeof(CuptiEvaluate) == 72 && sizeof(CuptiCounterDataSize) == 64);

}  // namespace ws::cuda
