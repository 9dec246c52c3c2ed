#include "runtime/handover/torch_test_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/numbers.h"
#include "runtime/handover/common_files.h"
#include "runtime/handover/launcher.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

constexpr std::size_t kMostSizes = 4;

constexpr const char* kTest = R"py(

def inputs_of(shapes):
    """Tensors for one call, on the GPU."""
    values = {}
    for name, (kind, shape, low, high) in shapes.items():
        if kind.is_floating_point:
            values[name] = (torch.rand(shape, device="cuda") * (high - low) + low).to(kind)
        else:
            values[name] = torch.randint(int(low), max(int(high), int(low) + 1), shape, device="cuda").to(kind)
    return values


def distance(got, want):
    """How far two outputs are apart, as a share of the largest wanted value."""
    got, want = got.double().cpu(), torch.as_tensor(want).double().cpu()
    apart = (got - want).abs().nan_to_num(nan=float("inf")).masked_fill((got == want) | (got.isnan() & want.isnan()), 0)
    largest = want[want.isfinite()].abs().max() if want.isfinite().any() else torch.tensor(0.0)
    return float(apart.max() / largest) if apart.numel() and float(largest) > 0 else float(apart.max()) if apart.numel() else 0.0


def main():
    wrong = 0
    for sizes, numbers, shapes in CALLS:
        torch.manual_seed(1)
        values = inputs_of(shapes)
        kept = {name: value.clone() for name, value in values.items()}
        with torch.no_grad():
            result = OPERATORS.run(*values.values(), *numbers)
        got = dict(zip(OUTPUTS, result if isinstance(result, (tuple, list)) else [result]))
        got |= {name: values[name] for name in CHANGED}
        want = wanted(kept, sizes, numbers)
        for name, bound in TOLERANCES.items():
            apart = distance(got[name], want[name])
            wrong += not apart <= bound
            print(f"{sizes}: {name} is {apart:.3g} of the largest value apart, "
                  f"{'passed' if apart <= bound else 'FAILED'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
)py";

constexpr const char* kModule = R"py(
def wanted(inputs, sizes, numbers):
    """What the module gives."""
    model = reference.make_module()
    model = model.cuda() if isinstance(model, torch.nn.Module) else model
    reference.load_module(model, inputs)
    return reference.call_module(model, inputs)
)py";

constexpr const char* kProgram = R"py(
def wanted(inputs, sizes, numbers):
    """What the problem's reference gives."""
    arrays = {name: (value.float() if value.dtype == torch.bfloat16 else value).cpu().numpy()
              for name, value in inputs.items()}
    result = reference.reference(arrays, sizes)
    if isinstance(result, dict):
        return result
    return dict(zip(TOLERANCES, result if isinstance(result, (tuple, list)) else [result]))
)py";

constexpr const char* kKernel = R"py(
def wanted(inputs, sizes, numbers):
    """What the problem's own kernel gives."""
    with torch.no_grad():
        result = OPERATORS.reference(*inputs.values(), *numbers)
    want = dict(zip(OUTPUTS, result if isinstance(result, (tuple, list)) else [result]))
    return want | {name: inputs[name] for name in CHANGED}
)py";

std::string torch_type(DType type) {
  constexpr std::array kRows = {std::pair{DType::kF64, "float64"},
                                std::pair{DType::kF32, "float32"},
                                std::pair{DType::kTf32, "float32"},
                                std::pair{DType::kF16, "float16"},
                                std::pair{DType::kBf16, "bfloat16"},
                                std::pair{DType::kF8e4m3, "float8_e4m3fn"},
                                std::pair{DType::kF8e5m2, "float8_e5m2"},
                                std::pair{DType::kI64, "int64"},
                                std::pair{DType::kI32, "int32"},
                                std::pair{DType::kI16, "int16"},
                                std::pair{DType::kI8, "int8"},
                                std::pair{DType::kU64, "uint64"},
                                std::pair{DType::kU32, "uint32"},
                                std::pair{DType::kU16, "uint16"},
                                std::pair{DType::kU8, "uint8"},
                                std::pair{DType::kBool, "bool"}};
  const auto at =
      std::find_if(kRows.begin(), kRows.end(), [&](const auto& row) { return row.first == type; });
  return std::string("torch.") + at->second;
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + item;
  }
  return text;
}

