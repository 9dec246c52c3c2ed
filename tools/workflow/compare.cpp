// Two kernels of one problem side by side.
#include "runtime/kernel/form/kernel_form.h"
#include "runtime/search/text_diff.h"
#include "tools/workflow/actions.h"

namespace ws {
namespace {

constexpr std::size_t kMaxText = 1200;       // Bytes of a diff.
constexpr std::size_t kMaxFullText = 40000;  // With detail: full.
constexpr std::size_t kMaxValue = 100;       // Of one plan field, on each side.
constexpr std::size_t kMaxFullValue = 4000;
constexpr std::size_t kMaxEntries = 4;
constexpr const char* kAbsent = "(none)";

std::string text_field(const Json& form, const char* field) {
  return form.is_object() ? form.value(field, "") : std::string();
}

/// {added, removed, text}; null where they are equal.
Json text_diff(const Json& a, const Json& b, const char* field, bool full) {
  const TextDiff diff = unified_diff(text_field(a, field), text_field(b, field));
  if (diff.text.empty()) {
    return nullptr;
  }
  return {{"added", diff.added},
          {"removed", diff.removed},
          {"text", quoted(diff.text, full ? kMaxFullText : kMaxText)}};
}

/// {field: {a, b}} of what is neither source nor macros. Headers are texts: only their names.
Json plan_diff(const Json& a, const Json& b, bool full) {
  Json plan = Json::object();
  const auto value = [full](const Json& form, const std::string& field) -> Json {
    if (!form.contains(field)) {
      return kAbsent;
    }
    Json shown = form[field];
    if (field == "headers") {
      shown = Json::array();
      for (const auto& header : form[field].items()) {
        shown.push_back(header.key());
      }
    }
    const std::string text = shown.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::size_t most = full ? kMaxFullValue : kMaxValue;
    return text.size() <= most ? shown : Json(quoted(text, most));
  };
  for (const std::string& field : plan_fields()) {
    const bool is_text = field == "source" || field == "macros";
    const bool same =
        a.contains(field) == b.contains(field) && (!a.contains(field) || a[field] == b[field]);
    if (!is_text && !same) {
      plan[field] = {{"a", value(a, field)}, {"b", value(b, field)}};
    }
  }
  return plan;
}

/// What the compiler counted, of the first entries.
Json entries_of(const Json& recorded) {
  Json entries = Json::array();
  for (const Json& entry : recorded) {
    if (entries.size() < kMaxEntries) {
      entries.push_back({{"entry", quoted(entry.value("entry", ""), kMaxValue)}});
      for (const char* count : {"registers", "shared_bytes", "local_bytes"}) {
        entries.back()[count] = entry.value(count, Json());
      }
    }
  }
  return entries;
}

/// What is known of a kernel on the device.
Result<Json> evidence_of(const LineArchives& archives, const KernelRow& row,
                         const WorkflowRequest& request) {
  Json form = Json::object();
  const auto newest = [&](const char* kind) {
    return archives.archive.latest_evidence(row.id, request.device_key, kind);
  };
  WS_TRY(const auto compiled, newest("compile"));
  if (compiled) {
    form["compile"] = compiled->verdict;
    const Json record = Json::parse(compiled->json, nullptr, false);
    if (record.is_object() && record.contains("output")) {
      form["entries"] = entries_of(record["output"].value("entries", Json::array()));
    }
  }
  WS_TRY(const auto validated, newest("validate"));
  if (validated) {
    form["validate"] = validated->verdict;
  }
  WS_TRY(const std::vector<LineKernel> line, line_of(archives, row.id, request.device_key));
  const LineSpeed& speed = line.back().speed;
  if (!speed.verdict.empty()) {
    form["benchmark"] = speed.verdict;
  }
  if (speed.us) {
    form["us"] = rounded(*speed.us);
  }
  if (speed.total) {
    form["total"] = rounded(*speed.total);
  }
  return form;
}

/// {fact: {a, b}} of facts that differ or that one of them lacks.
Json facts_diff(const Json& a, const Json& b) {
  Json facts = Json::object();
  for (const char* fact : {"compile", "entries", "validate", "benchmark", "us", "total"}) {
    const Json left = a.value(fact, Json(kAbsent));
    const Json right = b.value(fact, Json(kAbsent));
    if (left != right) {
      facts[fact] = {{"a", left}, {"b", right}};
    }
  }
  return facts;
}

std::string summary_of_comparison(const KernelRow& a, const KernelRow& b, const Json& diff) {
  if (a.id == b.id) {
    return "both are " + a.id;
  }
  std::string parts;
  for (const char* region : {"source", "macros"}) {
    if (diff.contains(region)) {
      parts += std::string(region) + " +" + diff[region]["added"].dump() + " -" +
               diff[region]["removed"].dump() + " lines, ";
    }
  }
  return b.id + " against " + a.id + ": " + parts + std::to_string(diff["plan"].size()) +
         " plan fields";
}

}  // namespace

Result<Json> compare_kernels(Services& services, LineStore& lines, const WorkflowRequest& request) {
  Archive& archive = *services.archive;
  WS_TRY(const KernelRow a, archive.kernel(request.a));
  WS_TRY(const KernelRow b, archive.kernel(request.b));
  if (a.problem_id != b.problem_id) {
    return fail(ErrorCode::kInvalidArgument,
                "`a` solves " + a.problem_id + ", `b` solves " + b.problem_id,
                "compare kernels of one problem");
  }
  const Json before = Json::parse(a.json, nullptr, false);
  const Json after = Json::parse(b.json, nullptr, false);
  Json diff = {{"plan", plan_diff(before, after, request.full)}};
  for (const char* region : {"source", "macros"}) {
    Json text = text_diff(before, after, region, request.full);
    if (!text.is_null()) {
      diff[region] = std::move(text);
    }
  }
  WS_TRY(const Json known_a, evidence_of({archive, lines}, a, request));
  WS_TRY(const Json known_b, evidence_of({archive, lines}, b, request));
  diff["evidence"] = facts_diff(known_a, known_b);
  const std::string summary = summary_of_comparison(a, b, diff);
  Json body = {{"a", a.id}, {"b", b.id}, {"kernel_id", b.id}, {"device", request.device_id}};
  body["diff"] = std::move(diff);
  body["links"] =
      Json::array({{{"rel", "diff"}, {"uri", "kernel://" + b.id + "/diff?from=" + a.id}}});
  return finished(summary, std::move(body),
                  {next_step("benchmark", {{"kernel_id", b.id}, {"baseline", a.id}},
                             "time the one against the other")});
}

}  // namespace ws
