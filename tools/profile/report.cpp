#include "tools/profile/report.h"

#include <array>
#include <charconv>
#include <cmath>

#include "runtime/base/text.h"
#include "runtime/kernel/form/lines.h"
#include "tools/answer/envelope.h"

namespace ws {
namespace {

constexpr std::size_t kMostRows = 400;
constexpr std::size_t kMostCode = 90;  // Bytes of one line.

/// Four digits at most: "12.5", "1.678e+07".
std::string number(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rounded(value));
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : "?";
}

std::string share(double part, double whole) {
  return whole > 0 ? number(kPercent * part / whole) : "-";
}

std::string per(double amount, double requests) {
  return requests > 0 ? number(amount / requests) : "-";
}

/// Code inside a table's cell: marks that end the cell or the code are taken out.
std::string cell(const std::string& code) {
  std::string clean;
  for (const char c : quoted(code.substr(0, utf8_cut(code, kMostCode)), kMostCode)) {
    clean += c == '|' || c == '`' || c == '\n' ? ' ' : c;
  }
  return clean.empty() ? " " : "`" + clean + "`";
}

std::string findings_part(const Profile& profile) {
  std::string text = "## Findings\n\n";
  if (profile.findings.empty()) {
    text += "None weighs enough.\n";
  }
  for (const Finding& finding : profile.findings) {
    text += "- **" + finding.cause + "** (may explain up to " +
            std::to_string(std::lround(kPercent * finding.may_explain)) + " %): " + finding.metric +
            " = " + number(finding.value) + " " + finding.unit + ". " + finding.meaning +
            ". Try: " + finding.advice + ".\n";
  }
  return text + "\n";
}

std::string model_part(const Profile& profile) {
  std::string text = "## Where the time would go on " + std::string(kHopper.name) +
                     " (a model)\n\n| part | us | % of " + number(profile.model.total_us) +
                     " us |\n| --- | --- | --- |\n";
  for (std::size_t i = 0; i < kParts; ++i) {
    const double us = profile.model.us(static_cast<Part>(i));
    text += std::string("| ") + kPartNames[i] + " | " + number(us) + " | " +
            share(us, profile.model.total_us) + " |\n";
  }
  return text + "| launch | " + number(profile.model.launch_us) + " | " +
         share(profile.model.launch_us, profile.model.total_us) + " |\n\n";
}

std::string counts_part(const Profile& profile) {
  const PlanCounts& counts = profile.input.counts;
  std::string text = "## Counts\n\n" + number(counts.sampled) + " of " + number(counts.blocks) +
                     " blocks were counted; the numbers are for all.\n\n"
                     "| count | value | unit |\n| --- | --- | --- |\n";
  for (const CountRow& row : kCountRows) {
    text += std::string("| ") + row.name + " | " + number(counts.total.*row.value) + " | " +
            row.unit + " |\n";
  }
  for (std::size_t i = 0; i < kInstrClasses; ++i) {
    text += std::string("| ") + kInstrClassNames[i] + " | " + number(counts.total.instructions[i]) +
            " | warp instructions |\n";
  }
  for (std::size_t i = 0; i < kMemorySpaces; ++i) {
    text += std::string("| ") + kMemorySpaceNames[i] + " | " + number(counts.total.bytes[i]) +
            " | bytes |\n";
  }
  return text + "\n";
}

std::string line_row(const LineCounts& line, const Counts& total, const std::string& code) {
  const Counts& counts = line.counts;
  const auto global = static_cast<std::size_t>(MemorySpace::kGlobal);
  const auto shared = static_cast<std::size_t>(MemorySpace::kShared);
  const std::string place =
      line.region.empty() ? "-" : quoted(line.region, 40) + ":" + std::to_string(line.line);
  return "| " + place + " | " + share(counts.warp_instructions, total.warp_instructions) + " | " +
         share(counts.latency_cycles, total.latency_cycles) + " | " +
         per(counts.sectors, counts.requests[global]) + " | " +
         per(counts.ideal_sectors, counts.requests[global]) + " | " +
         per(counts.passes, counts.requests[shared]) + " | " +
         share(counts.divergent_branches, counts.branches) + " | " + cell(code) + " |\n";
}

std::string lines_part(const Subject& subject, const Profile& profile) {
  const std::vector<std::string> source = split_lines(subject.kernel.source);
  const std::vector<std::string> macros = split_lines(subject.kernel.macros);
  std::string text =
      "## Lines\n\n| line | instructions % | waiting % | sectors/request | ideal | "
      "shared cycles/request | divergent % | source |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const std::vector<LineCounts>& lines = profile.input.counts.lines;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostRows); ++i) {
    const std::vector<std::string>& file = lines[i].region == "macros" ? macros : source;
    const bool known = lines[i].region == "macros" || lines[i].region == "source";
    const auto at = static_cast<std::size_t>(std::max(lines[i].line, 1)) - 1;
    text +=
        line_row(lines[i], profile.input.counts.total, known && at < file.size() ? file[at] : "");
  }
  if (lines.size() > kMostRows) {
    text += "\n" + std::to_string(lines.size() - kMostRows) + " more lines.\n";
  }
  return text;
}

}  // namespace

std::string profile_report(const Subject& subject, const Profile& profile,
                           const std::string& what) {
  return "# Profile of " + subject.kernel.id + "\n\n" + quoted(what) +
         ". Limiter: " + profile.model.limiter + ".\n\n" + findings_part(profile) +
         model_part(profile) + counts_part(profile) + lines_part(subject, profile);
}

}  // namespace ws
