// verify_ir as agents call it: right programs and wrong ones.
#include <array>
#include <cstdio>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "tests/ir/program_bench.h"
#include "tests/support/cuir_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

std::string example(const std::string& name) {
  return ir::repository_file("examples/cuir/" + name + ".cuir");
}

Json tensor(const char* name, const char* type, const Json& shape, const char* role) {
  return {{"name", name}, {"type", type}, {"shape", shape}, {"role", role}};
}

/// C = A B^T over f16 as examples/cuir/gemm_tma.cuir has it, with a reference of any kind.
Json product_problem(const Json& reference) {
  return {{"name", "product"},
          {"dims", {{"m", {128, 256}}, {"n", {64}}, {"k", {256}}}},
          {"args",
           {tensor("A", "f16", {"m", "k"}, "in"), tensor("B", "f16", {"n", "k"}, "in"),
            tensor("C", "f32", {"m", "n"}, "out")}},
          {"flops", "2*m*n*k"},
          {"reference", reference}};
}

Json product_kernel(const std::string& term) {
  return {{"name", "plain"},
          {"language", "cuda"},
          {"source",
           "#include <cuda_fp16.h>\n__global__ void plain(const __half* A, const __half* B, float* "
           "C, int m, int n, int k) {\n  int j = blockIdx.x * blockDim.x + threadIdx.x;\n  int i = "
           "blockIdx.y;\n  if (j >= n) return;\n  double sum = 0;\n  for (int p = 0; p < k; ++p) "
           "sum += " +
               term + ";\n  C[i * n + j] = (float)sum;\n}\n"},
          {"launches",
           {{{"entry", "plain"},
             {"grid", {"cdiv(n, 64)", "m"}},
             {"block", {"64"}},
             {"args", {"A", "B", "C", "m", "n", "k"}}}}}};
}

const char* const kTerm = "(double)__half2float(A[i * k + p]) * (double)__half2float(B[j * k + p])";

Json kernel_reference() {
  Json reference = product_kernel(kTerm);
  reference.erase("name");
  reference["kind"] = "kernel";
  return reference;
}

/// The kernel and the problem, compiled and stored.
const Json& stored() {
  static const Json output = tools().result(
      "compile_kernel",
      {{"problem", product_problem(kernel_reference())}, {"kernel", product_kernel(kTerm)}});
  REQUIRE(output["verdict"] == "compiled");
  return output;
}

/// The product with open sizes, the smallest listed ones of which are one round of the loop.
std::string open_product() {
  Json problem = product_problem(kernel_reference());
  problem["dims"]["m"] = {{"values", {128}}, {"min", 128}, {"max", 4096}, {"multiple_of", 128}};
  problem["dims"]["k"] = {{"values", {64}}, {"min", 32}, {"max", 4096}, {"multiple_of", 32}};
  return tools().result("compile_kernel",
                        {{"problem", problem}, {"kernel", product_kernel(kTerm)}})["problem_id"];
}

Json on_problem(const std::string& ir, Json more = Json::object()) {
  more["ir"] = ir;
  more["problem_id"] = stored()["problem_id"];
  return tools().result("verify_ir", more);
}

/// The text after `head`, up to the end of its code block.
std::string block_of(const std::string& page, const std::string& head) {
  const std::size_t at = page.find(head);
  REQUIRE(at != std::string::npos);
  const std::size_t first = at + head.size();
  return page.substr(first, page.find("```", first) - first);
}

/// The output of a shell for `commands` in examples/cuir, with the program of this build.
std::string run_in_examples(const std::string& commands) {
  const TestFolder data;
  const std::string script = "cd " WS_SOURCE_DIR "/examples/cuir && PATH=" WS_BINARY_DIR
                             ":$PATH && export XDG_DATA_HOME=" +
                             data.path().string() + " && " + commands;
  FILE* const pipe = ::popen(script.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t bytes = std::fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), bytes);
  }
  CHECK(::pclose(pipe) == 0);
  return text;
}

}  // namespace

