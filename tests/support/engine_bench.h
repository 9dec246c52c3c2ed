// A bench for engine tests: compiles a source with the real plug-in and runs it in a real worker.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/bind.h"
#include "runtime/device/fault_report.h"
#include "runtime/device/sanitizer.h"
#include "tests/support/buffers.h"

namespace ws::test {

/// The CPU engine, shared by all tests: its workers are started once.
Backend& cpu_engine();

/// One launch over buffers of floats or ints.
struct EngineRun {
  std::string source;
  std::string entry;
  Build build = Build::kBounds;
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t shared_bytes = 0;
  std::vector<BufferSpec> buffers;
  std::vector<LaunchArg> args;  ///< Empty: all buffers in order.
  std::vector<SymbolFill> symbols;
  std::vector<Texture> textures;
  bool cooperative = false;
  std::chrono::milliseconds limit{5000};
  RunMode mode;
  std::uint64_t poison = 1;
  bool phases = true;  ///< False: a kernel with barriers runs on fibers in any case.
};

/// The arguments of a launch: the first `buffers` in order, then a number of 32 bits.
std::vector<LaunchArg> buffers_and_number(int buffers, std::int64_t number);

/// Compiles a source in CUDA C++ whose kernel is `k`; the engine may refuse it.
CompileOutcome compiled_source(const std::string& source);

/// The result: an outcome, and the arena with the outputs.
struct EngineResult {
  std::shared_ptr<const CompileOutcome> compiled;
  RunOutcome outcome;
  ResolvedPlan plan;
  std::shared_ptr<Arena> arena;
  std::chrono::milliseconds limit{0};
  std::optional<ProfileCounters>
      counters;                          ///< The counters of a profile build that ran to its end.
  std::vector<SanitizerRecord> records;  ///< Those of a watched build, which has no outcome.

  template <typename T>
  [[nodiscard]] std::span<T> buffer(std::size_t index) const {
    const std::span<std::byte> bytes = arena->buffer(index);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  [[nodiscard]] Fault fault() const {
    return describe_fault(outcome, compiled->image, plan, limit);
  }
};

/// Compiles; `fill` (may be null) sets the buffers; runs once. Fails the test when it cannot.
EngineResult run_engine(const EngineRun& run,
                        const std::function<void(EngineResult&)>& fill = nullptr);

}  // namespace ws::test
