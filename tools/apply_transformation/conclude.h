// Records the end of a try.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/verdict.h"
#include "runtime/evaluate/validate/validation.h"
#include "tools/apply_transformation/change.h"
#include "tools/kernels/compilation.h"
#include "tools/programs/report.h"

namespace ws {

/// The outcome of a try.
struct Try {
  std::string kernel_id;  ///< The kernel that was made; empty: none was.
  Verdict verdict = Verdict::kPassed;
  std::string reason;
  std::optional<Compilation> compilation;      ///< Nothing: it was not compiled.
  std::optional<StoredValidation> validation;  ///< Nothing: it was not validated.
  bool unchecked = false;                      ///< It should have been, and no device here runs it.
  std::optional<VerifiedProgram> verified;     ///< Its program, where it is unchecked.

  [[nodiscard]] bool applied() const { return verdict == Verdict::kPassed; }
};

/// The pass that was tried.
struct TriedPass {
  std::string transformation;
  std::int64_t pass = 1;  ///< From 1.
  std::int64_t passes = 1;
};

/// Why a compile is not enough; empty when it is. @param complaint  Its diagnostics', if any.
std::string reason_of(const Compilation& compilation, const std::string& complaint);

/// A recorded try.
struct ConcludedTry {
  Try made;
  std::string base_id;       ///< The kernel that was to be changed.
  std::int64_t attempt = 1;  ///< As of PassTry.
  Json refused;              ///< As of Change.
  std::size_t refusals = 0;  ///< As of Change.
  std::string diff;          ///< The change as text; empty where it was not applied.

  [[nodiscard]] bool applied() const { return made.applied(); }

  /// The kernel that was made, or the base where it was not applied.
  [[nodiscard]] const std::string& kernel_id() const {
    return applied() ? made.kernel_id : base_id;
  }
};

/// {compile, validation, verification, attempt, applied, verdict, kernel_id, links}, with the
/// parent and the diff, or {reason, refused, refused_count, tried} of one that was not applied.
Json form_of(const ConcludedTry& tried);

/// Records the try, and moves `ref` to a kernel that passed.
/// @errors those of Archive::add_pass_try and Archive::set_ref.
Result<ConcludedTry> conclude(Services& services, const Kernel& base, const Change& change,
                              Try made, const TriedPass& pass,
                              const std::optional<std::string>& ref);

}  // namespace ws
