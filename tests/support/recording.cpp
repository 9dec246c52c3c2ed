#include "tests/support/recording.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/units.h"
#include "runtime/bench/statistics.h"

namespace ws::tune {
namespace {

using Json = nlohmann::json;

Result<std::vector<Axis>> axes_of(const Json& file) {
  std::vector<Axis> axes;
  for (const Json& key : file["tune_params_keys"]) {
    const std::string name = key.is_string() ? key.get<std::string>() : std::string();
    const Json values = file["tune_params"].value(name, Json());
    const bool integers = values.is_array() &&
                          std::all_of(values.begin(), values.end(),
                                      [](const Json& value) { return value.is_number_integer(); });
    if (!integers) {
      return fail(ErrorCode::kInvalidArgument,
                  "tune_params." + name.substr(0, 64) + " must be a list of integers");
    }
    axes.push_back({name, values.get<std::vector<std::int64_t>>()});
  }
  return axes;
}

double number(const Json& row, const char* field) {
  const auto at = row.find(field);
  return at != row.end() && at->is_number() ? at->get<double>() : 0;
}

RecordedPoint recorded_point_of(const Json& row) {
  RecordedPoint point;
  point.compile_s = number(row, "compile_time") / kMsPerS;
  point.verify_s = number(row, "verification_time") / kMsPerS;
  const Json times = row.value("times", Json::array());
  // A word in place of the time says why there is none.
  if (!row.contains("time") || !row["time"].is_number() || !times.is_array()) {
    return point;
  }
  for (const Json& ms : times) {
    if (ms.is_number() && ms.get<double>() > 0) {
      point.us.push_back(ms.get<double>() * kUsPerMs);
    }
  }
  point.valid = !point.us.empty();
  if (point.valid) {
    point.sample_s = number(row, "benchmark_time") / kMsPerS / static_cast<double>(point.us.size());
    point.median_us = median(point.us);
  }
  return point;
}

}  // namespace

Result<Recording> read_recording(std::string_view text) {
  const Json file = Json::parse(text, nullptr, false);
  const bool is_cache = file.is_object() && file.contains("cache") && file["cache"].is_object() &&
                        file.contains("tune_params_keys") && file["tune_params_keys"].is_array() &&
                        file.contains("tune_params") && file["tune_params"].is_object();
  if (!is_cache) {
    return fail(ErrorCode::kInvalidArgument,
                "not a cache file of Kernel Tuner (`tune_params_keys`, `tune_params`, `cache`)");
  }
  Recording recording;
  recording.device = file.value("device_name", Json("")).dump();
  recording.kernel = file.value("kernel_name", Json("")).dump();
  WS_TRY(recording.axes, axes_of(file));
  for (const Json& row : file["cache"]) {
    Point point;
    for (const Axis& axis : recording.axes) {
      const Json value = row.is_object() ? row.value(axis.name, Json()) : Json();
      const auto at = value.is_number_integer() ? std::find(axis.values.begin(), axis.values.end(),
                                                            value.get<std::int64_t>())
                                                : axis.values.end();
      if (at != axis.values.end()) {
        point.push_back(static_cast<std::uint32_t>(at - axis.values.begin()));
      }
    }
    if (point.size() == recording.axes.size()) {
      recording.points[std::move(point)] = recorded_point_of(row);
    }
  }
  for (const auto& [point, recorded] : recording.points) {
    if (recorded.valid &&
        (recording.optimum_us == 0 || recorded.median_us < recording.optimum_us)) {
      recording.optimum_us = recorded.median_us;
    }
  }
  if (recording.optimum_us == 0) {
    return fail(ErrorCode::kInvalidArgument, "no point of the recording was timed");
  }
  return recording;
}

Result<Space> Recording::space() const {
  return Space::make(axes, [this](const std::vector<std::int64_t>& values) -> Result<bool> {
    Point point;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto at = std::find(axes[i].values.begin(), axes[i].values.end(), values[i]);
      point.push_back(static_cast<std::uint32_t>(at - axes[i].values.begin()));
    }
    return points.contains(point);
  });
}

}  // namespace ws::tune
