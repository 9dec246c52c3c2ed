#include "tools/apply_transformation/instruct.h"

#include <algorithm>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/skills/builtins.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr std::size_t kMaxBlock = 24;       // Lines that one hash covers.
constexpr std::size_t kAnswerBytes = 3800;  // The limit of a concise answer without its frame.
constexpr std::size_t kLeastLines = 800;    // Bytes of lines that are shown in any case.
constexpr std::size_t kLineOverhead = 20;   // Bytes of {"n":12,"text":""} and a comma.
constexpr std::size_t kMaxEdits = 200;      // The limit of one call, as the schema says.
constexpr const char* kPlan = "plan";

/// The plan as it was sent, a line for each item of a field, without what the other regions are and
/// what is never edited.
std::string plan_text(const Kernel& kernel) {
  Json plan = Json::parse(kernel.json, nullptr, false);
  for (const char* field :
       {"source", "macros", "headers", "name", "problem_id", "language", "options", "specialize"}) {
    plan.erase(field);
  }
  std::string text;
  for (const auto& field : plan.items()) {
    const bool listed = field.value().is_array() && field.value().size() > 1;
    text += field.key() + ": " + (listed ? "" : field.value().dump()) + "\n";
    for (std::size_t i = 0; listed && i < field.value().size(); ++i) {
      text += "  " + field.value()[i].dump() + "\n";
    }
  }
  return text;
}

/// Where the block that begins at line `from` ends: at an empty line, at the end of a function, or
/// when it is long.
std::size_t block_end(const std::vector<std::string>& lines, std::size_t from) {
  for (std::size_t n = from; n <= lines.size(); ++n) {
    const std::string& line = lines[n - 1];
    if (line.empty() || line == "}" || n - from + 1 == kMaxBlock) {
      return n;
    }
  }
  return lines.size();
}

/// Lists the lines of regions as blocks, each with the hash that an edit of the whole block may
/// give as `expect`.
class EditableLines {
 public:
  /// @param room  Bytes; npos: no limit.
  explicit EditableLines(std::size_t room)
      : left_(room) {}

  void add(const std::string& region, const std::vector<std::string>& lines) {
    if (lines.empty()) {
      rows_.push_back({{"region", region}, {"from", 1}, {"to", 0}, {"lines", Json::array()}});
    }
    for (std::size_t from = 1; from <= lines.size();) {
      const std::size_t to = region == kPlan ? lines.size() : block_end(lines, from);
      Json row = {{"region", region}, {"from", from}, {"to", to}};
      if (region != kPlan) {
        row["expect"] = short_hash(join_lines(lines, from, to));
      }
      if (const std::size_t bytes = size_of(lines, from, to); bytes <= left_) {
        left_ -= left_ == std::string::npos ? 0 : bytes;
        for (std::size_t n = from; n <= to; ++n) {
          row["lines"].push_back({{"n", n}, {"text", lines[n - 1]}});
        }
      } else {
        left_ = 0;  // Everything after it is cut too: lines without those before them confuse.
        cut_ += lines.size() - from + 1;
        row["to"] = lines.size();
        row.erase("expect");
        from = lines.size();
      }
      rows_.push_back(std::move(row));
      from = std::max(from, to) + 1;
    }
  }

  [[nodiscard]] const Json& rows() const { return rows_; }

  [[nodiscard]] std::size_t cut() const { return cut_; }

 private:
  static std::size_t size_of(const std::vector<std::string>& lines, std::size_t from,
                             std::size_t to) {
    std::size_t bytes = 0;
    for (std::size_t n = from; n <= to; ++n) {
      bytes += lines[n - 1].size() + kLineOverhead;
    }
    return bytes;
  }

  Json rows_ = Json::array();
  std::size_t left_;
  std::size_t cut_ = 0;
};

Json requirement_rows(const std::vector<RequirementState>& states) {
  Json rows = Json::array();
  for (const RequirementState& state : states) {
    rows.push_back({{"text", state.text}, {"holds", state.holds ? Json(*state.holds) : Json()}});
  }
  return rows;
}

/// How tries at this pass ended so far.
Json statistics_form(const PassInstruction& instruction) {
  Json list = Json::array();
  for (const PassStatistic& row : instruction.statistics) {
    if (row.pass == static_cast<std::int64_t>(instruction.step.pass) + 1) {
      // No reason: it is text about another client's kernel.
      list.push_back({{"verdict", name_of(row.verdict)}, {"tries", row.tries}});
    }
  }
  return list;
}

/// Edits of a pass that a machine can make; nothing where there is no place for it.
void add_proposal(const Step& step, Json& body) {
  if (step.spec().builtin.empty()) {
    return;
  }
  const Result<Json> proposal = propose_edits(step.spec().builtin, step.subject.kernel);
  if (!proposal) {
    body["no_proposal"] = to_text(proposal.error());
    return;
  }
  const std::size_t edits = proposal->value("edits", Json::array()).size();
  if (edits > kMaxEdits) {
    body["no_proposal"] = "it would have " + std::to_string(edits) +
                          " edits, and a pass takes at most " + std::to_string(kMaxEdits);
  } else {
    body["proposal"] = *proposal;
  }
}

/// The lines of the pass's regions, as many as the answer has room for.
void add_editable(const Step& step, bool full, Json& body) {
  const Kernel& kernel = step.subject.kernel;
  const std::size_t used = body.dump(-1, ' ', false, Json::error_handler_t::replace).size();
  const std::size_t room = std::max(kLeastLines, kAnswerBytes - std::min(used, kAnswerBytes));
  EditableLines editable(full ? std::string::npos : room);
  for (const std::string& region : step.regions()) {
    editable.add(region, split_lines(region == kPlan      ? plan_text(kernel)
                                     : region == "source" ? kernel.source
                                                          : kernel.macros));
  }
  body["editable"] = editable.rows();
  if (editable.cut() > 0) {
    body["cut"] = std::to_string(editable.cut()) + " lines; `detail` full shows them";
  }
}

}  // namespace

Result<PassInstruction> instruct(Services& services, Step step, bool full) {
  PassInstruction instruction;
  WS_TRY(instruction.statistics, services.archive->pass_statistics(step.transformation.name));
  instruction.step = std::move(step);
  instruction.full = full;
  return instruction;
}

Answer answer_of(const PassInstruction& instruction) {
  const Step& step = instruction.step;
  const Kernel& kernel = step.subject.kernel;
  Json body = {{"kernel_id", kernel.id},
               {"transformation", step.transformation.name},
               {"pass", pass_form(step)},
               {"instruction", render_instruction(step.transformation, step.spec(), step.facts())},
               {"add_params", missing_params(step)},
               {"add_constraints", missing_constraints(step)},
               {"lift_constraints", lifted_constraints(step)},
               {"imports", step.spec().imports},
               {"requires", requirement_rows(step.requirements)},
               {"invariants", step.spec().keep},
               {"links", kernel_links(kernel.id)}};
  add_proposal(step, body);
  body["statistics"] = statistics_form(instruction);
  add_editable(step, instruction.full, body);
  Json same = {{"kernel_id", kernel.id},
               {"transformation", step.transformation.name},
               {"pass", step.pass + 1}};
  if (!step.arch.empty()) {
    same["arch"] = step.arch;
  }
  const std::string why = body.contains("proposal")
                              ? "send the proposal's edits and set, or edits of your own"
                              : "send the edits that the instruction asks for";
  return {.summary = step_text(step) + " for " + kernel.id,
          .body = std::move(body),
          .next_steps = {next_step("apply_transformation", std::move(same), why)}};
}

}  // namespace ws
