// Bounds checks for shaders: a pass over SPIR-V. Drivers hide an access out of bounds, or crash.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/spirv/module.h"

namespace ws::spirv {

/// The words of a report, which a launch binds as a storage buffer in set kReportSet, number 0, all
/// zero. The first thread that ends after an access out of bounds fills it, with its first one.
struct BoundsReport {
  std::uint32_t found = 0;   ///< 1: there was one.
  std::uint32_t access = 0;  ///< Which of CheckedShader::accesses.
  std::uint32_t index = 0;   ///< As the shader computed it, in elements.
  std::uint32_t length = 0;
  std::uint32_t block[3] = {0, 0, 0};
  std::uint32_t thread[3] = {0, 0, 0};
  /// Not 0: a thread went round its loops kMostTurns times; the access before this number is the
  /// loop that it was in.
  std::uint32_t turns = 0;
};

/// Lavapipe ends all loops of a thread after so many turns of them together, without a word.
/// @source  LP_MAX_TGSI_LOOP_ITERATIONS of Mesa's gallivm.
inline constexpr std::uint32_t kMostTurns = 65535;

struct CheckedShader {
  ShaderCode code;                   ///< `site` and `object` are indices into the next two.
  std::vector<Site> sites;           ///< Without a region where the module does not say a line.
  std::vector<std::string> objects;  ///< Shared, private and local arrays.
};

/// Counts the turns of all loops of a thread, and compares every index into an array with the
/// array's length: of a buffer as it is bound, of other arrays as declared, where spirv-val has
/// seen to constant indices. An index that is too large is reported, and 0 takes its place.
///
/// @param words  Of bind_in_order(). @errors as read_shader(); kInvalidArgument: an index that
///               cannot be checked.
Result<CheckedShader> check_bounds(const Words& words);

}  // namespace ws::spirv
