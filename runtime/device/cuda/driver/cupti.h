// CUPTI, opened with dlopen: NVIDIA's library for a GPU's counters. Only in workers that profile.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/device/cuda/driver/cupti_types.h"

namespace ws::cuda {

/// Its functions, each under its own name.
struct CuptiTable {
#define WS_CUPTI(name, block) CuptiResult (*name)(block*) = nullptr;
#include "runtime/device/cuda/driver/cupti_functions.def"
#undef WS_CUPTI
};

class Cupti {
 public:
  /// Opens the library and finds every function. After Driver::open.
  ///
  /// @param library  A path, or a name that the loader looks up.
  /// @errors kUnsupported: there is no such library, or one older than CUDA 12.6.
  static Result<Cupti> open(const std::string& library);

  [[nodiscard]] const CuptiTable& api() const { return table_; }

 private:
  CuptiTable table_;
};

/// Ok, or an error that names the call.
/// @errors kUnsupported: this user may not count (and how to allow it), or the device cannot
/// (virtual, a part of a GPU, WSL); kInternal: all others.
Status check_cupti(CuptiResult code, const char* call);

}  // namespace ws::cuda

/// WS_CUPTI_CALL(cupti, cuptiProfilerInitialize, block): calls it; a Status.
#define WS_CUPTI_CALL(cupti, name, block) check_cupti((cupti).api().name(&(block)), #name)
