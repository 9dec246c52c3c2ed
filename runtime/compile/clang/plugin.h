// The C boundary of libwarpsmith_clang.so.
#pragma once

#include <cstddef>

extern "C" {

/// Receives the reply; `bytes` is valid during the call only.
using WsReply = void (*)(void* context, const char* bytes, std::size_t size);

struct WsClangPlugin {
  /// Changes with every change of this struct or of the frames.
  int abi_version;
  /// "clang 19.1.7": for list_devices and doctor.
  const char* version;
  /// The instruction set that kernels are compiled for: "x86-64-v3".
  const char* arch;
  /// Takes an encoded CompileRequest, gives an encoded CompileOutcome. Not thread-safe; may crash
  /// or run for ever on hostile input: call it in a process of its own.
  void (*compile)(const char* request, std::size_t size, WsReply reply, void* context);
  /// Parses the device headers that the encoded CompileRequest includes first, for it and for those
  /// to come that include the same; looks at nothing else of it. Not thread-safe.
  /// @return 1: it did so now; 0: it had done so before, or there are none.
  int (*prepare)(const char* request, std::size_t size);
};

/// The only symbol: "warpsmith_clang_plugin".
const WsClangPlugin* warpsmith_clang_plugin();
}

namespace ws {
inline constexpr int kClangPluginAbi = 6;
inline constexpr const char* kClangPluginFile = "libwarpsmith_clang.so";
}  // namespace ws
