#include "runtime/evaluate/validate/launch_limit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace ws {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr double kPatience = 200;  // A serial kernel in a checked build against a fast reference.
constexpr double kMostPatience = 30;  // Where the reference itself takes seconds.
constexpr Milliseconds kLeast{2000};
constexpr Milliseconds kMost{60'000};
constexpr double kMostSharers = 16;

}  // namespace

std::chrono::milliseconds launch_limit(const LaunchWork& work) {
  const Milliseconds reference{std::max(0.0, work.reference_us) / 1000};
  const Milliseconds most = std::max(kMost, kMostPatience * reference);
  const Milliseconds quiet = std::min(kLeast + kPatience * reference, most);
  const double sharers =
      std::clamp(work.waiting / static_cast<double>(std::max(1U, work.cores)), 1.0, kMostSharers);
  return std::chrono::milliseconds(std::llround((sharers * quiet).count()));
}

double waiting_processes() {
  std::array<double, 1> load{};
  return getloadavg(load.data(), 1) == 1 ? load[0] : 0;
}

}  // namespace ws
