#include "runtime/device/cuda/library/open_library.h"

#include <dlfcn.h>

namespace ws::cuda {

Status open_library(const std::string& path, std::string_view title,
                    std::span<const LibrarySymbol> symbols) {
  void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const why = ::dlerror();
    return fail(ErrorCode::kUnsupported, std::string(title) + " cannot be opened",
                "install it again, or choose another baseline", why == nullptr ? path : why);
  }
  for (const LibrarySymbol& symbol : symbols) {
    *symbol.slot = ::dlsym(opened, symbol.name);
    if (*symbol.slot == nullptr) {
      return fail(ErrorCode::kUnsupported, std::string(title) + " has no " + symbol.name,
                  "install a newer one, or choose another baseline", path);
    }
  }
  return {};
}

}  // namespace ws::cuda
