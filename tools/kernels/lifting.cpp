#include "tools/kernels/lifting.h"

#include <algorithm>

#include "runtime/base/processor_time.h"
#include "runtime/device/tile/tile_image.h"
#include "runtime/kernel/language.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws {
namespace {

/// Its size and shape decide what a kernel is lifted for.
Result<Workload> workload_of(const Subject& subject, const LiftChoice& choice) {
  if (choice.workload) {
    return *choice.workload;
  }
  return compile_workload(subject, choice.params);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

/// The region table as text, one region a line.
std::string region_table(const Lifting& lifting) {
  std::string text =
      "region     lines          threads        reads | writes | synchronises | other\n";
  for (const lift::Region& region : lifting.regions) {
    const auto padded = [](std::string cell, std::size_t width) {
      cell.resize(std::max(cell.size(), width), ' ');
      return cell + " ";
    };
    text += padded(region.id, 10) + padded(place_text(region.range, lifting.tree), 14) +
            padded(region.worker, 14) + listed(region.reads) + " | " + listed(region.writes) +
            " | " + listed(region.syncs) + " | " + listed(region.ops) + "\n";
  }
  return text;
}

/// Says which launches the plan has besides the one that was lifted.
void note_other_launches(const Kernel& kernel, std::size_t launch, Lifting& lifting) {
  if (kernel.launches.size() > 1) {
    lifting.program.not_lifted.push_back({{},
                                          "the plan has " + std::to_string(kernel.launches.size()) +
                                              " launches, and a program is one: this is launch " +
                                              std::to_string(launch)});
    lifting.not_compared = "verify_ir compares programs of whole plans, and this is launch " +
                           std::to_string(launch) + " of " + std::to_string(kernel.launches.size());
  }
}

/// Julia has the dimensions of an array in the order in which they lie in memory.
void note_order_of_dimensions(const TileLaunch& launch, const TileImage& image, Lifting& lifting) {
  const bool differs = std::ranges::any_of(image.buffers, [&](const TileBuffer& buffer) {
    return buffer.spec.strides != launch.args[buffer.arg].strides;
  });
  if (differs) {
    lifting.not_compared =
        "verify_ir passes arrays with their dimensions in the problem's order, and the program has "
        "them in Julia's";
  }
}

/// A kernel of tiles is lifted whenever it is compiled.
Result<Lifting> lift_tiles(Services& services, const Subject& subject, const LiftChoice& choice,
                           const Workload& workload, const std::stop_token& stop) {
  const Kernel& kernel = subject.kernel;
  WS_TRY(const ResolvedPlan plan, resolve_plan(subject.problem, kernel, workload, choice.params));
  Lifting lifting;
  CompileRequest request;
  WS_TRY(request.source, render(kernel, workload, choice.params));
  const std::string& entry = kernel.launches[choice.launch].entry;
  for (TileLaunch& launch : tile_launches(plan)) {
    if (launch.entry == entry && request.source.launches.empty()) {
      request.source.launches = {std::move(launch)};
    }
  }
  lifting.source = request.source;
  WS_TRY(Device* const engine, services.device(kEngineDevice));
  WS_TRY(const CompileReply reply, engine->backend->compile(request, stop, choice.fresh));
  lifting.verdict = reply.outcome->verdict;
  lifting.message = reply.outcome->message;
  lifting.diagnostics = reply.outcome->diagnostics;
  if (lifting.verdict == CompileVerdict::kCompiled) {
    WS_TRY(const TileImage image, decode_tile_image(reply.outcome->image.blob));
    lifting.program.ir = image.programs.front().program;
    note_order_of_dimensions(request.source.launches.front(), image, lifting);
    note_other_launches(kernel, choice.launch, lifting);
  }
  return lifting;
}

}  // namespace

std::string place_text(const lift::Range& range, const lift::Tree& tree) {
  if (range.line <= 0 || range.region == lift::kNone) {
    return {};
  }
  return tree.regions[static_cast<std::size_t>(range.region)] + ":" + std::to_string(range.line) +
         "-" + std::to_string(std::max(range.line, range.end_line));
}

Result<Lifting> lift_kernel(Services& services, const Subject& subject, const LiftChoice& choice,
                            const std::stop_token& stop) {
  const Kernel& kernel = subject.kernel;
  if (choice.launch >= kernel.launches.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "`launch` is " + std::to_string(choice.launch) + ": the kernel has " +
                    std::to_string(kernel.launches.size()) + " launches, numbered from 0");
  }
  WS_TRY(const Workload workload, workload_of(subject, choice));
  if (is_tile_language(kernel.language)) {
    return lift_tiles(services, subject, choice, workload, stop);
  }
  const LanguageInfo* const language = find_language(kernel.language);
  if (language != nullptr && language->shader) {
    return fail(ErrorCode::kUnsupported,
                "a kernel in " + std::string(language->title) + " cannot be lifted",
                "kernels in CUDA, HIP and languages of tiles can");
  }
  lift::Symbols symbols;
  WS_TRY(lift::LaunchInput input, lift::launch_input(subject.problem, kernel, workload,
                                                     choice.params, choice.launch, symbols));
  WS_TRY(const ResolvedPlan plan, resolve_plan(subject.problem, kernel, workload, choice.params));
  Lifting lifting;
  CompileRequest request;
  WS_TRY(request.source, render(kernel, workload, choice.params));
  request.source.entries = {plan.steps[choice.launch].entry};
  request.target = lift::kTreeTarget;
  lifting.source = request.source;
  // Its compiler has clang in it, whatever the device is.
  WS_TRY(Device* const engine, services.device(kEngineDevice));
  WS_TRY(const CompileReply reply, engine->backend->compile(request, stop, choice.fresh));
  lifting.verdict = reply.outcome->verdict;
  lifting.message = reply.outcome->message;
  lifting.diagnostics = reply.outcome->diagnostics;
  if (lifting.verdict != CompileVerdict::kCompiled) {
    return lifting;
  }
  WS_TRY(lifting.tree, lift::decode_tree(reply.outcome->log));
  if (lifting.tree.entries.size() != 1) {
    return fail(ErrorCode::kInternal, "the compiler gave no tree of the entry");
  }
  input.entry = lifting.tree.entries.front();
  input.probe = choice.probe;
  input.time_budget = {stop, thread_processor_time() + choice.limit};
  lifting.regions = lift::regions_of(lifting.tree, input.entry, input.block);
  lifting.workers = lift::workers_of(lifting.tree, input.entry, input.block);
  WS_TRY(lifting.program,
         lift::lift_values(lifting.tree, input, symbols, lift::class_name(kernel.name)));
  note_other_launches(kernel, choice.launch, lifting);
  return lifting;
}

Result<std::string> lifted_view(Services& services, const std::string& kernel_id,
                                const std::string& part) {
  WS_TRY(const Subject subject, load_subject(*services.archive, kernel_id));
  WS_TRY(const Lifting lifting,
         lift_kernel(services, subject, {subject.kernel.defaults, std::nullopt, 0, false}, {}));
  if (lifting.verdict != CompileVerdict::kCompiled) {
    return "it does not compile: " + lifting.message + "\n";
  }
  if (part == "regions") {
    return region_table(lifting);
  }
  if (part == "annotated" && is_tile_language(subject.kernel.language)) {
    return subject.kernel.source;
  }
  if (part == "annotated") {
    return lift::annotated_source(lifting.tree, "source", lifting.source.source);
  }
  if (lifting.program.ir.empty()) {
    return "not lifted: " + lifting.program.not_lifted.front().why + "\n";
  }
  return lifting.program.ir;
}

}  // namespace ws
