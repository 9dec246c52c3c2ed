#include "runtime/evaluate/validate/weigh_findings.h"

#include <algorithm>

namespace ws {
namespace {

bool is_unwritten(const SanitizerFinding& finding) {
  return finding.fault.verdict == Verdict::kUninitialisedRead;
}

/// The finding that most likely is the reason of the verdict.
const Fault& reason_in(const std::vector<SanitizerFinding>& findings, bool unwritten) {
  const auto at = std::ranges::find_if(findings, [unwritten](const SanitizerFinding& finding) {
    return is_unwritten(finding) == unwritten;
  });
  return (at == findings.end() ? findings.front() : *at).fault;
}

}  // namespace

bool is_explained(const ValidationResult& result) {
  return result.finding == FindingCode::kOrderDependent ||
         result.finding == FindingCode::kUnwrittenMemory;
}

void weigh_findings(ValidationResult& result) {
  std::vector<SanitizerFinding>& findings = result.sanitized->findings;
  if (!is_explained(result)) {
    // A read whose value changes no result is no mistake: a lane may read what it does not use.
    std::erase_if(findings, [](const SanitizerFinding& finding) {
      return finding.tool == SanitizerTool::kEngine && is_unwritten(finding);
    });
  }
  if (findings.empty()) {
    return;
  }
  if (result.verdict == Verdict::kPassed) {
    result.fault = findings.front().fault;
    result.verdict = result.fault->verdict;
    result.message = result.fault->message;
  } else if (is_explained(result)) {
    const Fault& reason = reason_in(findings, result.finding == FindingCode::kUnwrittenMemory);
    result.fault = result.fault ? result.fault : reason;
  }
}

}  // namespace ws
