#include "runtime/lift/symbolic/steps.h"

#include <string>

namespace ws::lift {
namespace {

/// Between two looks at the clock.
constexpr std::size_t kStepsPerLook = 64;

}  // namespace

Status Steps::take() {
  ++taken_;
  if (taken_ % kStepsPerLook == 0) {
    WS_CHECK(budget_.left());
    if (terms_.deepest() > kMostDepth) {
      return fail(ErrorCode::kUnsupported,
                  "a value is computed in more than " + std::to_string(kMostDepth) + " steps");
    }
  }
  return taken_ <= kMost ? Status()
                         : fail(ErrorCode::kUnsupported, "the kernel takes too many steps");
}

}  // namespace ws::lift
