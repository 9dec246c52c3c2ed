#include "runtime/compile/hip/library.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include <dlfcn.h>

#include "runtime/compile/runtime_library.h"

namespace ws::hip {
namespace {

struct OpaqueProgram;
using Handle = OpaqueProgram*;

/// "5.2" of libamdhip64.so.5.2.21153: hiprtcVersion() of HIP 5 says 9.0. "" where the name has
/// none.
std::string version_of(const std::string& library) {
  constexpr std::string_view kMark = ".so.";
  std::error_code error;
  const std::string name = std::filesystem::canonical(library, error).filename().string();
  const std::size_t mark = name.find(kMark);
  if (error || mark == std::string::npos) {
    return {};
  }
  const std::string numbers = name.substr(mark + kMark.size());
  return numbers.substr(0, numbers.find('.', numbers.find('.') + 1));
}

}  // namespace

/// @source hip/hiprtc.h of ROCm 5.2 and later.
struct Library::Calls {
  const char* (*get_error_string)(int) = nullptr;
  int (*create)(Handle*, const char*, const char*, int, const char**, const char**) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*compile)(Handle, int, const char**) = nullptr;
  int (*get_code_size)(Handle, std::size_t*) = nullptr;
  int (*get_code)(Handle, char*) = nullptr;
  int (*get_log_size)(Handle, std::size_t*) = nullptr;
  int (*get_log)(Handle, char*) = nullptr;
  int (*add_name)(Handle, const char*) = nullptr;
  int (*get_lowered)(Handle, const char*, const char**) = nullptr;

  /// The first name that the library lacks; empty when it has all.
  std::string load(void* library) {
    std::string missing;
    const auto find = [&](const char* name, auto& function) {
      rtc::find(library, name, function, missing);
    };
    find("hiprtcGetErrorString", get_error_string);
    find("hiprtcCreateProgram", create);
    find("hiprtcDestroyProgram", destroy);
    find("hiprtcCompileProgram", compile);
    find("hiprtcGetCodeSize", get_code_size);
    find("hiprtcGetCode", get_code);
    find("hiprtcGetProgramLogSize", get_log_size);
    find("hiprtcGetProgramLog", get_log);
    find("hiprtcAddNameExpression", add_name);
    find("hiprtcGetLoweredName", get_lowered);
    return missing;
  }
};

Result<Library> Library::open(const HipKit& kit) {
  void* handle = ::dlopen(kit.compiler.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(ErrorCode::kUnsupported, "`" + kit.compiler + "` cannot be opened",
                "install ROCm's HIP runtime again", ::dlerror());
  }
  auto calls = std::make_unique<Calls>();
  if (const std::string missing = calls->load(handle); !missing.empty()) {
    return fail(ErrorCode::kUnsupported, "`" + kit.compiler + "` has no " + missing,
                "install ROCm 5.2 or later");
  }
  Library library;
  library.version_ = "hiprtc " + version_of(kit.compiler);
  library.calls_ = calls.release();  // As long as the library itself: until the process ends.
  return library;
}

Product Library::compile(const Program& program) const {
  Product product;
  Handle handle = nullptr;
  std::vector<const char*> texts = rtc::pointers(program.header_texts);
  std::vector<const char*> names = rtc::pointers(program.header_names);
  std::vector<const char*> options = rtc::pointers(program.options);
  product.status = calls_->create(&handle, program.text.c_str(), "entry",
                                  static_cast<int>(texts.size()), texts.data(), names.data());
  if (product.status != 0) {
    return product;
  }
  for (const std::string& name : program.names) {
    calls_->add_name(handle, name.c_str());
  }
  product.status = calls_->compile(handle, static_cast<int>(options.size()), options.data());
  product.log = rtc::fetch(handle, calls_->get_log_size, calls_->get_log);
  product.log.resize(std::min(product.log.find('\0'), product.log.size()));
  if (product.status == 0) {
    product.code = rtc::fetch(handle, calls_->get_code_size, calls_->get_code);
    for (const std::string& name : program.names) {
      const char* lowered = nullptr;
      calls_->get_lowered(handle, name.c_str(), &lowered);
      product.lowered.emplace_back(lowered == nullptr ? "" : lowered);
    }
  }
  calls_->destroy(&handle);
  return product;
}

bool Library::try_arch(const std::string& arch, std::string& why) const {
  Program small;
  small.text =
      "extern \"C\" __global__ void k(float* a) { a[threadIdx.x] = expf(a[blockIdx.x]); }\n";
  small.options = {"--offload-arch=" + arch};
  const Product product = compile(small);
  why = product.log;
  return product.status == 0;
}

std::string Library::name_of(int status) const {
  return calls_->get_error_string(status);
}

}  // namespace ws::hip
