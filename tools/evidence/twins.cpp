#include "tools/evidence/twins.h"

#include <algorithm>

#include "runtime/search/text_forms.h"

namespace ws {
namespace {

std::string series_of_wrong(const Subject& subject) {
  return "wrong/1/" + subject.problem.id + "/" + text_forms(subject.kernel.json).same;
}

}  // namespace

Status note_wrong(const Services& services, const Subject& subject) {
  WS_TRY(
      [[maybe_unused]] const auto rows,
      services.series->add(series_of_wrong(subject), {.kernel_id = subject.kernel.id, .value = 0}));
  return {};
}

Result<std::vector<std::string>> wrong_twins(const Services& services, const Subject& subject) {
  WS_TRY(const auto rows, services.series->rows(series_of_wrong(subject)));
  std::vector<std::string> twins;
  for (const SeriesRow& row : rows) {
    if (row.kernel_id != subject.kernel.id &&
        std::find(twins.begin(), twins.end(), row.kernel_id) == twins.end()) {
      twins.push_back(row.kernel_id);
    }
  }
  return twins;
}

}  // namespace ws
