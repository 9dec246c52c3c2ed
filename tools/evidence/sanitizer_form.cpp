#include "tools/evidence/sanitizer_form.h"

#include <algorithm>

#include "tools/answer/fault_json.h"

namespace ws {
namespace {

Json form_of(const SanitizerFinding& finding) {
  Json form = to_json(finding.fault);
  form["tool"] = name_of(finding.tool);
  form["verdict"] = name_of(finding.fault.verdict);
  form["count"] = finding.count;
  if (finding.other) {
    form["other_file"] = finding.other->file;
    form["other_line"] = finding.other->line;
    if (finding.other->column != 0) {
      form["other_column"] = finding.other->column;
    }
  }
  if (finding.other_thread && finding.other_block) {
    form["other_block"] = *finding.other_block;
    form["other_thread"] = *finding.other_thread;
  }
  return form;
}

SanitizerTool tool_of(const std::string& name) {
  const auto* const at =
      std::ranges::find(kSanitizerTools, name, [](SanitizerTool tool) { return name_of(tool); });
  return at == kSanitizerTools.end() ? SanitizerTool::kMemcheck : *at;
}

SanitizerFinding finding_of(const Json& form) {
  const Verdict verdict =
      verdict_of(form.value("verdict", std::string())).value_or(Verdict::kSanitizer);
  SanitizerFinding finding{.tool = tool_of(form.at("tool")),
                           .fault = fault_from_json(form, verdict),
                           .other = std::nullopt,
                           .other_block = std::nullopt,
                           .other_thread = std::nullopt,
                           .count = form.value("count", std::uint64_t{1})};
  if (form.contains("other_line")) {
    finding.other = {form.value("other_file", ""), form["other_line"].get<int>(),
                     form.value("other_column", 0)};
  }
  if (form.contains("other_thread")) {
    finding.other_block = form.at("other_block");
    finding.other_thread = form.at("other_thread");
  }
  return finding;
}

}  // namespace

void add_sanitizers(Json& form, const SanitizerResult& result) {
  for (const SanitizerFinding& finding : result.findings) {
    form["findings"].push_back(form_of(finding));
  }
  Json clean = Json::array();
  for (const SanitizerTool tool : result.clean) {
    clean.push_back(name_of(tool));
  }
  form["sanitizers"] = {{"clean", std::move(clean)}, {"skipped", result.skipped}};
}

bool is_sanitizers(const Json& finding) {
  return finding.contains("tool");
}

std::optional<SanitizerResult> sanitizers_of_form(const Json& form) {
  const auto at = form.find("sanitizers");
  if (at == form.end()) {
    return std::nullopt;
  }
  SanitizerResult result;
  for (const Json& name : at->at("clean")) {
    result.clean.push_back(tool_of(name));
  }
  result.skipped = at->at("skipped").get<std::vector<std::string>>();
  for (const Json& finding : form.at("findings")) {
    if (is_sanitizers(finding)) {
      result.findings.push_back(finding_of(finding));
    }
  }
  return result;
}

}  // namespace ws
