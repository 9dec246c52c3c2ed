// The end of a try: recorded, and said.
#pragma once

#include "runtime/base/verdict.h"
#include "tools/apply_transformation/change.h"

namespace ws {

/// A try: how far it came.
struct Try {
  std::string kernel_id;  ///< What the kernel became; empty: it was not made.
  Verdict verdict = Verdict::kPassed;
  std::string reason;
  Json body = Json::object();

  [[nodiscard]] bool applied() const { return verdict == Verdict::kPassed; }
};

/// What it is a try of.
struct TriedPass {
  std::string transformation;
  std::int64_t pass = 1;  ///< From 1.
  std::int64_t passes = 1;
};

/// Records the try, moves the caller's `ref` to a kernel that passed, and adds to the body what
/// every try says: attempt, applied, verdict, kernel_id, links, and the parent and diff, or why
/// not.
/// @errors those of Archive::add_pass_try and Archive::set_ref.
Result<Json> conclude(Services& services, const Kernel& base, const Change& change, Try made,
                      const TriedPass& pass, const Json& arguments);

}  // namespace ws
