#include "runtime/device/cuda/driver/cupti.h"

#include <algorithm>
#include <array>

#include <dlfcn.h>

namespace ws::cuda {
namespace {

/// Why a device does not count, by CUPTI's number.
struct Refusal {
  CuptiResult code;
  const char* message;
  const char* hint;
};

constexpr const char* kAllow =
    "set the driver's option NVreg_RestrictProfilingToAdminUsers=0 (modprobe.d, then load the "
    "driver again), or give the server CAP_SYS_ADMIN; in a container the host decides";

constexpr std::array kRefusals = {
    Refusal{35, "the GPU's counters are refused to this user", kAllow},
    Refusal{33, "the GPU's counters are not there for a virtual GPU", ""},
    Refusal{40, "the GPU's counters are refused by the hypervisor",
            "allow profiling for this virtual GPU on its host"},
    Refusal{42, "this GPU has no counters for users (a mining card)", ""},
    Refusal{43, "the GPU's counters are not there for a part of a GPU (MIG) that shares them",
            "use a compute instance with a GPU instance of its own, or the whole GPU"},
    Refusal{45, "the GPU's counters are refused under WSL",
            "allow GPU counters for all users in NVIDIA's control panel on Windows"},
};

}  // namespace

Result<Cupti> Cupti::open(const std::string& library) {
  constexpr const char* kHint =
      "install CUPTI of CUDA 12.6 or newer (package cuda-cupti-13-0, or pip nvidia-cuda-cupti) "
      "beside NVRTC";
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const why = ::dlerror();
    return fail(ErrorCode::kUnsupported, "CUPTI is not installed, so there are no counters", kHint,
                why == nullptr ? "" : why);
  }
  Cupti cupti;

  struct Wanted {
    const char* name;
    void** slot;
  };

  const Wanted all[] = {
#define WS_CUPTI(name, block) {#name, reinterpret_cast<void**>(&cupti.table_.name)},
#include "runtime/device/cuda/driver/cupti_functions.def"
#undef WS_CUPTI
  };
  for (const Wanted& wanted : all) {
    *wanted.slot = ::dlsym(opened, wanted.name);
    if (*wanted.slot == nullptr) {
      return fail(ErrorCode::kUnsupported, "the installed CUPTI is too old", kHint,
                  std::string("dlsym: ") + wanted.name);
    }
  }
  return cupti;
}

Status check_cupti(CuptiResult code, const char* call) {
  if (code == kCuptiSuccess) {
    return {};
  }
  const std::string source = std::string(call) + " answered " + std::to_string(code);
  const auto* const known = std::find_if(kRefusals.begin(), kRefusals.end(),
                                         [&](const Refusal& row) { return row.code == code; });
  if (known != kRefusals.end()) {
    return fail(ErrorCode::kUnsupported, known->message, known->hint, source);
  }
  return fail(ErrorCode::kInternal, "CUPTI failed", {}, source);
}

}  // namespace ws::cuda
