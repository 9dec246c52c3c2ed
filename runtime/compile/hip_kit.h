// Where this machine's HIP libraries (of AMD's ROCm) lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/file_stamp.h"

namespace ws {

struct HipKit {
  std::string compiler;  ///< With the functions of hiprtc, whole path: libhiprtc or libamdhip64.
  std::string runtime;   ///< libamdhip64, whole path.
};

/// Looks in `folders` first (what the user named: a ROCm folder, or empty), then in /opt/rocm*, the
/// newest first, and the distribution's own folder; the newest library of a folder goes first.
/// @errors kUnsupported: "no HIP library is here: ...".
/// @threads any.
Result<HipKit> find_hip_kit(const std::vector<std::string>& folders);

/// Digest of what decides what hiprtc makes of a request: the stamps of its library and of those
/// that it stands on, in the same folder. @errors kIo: one cannot be read.
Result<std::string> identity_of(const HipKit& kit, Stamp stamp);

/// The first frame to a worker of role "hiprtc".
struct HiprtcSetup {
  HipKit kit;
  std::string arch;  ///< Compiled for once, before the worker says that it is ready.
};

std::string encode(const HiprtcSetup& setup);
/// @errors kInternal: not what encode() writes.
Result<HiprtcSetup> decode_hiprtc_setup(std::string_view frame);

}  // namespace ws
