#include "runtime/compile/nvrtc/library.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include <dlfcn.h>

#include "runtime/compile/runtime_library.h"

namespace ws::nvrtc {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestMajor = 12;
constexpr int kSuccess = 0;
/// The text before this may be precompiled; NVRTC ignores the line where nothing is.
constexpr const char* kPrefixEnd = "#pragma nv_hdrstop\n";

struct OpaqueProgram;
using Handle = OpaqueProgram*;

/// libnvrtc asks the loader for its built-ins by name, and a toolkit need not be in the loader's
/// path: once they are open, the name is known.
void open_builtins(const fs::path& library) {
  std::error_code error;
  for (fs::directory_iterator entry(library.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with("libnvrtc-builtins.so.")) {
      ::dlopen(entry->path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
}

}  // namespace

/// @source nvrtc.h of CUDA 12 and 13.
struct Library::Calls {
  const char* (*get_error_string)(int) = nullptr;
  int (*version)(int*, int*) = nullptr;
  int (*get_num_archs)(int*) = nullptr;
  int (*get_archs)(int*) = nullptr;
  int (*create)(Handle*, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*compile)(Handle, int, const char* const*) = nullptr;
  int (*get_ptx_size)(Handle, std::size_t*) = nullptr;
  int (*get_ptx)(Handle, char*) = nullptr;
  int (*get_cubin_size)(Handle, std::size_t*) = nullptr;
  int (*get_cubin)(Handle, char*) = nullptr;
  int (*get_log_size)(Handle, std::size_t*) = nullptr;
  int (*get_log)(Handle, char*) = nullptr;
  int (*add_name)(Handle, const char*) = nullptr;
  int (*get_lowered)(Handle, const char*, const char**) = nullptr;
  int (*get_pch_status)(Handle) = nullptr;  // Not before CUDA 12.8.

  /// The first name that the library lacks; empty when it has all.
  std::string load(void* library) {
    std::string missing;
    const auto find = [&](const char* name, auto& function) {
      rtc::find(library, name, function, missing);
    };
    find("nvrtcGetErrorString", get_error_string);
    find("nvrtcVersion", version);
    find("nvrtcGetNumSupportedArchs", get_num_archs);
    find("nvrtcGetSupportedArchs", get_archs);
    find("nvrtcCreateProgram", create);
    find("nvrtcDestroyProgram", destroy);
    find("nvrtcCompileProgram", compile);
    find("nvrtcGetPTXSize", get_ptx_size);
    find("nvrtcGetPTX", get_ptx);
    find("nvrtcGetCUBINSize", get_cubin_size);
    find("nvrtcGetCUBIN", get_cubin);
    find("nvrtcGetProgramLogSize", get_log_size);
    find("nvrtcGetProgramLog", get_log);
    find("nvrtcAddNameExpression", add_name);
    find("nvrtcGetLoweredName", get_lowered);
    const std::string needed = missing;
    find("nvrtcGetPCHCreateStatus", get_pch_status);
    return needed;
  }
};

Result<Library> Library::open(const Toolkit& toolkit) {
  open_builtins(toolkit.library);
  void* handle = ::dlopen(toolkit.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(ErrorCode::kUnsupported, "`" + toolkit.library + "` cannot be opened",
                "install the CUDA toolkit again", ::dlerror());
  }
  auto calls = std::make_unique<Calls>();
  if (const std::string missing = calls->load(handle); !missing.empty()) {
    return fail(ErrorCode::kUnsupported, "`" + toolkit.library + "` has no " + missing,
                "install the CUDA toolkit 12 or 13");
  }
  int major = 0;
  int minor = 0;
  calls->version(&major, &minor);
  Library library;
  library.version_ = "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
  if (major < kOldestMajor) {
    return fail(ErrorCode::kUnsupported, "`" + toolkit.library + "` is " + library.version_,
                "install the CUDA toolkit 12 or 13");
  }
  library.calls_ = calls.release();  // As long as the library itself: until the process ends.
  library.read_archs();
  library.warm_up();
  return library;
}

void Library::read_archs() {
  int count = 0;
  calls_->get_num_archs(&count);
  std::vector<int> numbers(static_cast<std::size_t>(std::max(count, 0)));
  if (calls_->get_archs(numbers.data()) != 0) {
    return;
  }
  std::sort(numbers.begin(), numbers.end());
  for (const int number : numbers) {
    archs_.push_back("sm_" + std::to_string(number));
  }
}

void Library::warm_up() {
  Program small;
  small.text = "__global__ void k(float* a) { a[threadIdx.x] = expf(a[0]); }\n";
  small.options = {"--gpu-architecture=" + (archs_.empty() ? "sm_80" : archs_.back()),
                   "--no-cache"};
  if (compile(small).status != kInvalidOption) {
    base_options_ = {"--no-cache"};
    return;
  }
  small.options.pop_back();
  static_cast<void>(compile(small));
}

Product Library::compile(const Program& program) const {
  Product product;
  Handle handle = nullptr;
  const std::vector<const char*> texts = rtc::pointers(program.header_texts);
  const std::vector<const char*> names = rtc::pointers(program.header_names);
  const std::vector<const char*> options = rtc::pointers(program.options);
  const std::string text =
      program.prefix + (program.prefix.empty() ? "" : kPrefixEnd) + program.text;
  product.status = calls_->create(&handle, text.c_str(), "entry", static_cast<int>(texts.size()),
                                  texts.data(), names.data());
  if (product.status != 0) {
    return product;
  }
  for (const std::string& name : program.names) {
    calls_->add_name(handle, name.c_str());
  }
  product.status = calls_->compile(handle, static_cast<int>(options.size()), options.data());
  product.precompiled =
      calls_->get_pch_status != nullptr && calls_->get_pch_status(handle) == kSuccess;
  product.log = rtc::fetch(handle, calls_->get_log_size, calls_->get_log);
  product.log.resize(std::min(product.log.find('\0'), product.log.size()));
  if (product.status == 0) {
    product.ptx = rtc::fetch(handle, calls_->get_ptx_size, calls_->get_ptx);
    product.ptx.resize(std::min(product.ptx.find('\0'), product.ptx.size()));
    product.cubin = rtc::fetch(handle, calls_->get_cubin_size, calls_->get_cubin);
    for (const std::string& name : program.names) {
      const char* lowered = nullptr;
      calls_->get_lowered(handle, name.c_str(), &lowered);
      product.lowered.emplace_back(lowered == nullptr ? "" : lowered);
    }
  }
  calls_->destroy(&handle);
  return product;
}

std::string Library::name_of(int status) const {
  return calls_->get_error_string(status);
}

}  // namespace ws::nvrtc
