#include "runtime/reference/cuir_reply.h"

#include <algorithm>

namespace ws {
namespace {

std::string snippet_of(const ir::Diagnostic& row, const std::string& text) {
  constexpr std::size_t kMaxLine = 160;
  const std::string line(ir::line_of(text, row.place.line).substr(0, kMaxLine));
  const std::size_t column = std::min<std::size_t>(row.place.column, line.size() + 1);
  return line + "\n" + std::string(column == 0 ? 0 : column - 1, ' ') + "^";
}

}  // namespace

HostReply refused(HostVerdict verdict, const Error& error) {
  HostReply reply;
  reply.verdict = verdict;
  reply.message = error.message;
  reply.hint = error.hint;
  return reply;
}

HostReply refused(HostVerdict verdict, const ir::Diagnostics& diagnostics,
                  const std::string& text) {
  HostReply reply;
  reply.verdict = verdict;
  std::vector<ir::Diagnostic> rows = diagnostics.rows();
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  for (const ir::Diagnostic& row : rows) {
    reply.diagnostics.push_back(
        {row.place.line, row.place.column, row.message, row.hint, snippet_of(row, text)});
  }
  if (!rows.empty()) {
    reply.message = ir::to_text(rows.front().place) + ": " + rows.front().message;
  }
  return reply;
}

ProgramFinding to_row(const ir::Finding& finding) {
  return {std::string(ir::word_of(finding.kind)),
          finding.message,
          finding.place.line,
          finding.other.line,
          finding.object,
          finding.worker,
          finding.fix,
          finding.schedule,
          finding.block};
}

std::vector<ProgramFinding> to_rows(const std::vector<ir::Finding>& findings) {
  std::vector<ProgramFinding> rows;
  for (const ir::Finding& finding : findings) {
    rows.push_back(to_row(finding));
  }
  if (!findings.empty()) {
    for (const ir::TraceEvent& event : findings.front().events) {
      rows.front().events.push_back(
          {event.worker, std::string(ir::word_of(event.kind)), event.object, event.line});
    }
    rows.front().workers = findings.front().workers;
  }
  return rows;
}

ProgramFinding limit_row(const Error& error) {
  return to_row({.kind = ir::FindingKind::kExecutorLimit,
                 .message = error.message,
                 .place = {},
                 .other = {},
                 .object = {},
                 .worker = {},
                 .fix = error.hint,
                 .schedule = {},
                 .block = 0});
}

}  // namespace ws
