// The mistakes in a program that the executor reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/exec/trace.h"
#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

enum class FindingKind : std::uint8_t {
#define WS_IR_FINDING(id, word, meaning) id,
#include "runtime/ir/exec/findings.def"
#undef WS_IR_FINDING
};

struct Finding {
  FindingKind kind = FindingKind::kRuntimeError;
  std::string message;   ///< One sentence that says what happened, lower case, no full stop.
  SourcePlace place;     ///< Where it was noticed.
  SourcePlace other;     ///< The other side: the issue, the write, the init. Line 0: none.
  std::string object;    ///< The buffer or barrier: "sK[1]", "full[0]".
  std::string worker;    ///< The worker that noticed it: "consumer(1)".
  std::string fix;       ///< A change that would have made it right.
  std::string schedule;  ///< The first schedule that showed it.
  std::int64_t block = 0;
  bool may_follow = false;  ///< It often follows from another one, which then comes first.
  bool explained = false;   ///< A copy that was seen to come before its reader was through.
  std::vector<TraceEvent> events{};    ///< The last ones before it, the noticed event among them.
  std::vector<std::string> workers{};  ///< Their names, by the numbers in `events`.
};

std::string_view word_of(FindingKind kind);
std::string_view meaning_of(FindingKind kind);

/// The finding with both lines of the program below it.
std::string render(const Finding& finding, std::string_view text);

/// Collects findings; the same pair of places is said once. One thread.
class Findings {
 public:
  static constexpr std::size_t kMaxFindings = 32;

  /// @return  Its row, where it is one now; null: others say it already. Valid until the next one.
  Finding* add(Finding finding);

  /// Adds those of another run.
  void merge(const Findings& other);

  [[nodiscard]] const std::vector<Finding>& rows() const { return rows_; }

 private:
  std::vector<Finding> rows_;
};

}  // namespace ws::ir
