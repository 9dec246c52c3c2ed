#include "runtime/ir/exec/finding.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ws::ir {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

constexpr std::array<Row, 29> kKindRows = {{
#define WS_IR_FINDING(id, word, meaning) Row{word, meaning},
#include "runtime/ir/exec/findings.def"
#undef WS_IR_FINDING
}};

// Two workers that race show it from either side, depending on which comes first.
bool same_pair(const Finding& a, const Finding& b) {
  const bool straight = a.place == b.place && a.other == b.other;
  const bool crossed = a.place == b.other && a.other == b.place;
  return straight || crossed;
}

// "full" of "full[1]".
std::string_view array_of(std::string_view object) {
  return object.substr(0, object.find('['));
}

// A worker that reads too early finds nothing written on one schedule and a copy in flight on
// another. Where a barrier counts too few arrivals, the others come too early for the next phase.
bool follows(const Finding& late, const Finding& known) {
  if (late.kind == FindingKind::kEarlyArrival) {
    return known.kind == FindingKind::kOverArrival &&
           array_of(late.object) == array_of(known.object);
  }
  return late.kind == FindingKind::kUninitialisedRead &&
         array_of(late.object) == array_of(known.object) &&
         (late.place == known.place || late.place == known.other);
}

// The same pair of places again. That a wait is missing explains what else they show, as nothing
// orders the two then. But where the copy came too early, the reader finds the copies after it
// incomplete too, and did wait. True: the finding has taken the row's place.
bool add_to(Finding& row, const Finding& finding) {
  const bool from_copy = row.place != finding.place;
  const bool unordered =
      row.kind == FindingKind::kOverwrittenInFlight || row.kind == FindingKind::kRace;
  if (!unordered || row.explained || !from_copy) {
    return false;
  }
  if (finding.kind == FindingKind::kReadBeforeWait) {
    row = finding;
    return true;
  }
  row.explained = finding.kind == FindingKind::kRace;
  return false;
}

std::string side(SourcePlace place, std::string_view text) {
  std::string line(line_of(text, place.line));
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  return "  line " + std::to_string(place.line) + ": " + line + "\n";
}

}  // namespace

std::string_view word_of(FindingKind kind) {
  return kKindRows.at(static_cast<std::size_t>(kind)).first;
}

std::string_view meaning_of(FindingKind kind) {
  return kKindRows.at(static_cast<std::size_t>(kind)).second;
}

std::string render(const Finding& finding, std::string_view text) {
  std::string result = std::string(word_of(finding.kind)) + ": " + finding.message + "\n";
  result += side(finding.place, text);
  if (finding.other.line > 0 && finding.other != finding.place) {
    result += side(finding.other, text);
  }
  if (!finding.fix.empty()) {
    result += "  fix: " + finding.fix + "\n";
  }
  return result + "  worker " + finding.worker + ", block " + std::to_string(finding.block) +
         ", schedule " + finding.schedule + "\n";
}

Finding* Findings::add(Finding finding) {
  for (Finding& row : rows_) {
    if (same_pair(row, finding)) {
      return add_to(row, finding) ? &row : nullptr;
    }
    if (follows(finding, row)) {
      return nullptr;
    }
  }
  if (rows_.size() >= kMaxFindings) {
    return nullptr;
  }
  std::erase_if(rows_, [&](const Finding& row) { return follows(row, finding); });
  const auto behind = std::ranges::find_if(rows_, &Finding::may_follow);
  return &*rows_.insert(finding.may_follow ? rows_.end() : behind, std::move(finding));
}

void Findings::merge(const Findings& other) {
  for (const Finding& finding : other.rows_) {
    add(finding);
  }
}

}  // namespace ws::ir
