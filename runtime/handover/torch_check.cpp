#include "runtime/handover/torch_check.h"

#include <algorithm>
#include <cmath>

#include "runtime/handover/compared.h"
#include "runtime/handover/drawing.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/head.h"
#include "runtime/handover/python_launcher.h"
#include "runtime/handover/torch_words.h"
#include "runtime/handover/words.h"
#include "runtime/judge/fills.h"
#include "runtime/judge/tolerance.h"

namespace ws {
namespace {

std::string size_tuple(const std::vector<std::int64_t>& values) {
  std::string list;
  for (const std::int64_t value : values) {
    list += (list.empty() ? "" : " ") + std::to_string(value) + ",";
  }
  return "(" + list + ")";
}

class CheckWriter {
 public:
  CheckWriter(const Handover& handover, const ResolvedPlan& plan, std::string module)
      : problem_(handover.problem),
        workload_(handover.workload),
        plan_(plan),
        module_(std::move(module)),
        compared_(compared_with(problem_)) {}

  Result<std::string> write() {
    line("\n\nclass KernelTest(unittest.TestCase):", 0);
    line("def inputs(self):", 1);
    line("tensors = {}", 2);
    each_buffer([this](const ArgSpec& arg, const BufferSpec& buffer) {
      if (arg.role != Role::kOut) {
        line("tensors[" + python_string(arg.name) + "] = " + draw(arg, buffer), 2);
      }
    });
    line("return tensors\n", 2);
    add_calls();
    WS_CHECK(add_test());
    line("\n\nif __name__ == \"__main__\":\n    unittest.main()", 0);
    return text_;
  }

 private:
  void line(const std::string& text, std::size_t depth) {
    text_ += std::string(4 * depth, ' ') + text + "\n";
  }

  template <typename Each>
  void each_buffer(const Each& each) {
    std::size_t index = 0;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role != Role::kScalar) {
        each(arg, plan_.buffers.at(index++));
      }
    }
  }

  [[nodiscard]] std::string draw(const ArgSpec& arg, const BufferSpec& buffer) {
    const ArgSpec numbers = with_fill_sizes(arg, buffer);
    const FillRow* const row = find_fill(arg.fill.kind);
    std::string text = "handover_draw(" + python_string(arg.fill.kind);
    for (const std::string_view name : drawn_numbers(arg)) {
      double number = 0;
      if (row != nullptr && !name.empty()) {
        number = fill_param(numbers, *row, name);
      }
      text +=
          ", " + number_text(std::isnan(number) ? static_cast<double>(buffer.elements) : number);
    }
    const auto [low, high] = drawn_range(arg);
    return text + ", " + number_text(low) + ", " + number_text(high) + ", torch." +
           std::string(torch_type(arg.type)) + ", " + size_tuple(buffer.shape) + ", " +
           size_tuple(buffer.strides) + ", " + std::to_string(++seed_) + ")";
  }

