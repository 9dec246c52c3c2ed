// The kernels of a workflow: each below what it was made from, with its speed-up.
#include <algorithm>

#include "runtime/base/numbers.h"
#include "server/picture/parts.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostKernels = 40;
constexpr int kIndent = 14;
constexpr int kMostDepth = 12;
constexpr int kKernelRoom = 420;
constexpr int kSpeedRoom = 200;

struct TreeRow {
  std::string words;
  std::string verdict;
  int depth = 0;
  double total = 0;  ///< 0: it was not timed.
};

std::vector<TreeRow> tree_of(const Json& output) {
  std::vector<TreeRow> rows;
  for (const Json& row : rows_in(output, "tree", kMostKernels)) {
    const std::string id = text_in(row, "kernel_id");
    if (!id.empty()) {
      const double depth = number_in(row, "depth").value_or(0);
      rows.push_back({id + "  " + text_in(row, "by"), text_in(row, "verdict"),
                      static_cast<int>(std::clamp(depth, 0.0, double{kMostDepth})),
                      std::max(0.0, number_in(row, "total").value_or(0))});
    }
  }
  return rows;
}

bool is_good(const std::string& verdict) {
  return verdict == "passed" || verdict == "faster" || verdict == "compiled";
}

}  // namespace

std::optional<Drawing> workflow_picture(const Json& output) {
  const std::vector<TreeRow> rows = tree_of(output);
  if (rows.empty()) {
    return std::nullopt;
  }
  double most = 1;
  for (const TreeRow& row : rows) {
    most = std::max(most, row.total);
  }
  Drawing drawing(kPictureWidth,
                  kHeadHeight + static_cast<int>(rows.size()) * kRowHeight + kMargin);
  add_head(drawing, "Workflow: each kernel below what it was made from", output);
  const double left = kMargin + kKernelRoom;
  const double right = left + kSpeedRoom;
  drawing.line(left + kSpeedRoom / most, kHeadHeight, left + kSpeedRoom / most,
               drawing.height() - kMargin, Ink::kLine);
  std::vector<double> above(kMostDepth + 1, -1);  // The row of the last kernel of each depth.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TreeRow& row = rows[i];
    const double y = kHeadHeight + (static_cast<double>(i) + 0.5) * kRowHeight;
    const double x = kMargin + 6 + row.depth * kIndent;
    const auto depth = static_cast<std::size_t>(row.depth);
    if (depth > 0 && above[depth - 1] >= 0) {
      drawing.line(x - kIndent, above[depth - 1], x - kIndent, y, Ink::kQuiet);
      drawing.line(x - kIndent, y, x, y, Ink::kQuiet);
    }
    above[depth] = y;
    const Ink ink = row.verdict.empty()    ? Ink::kQuiet
                    : is_good(row.verdict) ? Ink::kGood
                                           : Ink::kBad;
    drawing.dot(x, y, 4, ink);
    drawing.text(x + 10, y - 6, row.words + "  " + row.verdict, static_cast<int>(left - x) - 20);
    if (row.total > 0) {
      drawing.rect(left, y - 5, kSpeedRoom * row.total / most, 10, Ink::kLink);
      drawing.text(right + 8, y - 6, times_words(row.total), kPictureWidth - kMargin);
    }
  }
  return drawing;
}

}  // namespace ws::server
