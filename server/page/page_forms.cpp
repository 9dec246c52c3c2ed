#include "server/page/page_forms.h"

#include "runtime/base/numbers.h"
#include "runtime/base/text.h"
#include "runtime/lineage/call_again.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/text_diff.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostSource = std::size_t{256} << 10U;
constexpr std::size_t kMostRecord = std::size_t{1} << 20U;

void add_number(Json& form, const char* name, const std::optional<double>& value) {
  if (value) {
    form[name] = rounded(*value);
  }
}

Json speed_form(const ListedSpeed& speed) {
  Json form = {{"least", rounded(speed.least)}, {"against", speed.against}};
  add_number(form, "ratio", speed.ratio);
  add_number(form, "low", speed.low);
  add_number(form, "high", speed.high);
  add_number(form, "noise_floor", speed.noise_floor);
  add_number(form, "total", speed.total);
  if (speed.verdict) {
    form["verdict"] = name_of(*speed.verdict);
    form["meaning"] = facts_of(*speed.verdict).meaning;
  }
  return form;
}

/// All of a kernel but its code: launches, parameters, constraints.
Json plan_of(const std::string& kernel_json) {
  Json form = Json::parse(kernel_json, nullptr, false);
  if (!form.is_object()) {
    return nullptr;
  }
  for (const char* code : {"source", "macros"}) {
    form.erase(code);
  }
  return form;
}

}  // namespace

Json standing_form(const ListedStanding& standing) {
  Json form = {{"device", standing.device},
               {"passed", standing.passed},
               {"verdict", name_of(standing.verdict)},
               {"meaning", facts_of(standing.verdict).meaning},
               {"evidence_id", standing.evidence_id},
               {"at_ms", standing.at_ms}};
  if (!standing.message.empty()) {
    form["message"] = standing.message;
  }
  if (standing.speed) {
    form["speed"] = speed_form(*standing.speed);
  }
  return form;
}

Json row_form(const ListedKernel& kernel) {
  Json form = {{"id", kernel.row.id},
               {"name", kernel.row.name},
               {"problem_id", kernel.row.problem_id},
               {"parent", kernel.row.parent},
               {"created_at", kernel.row.created_at},
               {"standings", Json::array()}};
  for (const ListedStanding& standing : kernel.standings) {
    form["standings"].push_back(standing_form(standing));
  }
  return form;
}

Json row_form(const ListedProblem& problem) {
  Json form = {{"id", problem.row.id},
               {"name", problem.row.name},
               {"created_at", problem.row.created_at},
               {"kernels", problem.kernels},
               {"more_kernels", problem.kernels == kMostCounted},
               {"fastest", Json::array()}};
  for (const ListedKernel& kernel : problem.fastest) {
    form["fastest"].push_back(row_form(kernel));
  }
  return form;
}

Json row_form(const EvidenceRow& evidence) {
  return {{"id", evidence.id},
          {"device", evidence.device},
          {"kind", evidence.kind},
          {"verdict", name_of(evidence.verdict)},
          {"meaning", facts_of(evidence.verdict).meaning},
          {"created_at", evidence.created_at}};
}

Json family_form(const KernelFamily& family) {
  Json form = {{"members", Json::array()}, {"cut", family.cut}};
  for (const FamilyMember& member : family.members) {
    Json row = row_form(member.kernel);
    if (member.pass) {
      row["pass"] = {{"transformation", member.pass->transformation},
                     {"pass", member.pass->pass},
                     {"passes", member.pass->passes}};
    }
    form["members"].push_back(std::move(row));
  }
  return form;
}

Json whole_kernel_form(const KernelRow& kernel) {
  const Json plan = plan_of(kernel.json);
  const std::string source = kernel_source(kernel.json);
  const std::size_t end = utf8_cut(source, kMostSource);
  return {{"id", kernel.id},
          {"name", kernel.name},
          {"problem_id", kernel.problem_id},
          {"parent", kernel.parent},
          {"created_at", kernel.created_at},
          {"source", source.substr(0, end)},
          {"source_left_out", source.size() - end},
          {"plan", plan}};
}

Json difference_form(const KernelRow& from, const KernelRow& to) {
  const TextDiff diff = unified_diff(kernel_source(from.json), kernel_source(to.json));
  return {{"from", from.id},
          {"to", to.id},
          {"text", diff.text},
          {"added", diff.added},
          {"removed", diff.removed}};
}

Json whole_evidence_form(const EvidenceRow& evidence) {
  Json form = row_form(evidence);
  form["kernel_id"] = evidence.kernel_id;
  form["problem_id"] = evidence.problem_id;
  form["key"] = evidence.key;
  form["again"] = call_again(evidence);
  form["record_bytes"] = evidence.json.size();
  const Json record = evidence.json.size() <= kMostRecord
                          ? Json::parse(evidence.json, nullptr, false)
                          : Json(Json::value_t::discarded);
  if (!record.is_discarded()) {
    // As text: a browser's numbers do not hold all of a seed.
    form["record"] = record.dump(1, ' ', false, Json::error_handler_t::replace);
    if (record.is_object() && record.contains("seed")) {
      form["seed"] = record["seed"].dump();
    }
  }
  return form;
}

}  // namespace ws::server
