// A profile: the findings by what they may explain, and the lines that wait most.
#include <algorithm>
#include <cmath>

#include "runtime/base/numbers.h"
#include "server/picture/parts.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostFindings = 5;
constexpr std::size_t kMostHeavyLines = 12;
constexpr int kCauseRoom = 130;
constexpr int kBarRoom = 150;
constexpr double kWhole = 100;

/// A share of the time as a bar behind its name.
void add_share(Drawing& drawing, int y, const std::string& name, double percent,
               const std::string& words, Ink ink) {
  const double share = std::clamp(percent, 0.0, kWhole);
  drawing.text(kMargin, y + 3, name, kCauseRoom - 8);
  drawing.rect(kMargin + kCauseRoom, y + 3, kBarRoom, kLetterHeight - 2, Ink::kSoft);
  drawing.rect(kMargin + kCauseRoom, y + 3, kBarRoom * share / kWhole, kLetterHeight - 2, ink);
  drawing.text(kMargin + kCauseRoom + kBarRoom + 8, y + 3, words,
               kPictureWidth - 2 * kMargin - kCauseRoom - kBarRoom - 8);
}

struct HeavyLine {
  std::int64_t line = 0;
  double waiting = 0;
  std::string words;
};

/// "32 of ideal 4"; empty: it made no such request.
std::string beside_ideal(const Json& row, std::size_t value, std::size_t ideal, const char* what) {
  return row[value].is_number() && row[ideal].is_number()
             ? std::string(what) + " " + three_digits(row[value].get<double>()) + " of ideal " +
                   three_digits(row[ideal].get<double>()) + "  "
             : std::string();
}

/// Those of a kernel of threads, those that wait most first.
std::vector<HeavyLine> heavy_lines(const Json& record) {
  constexpr std::size_t kColumns = 8;
  std::vector<HeavyLine> lines;
  const Json table = record.is_object() ? record.value("lines", Json()) : Json();
  const std::vector<Json> columns = rows_in(table, "columns", kColumns + 1);
  if (columns.size() != kColumns || columns[2] != "latency_percent") {
    return lines;
  }
  for (const Json& row : rows_in(table, "rows", 4000)) {
    if (row.is_array() && row.size() == kColumns && row[0].is_number_integer() &&
        row[2].is_number()) {
      const double divergent = row[7].is_number() ? row[7].get<double>() : 0;
      lines.push_back({row[0].get<std::int64_t>(), row[2].get<double>(),
                       beside_ideal(row, 3, 4, "sectors") + beside_ideal(row, 5, 6, "shared") +
                           (divergent > 0 ? "divergent " + three_digits(divergent) + " %" : "")});
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [](const HeavyLine& one, const HeavyLine& other) {
    return one.waiting > other.waiting;
  });
  lines.resize(std::min(lines.size(), kMostHeavyLines));
  return lines;
}

}  // namespace

std::optional<Drawing> profile_picture(const Json& output, const Json& record) {
  const Json roofline = output.value("roofline", Json());
  const std::optional<double> reached = number_in(roofline, "percent");
  if (!reached) {
    return std::nullopt;
  }
  const std::vector<Json> findings = rows_in(output, "findings", kMostFindings);
  const std::vector<HeavyLine> lines = heavy_lines(record);
  const auto rows = static_cast<int>(findings.size() + lines.size());
  Drawing drawing(kPictureWidth, kHeadHeight + (rows + 4) * kRowHeight + kMargin);
  add_head(drawing, "Profile: limited by " + text_in(output, "limiter"), output);
  int y = kHeadHeight;
  add_share(drawing, y, "roofline", *reached,
            three_digits(*reached) + " % of what " + text_in(roofline, "bound") + " allows",
            Ink::kLink);
  y += kRowHeight + kRowHeight / 2;
  for (const Json& finding : findings) {
    const double percent = number_in(finding, "may_explain_percent").value_or(0);
    add_share(drawing, y, text_in(finding, "cause"), percent,
              "may explain " + three_digits(percent) + " % of the time", Ink::kBad);
    y += kRowHeight;
  }
  if (!lines.empty()) {
    drawing.text(kMargin, y + kRowHeight / 2, "Lines that wait most", kCauseRoom, Ink::kQuiet);
    y += kRowHeight + kRowHeight / 2;
  }
  for (const HeavyLine& line : lines) {
    add_share(drawing, y, "line " + std::to_string(line.line), line.waiting,
              three_digits(line.waiting) + " %  " + line.words, Ink::kOpen);
    y += kRowHeight;
  }
  return drawing;
}

}  // namespace ws::server
