#include "runtime/evaluate/modelled/software_run.h"

#include <algorithm>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/units.h"
#include "runtime/evaluate/modelled/gpu_shape.h"
#include "runtime/profile/tile_counts.h"

namespace ws {
namespace {

/// Counting makes a launch up to a hundred times slower.
constexpr std::chrono::milliseconds kLimit{60'000};

std::optional<double> as_double(const std::optional<std::int64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

const CompiledEntry* find_entry(const Image& image, const std::string& name) {
  const auto at = std::find_if(image.entries.begin(), image.entries.end(),
                               [&](const CompiledEntry& entry) { return entry.name == name; });
  return at == image.entries.end() ? nullptr : &*at;
}

std::vector<std::size_t> entries_of_steps(const ResolvedPlan& plan, const Image& image) {
  std::vector<std::size_t> entries;
  for (const LaunchStep& step : plan.steps) {
    const CompiledEntry* const entry = find_entry(image, step.entry);
    entries.push_back(entry == nullptr ? 0
                                       : static_cast<std::size_t>(entry - image.entries.data()));
  }
  return entries;
}

Status add_counts(const Image& image, const Prepared& prepared, ProfileInput& input) {
  const std::vector<std::size_t> entries = entries_of_steps(prepared.plan, image);
  const TileCounters tiles = prepared.session->tile_counters();
  if (!tiles.rows.empty()) {
    input.counts = put_together(tiles, image.entries.size(), entries);
    input.tiles = of_all_launches(tiles);
    return {};
  }
  WS_TRY(const ProfileCounters counters, prepared.session->counters());
  input.counts = put_together(image, counters, entries);
  return {};
}

}  // namespace

Status describe_question(const Subject& subject, const ProfileQuestion& question,
                         ProfileInput& input) {
  const Workload& asked = question.shrunk_from.value_or(question.workload);
  WS_TRY(const auto flops, flops_of(subject.problem, asked));
  WS_TRY(const auto bytes, bytes_of(subject.problem, asked));
  input.flops = as_double(flops);
  input.bytes = as_double(bytes);
  WS_TRY(const std::int64_t cost, cost_of(subject.problem, asked));
  WS_TRY(const std::int64_t ran, cost_of(subject.problem, question.workload));
  input.scale = static_cast<double>(cost) / static_cast<double>(std::max<std::int64_t>(ran, 1));
  return {};
}

Result<ReadyRun> make_ready(Backend& backend, const Subject& subject,
                            const ProfileQuestion& question, Build build,
                            const std::stop_token& stop) {
  WS_TRY(Compiled compiled,
         compile_for(backend, subject.problem, subject.kernel, question.workload, question.params,
                     {.build = build, .fresh = question.fresh}, stop));
  ReadyRun ready{std::move(compiled), std::nullopt};
  if (ready.compiled.ok()) {
    WS_TRY(ready.prepared, prepare(backend, ready.compiled, RunAs::kCandidate));
    WS_CHECK(fill_inputs(subject.problem, ready.prepared->plan, Distribution::kDeclared,
                         question.secret, 1, *ready.prepared->arena));
  }
  return ready;
}

Result<ProfileRun> run_in_software(Backend& backend, const Subject& subject,
                                   const ProfileQuestion& question, const std::stop_token& stop) {
  ProfileRun run;
  WS_TRY(const ReadyRun ready, make_ready(backend, subject, question, Build::kProfile, stop));
  const Compiled& compiled = ready.compiled;
  if (!ready.prepared) {
    run.verdict = compiled.verdict;
    run.message = compiled.message;
    return run;
  }
  const Prepared& prepared = *ready.prepared;
  const MemoryGuard guard(prepared.plan, *prepared.arena,
                          derive_seed(question.secret, "candidate's memory"));
  WS_TRY(const RunOutcome outcome,
         prepared.session->run(launch_poison(question.secret, "candidate"), kLimit, stop));
  if (!outcome.ok()) {
    run.fault = describe_fault(outcome, compiled.image(), prepared.plan, kLimit);
    run.verdict = run.fault->verdict;
    run.message = run.fault->message;
    return run;
  }
  if (const auto damage = guard.damage()) {
    run.verdict = damage->verdict;
    run.message = damage->message;
    return run;
  }
  WS_CHECK(add_counts(compiled.image(), prepared, run.input));
  for (const BufferSpec& buffer : prepared.plan.buffers) {
    run.input.footprint_bytes += static_cast<double>(buffer.bytes());
  }
  WS_TRY(const ResolvedPlan asked,
         resolve_plan(subject.problem, subject.kernel,
                      question.shrunk_from.value_or(question.workload), question.params));
  run.input.launches = launch_shapes(asked, compiled.image(), kHopper.name);
  for (std::size_t i = 0; i < asked.steps.size() && !run.input.tiles.empty(); ++i) {
    run.input.launches[i].threads = static_cast<double>(kWarpSize * asked.steps[i].num_warps);
  }
  WS_CHECK(describe_question(subject, question, run.input));
  run.plan = prepared.plan;
  run.arena = prepared.arena;
  return run;
}

}  // namespace ws
