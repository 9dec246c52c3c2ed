// Problems whose references are functions of this process, for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/evaluate/admission/admission.h"
#include "runtime/judge/layout.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {

/// The buffers of one run as numbers, by the order of the problem's arguments.
class Sheet {
 public:
  Sheet(const ResolvedPlan& plan, const Arena& arena)
      : plan_(plan),
        arena_(arena) {}

  [[nodiscard]] std::size_t size(std::size_t buffer) const {
    return static_cast<std::size_t>(plan_.buffers[buffer].elements);
  }

  [[nodiscard]] std::size_t extent(std::size_t buffer, std::size_t dim) const {
    return static_cast<std::size_t>(plan_.buffers[buffer].shape[dim]);
  }

  [[nodiscard]] double get(std::size_t buffer, std::size_t i) const {
    return load_element(plan_.buffers[buffer].type, arena_.buffer(buffer).data(), i);
  }

  void set(std::size_t buffer, std::size_t i, double value) const {
    store_element(plan_.buffers[buffer].type, arena_.buffer(buffer).data(), i, value);
  }

 private:
  const ResolvedPlan& plan_;
  const Arena& arena_;
};

using SheetFunction = std::function<void(const Sheet& sheet)>;

class SheetReference : public Reference {
 public:
  SheetReference(const Problem& problem, const Workload& workload, SheetFunction function)
      : function_(std::move(function)),
        plan_(resolve_plan(problem, Kernel{}, workload, {}).value()),
        arena_(Arena::create(plan_.buffers, std::uint64_t{1} << 24U).value()) {}

  [[nodiscard]] const ResolvedPlan& plan() const override { return plan_; }

  [[nodiscard]] const Arena& arena() const override { return *arena_; }

  Result<Ran> run(std::uint64_t /*seed*/, std::chrono::milliseconds /*limit*/,
                  const std::stop_token& /*stop*/) override {
    function_(Sheet(plan_, *arena_));
    return Ran{};
  }

 private:
  SheetFunction function_;
  ResolvedPlan plan_;
  std::shared_ptr<Arena> arena_;
};

/// @param dims  As JSON: R"("n": [64])". @param args  As JSON: the elements of the list.
/// @param more  Further fields, each followed by a comma.
inline Problem sheet_problem(const std::string& dims, const std::string& args,
                             const std::string& more = "") {
  return parse_problem(R"({"name": "f", "op": "f", "dims": {)" + dims + "}," + more +
                       R"("args": [)" + args + R"(],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "f", "source": "unused",
                "launches": [{"entry": "f", "grid": ["1"], "block": ["1"], "args": []}]}})")
      .value();
}

/// One argument of type f32: R"({"name": "x", ...})". @param shape  As JSON: R"("n", "m")".
inline std::string f32_arg(const std::string& name, const std::string& shape,
                           const std::string& role, const std::string& fill = R"("normal")") {
  return R"({"name": ")" + name + R"(", "type": "f32", "shape": [)" + shape + R"(], "role": ")" +
         role + "\"" + (role == "out" ? "" : R"(, "fill": )" + fill) + "}";
}

/// One sentence a line, for messages.
inline std::string lines_of(const Weaknesses& weaknesses) {
  std::string lines;
  for (const std::string& sentence : weaknesses) {
    lines += sentence + "\n";
  }
  return lines;
}

/// The weaknesses of a problem on the workloads that it is examined on.
inline Result<std::optional<Weaknesses>> weaknesses_with(const Problem& problem,
                                                         const SheetFunction& function) {
  const ReferenceOpener open = [&](const Workload& workload) -> Result<std::unique_ptr<Reference>> {
    return std::make_unique<SheetReference>(problem, workload, function);
  };
  return find_weaknesses(problem, workloads_to_examine(problem, /*emulated=*/true, 7).value(), open,
                         7, {});
}

}  // namespace ws
