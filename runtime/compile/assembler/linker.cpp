#include "runtime/compile/assembler/linker.h"

#include <algorithm>
#include <array>
#include <memory>

#include <dlfcn.h>

#include "runtime/compile/runtime_library.h"

namespace ws::assembler {
namespace {

constexpr const char* kInstall =
    "install nvJitLink of the same version as NVRTC (package libnvjitlink-13-0)";
/// nvJitLinkInputType.
constexpr int kPtxInput = 2;

struct OpaqueLink;
using Handle = OpaqueLink*;

}  // namespace

/// @source nvJitLink.h of CUDA 12 and 13.
struct Linker::Calls {
  int (*version)(unsigned*, unsigned*) = nullptr;
  int (*create)(Handle*, std::uint32_t, const char**) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*add)(Handle, int, const void*, std::size_t, const char*) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*get_cubin_size)(Handle, std::size_t*) = nullptr;
  int (*get_cubin)(Handle, void*) = nullptr;
  int (*get_log_size)(Handle, std::size_t*) = nullptr;
  int (*get_log)(Handle, char*) = nullptr;

  /// The first name that the library lacks; empty when it has all.
  std::string load(void* library) {
    std::string missing;
    const auto find = [&](const char* name, auto& function) {
      rtc::find(library, name, function, missing);
    };
    find("nvJitLinkVersion", version);
    find("nvJitLinkCreate", create);
    find("nvJitLinkDestroy", destroy);
    find("nvJitLinkAddData", add);
    find("nvJitLinkComplete", complete);
    find("nvJitLinkGetLinkedCubinSize", get_cubin_size);
    find("nvJitLinkGetLinkedCubin", get_cubin);
    find("nvJitLinkGetErrorLogSize", get_log_size);
    find("nvJitLinkGetErrorLog", get_log);
    return missing;
  }
};

Result<Linker> Linker::open(const std::string& library) {
  if (library.empty()) {
    return fail(ErrorCode::kUnsupported,
                "nvJitLink is not installed, so PTX cannot be made into machine code", kInstall);
  }
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(ErrorCode::kUnsupported, "`" + library + "` cannot be opened", kInstall,
                ::dlerror());
  }
  auto calls = std::make_unique<Calls>();
  if (const std::string missing = calls->load(handle); !missing.empty()) {
    return fail(ErrorCode::kUnsupported, "`" + library + "` has no " + missing, kInstall);
  }
  unsigned major = 0;
  unsigned minor = 0;
  calls->version(&major, &minor);
  Linker linker;
  linker.major_ = static_cast<int>(major);
  linker.minor_ = static_cast<int>(minor);
  linker.calls_ = calls.release();  // As long as the library itself: until the process ends.
  return linker;
}

std::string Linker::version() const {
  return "nvJitLink " + std::to_string(major_) + "." + std::to_string(minor_);
}

int Linker::ptx_version() const {
  // CUDA 12.6 brought the version that 12.5 had: 8.5.
  constexpr int kRepeated = 6;
  const int behind = major_ == 12 && minor_ >= kRepeated ? 1 : 0;
  constexpr int kTens = 10;
  return (major_ - 4) * kTens + minor_ - behind;
}

Linked Linker::link(const std::vector<std::string>& ptx, const std::string& target) const {
  const std::string arch = "-arch=" + target;
  std::array<const char*, 2> options = {arch.c_str(), "-lineinfo"};
  Linked linked;
  Handle handle = nullptr;
  linked.status = calls_->create(&handle, options.size(), options.data());
  for (std::size_t i = 0; i < ptx.size() && linked.status == 0; ++i) {
    const std::string name = "kernel" + std::to_string(i);
    // The terminating zero is part of a text.
    linked.status = calls_->add(handle, kPtxInput, ptx[i].c_str(), ptx[i].size() + 1, name.c_str());
  }
  if (linked.status == 0) {
    linked.status = calls_->complete(handle);
  }
  if (handle != nullptr) {
    linked.log = rtc::fetch(handle, calls_->get_log_size, calls_->get_log);
    linked.log.resize(std::min(linked.log.find('\0'), linked.log.size()));
  }
  std::size_t size = 0;
  if (linked.status == 0 && calls_->get_cubin_size(handle, &size) == 0) {
    linked.cubin.resize(size);
    linked.status = calls_->get_cubin(handle, linked.cubin.data());
  }
  if (handle != nullptr) {
    calls_->destroy(&handle);
  }
  return linked;
}

}  // namespace ws::assembler
