// A completely measured search space: what each point took to compile, verify and run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/tune/space.h"

namespace ws::tune {

struct RecordedPoint {
  bool valid = false;  ///< It compiled and ran; else it has no times.
  double compile_s = 0;
  double verify_s = 0;
  double sample_s = 0;     ///< The seconds that one of the samples took in all.
  std::vector<double> us;  ///< The samples, in order.
  double median_us = 0;    ///< The median of all samples: the point's result.
};

struct Recording {
  std::string device;
  std::string kernel;
  std::vector<Axis> axes;
  std::map<Point, RecordedPoint> points;  ///< Every point that may be tried.
  double optimum_us = 0;                  ///< The least median.

  /// The points that are recorded, whether valid or not. The recording outlives it.
  [[nodiscard]] Result<Space> space() const;
};

/// Reads a cache file of Kernel Tuner: `tune_params` and `cache`; times in milliseconds.
/// @errors kInvalidArgument: it is no recording, a value is no integer, or no point is valid.
Result<Recording> read_recording(std::string_view text);

}  // namespace ws::tune
