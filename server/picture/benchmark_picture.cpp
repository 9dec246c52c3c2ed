// Speed-ups with their intervals, and the noise floor of the device.
#include <algorithm>

#include "runtime/base/numbers.h"
#include "server/picture/parts.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostBars = 24;
constexpr int kNameRoom = 190;
constexpr int kValueRoom = 170;

struct SpeedBar {
  std::string name;
  double ratio = 1;
  double low = 1;
  double high = 1;
};

/// Nothing: it has no ratio.
std::optional<SpeedBar> bar_of(const std::string& name, const Json& row) {
  const std::optional<double> ratio = number_in(row, "ratio");
  if (!ratio || *ratio <= 0) {
    return std::nullopt;
  }
  SpeedBar bar{name, *ratio, *ratio, *ratio};
  const std::vector<Json> ends = rows_in(row, "ratio_ci", 2);
  if (ends.size() == 2 && ends[0].is_number() && ends[1].is_number()) {
    bar.low = std::max(ends[0].get<double>(), *ratio / 1000);
    bar.high = std::clamp(ends[1].get<double>(), bar.low, *ratio * 1000);
  }
  return bar;
}

std::string sizes_words(const Json& workload) {
  std::string words;
  if (workload.is_object()) {
    for (const auto& [name, value] : workload.items()) {
      words += (words.empty() ? "" : ", ") + name + "=" +
               (value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return words;
}

std::vector<SpeedBar> bars_of(const Json& output) {
  std::vector<SpeedBar> bars;
  if (const auto all = bar_of("all workloads", output)) {
    bars.push_back(*all);
  }
  for (const Json& row : rows_in(output, "workloads", kMostBars)) {
    const Json workload = row.is_object() ? row.value("workload", Json()) : Json();
    if (const auto one = bar_of(sizes_words(workload), row)) {
      bars.push_back(*one);
    }
  }
  return bars;
}

void add_ticks(Drawing& drawing, const Scale& scale, int top, int bottom) {
  for (const double tick : {0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0}) {
    if (tick >= scale.low && tick <= scale.high) {
      const double x = scale.at(tick);
      drawing.line(x, top, x, bottom, tick == 1 ? Ink::kQuiet : Ink::kLine);
      drawing.text(x, bottom + 4, times_words(tick), kNameRoom, Ink::kQuiet, Anchor::kMiddle);
    }
  }
}

}  // namespace

std::optional<Drawing> benchmark_picture(const Json& output) {
  const std::vector<SpeedBar> bars = bars_of(output);
  if (bars.empty()) {
    return std::nullopt;
  }
  const double floor = std::clamp(number_in(output, "noise_floor").value_or(0), 0.0, 1.0);
  Scale scale{1 / (1 + floor), 1 + floor, kNameRoom + kMargin, kPictureWidth - kMargin - kValueRoom,
              true};
  for (const SpeedBar& bar : bars) {
    scale.low = std::min(scale.low, bar.low);
    scale.high = std::max(scale.high, bar.high);
  }
  scale.low /= 1.1;
  scale.high *= 1.1;
  const int bottom = kHeadHeight + static_cast<int>(bars.size()) * kRowHeight;
  Drawing drawing(kPictureWidth, bottom + kRowHeight + kMargin);
  add_head(drawing, "Speed-up against " + text_in(output, "baseline"), output);
  if (floor > 0) {
    drawing.rect(scale.at(1 / (1 + floor)), kHeadHeight,
                 scale.at(1 + floor) - scale.at(1 / (1 + floor)), bottom - kHeadHeight,
                 Ink::kNoise);
  }
  add_ticks(drawing, scale, kHeadHeight, bottom);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const SpeedBar& bar = bars[i];
    const double y = kHeadHeight + (static_cast<double>(i) + 0.5) * kRowHeight;
    drawing.text(kMargin, y - 6, bar.name, kNameRoom - 8);
    drawing.line(scale.at(bar.low), y, scale.at(bar.high), y, Ink::kLink, 2);
    drawing.dot(scale.at(bar.ratio), y, 4, Ink::kLink);
    drawing.text(kPictureWidth - kMargin - kValueRoom + 8, y - 6,
                 times_words(bar.ratio) + " (" + three_digits(bar.low) + " to " +
                     three_digits(bar.high) + ")",
                 kValueRoom - 8);
  }
  return drawing;
}

}  // namespace ws::server
