// A tuning: how the best time fell, and the parameters of the fastest points.
#include <algorithm>
#include <set>

#include "runtime/base/numbers.h"
#include "server/picture/parts.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostSteps = 500;
constexpr std::size_t kMostPoints = 32;
constexpr std::size_t kMostAxes = 9;
constexpr int kChartHeight = 150;
constexpr int kLabelRoom = 80;

struct Step {
  double t_s = 0;
  double best_us = 0;
};

std::vector<Step> steps_of(const Json& found) {
  std::vector<Step> steps;
  for (const Json& row : rows_in(found, "convergence", kMostSteps)) {
    const auto time = number_in(row, "t_s");
    const auto best = number_in(row, "best_us");
    if (time && best && *best > 0) {
      steps.push_back({*time, *best});
    }
  }
  return steps;
}

void add_convergence(Drawing& drawing, const std::vector<Step>& steps, int top) {
  double end = 0;
  double most = steps.front().best_us;
  double least = steps.front().best_us;
  for (const Step& step : steps) {
    end = std::max(end, step.t_s);
    most = std::max(most, step.best_us);
    least = std::min(least, step.best_us);
  }
  const Scale x{0, std::max(end, 1e-3), kMargin + kLabelRoom, kPictureWidth - kMargin};
  const Scale y{std::min(least, 0.9 * most), most, static_cast<double>(top + kChartHeight),
                static_cast<double>(top)};
  drawing.line(x.from, y.from, x.to, y.from, Ink::kLine);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double right = i + 1 < steps.size() ? steps[i + 1].t_s : end;
    drawing.line(x.at(steps[i].t_s), y.at(steps[i].best_us), x.at(right), y.at(steps[i].best_us),
                 Ink::kLink, 2);
    if (i + 1 < steps.size()) {
      drawing.line(x.at(right), y.at(steps[i].best_us), x.at(right), y.at(steps[i + 1].best_us),
                   Ink::kLink, 2);
    }
  }
  drawing.text(x.from - 6, y.at(most) - 6, three_digits(most) + " us", kLabelRoom, Ink::kQuiet,
               Anchor::kEnd);
  if (y.at(least) - y.at(most) > kLetterHeight) {
    drawing.text(x.from - 6, y.at(least) - 6, three_digits(least) + " us", kLabelRoom, Ink::kQuiet,
                 Anchor::kEnd);
  }
  drawing.text(x.to, y.from + 4, three_digits(end) + " s", kLabelRoom, Ink::kQuiet, Anchor::kEnd);
}

/// One axis: the places of the values of a parameter, or of the time.
struct Axis {
  std::string name;
  std::vector<double> places;       ///< One for each point, 0 to 1.
  std::vector<std::string> labels;  ///< The lowest and the highest value.
};

std::string value_words(const Json& value) {
  return value.is_number()   ? three_digits(value.get<double>())
         : value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// The values of one parameter of all points: numbers by their size, others in a row.
Axis axis_of(const std::string& name, const std::vector<Json>& values) {
  std::set<Json> kinds(values.begin(), values.end());
  const bool numbers =
      std::all_of(kinds.begin(), kinds.end(), [](const Json& value) { return value.is_number(); });
  Axis axis{name, {}, {value_words(*kinds.begin()), value_words(*kinds.rbegin())}};
  const auto last = static_cast<double>(std::max<std::size_t>(kinds.size() - 1, 1));
  for (const Json& value : values) {
    if (numbers) {
      const Scale scale{kinds.begin()->get<double>(), kinds.rbegin()->get<double>(), 0, 1};
      axis.places.push_back(scale.at(value.get<double>()));
    } else {
      const auto rank = std::distance(kinds.begin(), kinds.find(value));
      axis.places.push_back(static_cast<double>(rank) / last);
    }
  }
  return axis;
}

/// The axes of the points that are as `tune` writes them; a parameter that some lack has none.
std::vector<Axis> axes_of(const std::vector<Json>& points) {
  std::vector<Axis> axes;
  const Json& first = points.front()["params"];
  for (const auto& [name, ignored] : first.items()) {
    std::vector<Json> values;
    for (const Json& point : points) {
      if (point["params"].contains(name)) {
        values.push_back(point["params"][name]);
      }
    }
    if (values.size() == points.size() && axes.size() < kMostAxes) {
      axes.push_back(axis_of(name, values));
    }
  }
  std::vector<Json> times;
  for (const Json& point : points) {
    times.push_back(point["us"]);
  }
  axes.push_back(axis_of("us", times));
  return axes;
}

void add_coordinates(Drawing& drawing, const std::vector<Axis>& axes, int top) {
  const Scale x{0, static_cast<double>(std::max<std::size_t>(axes.size() - 1, 1)), kMargin + 20,
                kPictureWidth - kMargin - 60};
  const Scale y{0, 1, static_cast<double>(top + kChartHeight - kRowHeight),
                static_cast<double>(top + kRowHeight)};
  const int room = static_cast<int>((x.to - x.from) / std::max(x.high, 1.0));
  for (std::size_t point = axes.front().places.size(); point-- > 0;) {
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      drawing.line(x.at(static_cast<double>(i)), y.at(axes[i].places[point]),
                   x.at(static_cast<double>(i) + 1), y.at(axes[i + 1].places[point]),
                   point == 0 ? Ink::kLink : Ink::kNoise, point == 0 ? 2 : 1);
    }
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double at = x.at(static_cast<double>(i));
    drawing.line(at, y.from, at, y.to, Ink::kQuiet);
    drawing.text(at, y.from + 4, axes[i].name, room, Ink::kQuiet, Anchor::kMiddle);
    drawing.text(at + 4, y.from - kLetterHeight, axes[i].labels.front(), room);
    if (axes[i].labels.front() != axes[i].labels.back()) {
      drawing.text(at + 4, y.to - 2, axes[i].labels.back(), room);
    }
  }
}

std::vector<Json> points_of(const Json& found) {
  std::vector<Json> points;
  for (const Json& row : rows_in(found, "top", kMostPoints)) {
    if (number_in(row, "us") && row.contains("params") && row["params"].is_object()) {
      points.push_back(row);
    }
  }
  return points;
}

}  // namespace

std::optional<Drawing> tune_picture(const Json& output, const Json& record) {
  const bool full = record.is_object() && record.contains("full") && record["full"].is_object();
  const Json& found = full ? record["full"] : output;
  const std::vector<Step> steps = steps_of(found);
  const std::vector<Json> points = points_of(found);
  if (steps.empty() && points.empty()) {
    return std::nullopt;
  }
  const int convergence = steps.empty() ? 0 : kChartHeight + 2 * kRowHeight;
  const int coordinates = points.empty() ? 0 : kChartHeight + kRowHeight;
  Drawing drawing(kPictureWidth, kHeadHeight + convergence + coordinates + kMargin);
  add_head(drawing, "Tuning: the best time, and the parameters of the fastest points", output);
  if (!steps.empty()) {
    add_convergence(drawing, steps, kHeadHeight);
  }
  if (!points.empty()) {
    add_coordinates(drawing, axes_of(points), kHeadHeight + convergence);
  }
  return drawing;
}

}  // namespace ws::server
