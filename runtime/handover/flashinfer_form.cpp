// A folder that FlashInfer-Bench reads: definition, workloads, solution, and traces where there
// are times.
#include <nlohmann/json.hpp>

#include "runtime/exchange/definition.h"
#include "runtime/exchange/own_field.h"
#include "runtime/handover/cuda_unit.h"
#include "runtime/handover/head.h"
#include "runtime/handover/torch_binding.h"
#include "runtime/handover/torch_unit.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"

namespace ws {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kUsInMs = 1000;

/// PyTorch hides the operators of short floats by macros that this undoes, before any include.
constexpr const char* kShown =
    "#undef __CUDA_NO_HALF_OPERATORS__\n#undef __CUDA_NO_HALF_CONVERSIONS__\n"
    "#undef __CUDA_NO_HALF2_OPERATORS__\n#undef __CUDA_NO_BFLOAT16_CONVERSIONS__\n";
constexpr const char* kHeaderLine = "#include \"kernel.h\"\n\n";

OrderedJson source_file(const std::string& path, const std::string& content) {
  return {{"path", path}, {"content", content}};
}

Result<OrderedJson> cuda_sources(const Handover& handover) {
  if (const std::string options = nvcc_options(handover.kernel); !options.empty()) {
    return fail(ErrorCode::kUnsupported,
                handover.kernel.id + " needs the options" + options +
                    " of the compiler, and FlashInfer-Bench gives it none");
  }
  WS_TRY(CudaUnit unit, cuda_unit(handover));
  unit.reference.clear();  // The definition has the reference.
  WS_TRY(const std::string function, torch_function(handover, "run"));
  const std::string module =
      "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n  m.def(\"run\", &run);\n}\n";
  return OrderedJson::array(
      {source_file("kernel.cu", kShown + torch_kernel(unit, kHeaderLine)),
       source_file("kernel.h", "#pragma once\n\n" + torch_header(unit)),
       source_file("binding.cpp", std::string("#include <torch/extension.h>\n\n") + kHeaderLine +
                                      function + module)});
}

/// The file of triton_form.cpp, with an entry that takes the definition's inputs.
Result<OrderedJson> triton_sources(const Handover& handover) {
  WS_TRY(const std::vector<HandoverFile> files, triton_files(handover));
  std::string parameters;
  std::string tensors;
  std::string numbers;  // They come behind all tensors in the launcher.
  for (const ArgSpec& arg : handover.problem.args) {
    if (arg.role != Role::kOut) {
      parameters += (parameters.empty() ? "" : ", ") + arg.name;
      (arg.role == Role::kScalar ? numbers : tensors) += arg.name + ", ";
    }
  }
  const std::string run =
      "\n\ndef run(" + parameters + "):\n    return handover_run(" + tensors + numbers + ")\n";
  return OrderedJson::array({source_file("main.py", files.front().text + run)});
}

Result<OrderedJson> solution_of(const Handover& handover) {
  const bool triton = handover.kernel.language == "triton";
  WS_TRY(const OrderedJson sources, triton ? triton_sources(handover) : cuda_sources(handover));
  OrderedJson spec = {{"language", triton ? "triton" : "cuda"},
                      {"target_hardware", {"cuda"}},
                      {"entry_point", triton ? "main.py::run" : "binding.cpp::run"},
                      {"dependencies", OrderedJson::array()},
                      {"destination_passing_style", false}};
  if (!triton) {
    spec["binding"] = "torch";
  }
  OrderedJson solution = {{"name", handover.kernel.id},
                          {"definition", handover.problem.name},
                          {"author", "unknown"},
                          {"description", head_of(handover, "", {})},
                          {"spec", spec},
                          {"sources", sources}};
  const OrderedJson forms = {{"kernel", OrderedJson::parse(handover.kernel.json)}};
  const OrderedJson own = own_field(forms, solution);
  solution[kOwnField] = own;
  return solution;
}

Result<std::string> workload_lines(const Handover& handover) {
  WS_TRY(const std::vector<Workload> workloads, expand_workloads(handover.problem));
  std::string lines;
  for (const Workload& workload : workloads) {
    WS_TRY(const OrderedJson form, workload_of(handover.problem, workload));
    const OrderedJson trace = {{"definition", handover.problem.name},
                               {"workload", form},
                               {"solution", OrderedJson()},
                               {"evaluation", OrderedJson()}};
    lines += trace.dump() + "\n";
  }
  return lines;
}

OrderedJson evaluation_of(const HandoverTimings& timings, const HandoverTiming& row) {
  const double speedup = row.us > 0 ? row.baseline_us / row.us : 0;
  return {{"status", "PASSED"},
          {"environment", {{"hardware", timings.device}, {"libs", OrderedJson::object()}}},
          {"timestamp", timings.at},
          {"correctness",
           {{"max_relative_error", row.max_rel_error}, {"max_absolute_error", row.max_abs_error}}},
          {"performance",
           {{"latency_ms", row.us / kUsInMs},
            {"reference_latency_ms", row.baseline_us / kUsInMs},
            {"speedup_factor", speedup}}}};
}

Result<std::string> trace_lines(const Handover& handover) {
  std::string lines;
  for (const HandoverTiming& row : handover.timings.rows) {
    WS_TRY(const OrderedJson form, workload_of(handover.problem, row.workload));
    const OrderedJson trace = {{"definition", handover.problem.name},
                               {"workload", form},
                               {"solution", handover.kernel.id},
                               {"evaluation", evaluation_of(handover.timings, row)}};
    lines += trace.dump() + "\n";
  }
  return lines;
}

}  // namespace

Result<std::vector<HandoverFile>> flashinfer_files(const Handover& handover) {
  WS_TRY(const OrderedJson definition, definition_of(handover.problem));
  WS_TRY(const OrderedJson solution, solution_of(handover));
  WS_TRY(const std::string workloads, workload_lines(handover));
  WS_TRY(const std::string traces, trace_lines(handover));
  const std::string problem = module_name(handover.problem.name);
  std::vector<HandoverFile> files = {
      {"solutions/" + module_name(handover.kernel.name) + ".json", solution.dump(2) + "\n"},
      {"definitions/" + problem + ".json", definition.dump(2) + "\n"},
      {"workloads/" + problem + ".jsonl", workloads}};
  if (!traces.empty()) {
    files.push_back({"traces/" + problem + ".jsonl", traces});
  }
  return files;
}

}  // namespace ws
