#include "runtime/evaluate/validate/launch_limit.h"

#include <algorithm>
#include <cmath>

#include "runtime/kernel/language.h"

namespace ws {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr double kPatience = 200;  // A serial kernel in a checked build against a fast reference.
constexpr double kMostPatience = 30;  // Where the reference itself takes seconds.
// A loop without an end meets the executor's limit of statements, which names its line, before
// this one, on a busy machine too.
constexpr int kExecutorPatience = 60;
constexpr Milliseconds kLeast{2000};
constexpr Milliseconds kMost{60'000};

}  // namespace

std::chrono::milliseconds launch_limit(double reference_us) {
  const Milliseconds reference{std::max(0.0, reference_us) / 1000};
  const Milliseconds most = std::max(kMost, kMostPatience * reference);
  const Milliseconds limit = std::min(kLeast + kPatience * reference, most);
  return std::chrono::milliseconds(std::llround(limit.count()));
}

int launch_patience(std::string_view language, bool emulated) {
  return emulated && is_tile_language(language) ? kExecutorPatience : 1;
}

}  // namespace ws
