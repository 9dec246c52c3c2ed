// Records the end of a try and makes its answer.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/verdict.h"
#include "tools/apply_transformation/change.h"
#include "tools/kernels/compilation.h"

namespace ws {

/// The outcome of a try.
struct Try {
  std::string kernel_id;  ///< The kernel that was made; empty: none was.
  Verdict verdict = Verdict::kPassed;
  std::string reason;
  Json body = Json::object();

  [[nodiscard]] bool applied() const { return verdict == Verdict::kPassed; }
};

/// The pass that was tried.
struct TriedPass {
  std::string transformation;
  std::int64_t pass = 1;  ///< From 1.
  std::int64_t passes = 1;
};

/// A stage's form without the fields that the try's own form has.
Json stage_form(Json form);

/// Why a compile is not enough; empty when it is. @param complaint  Its diagnostics', if any.
std::string reason_of(const Compilation& compilation, const std::string& complaint);

/// A recorded try.
struct ConcludedTry {
  std::string kernel_id;  ///< The kernel that was made, or the base where it was not applied.
  Verdict verdict = Verdict::kPassed;
  std::string reason;        ///< Why it was not applied.
  std::int64_t attempt = 1;  ///< As of PassTry.
  Json body;  ///< The try's, with attempt, applied, verdict, kernel_id, links, and the parent and
              ///< diff, or why not.

  [[nodiscard]] bool applied() const { return verdict == Verdict::kPassed; }
};

/// Records the try, and moves the caller's `ref` to a kernel that passed.
/// @errors those of Archive::add_pass_try and Archive::set_ref.
Result<ConcludedTry> conclude(Services& services, const Kernel& base, const Change& change,
                              Try made, const TriedPass& pass, const Json& arguments);

}  // namespace ws
