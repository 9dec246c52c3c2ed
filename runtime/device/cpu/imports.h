// The functions a kernel may call, by name.
#pragma once

#include <array>

namespace ws::cpu_abi {

#define WS_RUNTIME(symbol) #symbol,
#define WS_INSERTED(symbol) #symbol,
#define WS_LIBRARY(symbol) #symbol,
#define WS_SUPPORT(symbol) #symbol,
inline constexpr std::array kImportNames = {
#include "runtime/device/cpu/imports.def"
};
#undef WS_INSERTED
#undef WS_SUPPORT
#define WS_INSERTED(symbol)
#define WS_SUPPORT(symbol)
/// Those of them that a source may call, by way of the device headers.
inline constexpr std::array kSourceNames = {
#include "runtime/device/cpu/imports.def"
};
#undef WS_RUNTIME
#undef WS_INSERTED
#undef WS_LIBRARY
#undef WS_SUPPORT

}  // namespace ws::cpu_abi