  /// The arguments of the operator behind the tensors: numbers, and dims that no shape says.
  [[nodiscard]] std::string numbers_text() const {
    std::string text;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kScalar) {
        text += ", " + scalar_text(arg);
      }
    }
    for (const DimSource& source : dim_sources(problem_)) {
      text += source.arg.empty() ? ", " + std::to_string(workload_.dims.at(source.dim)) : "";
    }
    return text;
  }

  [[nodiscard]] std::string scalar_text(const ArgSpec& arg) const {
    const auto at = workload_.scalars.find(arg.name);
    const double value = at == workload_.scalars.end() ? 0 : at->second;
    return is_float(arg.type) ? number_text(value)
                              : std::to_string(static_cast<std::int64_t>(value));
  }

  /// A function that calls an operator on copies, and gives the outputs by name.
  void add_calls() {
    std::string outs;
    std::string inouts;
    std::size_t count = 0;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kOut) {
        outs += python_string(arg.name) + ", ";
        ++count;
      } else if (arg.role == Role::kInout) {
        inouts += python_string(arg.name) + ", ";
      }
    }
    line("def outputs(self, operator, tensors):", 1);
    line("tensors = {name: each.clone() for name, each in tensors.items()}", 2);
    line("made = operator(*tensors.values()" + numbers_text() + ")", 2);
    line("made = " + std::string(count == 0 ? "()" : count == 1 ? "(made,)" : "made"), 2);
    line("outputs = dict(zip((" + outs + "), made))", 2);
    line("outputs.update((name, tensors[name]) for name in (" + inouts + "))", 2);
    line("return outputs\n", 2);
  }

  Status add_test() {
    line("def test_outputs(self):", 1);
    line("tensors = self.inputs()", 2);
    line("got = self.outputs(torch.ops." + module_ + ".run, tensors)", 2);
    add_wanted();
    WS_TRY(const std::optional<std::int64_t> flops, flops_of(problem_, workload_));
    each_buffer([&](const ArgSpec& arg, const BufferSpec& buffer) {
      if (arg.role != Role::kIn && compared_ != Compared::kNothing) {
        add_comparison(arg, buffer, flops);
      }
    });
    return {};
  }

  void add_wanted() {
    std::string names;  // Those of the outputs, in the problem's order.
    switch (compared_) {
      case Compared::kKernel:
        return line("want = self.outputs(torch.ops." + module_ + ".reference, tensors)", 2);
      case Compared::kModule:
        line("space = {\"__name__\": \"reference\"}", 2);
        line("exec(handover_reference, space)", 2);
        line("model = space[\"make_module\"]()", 2);
        line("model = model.cuda() if isinstance(model, torch.nn.Module) else model", 2);
        line("space[\"load_module\"](model, tensors)", 2);
        return line("want = space[\"call_module\"](model, tensors)", 2);
      case Compared::kFunction:
        each_buffer([&names](const ArgSpec& arg, const BufferSpec& /*buffer*/) {
          names += arg.role == Role::kIn ? "" : python_string(arg.name) + ", ";
        });
        line("space = {\"__name__\": \"reference\"}", 2);
        line("exec(handover_reference, space)", 2);
        line("inputs = {name: handover_array(each) for name, each in tensors.items()}", 2);
        for (const ArgSpec& arg : problem_.args) {
          if (arg.role == Role::kScalar) {
            line("inputs[" + python_string(arg.name) + "] = " + scalar_text(arg), 2);
          }
        }
        line("want = space[\"reference\"](inputs, " + dims_text() + ")", 2);
        return line("want = handover_by_name(want, (" + names + "))", 2);
      case Compared::kNothing:
        return line("self.skipTest(" +
                        python_string("the problem's reference is of kind " +
                                      problem_.reference_kind + ": nothing is compared") +
                        ")",
                    2);
    }
  }

  [[nodiscard]] std::string dims_text() const {
    std::string text;
    for (const auto& [name, value] : workload_.dims) {
      text += (text.empty() ? "" : ", ") + python_string(name) + ": " + std::to_string(value);
    }
    return "{" + text + "}";
  }

  void add_comparison(const ArgSpec& arg, const BufferSpec& buffer,
                      const std::optional<std::int64_t>& flops) {
    const double length = reduction_length(
        arg, workload_, flops ? std::optional(static_cast<double>(*flops)) : std::nullopt,
        buffer.elements);
    // A module computes in the types of its tensors, which costs as much as the kernel may.
    const double factor = compared_ == Compared::kModule ? 2 : 1;
    const ErrorBound bound = scaled(error_bound(problem_, arg, length), factor);
    const std::string name = python_string(arg.name);
    std::string got = "got[" + name + "]";
    std::string want = "torch.as_tensor(want[" + name + "]).cpu()";
    if (arg.unordered) {
      const std::string count =
          arg.unordered->count.empty()
              ? std::to_string(buffer.shape.empty() ? 1 : buffer.shape.front())
              : "int(got[" + python_string(arg.unordered->count) + "])";
      const std::string& with = arg.unordered->with;
      const auto rows = [&](const std::string& from, const std::string& own) {
        return "handover_rows(" + own + ", " + count +
               (with.empty() ? ""
                             : ", torch.as_tensor(" + from + "[" + python_string(with) + "])") +
               ")";
      };
      got = rows("got", got + ".cpu()");
      want = rows("want", want);
    }
    line("handover_compare(self, " + name + ", " + got + ", " + want + ", " +
             (bound.exact ? "True" : "False") + ", " + number_text(bound.rtol) + ", " +
             number_text(bound.atol) + ")",
         2);
  }

  const Problem& problem_;
  const Workload& workload_;
  const ResolvedPlan& plan_;
  const std::string module_;
  const Compared compared_;
  int seed_ = 0;
  std::string text_;
};

}  // namespace

Result<std::string> torch_check(const Handover& handover, const std::string& module) {
  WS_TRY(const ResolvedPlan plan,
         resolve_plan(handover.problem, handover.kernel, handover.workload, handover.params));
  WS_TRY(const std::string test, CheckWriter(handover, plan, module).write());
  const Compared compared = compared_with(handover.problem);
  const bool source = compared == Compared::kModule || compared == Compared::kFunction;
  return comment_line("# ", "Compares " + handover.kernel.id + " with its problem's reference.") +
         std::string(handover_torch_test()) + "\n\nimport " + module +
         "  # Registers the operators.\n" +
         (source ? "\nhandover_reference = " + python_text(handover.problem.reference_source) + "\n"
                 : "") +
         test;
}

}  // namespace ws
