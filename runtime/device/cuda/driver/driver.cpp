#include "runtime/device/cuda/driver/driver.h"

#include <algorithm>
#include <array>

#include <dlfcn.h>

namespace ws::cuda {
namespace {

constexpr int kOldestCuda = 12000;
constexpr CuResult kNoDevice = 100;

constexpr const char* kDefaultLibrary = "libcuda.so.1";
/// Where containers mount the driver without telling the loader.
constexpr const char* kMountedLibrary = "/usr/local/nvidia/lib64/libcuda.so.1";

constexpr const char* kInstallHint = "install NVIDIA's driver, 525 or newer";

/// 46 unavailable, 100 no device, 101 invalid device, 214 uncorrectable memory error, 220 NVLink,
/// 304 operating system, 709 context destroyed, 802 system not ready, 810 MPS client terminated,
/// 999 unknown.
constexpr std::array<CuResult, 10> kLost = {46, 100, 101, 214, 220, 304, 709, 802, 810, 999};

using FindFn = CuResult (*)(const char*, void**, int, std::uint64_t, int*);

bool contains(const auto& codes, CuResult code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

Result<void*> open_library(const std::string& library) {
  const std::string path = library.empty() ? kDefaultLibrary : library;
  void* opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* why = opened == nullptr ? ::dlerror() : nullptr;
  const std::string source = why == nullptr ? "" : why;
  if (opened == nullptr && library.empty()) {
    opened = ::dlopen(kMountedLibrary, RTLD_NOW | RTLD_LOCAL);
  }
  if (opened == nullptr) {
    return fail(ErrorCode::kUnsupported, "no CUDA driver is installed", kInstallHint, source);
  }
  return opened;
}

}  // namespace

bool is_lost(CuResult code) {
  return contains(kLost, code);
}

Result<Driver> Driver::open(const std::string& library) {
  WS_TRY(void* const opened, open_library(library));
  Driver driver;
  WS_CHECK(driver.find_functions(opened));
  if (const CuResult code = driver.table_.cuInit(0); code != kCuSuccess) {
    Error error = driver.check(code, "cuInit").error();
    error.code = ErrorCode::kUnsupported;
    error.message =
        code == kNoDevice ? "the CUDA driver finds no GPU" : "the CUDA driver does not start";
    error.hint = driver.dialect_.hint;
    return fail(std::move(error));
  }
  return driver;
}

Status Driver::find_functions(void* library) {
  const auto find = reinterpret_cast<FindFn>(::dlsym(library, "cuGetProcAddress_v2"));
  if (find == nullptr) {
    return fail(ErrorCode::kUnsupported, "the CUDA driver is older than CUDA 12.0", kInstallHint,
                "dlsym: cuGetProcAddress_v2");
  }

  struct Wanted {
    const char* name;
    int version;
    void** slot;
  };

  const Wanted all[] = {
#define WS_CU(name, version, parameters) {#name, version, reinterpret_cast<void**>(&table_.name)},
#include "runtime/device/cuda/driver/driver_functions.def"
#undef WS_CU
  };
  for (const Wanted& wanted : all) {
    int found = 0;
    const CuResult code = find(wanted.name, wanted.slot, wanted.version, 0, &found);
    if (code != kCuSuccess || *wanted.slot == nullptr) {
      return fail(ErrorCode::kUnsupported,
                  "the CUDA driver has no " + std::string(wanted.name) + " of CUDA " +
                      std::to_string(kOldestCuda / 1000) + ".0",
                  kInstallHint, "cuGetProcAddress_v2: " + std::to_string(code));
    }
  }
  const Wanted optional[] = {
#define WS_CU_OPTIONAL(name, version, parameters) \
  {#name, version, reinterpret_cast<void**>(&table_.name)},
#include "runtime/device/cuda/driver/optional_functions.def"
#undef WS_CU_OPTIONAL
  };
  for (const Wanted& wanted : optional) {
    int found = 0;
    if (find(wanted.name, wanted.slot, wanted.version, 0, &found) != kCuSuccess) {
      *wanted.slot = nullptr;
    }
  }
  return {};
}

Status Driver::check(CuResult code, const char* call) {
  if (code == kCuSuccess) {
    return {};
  }
  last_failure_ = code;
  const char* name = nullptr;
  const char* text = nullptr;
  table_.cuGetErrorName(code, &name);
  table_.cuGetErrorString(code, &text);
  const std::string source = std::string(call) + ": " +
                             (name == nullptr ? "error " + std::to_string(code) : name) + ", " +
                             (text == nullptr ? "unknown to this driver" : text);
  if (is_lost(code)) {
    return fail(ErrorCode::kDeviceLost, "the GPU was lost", dialect_.hint, source);
  }
  return fail(ErrorCode::kInternal, std::string("a call of the ") + dialect_.name + " failed", {},
              source);
}

}  // namespace ws::cuda
