#include "tools/evidence/twins.h"

#include <algorithm>
#include <memory>

#include "runtime/base/verdict.h"
#include "runtime/base/viewer.h"
#include "runtime/search/text_forms.h"

namespace ws {
namespace {

std::string series_of_wrong(const std::string& problem_id, const std::string& kernel_json) {
  return "wrong/1/" + problem_id + "/" + text_forms(kernel_json).same;
}

Status note(const Services& services, const std::string& series, const std::string& kernel_id) {
  WS_TRY([[maybe_unused]] const auto rows,
         services.series->add(series, {.kernel_id = kernel_id, .value = 0}));
  return {};
}

/// Notes, once for each problem, what was found before such notes were taken, for all to see.
Status note_older(const Services& services, const std::string& problem_id) {
  const ViewerScope anyone(
      std::make_shared<const Viewer>(Viewer{.owner = {}, .sees_all = false, .shares = true}));
  const std::string done = "wrong/1/" + problem_id;
  WS_TRY(const auto known, services.archive->setting(done));
  if (known) {
    return {};
  }
  WS_TRY(const auto found, services.lines->failed_validations(problem_id));
  for (const KernelVerdict& each : found) {
    if (facts_of(each.verdict).proves_wrong) {
      WS_TRY(const KernelRow row, services.archive->kernel(each.kernel_id));
      WS_CHECK(note(services, series_of_wrong(problem_id, row.json), row.id));
    }
  }
  return services.archive->set_setting(done, "noted");
}

/// The notes of the viewer (viewer.h) and those that all share, about kernels that it sees.
Result<std::vector<SeriesRow>> notes_of(const Services& services, const std::string& series) {
  WS_TRY(std::vector<SeriesRow> all, services.series->rows(series));
  if (!current_viewer().shares) {
    const ViewerScope anyone(nullptr);
    WS_TRY(const std::vector<SeriesRow> shared, services.series->rows(series));
    all.insert(all.end(), shared.begin(), shared.end());
  }
  std::vector<SeriesRow> rows;
  for (SeriesRow& row : all) {
    WS_TRY(const bool seen, services.archive->has_kernel(row.kernel_id));
    if (seen) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

Status note_wrong(const Services& services, const Subject& subject) {
  return note(services, series_of_wrong(subject.problem.id, subject.kernel.json),
              subject.kernel.id);
}

Result<std::vector<std::string>> wrong_twins(const Services& services, const Subject& subject) {
  WS_CHECK(note_older(services, subject.problem.id));
  WS_TRY(const auto rows,
         notes_of(services, series_of_wrong(subject.problem.id, subject.kernel.json)));
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
