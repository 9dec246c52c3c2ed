#include "tools/evidence/validation_form.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/base/numbers.h"
#include "tools/answer/fault_json.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/sanitizer_form.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRunsShown = 8;

/// NaN and infinities have no JSON form and are written as words.
Json number_form(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  return std::isinf(value) ? Json(value > 0 ? "inf" : "-inf") : Json(value);
}

double number_of_form(const Json& form) {
  if (form.is_number()) {
    return form.get<double>();
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return form == "inf"    ? kInfinity
         : form == "-inf" ? -kInfinity
                          : std::numeric_limits<double>::quiet_NaN();
}

/// A part of a form, not copied; the empty list where there is none.
const Json& part_of_form(const Json& form, const char* field) {
  static const Json nothing = Json::array();
  const auto at = form.find(field);
  return at == form.end() ? nothing : *at;
}

/// By dim; empty where the field is missing.
std::map<std::string, std::int64_t> sizes_of_form(const Json& form, const char* field) {
  const auto at = form.find(field);
  return at == form.end() ? std::map<std::string, std::int64_t>()
                          : at->get<std::map<std::string, std::int64_t>>();
}

std::size_t count_of_form(const Json& counts, const char* field) {
  const auto at = counts.find(field);
  return at == counts.end() ? 0 : at->get<std::size_t>();
}

/// A verdict of a form. A name that this version does not know was no pass.
Verdict verdict_of_form(const Json& form) {
  return verdict_of(form.at("verdict").get<std::string>()).value_or(Verdict::kSuspect);
}

Json run_form(const RunRecord& run) {
  Json form = {{"workload", to_json(run.workload)},
               {"distribution", run.distribution},
               {"verdict", name_of(run.verdict)},
               {"max_abs_error", rounded(run.max_abs_error)},
               {"max_rel_error", rounded(run.max_rel_error)}};
  if (!run.params.empty()) {
    form["params"] = to_json(run.params);
  }
  if (!run.device.empty()) {
    form["device"] = run.device;
  }
  if (run.order != RunOrder::kAscending) {
    form["order"] = name_of(run.order);
  }
  if (run.widened > 0) {
    form["widened"] = rounded(run.widened);
  }
  if (run.shrunk_from) {
    form["shrunk_from"] = to_json(*run.shrunk_from);
  }
  return form;
}

RunRecord run_of_form(const Json& form) {
  RunRecord run{.workload = workload_of_form(form.at("workload")),
                .params = params_of_form(part_of_form(form, "params")),
                .distribution = form.at("distribution"),
                .verdict = verdict_of_form(form),
                .max_abs_error = form.at("max_abs_error"),
                .max_rel_error = form.at("max_rel_error"),
                .widened = form.value("widened", 0.0),
                .shrunk_from = std::nullopt,
                .order = order_of_name(form.value("order", "")),
                .device = form.value("device", "")};
  if (form.contains("shrunk_from")) {
    run.shrunk_from = workload_of_form(form["shrunk_from"]);
  }
  return run;
}

void add_mismatch(Json& form, const ValidationResult& result) {
  const Mismatch& mismatch = *result.mismatch;
  const RunRecord& run = result.runs.back();
  form["worst"] = {{"output", mismatch.output},
                   {"index", mismatch.worst.index},
                   {"got", number_form(mismatch.worst.got)},
                   {"want", number_form(mismatch.worst.want)},
                   {"workload", to_json(run.workload)},
                   {"distribution", run.distribution}};
  form["mismatch"] = {{"count", mismatch.count},
                      {"share", rounded(mismatch.share)},
                      {"pattern", mismatch.pattern.text},
                      {"pattern_code", mismatch.pattern.code},
                      {"hint", mismatch.pattern.hint}};
}

Mismatch mismatch_of_form(const Json& worst, const Json& form) {
  const std::string code = form.at("pattern_code");
  const auto codes = pattern_codes();
  const auto known = std::find(codes.begin(), codes.end(), code);
  return {.output = worst.at("output"),
          .worst = {.index = worst.at("index").get<std::vector<std::int64_t>>(),
                    .got = number_of_form(worst.at("got")),
                    .want = number_of_form(worst.at("want"))},
          .count = form.at("count"),
          .share = form.at("share"),
          .pattern = {.code = known == codes.end() ? std::string_view() : *known,
                      .text = form.at("pattern"),
                      .hint = form.at("hint")}};
}

void add_result(Json& form, const ValidationResult& result) {
  form["verdict"] = name_of(result.verdict);
  form["runs"] = Json::array();
  for (const RunRecord& run : result.runs) {
    form["runs"].push_back(run_form(run));
  }
  form["runs_total"] = result.runs_total;
  form["findings"] = Json::array();
  form["coverage"] = {{"declared", result.declared},
                      {"run", result.runs_total},
                      {"unsupported", result.unsupported},
                      {"hidden", result.hidden},
                      {"hidden_skipped", result.hidden_skipped},
                      {"samples_left_out", result.samples_left_out}};
  if (!result.largest.empty()) {
    form["coverage"]["smallest"] = result.smallest;
    form["coverage"]["largest"] = result.largest;
  }
  form["reference"] = {{"kind", result.reference_kind}, {"trusted", result.reference_trusted}};
  form["emulated"] = result.emulated;
  if (!result.message.empty()) {
    form["message"] = result.message;
  }
  if (result.mismatch) {
    add_mismatch(form, result);
  }
  if (result.fault) {
    form["fault"] = to_json(*result.fault);
  }
  if (result.finding) {
    form["findings"].push_back({{"kind", name_of(*result.finding)}, {"message", result.message}});
  }
  for (const FindingCode note : result.notes) {
    form["findings"].push_back({{"kind", name_of(note)}, {"message", message_of(note)}});
  }
  if (result.sanitized) {
    add_sanitizers(form, *result.sanitized);
  }
  if (result.engine) {
    form["engine_check"] = {{"verdict", name_of(result.engine->verdict)},
                            {"runs", result.engine->runs}};
    if (!result.engine->message.empty()) {
      form["engine_check"]["message"] = result.engine->message;
    }
  }
  if (result.sparse) {
    const SparseLook& look = *result.sparse;
    form["sparse"] = {{"argument", look.largest.name},
                      {"elements", look.largest.elements},
                      {"workload", to_json(look.largest.workload)},
                      {"blocks", look.blocks},
                      {"of", look.of}};
  }
  if (!result.diagnostics.empty()) {
    form["diagnostics"] = Json::array();
    for (const Diagnostic& diagnostic : result.diagnostics) {
      form["diagnostics"].push_back(to_json(diagnostic));
    }
  }
}

ValidationResult result_of_form(const Json& form) {
  ValidationResult result;
  result.verdict = verdict_of_form(form);
  result.message = form.value("message", "");
  for (const Json& run : part_of_form(form, "runs")) {
    result.runs.push_back(run_of_form(run));
  }
  result.runs_total = form.value("runs_total", result.runs.size());
  if (form.contains("mismatch") && !result.runs.empty()) {
    result.mismatch = mismatch_of_form(form.at("worst"), form["mismatch"]);
  }
  if (form.contains("fault")) {
    result.fault = fault_from_json(form["fault"], result.verdict);
  }
  for (const Json& diagnostic : part_of_form(form, "diagnostics")) {
    result.diagnostics.push_back(diagnostic_from_json(diagnostic));
  }
  result.sanitized = sanitizers_of_form(form);
  if (const Json& check = part_of_form(form, "engine_check"); check.is_object()) {
    result.engine = {verdict_of_form(check), check.value("message", ""),
                     count_of_form(check, "runs")};
  }
  if (const Json& look = part_of_form(form, "sparse"); look.is_object()) {
    result.sparse = {{look.at("argument"), look.at("elements"), workload_of_form(look["workload"])},
                     look.at("blocks"),
                     look.at("of")};
  }
  for (const Json& finding : part_of_form(form, "findings")) {
    if (is_sanitizers(finding)) {
      continue;
    }
    const auto code = finding_code_of(finding.at("kind").get<std::string>());
    if (code && is_note(*code)) {
      result.notes.push_back(*code);
    } else {
      result.finding = code;
    }
  }
  const Json& coverage = part_of_form(form, "coverage");
  result.declared = count_of_form(coverage, "declared");
  result.unsupported = count_of_form(coverage, "unsupported");
  result.hidden = count_of_form(coverage, "hidden");
  result.hidden_skipped = count_of_form(coverage, "hidden_skipped");
  result.samples_left_out = count_of_form(coverage, "samples_left_out");
  result.smallest = sizes_of_form(coverage, "smallest");
  result.largest = sizes_of_form(coverage, "largest");
  if (const Json& reference = part_of_form(form, "reference"); reference.is_object()) {
    result.reference_kind = reference.value("kind", "");
    result.reference_trusted = reference.value("trusted", false);
  }
  result.emulated = form.value("emulated", false);
  return result;
}

}  // namespace

