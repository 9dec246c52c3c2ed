// Kernels as files of other projects: their parts compile, and an import gives the kernel back.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/store/test_folder.h"
#include "runtime/exchange/imported.h"
#include "runtime/handover/test_handover.h"
#include "runtime/kernel/form/test_forms.h"
#include "runtime/tune/t1_kernel.h"
#include "tests/support/outside_program.h"

namespace ws::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kScaled = R"json({
  "name": "scaled", "dims": {"n": {"values": [64, 100], "min": 1, "max": 128}, "k": [32]},
  "args": [{"name": "x", "type": "f32", "role": "in", "shape": ["n", "k"]},
           {"name": "alpha", "type": "f32", "role": "scalar", "values": [2]},
           {"name": "w", "type": "f32", "role": "in", "shape": ["k"]},
           {"name": "y", "type": "f32", "role": "out", "shape": ["n", "k"]}],
  "tolerance": {"rtol": 1e-5, "atol": 1e-6},
  "reference": {"kind": "python", "source": "def reference(inputs, dims):\n    return inputs['alpha'] * inputs['x'] * inputs['w']\n"}})json";
constexpr const char* kScaledKernel = R"json({
  "name": "by \"threads\"", "language": "cuda", "macros": "#define THREADS @THREADS@\n",
  "source": "__global__ void scaled(const float* x, const float* w, float* y, float alpha, int n) {\n  const int i = blockIdx.x * THREADS + threadIdx.x;\n  if (i < n * 32) y[i] = alpha * x[i] * w[i % 32];\n}\n",
  "params": {"THREADS": [64, 128]}, "defaults": {"THREADS": 128}, "constraints": ["THREADS <= n * k"],
  "launches": [{"entry": "scaled", "grid": ["cdiv(n * k, THREADS)"], "block": ["THREADS"], "args": ["x", "w", "y", "alpha", "n"]}]})json";

HandedExample scaled() {
  return HandedExample::of_texts(kScaled, kScaledKernel);
}

/// The example's problem or kernel with a change at a JSON pointer.
std::string patched_form(const char* form, const char* pointer, const Json& value) {
  Json json = Json::parse(form);
  json[Json::json_pointer(pointer)] = value;
  return json.dump();
}

/// The ids of problem and kernel that an import reads.
std::pair<std::string, std::string> ids_of(const Result<ImportedForms>& forms) {
  REQUIRE_MESSAGE(forms.has_value(), to_text(forms.error()));
  const auto problem = parse_problem(forms->problem);
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  const auto kernel = parse_kernel(forms->kernel, *problem);
  REQUIRE_MESSAGE(kernel.has_value(), to_text(kernel.error()));
  return {problem->id, kernel->id};
}

std::string own_problem_id() {
  const auto problem = parse_problem(kScaled);
  REQUIRE(problem.has_value());
  return problem->id;
}

std::string conflict_of(const std::string& file, const std::string& field) {
  return "conflict: the " + file + " was changed after its export: `" + field +
         "` is not that of the kernel in `warpsmith`; change the kernel here and export it again";
}

}  // namespace

