#include "tools/apply_transformation/lower.h"

#include <algorithm>

#include "runtime/base/hash.h"
#include "runtime/evaluate/validate/reference.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/lift/lower/proposal.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/kernels/kernel_choice.h"
#include "tools/kernels/stored_id.h"

namespace ws {
namespace {

constexpr std::size_t kMaxProbes = 4;  // Lifts for one proposal.
constexpr std::size_t kWindowsShown = 6;
constexpr std::size_t kStatementsShown = 8;  // The statements shown for one window.
constexpr std::size_t kStatementBytes = 200;

/// A program that is run in place of the kernel's reference has to say everything.
Status whole(const Lifting& lifting) {
  if (lifting.verdict != CompileVerdict::kCompiled) {
    return fail(ErrorCode::kInvalidArgument, "the kernel does not compile: " + lifting.message,
                "fix it by compile_kernel first");
  }
  if (lifting.program.whole()) {
    return {};
  }
  const lift::Program& program = lifting.program;
  const std::string why = program.not_lifted.empty()
                              ? "it has " + std::to_string(program.holes.size()) + " holes"
                              : "line " + std::to_string(program.not_lifted.front().range.line) +
                                    ": " + ws::quoted(program.not_lifted.front().why);
  return fail(
      ErrorCode::kUnsupported, "the kernel is not lifted completely: " + why,
      "lift_to_ir lists the statements that cannot be lifted; change them by compile_kernel first");
}

Result<Problem> problem_for(Services& services, const Subject& subject,
                            const lift::Lowering& lowering, const Json& arguments,
                            const std::stop_token& stop) {
  if (arguments.contains("problem_id")) {
    return load_problem(*services.archive, arguments["problem_id"]);
  }
  if (arguments.contains("problem")) {
    return new_problem(services, arguments["problem"], stop);
  }
  if (lowering.arguments) {
    return fail(ErrorCode::kInvalidArgument,
                "`target_ir` has arguments that " + subject.problem.id + " does not give",
                "send a `problem` that has them, or name one by `problem_id`");
  }
  Json form = Json::parse(subject.problem.json, nullptr, false);
  form["reference"] = {{"kind", "cuir"}, {"source", lowering.target}};
  WS_TRY(Problem problem, problem_from_json(form));
  WS_CHECK(take_stored_id(*services.archive, problem));
  return problem;
}

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

/// Edits of a change that a machine can lower; else why not.
Status propose_edits(Services& services, const LowerStep& step, const CallContext& context,
                     Json& body) {
  if (step.lowering.changes_nothing()) {
    body["proposal"]["edits"] = Json::array();
    return {};
  }
  const std::vector<std::int32_t> lines = lift::proposal_lines(step.lowering);
  if (lines.empty() || lines.size() > kMaxProbes) {
    body["no_proposal"] = "the change is not one of single statements";
    return {};
  }
  const Kernel& kernel = step.subject.kernel;
  lift::ProposalInput input{step.lifting.program.ir,
                            {{"source", kernel.source}, {"macros", kernel.macros}},
                            arguments_of(step),
                            {}};
  for (const std::int32_t line : lines) {
    LiftChoice choice;
    choice.params = step.params;
    choice.probe = line;
    WS_TRY(Lifting lifting, lift_kernel(services, step.subject, choice, context.stop));
    input.indices[line] = std::move(lifting.program.indices);
  }
  const auto made = lift::propose(step.lowering, input);
  if (!made) {
    body["no_proposal"] = ws::quoted(made.error().message);
    return {};
  }
  for (const lift::ProposedEdit& edit : *made) {
    body["proposal"]["edits"].push_back({{"region", edit.region},
                                         {"op", "replace"},
                                         {"from", edit.line},
                                         {"old", edit.old},
                                         {"text", edit.text}});
  }
  return {};
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

Result<LowerStep> choose_lowering(Services& services, const Json& arguments,
                                  const CallContext& context) {
  LowerStep step;
  WS_TRY(step.device, services.device(arguments.value("device", "")));
  WS_TRY(step.subject, load_subject(*services.archive, arguments["kernel_id"]));
  LiftChoice choice;
  step.params = step.subject.kernel.defaults;
  choice.params = step.params;
  WS_TRY(step.lifting, lift_kernel(services, step.subject, choice, context.stop));
  WS_CHECK(whole(step.lifting));
  WS_TRY(step.lowering, lift::plan_lowering(step.lifting.program.ir, arguments["target_ir"],
                                            step.lifting.tree, step.lifting.tree.entries.front()));
  if (step.lowering.changes_nothing()) {
    return fail(ErrorCode::kInvalidArgument, "`target_ir` is the lifted program, unchanged",
                "change the computation, then send it again");
  }
  WS_CHECK(keep_structure(services, step, arguments["target_ir"], context));
  WS_TRY(step.problem, problem_for(services, step.subject, step.lowering, arguments, context.stop));
  WS_CHECK(check_host_reference(*services.host_workers, step.problem, context.stop));
  return step;
}

Result<Json> instruct_lowering(Services& services, const LowerStep& step, bool full,
                               const CallContext& context) {
  const lift::Lowering& lowering = step.lowering;
  const Kernel& kernel = step.subject.kernel;
  Json body = {{"kernel_id", kernel.id},
               {"instruction", instruction_for(step)},
               {"rules", lowering.rules},
               {"editable", Json::array()},
               {"windows_total", lowering.windows.size()},
               {"links", kernel_links(kernel.id)}};
  for (const lift::Window& window : lowering.windows) {
    if (full || body["editable"].size() < kWindowsShown) {
      body["editable"].push_back(window_row(window, kernel));
    }
  }
  if (lowering.changes_plan()) {
    body["plan"] = {{"was", statements(lowering.plan_was)},
                    {"becomes", statements(lowering.plan_becomes)}};
  }
  WS_CHECK(propose_edits(services, step, context, body));
  WS_TRY(const auto rows, services.archive->pass_statistics(kLowering));
  body["statistics"] = Json::array();
  for (const PassStatistic& row : rows) {
    body["statistics"].push_back({{"verdict", name_of(row.verdict)}, {"tries", row.tries}});
  }
  const bool proposed = body.contains("proposal");
  return finished(
      summary_of_windows(step), std::move(body),
      {advice(std::string("send the same call with `edits`: ") +
              (proposed ? "those of the proposal, or your own" : "of the windows' lines"))});
}

}  // namespace ws
