// A chart of a kernel under a device's two limits.
#pragma once

#include <string>

namespace ws {

struct RooflinePoint {
  double intensity = 0;  ///< Operations per byte.
  double gflops = 0;     ///< Reached, in 1e9 operations a second.
  double peak_gflops = 1;
  double peak_gbps = 1;  ///< The memory's limit, in 1e9 bytes a second.
};

/// SVG 1.1, both axes logarithmic: the limits as lines, the kernel as a dot; no dot where it did no
/// operation or moved no byte.
std::string roofline_chart(const std::string& title, const RooflinePoint& point);

}  // namespace ws
