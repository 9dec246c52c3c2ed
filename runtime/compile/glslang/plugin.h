// The C boundary of libwarpsmith_spirv.so, which compiles HLSL and GLSL.
#pragma once

#include <cstddef>

extern "C" {

struct WsSpirvPlugin {
  /// Changes with every change of this struct or of the frames.
  int abi_version;
  /// "glslang 12.0.0": for list_devices and doctor.
  const char* version;
  /// Takes an encoded CompileRequest and gives an encoded CompileOutcome to `reply`, whose bytes
  /// are valid during the call only. Not thread-safe; may crash or run for ever on hostile input:
  /// call it in a process of its own.
  void (*compile)(const char* request, std::size_t size,
                  void (*reply)(void* context, const char* bytes, std::size_t size), void* context);
};

/// The only symbol: "warpsmith_spirv_plugin".
const WsSpirvPlugin* warpsmith_spirv_plugin();
}

namespace ws {
inline constexpr int kSpirvPluginAbi = 1;
inline constexpr const char* kSpirvPluginFile = "libwarpsmith_spirv.so";
}  // namespace ws
