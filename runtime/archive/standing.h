// What the evidence of a kernel on a device comes to: whether it may be called right there, and how
// fast it is. Claims of an import are no evidence.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/archive/sqlite.h"

namespace ws::store {

/// As it is stored.
enum class State : std::uint8_t {
  kFailed = 1,  ///< The newest answer to some question about it is a failure.
  kPassed = 2,  ///< Validated, and every newest answer is good.
};

/// Works it out anew and stores it, in the caller's transaction, after new evidence. A kernel whose
/// evidence says nothing of it there has no standing.
Status refresh_standing(Connection& connection, const std::string& kernel_id,
                        const std::string& device);

}  // namespace ws::store
