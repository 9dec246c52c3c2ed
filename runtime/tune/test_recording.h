// A search space with a known best, as if it had been recorded.
#pragma once

#include <cmath>

#include "tests/support/recording.h"

namespace ws::tune {

inline const Point kPlantedBest = {5, 2, 1};

/// 8 x 8 x 4 points. The planted one takes 100 us, others more the further away they are; those
/// with the first two axes both above 5 do not compile. A compile takes 1 s, a sample 0.01 s, to
/// verify 0.5 s.
inline Recording planted_recording() {
  Recording recording;
  recording.device = "a device";
  recording.kernel = "a kernel";
  for (const char* name : {"a", "b", "c"}) {
    Axis axis{name, {}};
    for (std::int64_t i = 0; i < (axis.name == "c" ? 4 : 8); ++i) {
      axis.values.push_back(10 * i);
    }
    recording.axes.push_back(std::move(axis));
  }
  for (std::uint32_t a = 0; a < 8; ++a) {
    for (std::uint32_t b = 0; b < 8; ++b) {
      for (std::uint32_t c = 0; c < 4; ++c) {
        RecordedPoint point;
        point.compile_s = 1;
        point.valid = a <= 5 || b <= 5;
        const double off = 0.2 * std::abs(static_cast<int>(a) - 5) +
                           0.15 * std::abs(static_cast<int>(b) - 2) + (c == 1 ? 0 : 0.3);
        if (point.valid) {
          point.us.assign(16, 100 * (1 + off));
          point.median_us = point.us.front();
          point.sample_s = 0.01;
          point.verify_s = 0.5;
        }
        recording.points[{a, b, c}] = point;
      }
    }
  }
  recording.optimum_us = 100;
  return recording;
}

}  // namespace ws::tune
