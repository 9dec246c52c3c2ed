// A reference that is a function of this process, for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/evaluate/validate/reference.h"
#include "runtime/judge/layout.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {

/// y of x, each of n elements of type f32. The problem's own reference is never run.
class FunctionReference : public Reference {
 public:
  using Function = std::function<float(const FunctionReference& self, std::size_t i)>;

  /// @param problem  Its first argument is x, its second y, its first workload is used.
  FunctionReference(const Problem& problem, Function y)
      : y_(std::move(y)) {
    const std::vector<Workload> all = expand_workloads(problem).value();
    plan_ = resolve_plan(problem, Kernel{}, all.front(), {}).value();
    arena_ = Arena::create(plan_.buffers, std::uint64_t{1} << 20U).value();
  }

  [[nodiscard]] const ResolvedPlan& plan() const override { return plan_; }

  [[nodiscard]] const Arena& arena() const override { return *arena_; }

  Result<Ran> run(std::uint64_t /*seed*/, std::chrono::milliseconds /*limit*/,
                  const std::stop_token& /*stop*/) override {
    if (++runs == fails_at) {
      return Ran{"it went wrong", 0};
    }
    for (std::size_t i = 0; i < size(1); ++i) {
      store_element(DType::kF32, arena_->buffer(1).data(), i, y_(*this, i));
    }
    return Ran{};
  }

  Result<Reference*> in_f32(const std::stop_token& /*stop*/) override { return coarse; }

  [[nodiscard]] float x(std::size_t i) const {
    return static_cast<float>(load_element(DType::kF32, arena_->buffer(0).data(), i));
  }

  /// The elements of a buffer.
  [[nodiscard]] std::size_t size(std::size_t buffer) const {
    return static_cast<std::size_t>(plan_.buffers[buffer].elements);
  }

  [[nodiscard]] std::vector<std::byte> outputs() const {
    const std::span<const std::byte> y = arena_->buffer(1);
    return {y.begin(), y.end()};
  }

  Reference* coarse = nullptr;  ///< The answer of in_f32().
  int runs = 0;
  int fails_at = 0;

 private:
  Function y_;
  ResolvedPlan plan_;
  std::shared_ptr<Arena> arena_;
};

/// A problem for it. @param x  The fill of x, as JSON. @param more  Further fields.
inline Problem function_problem(int in = 64, int out = 64, const std::string& x = R"("normal")",
                                const std::string& more = "") {
  return parse_problem(R"json({"name": "f", "op": "f", "dims": {"n": [)json" + std::to_string(in) +
                       R"json(], "m": [)json" + std::to_string(out) + R"json(]},)json" + more +
                       R"json(
  "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in", "fill": )json" +
                       x +
                       R"json(},
           {"name": "y", "type": "f32", "shape": ["m"], "role": "out"}],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "f", "source": "unused",
                "launches": [{"entry": "f", "grid": ["1"], "block": ["1"],
                              "args": ["x", "y"]}]}})json")
      .value();
}

}  // namespace ws