TEST_SUITE("tools.verify_ir") {
  TEST_CASE("a new problem is compared with, and not stored") {
    Json problem = product_problem(kernel_reference());
    problem["name"] = "product_not_stored";
    const Json right =
        tools().result("verify_ir", {{"ir", example("gemm_tma")}, {"problem", problem}});
    CHECK_MESSAGE(right["verdict"] == "ok", right.dump());
    CHECK(right["next_steps"][0]["why"] ==
          "send the same `problem` with the kernel that does this, or with the program as "
          "`target_ir` to apply_transformation");
    const std::string id = right["against"];
    CHECK(tools().refusal("verify_ir", {{"ir", "x"}, {"problem_id", id}}) ==
          "not_found: no problem `" + id + "`; ids come from compile_kernel");
    problem["reference"] = product_kernel("2 * " + std::string(kTerm));
    problem["reference"].erase("name");
    problem["reference"]["kind"] = "kernel";
    CHECK(tools().result("verify_ir", {{"ir", example("gemm_tma")},
                                       {"problem", problem}})["verdict"] == "incorrect");
  }

  TEST_CASE("a right program is ok against a reference and against a kernel") {
    const Json output = on_problem(example("gemm_tma"));
    CHECK(output["verdict"] == "ok");
    CHECK(output["schedules"] == 14);
    CHECK(output["against"] == stored()["problem_id"]);
    CHECK(output["workload"] == Json{{"m", 128}, {"n", 64}, {"k", 256}});
    CHECK(output["findings"] == Json::array());
    CHECK(output["error"]["max_rel"] < 1e-6);
    CHECK_FALSE(output.contains("other_workloads"));
    CHECK(output["summary"] == "ok: no finding on 14 schedules, and the outputs of " +
                                   stored()["problem_id"].get<std::string>());
    const Json against = tools().result(
        "verify_ir",
        {{"ir", example("gemm_tma")}, {"kernel_id", stored()["kernel_id"]}, {"mode", "f32"}});
    CHECK(against["verdict"] == "ok");
    CHECK(against["against"] == stored()["kernel_id"]);
  }

  TEST_CASE("a program of the problem's own kind of reference is compared with it") {
    const Json compile = tools().result(
        "compile_kernel",
        {{"problem", product_problem({{"kind", "cuir"}, {"source", example("gemm_tma_store")}})},
         {"kernel", product_kernel(kTerm)}});
    const Json output = tools().result(
        "verify_ir", {{"ir", example("gemm_tma")}, {"problem_id", compile["problem_id"]}});
    CHECK(output["verdict"] == "ok");
    CHECK(output["error"]["max_abs"] == 0.0);
  }

  TEST_CASE("a kernel is compared with as it is: wrong, or not able to run") {
    const auto against = [](const std::string& term) {
      return tools().result("verify_ir",
                            {{"ir", example("gemm_tma")},
                             {"kernel_id", tools().compiled(product_problem(kernel_reference()),
                                                            product_kernel(term))}});
    };
    CHECK(against("2 * " + std::string(kTerm))["verdict"] == "incorrect");
    const Json faulty = against("(double)__half2float(A[i * k + p + 100000])");
    CHECK(faulty["verdict"] == "invalid_reference");
    CHECK(faulty["message"] ==
          "the kernel went wrong: out-of-bounds read of 2 bytes at source:7 by thread (0,0,0) of "
          "block (0,0,0): A[100000], but it has 32768 elements");
  }

  TEST_CASE("a program is compared with a Python reference, rounded to its own types too") {
    const Json reference = {
        {"kind", "python"},
        {"source",
         "def reference(inputs, dims):\n    a, b = (inputs[k].astype('f8') for k in 'AB')\n"
         "    return a @ b.T\n"}};
    const auto compile = tools().call("compile_kernel", {{"problem", product_problem(reference)},
                                                         {"kernel", product_kernel(kTerm)}});
    if (!compile) {
      CHECK(to_text(compile.error()) ==
            "unsupported: no Python interpreter here imports numpy; install the package "
            "python3-numpy");
      return;
    }
    for (const char* mode : {"f64", "typed"}) {
      CAPTURE(std::string(mode));
      const Json output = tools().result(
          "verify_ir",
          {{"ir", example("gemm_tma")}, {"problem_id", (*compile)["problem_id"]}, {"mode", mode}});
      CHECK(output["verdict"] == "ok");
      CHECK(output["error"]["max_rel"] < 1e-5);
    }
  }

  TEST_CASE("wrong numbers are incorrect, with the element that is furthest off") {
    const std::string wrong = replaced(
        example("gemm_tma"), "store(self.C, (m, blockIdx.y), acc)",
        "store(self.C, (m, blockIdx.y), acc + where(arange(64)[None, :] == 63, 1.0, 0.0))");
    const Json output = on_problem(wrong);
    CHECK(output["verdict"] == "incorrect");
    CHECK(output["message"] ==
          "output `C`: 128 of 8192 elements differ: the last of 64 columns is wrong");
    CHECK(output["error"]["output"] == "C");
    CHECK(output["error"]["index"][1] == 63);
    CHECK(output["error"]["max_abs"] == 1.0);
    CHECK(output["mismatch"]["pattern_code"] == "tail_columns");
  }

  TEST_CASE("the commands on the examples' page find the planted bug, as the page says") {
    const std::string page = ir::repository_file("examples/cuir/README.md");
    const Json output = Json::parse(run_in_examples(block_of(page, "```console\n$ ")));
    CHECK(output["verdict"] == "overwritten_in_flight");
    CHECK(output["findings"][0] == Json::parse(block_of(page, "```json\n")));
  }

  TEST_CASE("a planted bug is found with a problem too, and its outputs are not judged") {
    const std::string wrong =
        replaced(replaced(example("gemm_tma"), "            self.empty[s].arrive()\n", ""),
                 "            wait_group(0, \"wgmma\")\n",
                 "            self.empty[s].arrive()\n            wait_group(0, \"wgmma\")\n");
    const Json output = on_problem(wrong);
    CHECK(output["verdict"] == "overwritten_in_flight");
    CHECK(output["findings_total"] == output["findings"].size());
    CHECK_FALSE(output.contains("error"));
  }

  TEST_CASE("mistakes that need more rounds than there are stages are found without a workload") {
    const std::string problem_id = open_product();
    const std::string good = example("gemm_tma");
    const Json right = tools().result("verify_ir", {{"ir", good}, {"problem_id", problem_id}});
    CHECK(right["verdict"] == "ok");
    CHECK(right["workload"]["k"] == 64);
    CHECK(right["other_workloads"].size() >= 4);
    CHECK(right["summary"] == "ok: no finding on 14 schedules of " +
                                  std::to_string(1 + right["other_workloads"].size()) +
                                  " workloads, and the outputs of " + problem_id);
    CHECK_FALSE(right.contains("warnings"));
    const std::pair<const char*, const char*> mistakes[] = {
        {"phase = p // self.STAGES % 2", "phase = 0"},
        {"self.full[s].wait(p // self.STAGES % 2)", "self.full[s].wait(0)"},
        {"cdiv(A.shape[1], BK)", "A.shape[1] // BK"},
        {"range(self.steps):\n            s = p % self.STAGES\n            self.full",
         "range(min(self.steps, 2)):\n            s = p % self.STAGES\n            self.full"}};
    for (const auto& [line, mistake] : mistakes) {
      CAPTURE(std::string(mistake));
      const std::string wrong = replaced(good, line, mistake);
      const Json small =
          tools().result("verify_ir", {{"ir", wrong},
                                       {"problem_id", problem_id},
                                       {"workload", {{"m", 128}, {"n", 64}, {"k", 64}}}});
      CHECK(small["verdict"] == "ok");
      CHECK(small["warnings"][0]["kind"] == "loop_ran_once");
      const Json found = tools().result("verify_ir", {{"ir", wrong}, {"problem_id", problem_id}});
      CHECK(found["verdict"] != "ok");
      CHECK(found["workload"]["k"] != 64);
      const std::string on = " on {\"k\":" + std::to_string(found["workload"]["k"].get<int>());
      CHECK(found["summary"].get<std::string>().find(on) != std::string::npos);
    }
  }

  TEST_CASE("a workload that is too much for the executor is no mistake of the program") {
    const std::string many = replaced(example("gemm_tma"), "(cdiv(A.shape[0], BM),",
                                      "(cdiv(A.shape[0], BM) if A.shape[1] <= 64 else 5000,");
    const Json output = tools().result("verify_ir", {{"ir", many}, {"problem_id", open_product()}});
    CHECK(output["verdict"] == "ok");
    CHECK(output["workloads_too_large"] >= 1);
    for (const Json& workload : output["other_workloads"]) {
      CHECK(workload["k"] <= 64);
    }
  }

  TEST_CASE("a loop that made one round at most is a warning, with its line") {
    const Json output =
        tools().result("verify_ir", {{"ir", example("gemm_tma")},
                                     {"problem_id", open_product()},
                                     {"workload", {{"m", 128}, {"n", 64}, {"k", 64}}}});
    CHECK(output["verdict"] == "ok");
    CHECK(output["summary"].get<std::string>().starts_with("ok: no finding on 14 schedules, and"));
    CHECK(output["warnings"] ==
          Json::array({{{"kind", "loop_ran_once"},
                        {"line", 26},
                        {"message",
                         "the loop at line 26 made one round at most: give a `workload` "
                         "on which it makes more"}},
                       {{"kind", "loop_ran_once"},
                        {"line", 44},
                        {"message",
                         "the loop at line 44 made one round at most: give a `workload` "
                         "on which it makes more"}}}));
  }

  TEST_CASE("without a problem the annotations give the sizes, and only findings are reported") {
    const Json good = tools().result("verify_ir", {{"ir", kDoubling}, {"schedules", 20}});
    CHECK(good["verdict"] == "ok");
    CHECK(good["summary"] == "ok: no finding on 20 schedules; outputs were not compared");
    CHECK_FALSE(good.contains("error"));
    const std::string clash =
        replaced(kDoubling, "store(self.Y, (blockIdx.x, 0)", "store(self.Y, (0, 0)");
    const Json bad = tools().result("verify_ir", {{"ir", clash}});
    CHECK(bad["verdict"] == "block_conflict");
    CHECK(bad["findings"][0]["line"] == 9);
  }

  TEST_CASE("with race_only no values are computed") {
    const Json output = on_problem(example("gemm_tma"), {{"mode", "race_only"}});
    CHECK(output["verdict"] == "ok");
    CHECK_FALSE(output.contains("error"));
    CHECK_FALSE(output.contains("against"));
  }

  TEST_CASE("a program that lacks arguments of the problem gets an error that names them") {
    const Json output = on_problem(replaced(example("gemm_tma"), "A, B, C,", "A, B, D,"));
    CHECK(output["verdict"] == "check_error");
    CHECK(output["message"] == "4:9: __init__ has no parameter `C`");
    CHECK(output["diagnostics_total"] == 3);
    CHECK(output["diagnostics"][1]["message"] == "argument `D` of the kernel is not given");
  }

  TEST_CASE("a program made from another is run, and recognised by the rules that it uses") {
    const std::string doubled =
        replaced(kDoubling, "        store(self.Y, (blockIdx.x, 0), x * 2.0)",
                 "        y = x * 2.0\n        store(self.Y, (blockIdx.x, 0), y)");
    const Json output = tools().result(
        "verify_ir", {{"ir", doubled}, {"target_ir", replaced(doubled, "x * 2.0", "x * 3.0")}});
    CHECK(output["verdict"] == "ok");
    CHECK(output["rules"] == Json::array({"R3"}));
    CHECK(output["orchestration_kept"] == true);
    CHECK(output["breaches"] == Json::array());
    CHECK(output["windows"] == Json::array({{{"region", "ir"}, {"from", 9}, {"to", 9}}}));

    const std::string source = example("gemm_tma");
    const std::string unguarded = replaced(source, "            wait_group(0, \"wgmma\")\n", "");
    const Json broken = on_problem(source, {{"target_ir", unguarded}});
    CHECK(broken["verdict"] == "overwritten_in_flight");
    CHECK(broken["orchestration_kept"] == false);
    CHECK(broken["breaches"] == Json::array({"R2: `wait_group(0, \"wgmma\")` is gone from "
                                             "`consumer` (line 48, was line 49)"}));

    const Json unread = on_problem("class", {{"target_ir", source}});
    CHECK(unread["verdict"] == "syntax_error");
    CHECK(unread["message"] ==
          "the program that this one was made from: 1:6: expected a name for the class, got the "
          "end of the line");
  }

  TEST_CASE("a reference that goes wrong leaves nothing to compare with") {
    const Json compile = tools().result(
        "compile_kernel",
        {{"problem", product_problem({{"kind", "cuir"},
                                      {"source", replaced(example("gemm_tma_store"),
                                                          "wait_group(0, \"tma\")", "pass")}})},
         {"kernel", product_kernel(kTerm)}});
    const Json output = tools().result(
        "verify_ir", {{"ir", example("gemm_tma")}, {"problem_id", compile["problem_id"]}});
    CHECK(output["verdict"] == "invalid_reference");
    CHECK(output["message"] ==
          "the problem's reference went wrong: not_waited at line 36: the kernel ends, and no "
          "worker waited for the operation that line 36 started on `C[0:64]`");
  }

  TEST_CASE("a workload that the problem does not have is refused") {
    CHECK(tools().refusal(
              "verify_ir",
              {{"ir", "x"}, {"problem_id", stored()["problem_id"]}, {"workload", {{"m", 5}}}}) ==
          "invalid_argument: workload: dim `m`: expected one of 128, 256, got 5");
  }
}

}  // namespace ws::test
