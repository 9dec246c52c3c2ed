#include "tests/support/engine_bench.h"

#include <doctest/doctest.h>

#include "runtime/device/cpu/cpu_backend.h"

namespace ws::test {

Backend& cpu_engine() {
  static const std::unique_ptr<Backend> engine =
      make_cpu_backend(std::string(WS_BINARY_DIR) + "/warpsmith");
  return *engine;
}

std::vector<LaunchArg> buffers_and_number(int buffers, std::int64_t number) {
  std::vector<LaunchArg> args;
  for (int buffer = 0; buffer < buffers; ++buffer) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::kBuffer;
    arg.buffer = buffer;
    args.push_back(arg);
  }
  LaunchArg scalar;
  scalar.int_value = number;
  args.push_back(scalar);
  return args;
}

CompileOutcome compiled_source(const std::string& source) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = source;
  request.source.entries = {"k"};
  const auto reply = cpu_engine().compile(request, {}, false);
  REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
  return *reply->outcome;
}

EngineResult run_engine(const EngineRun& run, const std::function<void(EngineResult&)>& fill) {
  EngineResult result;
  result.limit = run.limit;
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = run.source;
  request.source.entries = {run.entry};
  request.build = run.build;
  auto compiled = cpu_engine().compile(request, {}, false);
  REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
  result.compiled = compiled->outcome;
  REQUIRE_MESSAGE(result.compiled->verdict == CompileVerdict::kCompiled, result.compiled->message);
  LaunchStep step;
  step.entry = run.entry;
  step.grid = run.grid;
  step.block = run.block;
  step.shared_bytes = run.shared_bytes;
  step.args = run.args;
  step.cooperative = run.cooperative;
  for (std::size_t i = 0; run.args.empty() && i < run.buffers.size(); ++i) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::kBuffer;
    arg.buffer = static_cast<int>(i);
    arg.text = run.buffers[i].name;
    step.args.push_back(arg);
  }
  result.plan.buffers = run.buffers;
  result.plan.steps = {step};
  result.plan.symbols = run.symbols;
  result.plan.textures = run.textures;
  auto arena = Arena::create(run.buffers, std::uint64_t{1} << 30U);
  REQUIRE_MESSAGE(arena.has_value(), to_text(arena.error()));
  result.arena = *arena;
  if (fill) {
    fill(result);
  }
  auto bound = bind_plan(result.plan, result.compiled->image, *result.arena);
  REQUIRE_MESSAGE(bound.has_value(), to_text(bound.error()));
  Image image = result.compiled->image;
  for (std::size_t i = 0; !run.phases && i < image.entries.size(); ++i) {
    image.entries[i].phases = {};
  }
  if (run.build == Build::kWatched) {
    auto records =
        dynamic_cast<Sanitizes&>(cpu_engine())
            .sanitize(image, *bound, result.arena, SanitizerTool::kEngine, run.limit, {});
    REQUIRE_MESSAGE(records.has_value(), to_text(records.error()));
    result.records = *std::move(records);
    return result;
  }
  auto session = cpu_engine().open(image, *bound, result.arena);
  REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
  auto outcome = (*session)->run_as(run.mode, run.poison, run.limit, {});
  REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
  result.outcome = *outcome;
  if (run.build == Build::kProfile && outcome->ok()) {
    auto counters = (*session)->counters();
    REQUIRE_MESSAGE(counters.has_value(), to_text(counters.error()));
    result.counters = *std::move(counters);
  }
  return result;
}

}  // namespace ws::test