TEST_SUITE("handover.exchange") {
  TEST_CASE("files of FlashInfer-Bench give problem and kernel back") {
    const auto files = scaled().as(HandoverForm::kFlashinfer);
    REQUIRE_MESSAGE(files.has_value(), to_text(files.error()));
    REQUIRE(files->size() == 3);
    CHECK((*files)[0].path == "solutions/by_threads.json");
    CHECK((*files)[1].path == "definitions/scaled.json");
    CHECK((*files)[2].path == "workloads/scaled.jsonl");
    const auto back = ids_of(import_flashinfer({(*files)[0].text, (*files)[1].text}, {}));
    CHECK(back == std::pair(own_problem_id(), scaled().id()));
    const Json solution = Json::parse((*files)[0].text);
    CHECK(solution["name"] == scaled().id());
    CHECK(solution["spec"]["entry_point"] == "binding.cpp::run");
    const Json other = "// other code\n";
    for (const auto& [pointer, field] :
         std::map<std::string, std::string>{{"/sources/0/content", "sources"},
                                            {"/spec/language", "spec"},
                                            {"/new", "new"},
                                            {"/warpsmith/kernel/source", "kernel"},
                                            {"/warpsmith/digests/old", "old"}}) {
      Json edited = solution;
      edited[Json::json_pointer(pointer)] = other;
      CHECK(error_text(import_flashinfer({edited.dump(), (*files)[1].text}, {})) ==
            conflict_of("solution", field));
    }
  }

  TEST_CASE(
      "the function of a solution compiles against PyTorch's headers, and its kernel by nvcc") {
    const auto headers = find_torch_headers("a solution of FlashInfer-Bench compiled by c++");
    const auto files = scaled().as(HandoverForm::kFlashinfer);
    REQUIRE(files.has_value());
    const TestFolder folder;
    const Json sources = Json::parse((*files)[0].text)["sources"];
    for (const Json& source : sources) {
      const std::string path = source["path"];
      REQUIRE(write_file(folder.path() / path, source["content"].get<std::string>()).has_value());
    }
    if (headers) {
      const OutsideRun run = run_outside(
          "c++ -std=c++17 -fsyntax-only -w -DTORCH_EXTENSION_NAME=kernel "
          "$(/usr/bin/python3-config --includes) -I" +
              *headers + " -I" + *headers + "/torch/csrc/api/include -I. binding.cpp",
          folder.path());
      CHECK_MESSAGE(run.status == 0, run.output);
    }
  }

  TEST_CASE("times become traces, each with its workload") {
    const auto problem = parse_problem(kScaled);
    REQUIRE(problem.has_value());
    const auto kernel = parse_kernel(kScaledKernel, *problem);
    REQUIRE(kernel.has_value());
    const Workload workload = {.dims = {{"n", 100}, {"k", 32}}, .scalars = {{"alpha", 2}}};
    Handover handover{.problem = *problem,
                      .kernel = *kernel,
                      .params = kernel->defaults,
                      .workload = workload,
                      .proof = {}};
    handover.proof.ranges = ranges_of(*problem, {}, {}, workload);
    handover.timings = {.device = "NVIDIA H100",
                        .at = "2026-01-01T00:00:00Z",
                        .rows = {{.workload = workload,
                                  .us = 50,
                                  .baseline_us = 200,
                                  .max_abs_error = 0.25,
                                  .max_rel_error = 0.5}}};
    const auto files = hand_over(handover, HandoverForm::kFlashinfer);
    REQUIRE_MESSAGE(files.has_value(), to_text(files.error()));
    CHECK(files->back().path == "traces/scaled.jsonl");
    Json trace = Json::parse(files->back().text);
    CHECK(trace["workload"].erase("uuid") == 1);
    CHECK(trace["solution"] == kernel->id);
    CHECK(trace["workload"] == Json::parse(R"json({"axes": {"n": 100}, "inputs": {
      "x": {"type": "random"}, "w": {"type": "random"}, "alpha": {"type": "scalar", "value": 2.0}}})json"));
    CHECK(trace["evaluation"] ==
          Json::parse(R"json({"status": "PASSED", "timestamp": "2026-01-01T00:00:00Z",
      "environment": {"hardware": "NVIDIA H100", "libs": {}},
      "correctness": {"max_relative_error": 0.5, "max_absolute_error": 0.25},
      "performance": {"latency_ms": 0.05, "reference_latency_ms": 0.2, "speedup_factor": 4.0}})json"));
  }

  TEST_CASE("a kernel in Triton is a solution in Triton") {
    const HandedExample tiles = HandedExample::of_texts(
        patched_form(kScaled, "/reference/source",
                     "def reference(inputs, dims):\n    return inputs['x']\n"),
        R"json({"name": "tiles", "language": "triton",
          "source": "import triton\nimport triton.language as tl\n\n@triton.jit\ndef tiles(x, y, n, BLOCK: tl.constexpr):\n    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)\n",
          "params": {"BLOCK": [128]},
          "launches": [{"entry": "tiles", "grid": ["cdiv(n * k, 128)"], "args": ["x", "y", {"value": "n * k", "type": "i32"}, "BLOCK"]}]})json");
    const auto files = tiles.as(HandoverForm::kFlashinfer);
    REQUIRE_MESSAGE(files.has_value(), to_text(files.error()));
    const Json solution = Json::parse(files->front().text);
    CHECK(solution["spec"]["language"] == "triton");
    const std::string source = solution["sources"][0]["content"];
    CHECK(source.ends_with("\n\ndef run(x, alpha, w):\n    return handover_run(x, w, alpha, )\n"));
    CHECK(ids_of(import_flashinfer({files->front().text, (*files)[1].text}, {})).second ==
          tiles.id());
  }

  TEST_CASE("a T1 file gives problem and kernel back, and its parameters are macros") {
    const auto files = scaled().as(HandoverForm::kKernelTuner);
    REQUIRE_MESSAGE(files.has_value(), to_text(files.error()));
    REQUIRE(files->size() == 2);
    const std::string& source = (*files)[1].text;
    CHECK(ids_of(tune::import_t1(files->front().text, source)) ==
          std::pair(own_problem_id(), scaled().id()));
    CHECK(source.find('@') == std::string::npos);
    CHECK(source.find("#define THREADS") == std::string::npos);
    CHECK(source.find("blockIdx.x * THREADS + threadIdx.x") != std::string::npos);
    Json t1 = Json::parse(files->front().text);
    CHECK(t1["ConfigurationSpace"] == Json::parse(R"json({
      "TuningParameters": [
        {"Name": "THREADS", "Type": "int", "Values": "[64,128]", "Default": 128},
        {"Name": "block_size_x", "Type": "int", "Values": "[64,128]", "Default": 128}],
      "Conditions": [
        {"Expression": "THREADS <= 64 * 32", "Parameters": ["THREADS"]},
        {"Expression": "block_size_x == THREADS", "Parameters": ["block_size_x"]}]})json"));
    const Json& spec = t1["KernelSpecification"];
    CHECK(spec["ProblemSize"] == Json{2048});
    CHECK(spec["GridDivX"] == Json{"THREADS"});
    CHECK(spec["Arguments"][3] ==
          Json::parse(R"({"Name": "alpha", "Type": "float", "MemoryType": "Scalar",
                                                 "FillType": "Constant", "FillValue": 2.0})"));
    CHECK(spec["Arguments"][4]["FillValue"] == 64);
    for (const auto& [pointer, field] : std::map<std::string, std::string>{
             {"/KernelSpecification/GridDivX", "KernelSpecification"},
             {"/ConfigurationSpace/Conditions", "ConfigurationSpace"},
             {"/warpsmith/problem/tolerance", "problem"}}) {
      Json edited = t1;
      edited[Json::json_pointer(pointer)] = {"2"};
      CHECK(error_text(tune::import_t1(edited.dump(), source)) ==
            conflict_of("specification", field));
    }
    CHECK(error_text(tune::import_t1(t1.dump(), source + "\n")) ==
          conflict_of("specification", "kernel.cu"));
    // Without the part that is ours alone, the file is read as any other.
    t1.erase("warpsmith");
    const auto alone = tune::import_t1(t1.dump(), source);
    REQUIRE_MESSAGE(alone.has_value(), to_text(alone.error()));
    CHECK(Json::parse(alone->kernel)["launches"][0]["grid"][0] == "cdiv(problem_size_x, THREADS)");
  }

  TEST_CASE("a form that cannot have a kernel says why") {
    const HandedExample fast = HandedExample::of_texts(
        kScaled, patched_form(kScaledKernel, "/options", {"--use_fast_math"}));
    CHECK(fast.refusal(HandoverForm::kFlashinfer) ==
          "unsupported: " + fast.id() +
              " needs the options --use_fast_math of the compiler, and FlashInfer-Bench gives it "
              "none");
    CHECK(scaled().refusal(HandoverForm::kKernelbench) ==
          "unsupported: a solution of KernelBench takes the place of a module's class Model, and " +
              own_problem_id() +
              " was not made of one; make the problem with `warpsmith import pytorch`");

    struct Change {
      const char* pointer;
      Json value;
      const char* why;
    };

    const Change kChanges[] = {
        {"/launches/0/grid/0", "n * 64 // THREADS",
         "has the grid `n * 64 // THREADS`, and Kernel Tuner divides a size by expressions of "
         "parameters"},
        {"/launches/0/grid/0", "cdiv(n * k, cdiv(THREADS, 2))",
         "has the expression `cdiv(THREADS, 2)`, and Kernel Tuner has no cdiv()"},
        {"/launches/0/block/0", "cdiv(THREADS, 4)",
         "has the expression `cdiv(THREADS, 4)`, and Kernel Tuner has no cdiv()"},
        {"/constraints/0", "THREADS > gcd (n, 4)",
         "has the expression `THREADS > gcd (n, 4)`, and Kernel Tuner has no gcd()"},
        {"/constraints/0", "log2(THREADS) > 2",
         "has the expression `log2(THREADS) > 2`, and Kernel Tuner has no log2()"},
        {"/launches/0/shared_bytes", "4 * THREADS",
         "computes its shared memory as `4 * THREADS`, and a T1 file has numbers there"},
        {"/launches/0/args/1",
         {{"buffer", "w"}, {"offset", "1"}},
         "passes a part of a buffer, a struct, a texture, nothing or a parameter, which a T1 file "
         "does not describe"},
        {"/launches/0/args/1",
         {{"texture", "w"}, {"width", "1"}},
         "passes a part of a buffer, a struct, a texture, nothing or a parameter, which a T1 file "
         "does not describe"},
        {"/launches/0/args/4",
         {{"value", "THREADS"}, {"type", "i32"}},
         "computes an argument as `THREADS`, and a T1 file has numbers there"},
        {"/scratch", Json::parse(R"([{"name": "s", "type": "f32", "shape": ["n"]}])"),
         "has scratch memory, which a T1 file does not describe"},
        {"/launches/0/repeat",
         {{"var", "s"}, {"count", "2"}},
         "has repeated launches, which a T1 file does not describe"},
        {"/launches/0/entry", "scaled<@THREADS@>",
         "has an entry that depends on parameters, which a T1 file does not describe"},
        {"/source", "int x@THREADS@;", "joins `@THREADS@` with a word, which a macro is not"}};
    for (const Change& each : kChanges) {
      CAPTURE(std::string(each.pointer));
      const HandedExample handed =
          HandedExample::of_texts(kScaled, patched_form(kScaledKernel, each.pointer, each.value));
      CHECK(handed.refusal(HandoverForm::kKernelTuner) ==
            "unsupported: " + handed.id() + " " + each.why);
    }
  }
}

}  // namespace ws::test
