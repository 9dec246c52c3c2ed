#include "runtime/evaluate/validate/kernel_reference.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/device/fault_report.h"
#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/validate/f32_literals.h"

namespace ws {
namespace {

/// The option by which a trusted reference computes in f64, and in f32.
constexpr const char* kFine = "-Dacc_t=double";
constexpr const char* kCoarse = "-Dacc_t=float";

/// The problem's reference with f32 in the place of the f64 that it computes in.
std::optional<Kernel> in_f32(const Problem& problem) {
  Kernel kernel = *problem.reference;
  const auto option = std::ranges::find(kernel.options, kFine);
  const bool f64 = std::ranges::any_of(problem.args, [](const ArgSpec& arg) {
    return arg.role != Role::kScalar && arg.type == DType::kF64;
  });
  if (option == kernel.options.end() || f64) {
    return std::nullopt;
  }
  *option = kCoarse;
  kernel.source = with_f32_literals(kernel.source);
  return kernel;
}

class KernelReference : public Reference {
 public:
  using OpenCoarse = std::function<Result<OpenedReference>(const std::stop_token&)>;

  /// @param open_coarse  May be empty.
  KernelReference(Prepared prepared, OpenCoarse open_coarse)
      : prepared_(std::move(prepared)),
        open_coarse_(std::move(open_coarse)) {}

  [[nodiscard]] const ResolvedPlan& plan() const override { return prepared_.plan; }

  [[nodiscard]] const Arena& arena() const override { return *prepared_.arena; }

  Result<Ran> run(std::uint64_t seed, std::chrono::milliseconds limit,
                  const std::stop_token& stop) override {
    WS_TRY(const RunOutcome outcome,
           prepared_.session->run(launch_poison(seed, "reference"), limit, stop));
    Ran ran;
    ran.elapsed_us = outcome.elapsed_us;
    if (!outcome.ok()) {
      ran.message =
          describe_fault(outcome, prepared_.compiled->image, prepared_.plan, limit).message;
    }
    return ran;
  }

  Result<Reference*> in_f32(const std::stop_token& stop) override {
    if (open_coarse_) {
      WS_TRY(OpenedReference opened, open_coarse_(stop));
      coarse_ = std::move(opened.reference);
      open_coarse_ = {};
    }
    return coarse_.get();
  }

 private:
  Prepared prepared_;
  OpenCoarse open_coarse_;
  std::unique_ptr<Reference> coarse_;
};

Result<OpenedReference> open_kernel(Backend& backend, const Problem& problem, const Kernel& kernel,
                                    const Workload& workload, const Params& params, Build build,
                                    KernelReference::OpenCoarse open_coarse,
                                    const std::stop_token& stop) {
  WS_TRY(const Compiled compiled,
         compile_for(backend, problem, kernel, workload, params, {.build = build}, stop));
  if (!compiled.ok()) {
    return OpenedReference{nullptr, compiled.message, compiled.reply.outcome->diagnostics};
  }
  WS_TRY(Prepared prepared, prepare(backend, compiled, RunAs::kReference));
  return OpenedReference{
      std::make_unique<KernelReference>(std::move(prepared), std::move(open_coarse)), {}, {}};
}

}  // namespace

Result<OpenedReference> open_kernel_reference(Backend& backend, const Problem& problem,
                                              const Kernel& kernel, const Workload& workload,
                                              const Params& params, Build build,
                                              const std::stop_token& stop) {
  return open_kernel(backend, problem, kernel, workload, params, build, {}, stop);
}

Result<OpenedReference> open_own_kernel(Backend& asked, const Problem& problem,
                                        const Workload& workload, const std::stop_token& stop) {
  Backend& backend = asked.for_reference(problem.reference->language);
  const Params& params = problem.reference->defaults;
  const auto open_coarse = [&backend, &problem,
                            workload](const std::stop_token& token) -> Result<OpenedReference> {
    const std::optional<Kernel> coarse = in_f32(problem);
    return coarse ? open_kernel(backend, problem, *coarse, workload, coarse->defaults, Build::kFast,
                                {}, token)
                  : OpenedReference();
  };
  return open_kernel(backend, problem, *problem.reference, workload, params, Build::kFast,
                     open_coarse, stop);
}

}  // namespace ws
