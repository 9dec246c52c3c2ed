#include "runtime/reference/cuir_program.h"

#include <algorithm>

#include "runtime/ir/check/checker.h"
#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/reference/cuir_reply.h"

namespace ws {
namespace {

/// " (line 12, was line 9)"; "" where neither is known.
std::string place_text(const ir::Breach& breach) {
  if (breach.target.line == 0) {
    return breach.source.line == 0 ? "" : " (was line " + std::to_string(breach.source.line) + ")";
  }
  return " (line " + std::to_string(breach.target.line) +
         (breach.source.line == 0 ? "" : ", was line " + std::to_string(breach.source.line)) + ")";
}

/// Enough for every kind of block, and few beside a grid of thousands.
constexpr std::size_t kBlocksAgain = 16;

/// `count` schedules: the default ones in their order, then more random ones.
std::vector<ir::Schedule> schedules_of(std::size_t count) {
  std::vector<ir::Schedule> schedules = ir::default_schedules();
  while (schedules.size() < count) {
    ir::Schedule next = schedules.back();  // The default ones end with random ones.
    ++next.seed;
    schedules.push_back(next);
  }
  schedules.resize(count);
  return schedules;
}

}  // namespace

ir::ValueMode mode_of(const std::string& word) {
  if (word == "f32") {
    return ir::ValueMode::kF32;
  }
  if (word == "typed") {
    return ir::ValueMode::kTyped;
  }
  return word == "race_only" ? ir::ValueMode::kNone : ir::ValueMode::kF64;
}

HostReply CuirProgram::prepare() {
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = ir::parse(job_.source, diagnostics);
  if (!program) {
    return refused(HostVerdict::kSyntaxError, diagnostics, job_.source);
  }
  program_ = *std::move(program);
  HostReply compared = compare();
  if (!compared.ok()) {
    return compared;
  }
  if (const Status bound = bind(); !bound) {
    return refused(HostVerdict::kCheckError, bound.error());
  }
  std::vector<ir::KernelArg> args;
  for (const ir::Tensor& tensor : tensors_) {
    args.push_back({tensor.name, ir::Type::buffer(ir::Space::kGlobal, tensor.dtype, tensor.shape)});
  }
  for (const ir::Scalar& scalar : scalars_) {
    args.push_back({scalar.name, ir::type_of(scalar.value)});
  }
  if (!ir::check(program_, args, diagnostics)) {
    HostReply reply = refused(HostVerdict::kCheckError, diagnostics, job_.source);
    reply.change = std::move(compared.change);
    return reply;
  }
  return compared;
}

HostReply CuirProgram::compare() const {
  if (job_.cuir.made_from.empty()) {
    return {};
  }
  ir::Diagnostics diagnostics;
  const std::optional<ir::Program> source = ir::parse(job_.cuir.made_from, diagnostics);
  if (!source) {
    HostReply reply = refused(HostVerdict::kSyntaxError, diagnostics, job_.cuir.made_from);
    reply.message = "the program that this one was made from: " + reply.message;
    return reply;
  }
  const Result<ir::ProgramDiff> diff = ir::diff_programs(*source, program_);
  if (!diff) {
    return refused(HostVerdict::kCheckError, diff.error());
  }
  ProgramChange change;
  change.orchestration_kept = diff->orchestration_kept;
  for (const ir::Rule rule : diff->rules.list()) {
    change.rules.emplace_back(ir::word_of(rule));
  }
  for (const ir::Breach& breach : diff->breaches) {
    change.breaches.push_back(std::string(ir::word_of(breach.rule)) + ": " + breach.message +
                              place_text(breach));
  }
  for (const ir::Window& window : diff->windows) {
    change.windows.push_back({window.file, window.lines.first, window.lines.last});
  }
  HostReply reply;
  reply.change = std::move(change);
  return reply;
}

HostReply CuirProgram::run(std::span<std::byte> arena, unsigned threads) {
  if (job_.cuir.own_inputs) {
    draw_inputs();
  } else {
    load_inputs(arena);
  }
  ir::RunOptions options;
  options.mode = mode_of(job_.cuir.mode);
  options.schedules = schedules_of(job_.cuir.schedules);
  options.blocks_again = kBlocksAgain;
  options.threads = threads;
  const Result<ir::RunReport> report = ir::run_program(program_, tensors_, scalars_, options);
  HostReply reply;
  if (!report && report.error().code == ErrorCode::kUnsupported) {
    reply.findings.push_back(limit_row(report.error()));
    return reply;
  }
  if (!report) {
    return refused(HostVerdict::kRuntimeError, report.error());
  }
  reply.findings = to_rows(report->findings);
  reply.schedules = static_cast<std::int64_t>(report->schedules);
  for (const ir::LoopRounds& loop : report->loops) {
    reply.loops.push_back({loop.line, loop.rounds});
  }
  store_outputs(*report, arena);
  return reply;
}

}  // namespace ws