/// "torch.float32, (4, 8), -1.0, 1.0": how an input is drawn.
Result<std::string> drawn(const ArgSpec& arg, const Workload& workload) {
  std::string shape;
  for (const std::string& text : arg.shape) {
    WS_TRY(const std::int64_t size, eval_expr(text, workload.dims));
    shape += std::to_string(size) + ", ";
  }
  const auto bound = [&](const char* name, double usual) -> Result<double> {
    if (arg.fill.kind == "zeros") {
      return 0;
    }
    const auto said = arg.fill.params.find(name);
    const auto sized = arg.fill.sizes.find(name);
    if (sized != arg.fill.sizes.end()) {
      WS_TRY(const std::int64_t value, eval_expr(sized->second, workload.dims));
      return static_cast<double>(value);
    }
    return said == arg.fill.params.end() ? usual : said->second;
  };
  WS_TRY(const double low, bound("low", is_float(arg.type) ? -1 : 0));
  WS_TRY(const double high, bound("high", is_float(arg.type) ? 1 : 2));
  return torch_type(arg.type) + ", (" + shape + "), " + significant_digits(low, 9) + ", " +
         significant_digits(high, 9);
}

/// Scalars, then dims that no input's shape tells, as the operator takes them.
std::vector<std::string> numbers_of(const Problem& problem, const Workload& workload) {
  std::vector<std::string> numbers;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      const double value = workload.scalars.at(arg.name);
      numbers.push_back(is_float(arg.type) ? significant_digits(value, 9)
                                           : std::to_string(static_cast<std::int64_t>(value)));
    }
  }
  for (const DimSpec& dim : problem.dims) {
    const bool told =
        std::any_of(problem.args.begin(), problem.args.end(), [&](const ArgSpec& arg) {
          return (arg.role == Role::kIn || arg.role == Role::kInout) &&
                 std::find(arg.shape.begin(), arg.shape.end(), dim.name) != arg.shape.end();
        });
    if (!told) {
      numbers.push_back(std::to_string(workload.dims.at(dim.name)));
    }
  }
  return numbers;
}

Result<std::string> call_of(const Problem& problem, const Workload& workload) {
  std::vector<std::string> sizes;
  for (const auto& [name, value] : workload.dims) {
    sizes.push_back(cpp_literal(name) + ": " + std::to_string(value));
  }
  std::vector<std::string> shapes;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kIn || arg.role == Role::kInout) {
      WS_TRY(const std::string text, drawn(arg, workload));
      shapes.push_back(cpp_literal(arg.name) + ": (" + text + ")");
    }
  }
  return "    ({" + list_of(sizes) + "}, [" + list_of(numbers_of(problem, workload)) + "], {" +
         list_of(shapes) + "}),\n";
}

}  // namespace

Result<std::vector<HandedFile>> torch_test_files(const Handover& handover) {
  const Problem& problem = handover.problem;
  const std::string name = handover_name(handover.kernel);
  const bool program = problem.reference_kind == "python";
  const bool module =
      program && problem.reference_source.find("\ndef call_module(") != std::string::npos;
  if (!program && problem.reference == nullptr) {
    return fail(ErrorCode::kUnsupported,
                "a reference of kind `" + problem.reference_kind +
                    "` cannot be handed over, so nothing would test the extension",
                "give the problem a reference of kind `kernel` or `python`");
  }
  WS_TRY(std::vector<Workload> workloads, expand_workloads(problem));
  workloads.resize(std::min(workloads.size(), kMostSizes));
  std::string calls;
  for (const Workload& workload : workloads) {
    WS_TRY(const std::string call, call_of(problem, workload));
    calls += call;
  }
  std::vector<std::string> outputs;
  std::vector<std::string> changed;
  std::vector<std::string> tolerances;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kOut || arg.role == Role::kInout) {
      (arg.role == Role::kOut ? outputs : changed).push_back(cpp_literal(arg.name));
      tolerances.push_back(cpp_literal(arg.name) + ": " +
                           significant_digits(relative_tolerance(problem, arg), 4));
    }
  }
  std::string text =
      provenance_comment(handover, "# ") + "\"\"\"Compares the kernel with " +
      (module ? "the module" : "the problem's reference") +
      " on a GPU; the exit status is 1 where they differ.\"\"\"\n\nimport sys\n\n" +
      "import torch\n\nimport " + name + "  # noqa: F401, registers the operators\n" +
      (program ? "import reference\n" : "") + "\nOPERATORS = torch.ops." + name + "\nOUTPUTS = [" +
      list_of(outputs) + "]\nCHANGED = [" + list_of(changed) + "]\nTOLERANCES = {" +
      list_of(tolerances) +
      "}\n# Sizes, numbers, and for each input its type, shape and range.\nCALLS = [\n" + calls +
      "]\n\n";
  text += module ? kModule : program ? kProgram : kKernel;
  std::vector<HandedFile> files = {{"test_kernel.py", text + kTest}};
  if (program) {
    files.push_back({"reference.py", problem.reference_source});
  }
  return files;
}

}  // namespace ws
