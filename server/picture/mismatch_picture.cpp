// Where an output is wrong: a map of its elements by the size of their errors.
#include <algorithm>
#include <array>

#include "runtime/base/numbers.h"
#include "server/picture/parts.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostCells = 128;
constexpr std::size_t kMostBoxes = 64;
constexpr int kMapSide = 384;  // [pixels]
constexpr int kLegendRows = 12;

constexpr std::array kLevels = {Ink::kSoft,   Ink::kLevel1, Ink::kLevel2, Ink::kLevel3,
                                Ink::kLevel4, Ink::kLevel5, Ink::kLevel6, Ink::kLevel7,
                                Ink::kLevel8, Ink::kLevel9};

struct ErrorMap {
  std::vector<std::string> levels;  ///< Lines of digits, all of one length.
  double rows = 0;
  double columns = 0;
  double largest = 0;
  std::vector<std::array<double, 4>> boxes;
};

/// Nothing: it is not as a judge makes it.
std::optional<ErrorMap> map_of(const Json& record) {
  const Json form = record.is_object() ? record.value("mismatch_map", Json()) : Json();
  ErrorMap map;
  for (const Json& line : rows_in(form, "levels", kMostCells + 1)) {
    map.levels.push_back(line.is_string() ? line.get<std::string>() : std::string());
  }
  map.rows = number_in(form, "rows").value_or(0);
  map.columns = number_in(form, "columns").value_or(0);
  map.largest = number_in(form, "largest").value_or(0);
  const std::size_t across = map.levels.empty() ? 0 : map.levels.front().size();
  const bool sound =
      across > 0 && across <= kMostCells && map.levels.size() <= kMostCells && map.rows >= 1 &&
      map.columns >= 1 &&
      std::all_of(map.levels.begin(), map.levels.end(), [&](const std::string& line) {
        return line.size() == across && line.find_first_not_of("0123456789") == std::string::npos;
      });
  if (!sound) {
    return std::nullopt;
  }
  for (const Json& box : rows_in(form, "outline", kMostBoxes)) {
    if (box.is_array() && box.size() == 4 &&
        std::all_of(box.begin(), box.end(), [](const Json& end) { return end.is_number(); })) {
      map.boxes.push_back({box[0], box[1], box[2], box[3]});
    }
  }
  return map;
}

struct MapSize {
  double wide = 1;  ///< One cell. [pixels]
  double high = 1;
};

MapSize size_of_map(const ErrorMap& map) {
  const double across = static_cast<double>(map.levels.front().size());
  const double down = static_cast<double>(map.levels.size());
  const double square = std::clamp(kMapSide / std::max(across, down), 2.0, 24.0);
  return {std::max(square, std::min(24.0, 96 / across)),
          std::max(square, std::min(24.0, 96 / down))};
}

void add_map(Drawing& drawing, const ErrorMap& map, const MapSize& size) {
  const double width = size.wide * static_cast<double>(map.levels.front().size());
  const double height = size.high * static_cast<double>(map.levels.size());
  drawing.rect(kMargin, kHeadHeight, width, height, Ink::kSoft);
  for (std::size_t row = 0; row < map.levels.size(); ++row) {
    const std::string& line = map.levels[row];
    for (std::size_t from = 0, to = 0; from < line.size(); from = to) {
      to = std::min(line.find_first_not_of(line[from], from), line.size());
      if (line[from] != '0') {
        drawing.rect(kMargin + static_cast<double>(from) * size.wide,
                     kHeadHeight + static_cast<double>(row) * size.high,
                     static_cast<double>(to - from) * size.wide, size.high,
                     kLevels.at(static_cast<std::size_t>(line[from] - '0')));
      }
    }
  }
  for (const auto& [first_row, last_row, first_column, last_column] : map.boxes) {
    drawing.frame(kMargin + width * first_column / map.columns,
                  kHeadHeight + height * first_row / map.rows,
                  std::max(3.0, width * (last_column - first_column + 1) / map.columns),
                  std::max(3.0, height * (last_row - first_row + 1) / map.rows), Ink::kLink);
  }
  drawing.frame(kMargin, kHeadHeight, width, height, Ink::kQuiet);
}

void add_level_row(Drawing& drawing, int& y, Ink ink, const std::string& words) {
  constexpr int left = kMargin + kMapSide + 24;
  drawing.rect(left, y + 2, 12, 12, ink);
  drawing.text(left + 18, y + 2, words, kPictureWidth - kMargin - left - 18);
  y += kRowHeight;
}

void add_legend(Drawing& drawing, const ErrorMap& map, const Json& mismatch) {
  int y = kHeadHeight;
  constexpr int left = kMargin + kMapSide + 24;
  constexpr int room = kPictureWidth - kMargin - left;
  drawing.text(left, y, text_in(mismatch, "pattern"), room, Ink::kLink);
  y += kRowHeight;
  add_level_row(drawing, y, Ink::kSoft, "right");
  for (std::size_t level = 1; level < kLevels.size(); ++level) {
    const char digit = static_cast<char>('0' + level);
    const bool there = std::any_of(map.levels.begin(), map.levels.end(), [&](const auto& line) {
      return line.find(digit) != std::string::npos;
    });
    if (there) {
      constexpr int kHighest = 8;
      double reach = map.largest;
      for (int step = static_cast<int>(level); step < kHighest; ++step) {
        reach /= 4;
      }
      add_level_row(
          drawing, y, kLevels.at(level),
          level > kHighest ? "never written, or no number" : "error up to " + three_digits(reach));
    }
  }
}

}  // namespace

std::optional<Drawing> mismatch_picture(const Json& output, const Json& record) {
  const auto map = map_of(record);
  const Json mismatch = output.value("mismatch", Json());
  if (!map || !mismatch.is_object()) {
    return std::nullopt;
  }
  const MapSize size = size_of_map(*map);
  const double height = std::max(size.high * static_cast<double>(map->levels.size()),
                                 double{kLegendRows * kRowHeight});
  Drawing drawing(kPictureWidth, kHeadHeight + static_cast<int>(height) + 2 * kMargin);
  const std::string name = text_in(output.value("worst", Json()), "output");
  add_head(drawing, "Where " + (name.empty() ? "the output" : name) + " is wrong", output);
  add_map(drawing, *map, size);
  add_legend(drawing, *map, mismatch);
  return drawing;
}

}  // namespace ws::server
