#include "server/picture/picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/numbers.h"
#include "server/picture/parts.h"

namespace ws::server {
namespace {

using MakePicture = std::optional<Drawing> (*)(const Json& output, const Json& record);

struct PictureRow {
  std::string_view tool;
  MakePicture make;
};

/// The tools whose schemas have `picture`.
constexpr std::array kPictureRows = {
    PictureRow{"benchmark",
               [](const Json& output, const Json&) { return benchmark_picture(output); }},
    PictureRow{"tune", tune_picture},
    PictureRow{"profile", profile_picture},
    PictureRow{"workflow",
               [](const Json& output, const Json&) { return workflow_picture(output); }},
    PictureRow{"verify_ir",
               [](const Json& output, const Json&) { return timeline_picture(output); }},
    PictureRow{"validate", mismatch_picture},
};

}  // namespace

std::optional<Drawing> drawing_of(const std::string& tool, const Json& output, const Json& record) {
  const auto* const row = std::find_if(kPictureRows.begin(), kPictureRows.end(),
                                       [&](const PictureRow& one) { return one.tool == tool; });
  return row == kPictureRows.end() || !output.is_object() ? std::nullopt
                                                          : row->make(output, record);
}

void add_head(Drawing& drawing, const std::string& title, const Json& output) {
  const int room = drawing.width() - 2 * kMargin;
  drawing.title(kMargin, kMargin, title, room);
  drawing.text(kMargin, kMargin + kRowHeight, text_in(output, "summary"), room, Ink::kQuiet);
}

std::optional<double> number_in(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (at == object.end() || !at->is_number()) {
    return std::nullopt;
  }
  const double value = at->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text_in(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::vector<Json> rows_in(const Json& object, const char* key, std::size_t most) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (at == object.end() || !at->is_array()) {
    return {};
  }
  const std::size_t count = std::min(most, at->size());
  return {at->begin(), at->begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string times_words(double value) {
  return three_digits(value) + "x";
}

}  // namespace ws::server
