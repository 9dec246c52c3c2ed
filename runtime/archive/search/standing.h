// What the evidence of a kernel on a device comes to: whether it may be called right there, and how
// fast it is. Claims of an import are no evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/verdict.h"

namespace ws::store {

/// As it is stored: of a kernel on a device. Over all devices a kernel has the sum of its states,
/// and code has what any of its kernels has.
enum class State : std::uint8_t {
  kUnjudged = 0,  ///< Its evidence says nothing of it.
  kFailed = 1,    ///< It was found wrong once, or the newest answer to some question is a failure.
  kPassed = 2,    ///< Validated, never found wrong, and every newest answer is good.
};
inline constexpr std::int64_t kAllStates = 3;

/// A verdict as a row has it. One whose name this version does not know is kSuspect: it was no
/// pass.
inline Verdict verdict_of_row(std::string_view name) {
  return verdict_of(name).value_or(Verdict::kSuspect);
}

/// Whether a validation's verdict says that the results are wrong, for ever: a changed text is
/// another kernel, and a later pass was luck. Not what a limit, the reference or the device said,
/// nor what another compiler may not say.
inline bool proves_wrong(std::string_view verdict) {
  return facts_of(verdict_of_row(verdict)).proves_wrong;
}

/// What search shows of a kernel on a device.
struct Standing {
  State state = State::kFailed;
  Verdict verdict = Verdict::kPassed;
  std::string evidence_id;  ///< What it rests on.
  std::int64_t at_ms = 0;
  std::string arch;
  std::optional<double> ratio;
  std::string against;  ///< The baseline of the ratio.

  friend bool operator==(const Standing&, const Standing&) = default;
};

/// From the evidence; nothing where it says nothing of the kernel there.
Result<std::optional<Standing>> standing_of(Connection& connection, const std::string& kernel_id,
                                            const std::string& device);

/// Stores it, of a kernel that is indexed with its state, in the caller's transaction.
Status put_standing(Connection& connection, const std::string& kernel_id, const std::string& device,
                    const Standing& standing);

/// Works it out anew and stores it, in the caller's transaction, after new evidence, and keeps up
/// with it what search finds the kernel by. A kernel whose evidence says nothing of it there has no
/// standing.
Status refresh_standing(Connection& connection, const std::string& kernel_id,
                        const std::string& device);

}  // namespace ws::store
