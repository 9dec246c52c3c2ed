#include "server/page/page_data.h"

#include "runtime/archive/search/kernel_family.h"
#include "server/page/page_counters.h"
#include "server/page/page_forms.h"

namespace ws::server {
namespace {

constexpr int kProblemsShown = 30;
constexpr int kKernelsShown = 50;
constexpr int kEvidenceShown = 50;
constexpr int kLabelsShown = 50;
constexpr std::size_t kRelativesShown = 500;

tl::unexpected<Error> nothing_here() {
  return fail(ErrorCode::kNotFound, "there is nothing at this address", "begin at /");
}

Json kernels_form(const std::vector<ListedKernel>& kernels) {
  Json rows = Json::array();
  for (const ListedKernel& kernel : kernels) {
    rows.push_back(row_form(kernel));
  }
  return rows;
}

}  // namespace

std::string PageQuestion::value(const std::string& name) const {
  const auto at = query.find(name);
  return at == query.end() ? std::string() : at->second;
}

Result<Json> PageData::answer(const PageQuestion& question) {
  const std::vector<std::string>& parts = question.parts;
  const std::string what = parts.empty() ? "" : parts[0];
  if (parts.size() == 1 && what == "problems") {
    WS_TRY(const auto page, listing_.problems(question.value("mark"), kProblemsShown));
    return page_form(page);
  }
  if (parts.size() == 1 && what == "devices") {
    return Json{{"running", bool(running_.devices)},
                {"devices", running_.devices ? running_.devices() : Json::array()}};
  }
  if (parts.size() == 1 && what == "search") {
    WS_TRY(const auto found, listing_.search(question.value("words"), kKernelsShown));
    return Json{{"rows", kernels_form(found)}};
  }
  if (parts.size() == 2 && what == "evidence") {
    WS_TRY(const EvidenceRow row, listing_.evidence(parts[1]));
    return whole_evidence_form(row);
  }
  if (parts.size() >= 2 && what == "problem") {
    return of_problem(question);
  }
  return parts.size() >= 2 && what == "kernel" ? of_kernel(question) : nothing_here();
}

Result<Json> PageData::of_problem(const PageQuestion& question) {
  WS_TRY(const ProblemRow problem, listing_.problem(question.parts[1]));
  if (question.parts.size() == 2) {
    return whole_problem(problem.id);
  }
  return question.parts.size() == 3 && question.parts[2] == "kernels"
             ? kernels(problem.id, question)
             : nothing_here();
}

Result<Json> PageData::whole_problem(const std::string& id) {
  WS_TRY(const ProblemRow problem, listing_.problem(id));
  WS_TRY(const auto devices, listing_.devices(id));
  WS_TRY(const auto fastest, listing_.fastest(id));
  WS_TRY(const auto rejected, listing_.rejected(id));
  const Json form = Json::parse(problem.json, nullptr, false);
  return Json{{"id", problem.id},
              {"name", problem.name},
              {"created_at", problem.created_at},
              {"form", form.is_discarded() ? Json(nullptr) : form},
              {"devices", devices},
              {"fastest", kernels_form(fastest)},
              {"rejected", kernels_form(rejected)}};
}

Result<Json> PageData::kernels(const std::string& problem_id, const PageQuestion& question) {
  const std::string order = question.value("order");
  const std::string mark = question.value("mark");
  if (order == "passed" || order == "failed") {
    WS_TRY(const auto page, listing_.judged(problem_id, order == "passed", question.value("device"),
                                            mark, kKernelsShown));
    return page_form(page);
  }
  if (order != "newest") {
    return fail(ErrorCode::kInvalidArgument, "`order` is passed, failed or newest");
  }
  WS_TRY(const auto page, listing_.newest(problem_id, mark, kKernelsShown));
  return page_form(page);
}

Result<Json> PageData::of_kernel(const PageQuestion& question) {
  WS_TRY(const KernelRow kernel, listing_.kernel(question.parts[1]));
  if (question.parts.size() == 2) {
    return whole_kernel(kernel);
  }
  const std::string part = question.parts.size() == 3 ? question.parts[2] : "";
  if (part == "evidence") {
    WS_TRY(const auto page,
           listing_.evidence_of(kernel.id, question.value("mark"), kEvidenceShown));
    return page_form(page);
  }
  if (part == "family") {
    WS_TRY(const KernelFamily family, listing_.family(kernel.id, kRelativesShown));
    return family_form(family);
  }
  if (part == "counters") {
    return counters_of(listing_, kernel.id, question.value("evidence"));
  }
  return part == "diff" ? difference(kernel, question.value("from")) : nothing_here();
}

Result<Json> PageData::whole_kernel(const KernelRow& kernel) {
  WS_TRY(const ProblemRow problem, listing_.problem(kernel.problem_id));
  WS_TRY(const auto standings, listing_.standings(kernel.id));
  WS_TRY(const auto labels, listing_.labels(kernel.id, kLabelsShown));
  Json form = whole_kernel_form(kernel);
  form["problem_name"] = problem.name;
  form["standings"] = Json::array();
  for (const ListedStanding& standing : standings) {
    form["standings"].push_back(standing_form(standing));
  }
  form["labels"] = Json::array();
  for (const LabelRow& label : labels) {
    form["labels"].push_back(
        {{"kind", label.kind}, {"text", label.text}, {"imported", label.imported}});
  }
  return form;
}

Result<Json> PageData::difference(const KernelRow& to, const std::string& from) {
  WS_TRY(const KernelRow other, listing_.kernel(from));
  return difference_form(other, to);
}

}  // namespace ws::server
