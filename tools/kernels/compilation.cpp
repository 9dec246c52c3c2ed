#include "tools/kernels/compilation.h"

#include <cmath>

#include "runtime/base/numbers.h"
#include "runtime/base/text.h"
#include "tools/answer/fault_json.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr std::size_t kComplaintBytes = 200;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename T>
std::optional<T> optional_of(const Json& form) {
  return form.is_number() ? std::optional(form.get<T>()) : std::nullopt;
}

Json entry_form(const EntryUse& entry) {
  Json form = {{"entry", entry.entry},
               {"registers", or_null(entry.registers)},
               {"shared_bytes", entry.shared_bytes},
               {"local_bytes", or_null(entry.local_bytes)},
               {"max_threads", entry.max_threads},
               {"occupancy", entry.occupancy ? Json(rounded(*entry.occupancy)) : Json(nullptr)}};
  if (entry.spill_bytes > 0) {
    form["spill_bytes"] = entry.spill_bytes;
  }
  return form;
}

EntryUse entry_of_form(const Json& form) {
  return {.entry = form.at("entry"),
          .registers = optional_of<std::int64_t>(form.at("registers")),
          .shared_bytes = form.at("shared_bytes"),
          .local_bytes = optional_of<std::int64_t>(form.at("local_bytes")),
          .spill_bytes = form.value("spill_bytes", std::int64_t{0}),
          .max_threads = form.at("max_threads"),
          .occupancy = optional_of<double>(form.at("occupancy"))};
}

Json variant_form(const VariantUse& variant) {
  Json form = {{"params", variant.params},
               {"verdict", name_of(variant.verdict)},
               {"entries", Json::array()}};
  for (const EntryUse& entry : variant.entries) {
    form["entries"].push_back(entry_form(entry));
  }
  if (variant.verdict != Verdict::kCompiled) {
    form["message"] = quoted(variant.message, kComplaintBytes);
  }
  return form;
}

std::string place_of(const Compilation& compilation) {
  if (compilation.diagnostics.empty() || compilation.diagnostics.front().line == 0) {
    return {};
  }
  const Diagnostic& first = compilation.diagnostics.front();
  return first.region + ":" + std::to_string(first.line) + ": ";
}

std::string summary_of(const Compilation& compilation) {
  const std::string& id = compilation.kernel_id;
  if (compilation.verdict == Verdict::kCompiled) {
    return id + " compiled (" + compilation.cache + ", " +
           std::to_string(std::lround(compilation.compile_ms)) + " ms)";
  }
  return id + ": " +
         verdict_text(compilation.verdict,
                      place_of(compilation) + quoted(compilation.message, kComplaintBytes));
}

std::vector<Json> steps_after(const Compilation& compilation) {
  const std::string& id = compilation.kernel_id;
  if (compilation.verdict == Verdict::kCompiled) {
    return {next_step("validate", {{"kernel_id", id}}, "check the results against the reference")};
  }
  if (compilation.verdict == Verdict::kUnsupported) {
    return {next_step("list_devices", Json::object(), "see what kernels can be compiled for")};
  }
  return {edit_step("compile_kernel", id, "fix the lines that the diagnostics name")};
}

Json links_of(const Compilation& compilation) {
  Json links = kernel_links(compilation.kernel_id);
  const std::string base = "kernel://" + compilation.kernel_id + "/";
  if (!compilation.instructions_from.empty()) {
    for (const std::string view : {"ptx", "sass"}) {  // This very compile's.
      links.push_back(
          {{"rel", view}, {"uri", base + view + "?evidence=" + compilation.evidence_id}});
    }
  }
  if (!compilation.diagnostics.empty()) {
    links.push_back({{"rel", "log"}, {"uri", base + "log"}});
  }
  return links;
}

}  // namespace

void to_json(Json& form, const Compilation& compilation) {
  form = {{"verdict", name_of(compilation.verdict)},
          {"problem_id", compilation.problem_id},
          {"kernel_id", compilation.kernel_id},
          {"entries", Json::array()},
          {"diagnostics", Json::array()},
          {"diagnostics_total", compilation.diagnostics_total},
          {"emulated", compilation.emulated},
          {"instructions", compilation.instructions}};
  for (const EntryUse& entry : compilation.entries) {
    form["entries"].push_back(entry_form(entry));
  }
  for (const Diagnostic& diagnostic : compilation.diagnostics) {
    form["diagnostics"].push_back(to_json(diagnostic));
  }
  if (!compilation.instructions_from.empty()) {
    form["instructions_from"] = compilation.instructions_from;
  }
  if (!compilation.parent.empty()) {
    form["parent"] = compilation.parent;
  }
  if (!compilation.evidence_id.empty()) {
    form["evidence_id"] = compilation.evidence_id;
    form["cache"] = compilation.cache;
    form["compile_ms"] = rounded(compilation.compile_ms);
  }
}

void from_json(const Json& form, Compilation& compilation) {
  compilation.verdict =
      verdict_of(form.at("verdict").get<std::string>()).value_or(Verdict::kUnsupported);
  compilation.problem_id = form.value("problem_id", "");
  compilation.kernel_id = form.value("kernel_id", "");
  compilation.parent = form.value("parent", "");
  for (const Json& entry : form.at("entries")) {
    compilation.entries.push_back(entry_of_form(entry));
  }
  for (const Json& diagnostic : form.at("diagnostics")) {
    compilation.diagnostics.push_back(diagnostic_from_json(diagnostic));
  }
  compilation.diagnostics_total = form.at("diagnostics_total");
  compilation.emulated = form.at("emulated");
  compilation.instructions = form.at("instructions").get<std::map<std::string, std::int64_t>>();
  compilation.instructions_from = form.value("instructions_from", "");
  compilation.evidence_id = form.value("evidence_id", "");
  compilation.cache = form.value("cache", "");
  compilation.compile_ms = form.value("compile_ms", 0.0);
}

Answer answer_of(const Compilation& compilation) {
  Answer answer{.summary = summary_of(compilation),
                .body = compilation,
                .next_steps = steps_after(compilation)};
  answer.body["links"] = links_of(compilation);
  for (const VariantUse& variant : compilation.variants) {
    answer.body["variants"].push_back(variant_form(variant));
  }
  return answer;
}

std::string first_complaint(const Compilation& compilation) {
  return compilation.diagnostics.empty()
             ? std::string()
             : place_of(compilation) + quoted(compilation.diagnostics.front().message);
}

}  // namespace ws
