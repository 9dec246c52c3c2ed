// Opens one of NVIDIA's libraries with dlopen and finds its functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws::cuda {

/// A function to find, and where its address goes.
struct LibrarySymbol {
  const char* name;
  void** slot;
};

/// Never closed again: its kernels stay loaded in the driver.
/// @param path   Whole. The libraries that it needs lie where its own search path leads.
/// @param title  "cuBLASLt", for messages.
/// @errors kUnsupported: it cannot be opened, or lacks one of the functions.
Status open_library(const std::string& path, std::string_view title,
                    std::span<const LibrarySymbol> symbols);

}  // namespace ws::cuda
