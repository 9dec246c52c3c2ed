// The instruction for a lowering: the lines that may be edited, and edits where a machine can make
// them.
#include <algorithm>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/kernel/form/lines.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/apply_transformation/lower.h"

namespace ws {
namespace {

constexpr std::size_t kMaxProbes = 4;  // Lifts for one proposal.
constexpr std::size_t kWindowsShown = 6;
constexpr std::size_t kStatementsShown = 8;  // The statements shown for one window.
constexpr std::size_t kStatementBytes = 200;

Json statements(const std::vector<std::string>& all) {
  Json rows = Json::array();
  for (const std::string& one : all) {
    if (rows.size() == kStatementsShown) {
      rows.push_back("... " + std::to_string(all.size() - kStatementsShown) + " more");
      break;
    }
    rows.push_back(ws::quoted(one, kStatementBytes));
  }
  return rows;
}

Json window_row(const lift::Window& window, const Kernel& kernel) {
  const std::vector<std::string> lines =
      split_lines(window.region == "macros" ? kernel.macros : kernel.source);
  const auto first = static_cast<std::size_t>(window.first);
  const std::size_t last = std::min(static_cast<std::size_t>(window.last), lines.size());
  Json row = {{"region", window.region},
              {"from", first},
              {"to", last},
              {"lines", Json::array()},
              {"expect", short_hash(join_lines(lines, first, last))},
              {"was", statements(window.was)},
              {"becomes", statements(window.becomes)}};
  for (std::size_t n = first; n <= last; ++n) {
    row["lines"].push_back({{"n", n}, {"text", lines[n - 1]}});
  }
  return row;
}

/// A mask that compares places of the tile with those of the loop: on most tiles it is the same.
bool has_tile_mask(const lift::Lowering& lowering) {
  return std::any_of(lowering.windows.begin(), lowering.windows.end(), [](const auto& window) {
    std::string all;
    for (const std::string& text : window.becomes) {
      all += text;
    }
    return all.find("where(") != std::string::npos && all.find("arange(") != std::string::npos &&
           all.find("_step") != std::string::npos;
  });
}

std::string instruction_for(const LowerStep& step) {
  const lift::Lowering& lowering = step.lowering;
  std::string text;
  if (step.other_tiles()) {
    text = "The target has the tiles of " + point_text(step.params, step.subject.kernel.defaults) +
           ", which become the new kernel's defaults by themselves. ";
  }
  if (lowering.changes_nothing()) {
    return text + "No line has to change: send `edits` as [].";
  }
  text +=
      "Make the kernel compute what target_ir does. Each window has lines of the kernel and the "
      "statements of the program that they stand for: what they are (was) and what they are to "
      "become (becomes). Change only lines of the windows: replace or delete them, or insert "
      "before "
      "and after them. A tile of the program is what the block's threads have together: "
      "arange(n)[:, None] counts its rows, arange(n)[None, :] its columns. Do the operations in "
      "the "
      "target's order, and leave copies, barriers and loops as they are.";
  if (lowering.changes_plan()) {
    text += " Statements of no line are the plan's: send `set` with `launches`.";
  }
  if (has_tile_mask(lowering)) {
    text +=
        " The mask is constant on most tiles: once this is right, a loop over full tiles without "
        "it and one over the others, or a loop that leaves out tiles which it hides, is a change "
        "of the loop (R1) in a next target.";
  }
  return text;
}

/// The kernel's parameters by the names that the program has for them.
std::map<std::string, std::string> arguments_of(const LowerStep& step) {
  std::map<std::string, std::string> names;
  const lift::Tree& tree = step.lifting.tree;
  const lift::Function& entry = tree.function(tree.entries.front());
  const std::vector<LaunchArgSpec>& args = step.subject.kernel.launches.front().args;
  for (std::size_t i = 0; i < entry.params.size() && i < args.size(); ++i) {
    if (args[i].kind == LaunchArgSpec::Kind::kName) {
      names["self." + args[i].name] = tree.variable(entry.params[i]).name;
    }
  }
  return names;
}

/// The arguments that the target's problem gives besides the kernel's own.
std::vector<lift::NewInput> new_inputs(const LowerStep& step) {
  std::vector<lift::NewInput> inputs;
  const std::vector<ArgSpec>& own = step.subject.problem.args;
  for (const ArgSpec& arg : step.problem.args) {
    const bool known = std::any_of(own.begin(), own.end(),
                                   [&](const ArgSpec& one) { return one.name == arg.name; });
    if (known || !step.lowering.arguments) {
      continue;
    }
    lift::NewInput input{arg.name, arg.type, {}};
    for (const std::string& size : arg.shape) {
      input.sizes.push_back("self." + size);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// The launches of the kernel with the new arguments behind the others.
Json launches_with(const LowerStep& step, const std::vector<lift::NewInput>& inputs) {
  Json launches = Json::parse(step.subject.kernel.json).at("launches");
  for (const lift::NewInput& input : inputs) {
    launches.at(0).at("args").push_back(input.name);
  }
  return launches;
}

/// Edits of a change that a machine can lower.
Result<LoweringProposal> propose_edits(Services& services, const LowerStep& step,
                                       const CallContext& context) {
  LoweringProposal proposal;
  if (step.lowering.changes_nothing()) {
    proposal.edits.emplace();
    return proposal;
  }
  const Kernel& kernel = step.subject.kernel;
  lift::ProposalInput input{step.lifting.tree,
                            step.lifting.tree.entries.front(),
                            step.lifting.program.ir,
                            {{"source", kernel.source}, {"macros", kernel.macros}},
                            arguments_of(step),
                            {},
                            step.lifting.program.registers,
                            new_inputs(step)};
  std::vector<std::int32_t> lines = lift::proposal_lines(step.lowering);
  lines.resize(lines.size() > kMaxProbes ? 0 : lines.size());
  for (const std::int32_t line : lines) {
    LiftChoice choice;
    choice.params = step.params;
    choice.probe = line;
    WS_TRY(Lifting lifting, lift_kernel(services, step.subject, choice, context.stop));
    input.indices[line] = std::move(lifting.program.indices);
  }
  auto made = lift::propose(step.lowering, input);
  if (made) {
    proposal.edits = *std::move(made);
    if (!input.inputs.empty()) {
      proposal.launches = launches_with(step, input.inputs);
    }
  } else {
    proposal.why_not = ws::quoted(made.error().message);
  }
  return proposal;
}

Json edits_form(const std::vector<lift::ProposedEdit>& edits) {
  Json rows = Json::array();
  for (const lift::ProposedEdit& edit : edits) {
    rows.push_back({{"region", edit.region},
                    {"op", edit.inserts ? "insert" : "replace"},
                    {"from", edit.line},
                    {"text", edit.text}});
    if (!edit.inserts) {
      rows.back()["old"] = edit.old;
    }
  }
  return rows;
}

/// "the target changes 2 windows of krn_..., with BM = 64".
std::string summary_of_windows(const LowerStep& step) {
  const Kernel& kernel = step.subject.kernel;
  const std::size_t count = step.lowering.windows.size();
  return "the target changes " + std::to_string(count) + (count == 1 ? " window" : " windows") +
         " of " + kernel.id +
         (step.other_tiles() ? ", with " + point_text(step.params, kernel.defaults) : "");
}

}  // namespace

Result<LoweringInstruction> instruct_lowering(Services& services, LowerStep step, bool full,
                                              const CallContext& context) {
  LoweringInstruction instruction;
  WS_TRY(instruction.proposal, propose_edits(services, step, context));
  WS_TRY(instruction.statistics, services.archive->pass_statistics(kLowering));
  instruction.step = std::move(step);
  instruction.full = full;
  return instruction;
}

Answer answer_of(const LoweringInstruction& instruction) {
  const LowerStep& step = instruction.step;
  const lift::Lowering& lowering = step.lowering;
  const Kernel& kernel = step.subject.kernel;
  Json body = {{"kernel_id", kernel.id},
               {"instruction", instruction_for(step)},
               {"rules", lowering.rules},
               {"editable", Json::array()},
               {"windows_total", lowering.windows.size()},
               {"links", kernel_links(kernel.id)}};
  for (const lift::Window& window : lowering.windows) {
    if (instruction.full || body["editable"].size() < kWindowsShown) {
      body["editable"].push_back(window_row(window, kernel));
    }
  }
  if (lowering.changes_plan()) {
    body["plan"] = {{"was", statements(lowering.plan_was)},
                    {"becomes", statements(lowering.plan_becomes)}};
  }
  if (instruction.proposal.edits) {
    body["proposal"]["edits"] = edits_form(*instruction.proposal.edits);
    if (!instruction.proposal.launches.is_null()) {
      body["proposal"]["set"] = {{"launches", instruction.proposal.launches}};
    }
  } else {
    body["no_proposal"] = instruction.proposal.why_not;
  }
  body["statistics"] = Json::array();
  for (const PassStatistic& row : instruction.statistics) {
    body["statistics"].push_back({{"verdict", name_of(row.verdict)}, {"tries", row.tries}});
  }
  const bool proposed = instruction.proposal.edits.has_value();
  return {.summary = summary_of_windows(step),
          .body = std::move(body),
          .next_steps = {
              advice(std::string("send the same call with `edits`") +
                     (instruction.proposal.launches.is_null() ? ": " : " and `set`: ") +
                     (proposed ? "those of the proposal, or your own" : "of the windows' lines"))}};
}

}  // namespace ws
