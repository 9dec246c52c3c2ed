// Two kernels of one problem side by side.
#include <utility>

#include "runtime/kernel/form/kernel_form.h"
#include "tools/workflow/actions.h"

namespace ws {
namespace {

constexpr std::size_t kMaxText = 1200;       // Bytes of a diff.
constexpr std::size_t kMaxFullText = 40000;  // With detail: full.
constexpr std::size_t kMaxValue = 100;       // The limit for one plan field, on each side.
constexpr std::size_t kMaxFullValue = 4000;
constexpr std::size_t kMaxEntries = 4;
constexpr const char* kAbsent = "(none)";

std::string text_field(const Json& form, const char* field) {
  return form.is_object() ? form.value(field, "") : std::string();
}

/// {added, removed, text}.
Json form_of(const TextDiff& diff, bool full) {
  return {{"added", diff.added},
          {"removed", diff.removed},
          {"text", quoted(diff.text, full ? kMaxFullText : kMaxText)}};
}

/// A plan's field as it is shown. Headers are texts: only their names.
Json shown_field(const Json& kernel, const std::string& field, bool full) {
  if (!kernel.contains(field)) {
    return kAbsent;
  }
  Json shown = kernel[field];
  if (field == "headers") {
    shown = Json::array();
    for (const auto& header : kernel[field].items()) {
      shown.push_back(header.key());
    }
  }
  const std::string text = shown.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::size_t most = full ? kMaxFullValue : kMaxValue;
  return text.size() <= most ? shown : Json(quoted(text, most));
}

/// Compares everything but the source and the macros.
std::vector<PlanDiff> plan_diff(const Json& a, const Json& b, bool full) {
  std::vector<PlanDiff> plan;
  for (const std::string& field : plan_fields()) {
    const bool is_text = field == "source" || field == "macros";
    const bool same =
        a.contains(field) == b.contains(field) && (!a.contains(field) || a[field] == b[field]);
    if (!is_text && !same) {
      plan.push_back({field, shown_field(a, field, full), shown_field(b, field, full)});
    }
  }
  return plan;
}

/// The compiler's figures for the first entries.
std::vector<EntryFacts> entries_of(const Json& recorded) {
  std::vector<EntryFacts> entries;
  for (const Json& row : recorded) {
    if (entries.size() == kMaxEntries) {
      break;
    }
    const auto count = [&row](const char* field) {
      const Json value = row.value(field, Json());
      return value.is_number() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
    };
    entries.push_back({.entry = quoted(row.value("entry", ""), kMaxValue),
                       .registers = count("registers"),
                       .shared_bytes = count("shared_bytes"),
                       .local_bytes = count("local_bytes")});
  }
  return entries;
}

Result<KernelFacts> facts_of(const LineArchives& archives, const KernelRow& row,
                             const WorkflowRequest& request) {
  KernelFacts facts;
  const auto newest = [&](const char* kind) {
    return archives.archive.latest_evidence(row.id, request.device_key, kind);
  };
  WS_TRY(const auto compiled, newest("compile"));
  if (compiled) {
    facts.compile = compiled->verdict;
    const Json record = Json::parse(compiled->json, nullptr, false);
    if (record.is_object() && record.contains("output")) {
      facts.entries = entries_of(record["output"].value("entries", Json::array()));
    }
  }
  WS_TRY(const auto validated, newest("validate"));
  if (validated) {
    facts.validate = validated->verdict;
  }
  WS_TRY(const std::vector<LineKernel> line, line_of(archives, row.id, request.device_key));
  facts.speed = line.back().speed;
  return facts;
}

Json form_of(const std::vector<EntryFacts>& entries) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? Json(*value) : Json();
  };
  Json form = Json::array();
  for (const EntryFacts& row : entries) {
    form.push_back({{"entry", row.entry},
                    {"registers", number(row.registers)},
                    {"shared_bytes", number(row.shared_bytes)},
                    {"local_bytes", number(row.local_bytes)}});
  }
  return form;
}

/// {fact: value}; "(none)" for one that is not known.
Json form_of(const KernelFacts& facts) {
  const auto verdict = [](const std::optional<Verdict>& value) {
    return value ? Json(name_of(*value)) : Json(kAbsent);
  };
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(rounded(*value)) : Json(kAbsent);
  };
  return {{"compile", verdict(facts.compile)},
          {"entries", facts.compile ? form_of(facts.entries) : Json(kAbsent)},
          {"validate", verdict(facts.validate)},
          {"benchmark", verdict(facts.speed.verdict)},
          {"us", number(facts.speed.us)},
          {"total", number(facts.speed.total)}};
}

/// {fact: {a, b}} of facts that differ or that one of them lacks.
Json facts_diff(const KernelFacts& of_a, const KernelFacts& of_b) {
  const Json a = form_of(of_a);
  const Json b = form_of(of_b);
  Json facts = Json::object();
  for (const auto& fact : a.items()) {
    if (fact.value() != b[fact.key()]) {
      facts[fact.key()] = {{"a", fact.value()}, {"b", b[fact.key()]}};
    }
  }
  return facts;
}

std::string summary_of(const KernelComparison& comparison) {
  if (comparison.a == comparison.b) {
    return "both are " + comparison.a;
  }
  const auto part = [](const char* region, const TextDiff& diff) {
    return diff.text.empty() ? std::string()
                             : std::string(region) + " +" + std::to_string(diff.added) + " -" +
                                   std::to_string(diff.removed) + " lines, ";
  };
  return comparison.b + " against " + comparison.a + ": " + part("source", comparison.source) +
         part("macros", comparison.macros) + std::to_string(comparison.plan.size()) +
         " plan fields";
}

}  // namespace

Result<KernelComparison> compare_kernels(Services& services, LineStore& lines,
                                         const WorkflowRequest& request) {
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
  const auto diff = [&](const char* region) {
    return unified_diff(text_field(before, region), text_field(after, region));
  };
  KernelComparison told;
  told.a = a.id;
  told.b = b.id;
  told.device_id = request.device_id;
  told.source = diff("source");
  told.macros = diff("macros");
  told.plan = plan_diff(before, after, request.full);
  told.full = request.full;
  WS_TRY(told.facts_a, facts_of({archive, lines}, a, request));
  WS_TRY(told.facts_b, facts_of({archive, lines}, b, request));
  return told;
}

Answer answer_of(const KernelComparison& comparison) {
  Json diff = {{"plan", Json::object()},
               {"evidence", facts_diff(comparison.facts_a, comparison.facts_b)}};
  for (const PlanDiff& row : comparison.plan) {
    diff["plan"][row.field] = {{"a", row.a}, {"b", row.b}};
  }
  if (!comparison.source.text.empty()) {
    diff["source"] = form_of(comparison.source, comparison.full);
  }
  if (!comparison.macros.text.empty()) {
    diff["macros"] = form_of(comparison.macros, comparison.full);
  }
  const std::string& a = comparison.a;
  const std::string& b = comparison.b;
  return {
      .summary = summary_of(comparison),
      .body = {{"a", a},
               {"b", b},
               {"kernel_id", b},
               {"device", comparison.device_id},
               {"diff", std::move(diff)},
               {"links",
                Json::array({{{"rel", "diff"}, {"uri", "kernel://" + b + "/diff?from=" + a}}})}},
      .next_steps = {next_step("benchmark", {{"kernel_id", b}, {"baseline", a}},
                               "time the one against the other")}};
}

}  // namespace ws
