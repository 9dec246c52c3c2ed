// The functions a kernel may call, by name.
#pragma once

#include <array>

namespace ws::cpu_abi {

#define WS_RUNTIME(symbol) #symbol,
#define WS_LIBRARY(symbol) #symbol,
inline constexpr std::array kImportNames = {
#include "runtime/device/cpu/imports.def"
};
#undef WS_RUNTIME
#undef WS_LIBRARY

}  // namespace ws::cpu_abi
