// Kernel specifications of Kernel Tuner as problems and kernels.
#include "runtime/tune/t1_kernel.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/base/files.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/test_forms.h"
#include "runtime/tune/t4_results.h"
#include "tests/support/golden.h"

namespace ws::tune {
namespace {

using Json = nlohmann::json;

std::string exchanged(const std::string& name) {
  const auto text = read_file(source_dir() / "tests/data/exchange" / name);
  REQUIRE(text.has_value());
  return *text;
}

/// The specification with a change at a JSON pointer.
std::string changed_t1(const std::string& pointer, const Json& value) {
  Json json = Json::parse(exchanged("clamp.t1.json"));
  json[Json::json_pointer(pointer)] = value;
  return json.dump();
}

struct ChangedT1 {
  const char* pointer;
  Json value;
  const char* error;
};

}  // namespace

TEST_SUITE("tune.t1_kernel") {
  TEST_CASE("a specification becomes a problem with its first kernel as reference, and a kernel") {
    const auto forms = import_t1(exchanged("clamp.t1.json"), exchanged("clamp.cu"));
    REQUIRE_MESSAGE(forms.has_value(), error_text(forms));
    const Json form = Json::parse(forms->problem);
    CHECK(form["dims"] == Json::parse(R"({"problem_size_x": [1000]})"));
    CHECK(form["args"] == Json::parse(R"json([
      {"name": "out", "type": "f32", "role": "out", "shape": ["1000"]},
      {"name": "in_", "type": "f32", "role": "in", "shape": ["problem_size_x"], "fill": "normal"},
      {"name": "bias", "type": "f32", "role": "in", "shape": ["4 - 3"],
       "fill": {"kind": "iota", "start": 0.25, "step": 0}},
      {"name": "limit", "type": "f32", "role": "scalar", "values": [0.5]},
      {"name": "n", "type": "i32", "role": "scalar", "values": [1000]}])json"));
    CHECK(form["reference"] == Json{{"kind", "first_kernel"}});
    CHECK(forms->notes ==
          std::vector<std::string>{
              "a T1 file says nothing about right results: the first kernel of the problem is its "
              "reference, and no proof of itself; to tune it, give `problem` another reference"});
    const auto problem = parse_problem(forms->problem);
    REQUIRE_MESSAGE(problem.has_value(), error_text(problem));
    const auto kernel = parse_kernel(forms->kernel, *problem);
    REQUIRE_MESSAGE(kernel.has_value(), error_text(kernel));
    CHECK(kernel->macros ==
          "#define block_size_x @block_size_x@\n#define work_per_thread @work_per_thread@\n");
    CHECK(kernel->defaults == Params{{"block_size_x", 64}, {"work_per_thread", 1}});
    CHECK(kernel->constraints == std::vector<std::string>{"block_size_x * work_per_thread <= 256"});
    const LaunchSpec& launch = kernel->launches.front();
    CHECK(launch.grid == std::vector<std::string>{
                             "cdiv(problem_size_x, block_size_x * work_per_thread)", "1", "1"});
    CHECK(launch.block == std::vector<std::string>{"block_size_x", "1", "1"});
  }

  TEST_CASE("a specification that cannot be taken is refused by its field") {
    const ChangedT1 kCases[] = {
        {"/KernelSpecification/Language", "OpenCL",
         "unsupported: KernelSpecification: the language `OpenCL` is not supported yet"},
        {"/KernelSpecification/ProblemSize", "n",
         "invalid_argument: ProblemSize: expected an integer from 1 to 1099511627776, got \"n\""},
        {"/KernelSpecification/ProblemSize", Json::array(),
         "invalid_argument: ProblemSize: expected one to three numbers, got a list of 0 items"},
        {"/KernelSpecification/GridDivX/0", "block_size_x /",
         "invalid_argument: KernelSpecification.GridDivX: expression `block_size_x /`: `/` is not "
         "an integer operation at column 14; use `//` (floor) or `cdiv` (ceiling)\n  block_size_x "
         "/\n               ^"},
        {"/KernelSpecification/Arguments/0/Type", "float4",
         "unsupported: KernelSpecification.Arguments[0]: `out` of type `float4` is not supported "
         "yet"},
        {"/KernelSpecification/Arguments/0/MemoryType", "Local",
         "unsupported: KernelSpecification.Arguments[0]: `out` in memory of type `Local` is not "
         "supported yet"},
        {"/KernelSpecification/Arguments/0/AccessType", "Any",
         "invalid_argument: KernelSpecification.Arguments[0]: `out` has no AccessType: ReadOnly, "
         "WriteOnly or ReadWrite"},
        {"/KernelSpecification/Arguments/1/FillType", "BinaryRaw",
         "unsupported: KernelSpecification.Arguments[1]: `in_` with the FillType `BinaryRaw` is "
         "not "
         "supported yet"},
        {"/KernelSpecification/Arguments/1/Size", "work_per_thread",
         "unsupported: KernelSpecification.Arguments[1]: a Size that depends on the parameter "
         "`work_per_thread` is not supported yet"},
        {"/KernelSpecification/Arguments/3/FillValue", "much",
         "invalid_argument: KernelSpecification.Arguments[3]: the scalar `limit` has no FillValue"},
        {"/KernelSpecification/Arguments/4/Name", "n;",
         "invalid_argument: KernelSpecification.Arguments[4]: `n;` is no usable name"},
        {"/KernelSpecification", 1,
         "invalid_argument: not a T1 file: it has no KernelSpecification"}};
    for (const ChangedT1& each : kCases) {
      CAPTURE(std::string(each.pointer));
      CHECK(error_text(import_t1(changed_t1(each.pointer, each.value), "")) == each.error);
    }
  }

  TEST_CASE("T4 results have every evaluation of a journal, with the way in which it ended") {
    Evaluation good;
    good.point = {1};
    good.us = 20;
    good.samples = {20, 22};
    good.build_s = 0.5;
    good.at = "2026-01-01T00:00:00.000Z";
    Evaluation wrong;
    wrong.point = {0};
    wrong.fate = Fate::kFailed;
    wrong.verdict = Verdict::kIncorrect;
    Evaluation pruned = wrong;
    pruned.fate = Fate::kPruned;
    const Json file = Json::parse(
        t4_results({{"krn_a", "cpu:0", "clang", "[]", {{"A", {1, 2}}}}, {good, wrong, pruned}}));
    CHECK(file["schema_version"] == "1.0.0");
    CHECK(file["metadata"] == Json{{"timeunit", "milliseconds"}});
    CHECK(file["results"][0] == Json::parse(R"json({"timestamp": "2026-01-01T00:00:00.000Z",
      "configuration": {"A": 2}, "invalidity": "correct", "correctness": 1, "objectives": ["time"],
      "times": {"compilation": 500.0, "benchmark": 0.0, "framework": 0, "search_algorithm": 0,
                "validation": 0, "runtimes": [0.02, 0.022]},
      "measurements": [{"name": "time", "value": 0.02, "unit": "ms"}]})json"));
    CHECK(file["results"][1]["invalidity"] == "correctness");
    CHECK(file["results"][1]["correctness"] == 0);
    CHECK(file["results"][2]["invalidity"] == "constraints");
  }

  TEST_CASE("a wrong result is one of correctness in T4, whichever verdict says so") {
    const std::pair<Verdict, const char*> kWords[] = {
        {Verdict::kIncorrectNan, "correctness"},  {Verdict::kOutOfBounds, "correctness"},
        {Verdict::kDataRace, "correctness"},      {Verdict::kStateful, "correctness"},
        {Verdict::kInputModified, "correctness"}, {Verdict::kRuntimeError, "runtime"},
        {Verdict::kLaunchError, "runtime"},       {Verdict::kDeadlock, "runtime"},
        {Verdict::kResourceLimit, "runtime"},     {Verdict::kTimeout, "timeout"},
        {Verdict::kCompileError, "compile"}};
    for (const auto& [verdict, word] : kWords) {
      CAPTURE(std::string(name_of(verdict)));
      Evaluation evaluation;
      evaluation.point = {0};
      evaluation.fate = Fate::kFailed;
      evaluation.verdict = verdict;
      const Json file =
          Json::parse(t4_results({{"krn_a", "cpu:0", "clang", "[]", {{"A", {1}}}}, {evaluation}}));
      CHECK(file["results"][0]["invalidity"] == word);
    }
  }

  TEST_CASE("the kernel's file has the ending of C++ code") {
    for (const char* path : {".ssh/id_rsa", ".cu", "kernel", "kernel.cu.txt", "a.cu/b"}) {
      CHECK(error_text(kernel_file_of(changed_t1("/KernelSpecification/KernelFile", path))) ==
            "invalid_argument: KernelSpecification.KernelFile: `" + std::string(path) +
                "` is no file of C++ code; it ends in .cu, .cuh, .cpp, .cc, .cxx, .c, .h or .hpp");
    }
    CHECK(kernel_file_of(changed_t1("/KernelSpecification/KernelFile", "src/a.b.cu")) ==
          "src/a.b.cu");
  }

  TEST_CASE("the kernel's file lies below the folder of the T1 file") {
    CHECK(kernel_file_of(exchanged("clamp.t1.json")) == "clamp.cu");
    for (const char* path : {"/etc/passwd", "../clamp.cu", "a/../../clamp.cu", ""}) {
      CHECK(error_text(kernel_file_of(changed_t1("/KernelSpecification/KernelFile", path))) ==
            "invalid_argument: KernelSpecification.KernelFile: `" + std::string(path) +
                "` is no path below the folder of the T1 file");
    }
  }
}

}  // namespace ws::tune