void shorten_runs(ValidationResult& result) {
  if (result.runs.size() > kMaxRunsShown) {
    result.runs.erase(result.runs.begin() + kMaxRunsShown - 1, result.runs.end() - 1);
  }
}

Json mismatch_map_form(const ValidationResult& result) {
  if (!result.mismatch || result.mismatch->cells.levels.empty()) {
    return nullptr;
  }
  const MismatchCells& cells = result.mismatch->cells;
  Json form = {{"shape", cells.shape},
               {"rows", cells.rows},
               {"columns", cells.columns},
               {"levels", cells.levels},
               {"largest", rounded(cells.largest)},
               {"outline", Json::array()}};
  for (const Box& box : cells.outline) {
    form["outline"].push_back({box.first_row, box.last_row, box.first_column, box.last_column});
  }
  return form;
}

void to_json(Json& form, const StoredValidation& validation) {
  form = {{"kernel_id", validation.kernel_id}, {"age_s", validation.age_s}};
  add_result(form, validation.result);
  if (!validation.evidence_id.empty()) {
    form["evidence_id"] = validation.evidence_id;
  }
  if (validation.repeated) {
    form["repeated"] = true;
  }
  if (!validation.weak_problem.empty()) {
    form["weak_problem"] = validation.weak_problem;
  }
}

void from_json(const Json& form, StoredValidation& validation) {
  validation.result = result_of_form(form);
  validation.kernel_id = form.value("kernel_id", "");
  validation.evidence_id = form.value("evidence_id", "");
  validation.age_s = form.value("age_s", std::int64_t{0});
  validation.repeated = form.value("repeated", false);
  validation.weak_problem = form.value("weak_problem", std::vector<std::string>());
}

}  // namespace ws
