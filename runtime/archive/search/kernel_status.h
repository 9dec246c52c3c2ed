// The conclusion from a kernel's evidence on a device: whether the kernel is correct there, and how
// fast it is. The claims of an import are no evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/verdict.h"

namespace ws::store {

/// The stored state of a kernel on a device. Over all devices a kernel has the sum of its states,
/// and code has every state that any of its kernels has.
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

/// The facts that search shows about a kernel on a device: a row of the table `standings`.
struct KernelStatus {
  State state = State::kFailed;
  Verdict verdict = Verdict::kPassed;
  std::string evidence_id;  ///< The evidence that decided it.
  std::int64_t at_ms = 0;
  std::string arch;
  std::optional<double> ratio;
  std::string against;  ///< The baseline of the ratio.

  friend bool operator==(const KernelStatus&, const KernelStatus&) = default;
};

/// The status that follows from the evidence that the viewer sees (viewer.h); nothing where it does
/// not judge the kernel there.
Result<std::optional<KernelStatus>> kernel_status_of(Connection& connection,
                                                     const std::string& kernel_id,
                                                     const std::string& device);

/// Stores the status, in the caller's transaction; does nothing where the kernel is not indexed.
Status put_kernel_status(Connection& connection, const std::string& kernel_id,
                         const std::string& device, const KernelStatus& status);

/// Computes the status again after new evidence and stores it, with the fields by which search
/// finds the kernel, in the caller's transaction. A kernel whose evidence does not judge it there
/// has no status.
Status refresh_kernel_status(Connection& connection, const std::string& kernel_id,
                             const std::string& device);

}  // namespace ws::store
