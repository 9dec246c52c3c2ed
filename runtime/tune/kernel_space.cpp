#include <memory>

#include "runtime/kernel/expr/conditions.h"
#include "runtime/kernel/plan/workloads.h"
#include "runtime/tune/space.h"

namespace ws::tune {
namespace {

/// Evaluates the constraints of a kernel on every workload.
class Filter {
 public:
  Filter(Conditions conditions, std::vector<std::string> names, std::vector<Bindings> bindings)
      : conditions_(std::move(conditions)),
        names_(std::move(names)),
        bindings_(std::move(bindings)) {}

  Result<bool> holds(const std::vector<std::int64_t>& values) {
    for (Bindings& bindings : bindings_) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        bindings[names_[i]] = values[i];
      }
      const Result<std::string> broken = conditions_.broken(bindings);
      if (!broken) {
        return at_point(broken.error(), values);
      }
      if (!broken->empty()) {
        return false;
      }
    }
    return true;
  }

 private:
  /// The same error, with the point that it came from.
  [[nodiscard]] tl::unexpected<Error> at_point(Error error,
                                               const std::vector<std::int64_t>& values) const {
    std::string text;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      text += (i == 0 ? "" : ", ") + names_[i] + " = " + std::to_string(values[i]);
    }
    error.message += ", with " + text;
    return fail(std::move(error));
  }

  Conditions conditions_;
  std::vector<std::string> names_;
  std::vector<Bindings> bindings_;
};

}  // namespace

Result<Space> kernel_space(const Problem& problem, const Kernel& kernel,
                           const std::vector<Workload>& workloads) {
  if (kernel.params.empty()) {
    return fail(ErrorCode::kInvalidArgument, kernel.id + " has no `params` to tune",
                "send it with params, for example {\"TILE\": [8, 16, 32]}, and @TILE@ in its text");
  }
  std::vector<Axis> axes;
  std::vector<std::string> names;
  for (const auto& [name, values] : kernel.params) {
    axes.push_back({name, values});
    names.push_back(name);
  }
  WS_TRY(Conditions conditions, Conditions::parse(kernel.constraints, "constraints"));
  std::vector<Bindings> bindings;
  for (const Workload& workload : workloads) {
    bindings.push_back(bindings_of(problem, workload));
  }
  const auto filter =
      std::make_shared<Filter>(std::move(conditions), std::move(names), std::move(bindings));
  return Space::make(std::move(axes), [filter](const std::vector<std::int64_t>& values) {
    return filter->holds(values);
  });
}

}  // namespace ws::tune
