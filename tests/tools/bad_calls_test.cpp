// Calls that no tool can answer: each with its whole message.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Case {
  const char* name;
  const char* tool;
  const char* arguments;  ///< {kernel}, {problem}: ids of the right kernel and its problem.
  const char* message;
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// clang-format off
constexpr Case kCases[] = {
    {"unknown field", "validate", R"({"kernel_id": "{kernel}", "levle": "quick"})",
     "invalid_argument: unknown field `levle`; did you mean `level`?"},
    {"wrong type", "validate", R"({"kernel_id": 3})",
     "invalid_argument: `kernel_id` must be a string, got the number 3"},
    {"unknown kernel", "validate", R"({"kernel_id": "krn_x_0123456789abcdef0123456789abcdef"})",
     "not_found: no kernel `krn_x_0123456789abcdef0123456789abcdef`; ids come from compile_kernel"},
    {"no kernel id at all", "benchmark", R"({"kernel_id": "nonsense"})",
     "not_found: no kernel `nonsense`; ids come from compile_kernel"},
    {"unknown problem", "compile_kernel", R"({"problem_id": "prb_x_0123456789abcdef0123456789abcdef", "kernel": {}})",
     "not_found: no problem `prb_x_0123456789abcdef0123456789abcdef`; ids come from compile_kernel"},
    {"unknown ref", "compile_kernel", R"({"base": "main@x", "edits": []})",
     "not_found: no ref `main@x`; a ref is made by compile_kernel with `ref`"},
    {"a ref that was expected elsewhere", "compile_kernel", R"({"kernel_id": "{kernel}", "ref": "a@b", "expect_ref": "{kernel}"})",
     "conflict: ref `a@b` does not exist, not at {kernel}; look at what it points at now, then send that as `expect_ref`"},
    {"unknown job", "job", R"({"job_id": "job_00000000000000000000000000000000"})",
     "not_found: no job `job_00000000000000000000000000000000`; finished jobs are kept for 24 h; call the tool again"},
    {"malformed job id", "job", R"({"job_id": "x"})",
     "invalid_argument: `job_id` must match ^job_[0-9a-f]{32}$, got a string \"x\""},
    {"unknown evidence", "validate", R"({"kernel_id": "{kernel}", "repeat": "evd_00000000000000000000000000000000"})",
     "not_found: no evidence `evd_00000000000000000000000000000000`; evidence ids come from compile_kernel, validate and benchmark"},
    {"unknown device", "validate", R"({"kernel_id": "{kernel}", "device": "cuda:0"})",
     "not_found: no device `cuda:0`; the devices here are cpu:0; see list_devices"},
    {"another architecture", "compile_kernel", R"({"kernel_id": "{kernel}", "arch": "rv64"})",
     "unsupported: cpu:0 compiles for {arch}, not for `rv64`; leave `arch` out, or name a GPU's "
     "architecture such as sm_90a or gfx90a"},
    {"an unknown level", "validate", R"({"kernel_id": "{kernel}", "level": "severe"})",
     "invalid_argument: `level` must be one of \"quick\", \"standard\", \"strict\", \"sanitize\", got a "
     "string \"severe\""},
    {"unknown parameter", "validate", R"({"kernel_id": "{kernel}", "params": {"X": 1}})",
     "invalid_argument: params: the kernel has no parameter `X`"},
    {"a size that the problem excludes", "validate", R"({"kernel_id": "{kernel}", "workloads": [{"n": 99999}]})",
     "invalid_argument: workloads[0]: dim `n`: expected a multiple of 1 from 1 to 4096, got 99999"},
    {"no parent", "benchmark", R"({"kernel_id": "{kernel}", "baseline": "parent"})",
     "invalid_argument: {kernel} has no parent; choose `reference`, `none` or a kernel id"},
    {"no kernel", "compile_kernel", R"({"problem_id": "{problem}"})",
     "invalid_argument: no kernel: give one of `kernel`, `kernel_id` and `base`"},
    {"several kernels", "compile_kernel", R"({"kernel": {}, "base": "{kernel}"})",
     "invalid_argument: several kernels: give only one of `kernel`, `kernel_id` and `base`"},
    {"no problem", "compile_kernel", R"({"kernel": {}})",
     "invalid_argument: 3 mistakes:\n- `kernel` needs a `problem` or a `problem_id` beside it\n"
     "- missing field `kernel.source`\n- missing field `kernel.launches`"},
    {"edits without a base", "compile_kernel", R"({"kernel_id": "{kernel}", "edits": []})",
     "invalid_argument: `edits` and `set` need `base`; name the kernel that they change"},
    {"nothing to change", "compile_kernel", R"({"base": "{kernel}"})",
     "invalid_argument: nothing to change: neither `edits` nor `set` is given"},
    {"old text that does not match", "compile_kernel",
     R"({"base": "{kernel}", "edits": [{"op": "replace", "from": 3, "old": "  y[i] = x[i];", "text": ""}]})",
     "conflict: edits[0]: `old` does not match source lines 3 to 3, which are now:\n  3 |   if (i < n) y[i] = 2 * x[i];; copy the lines as they are, without their numbers"},
    {"a line beyond the end", "compile_kernel",
     R"({"base": "{kernel}", "edits": [{"op": "replace", "from": 33, "old": "x", "text": ""}]})",
     "invalid_argument: edits[0].from: line 33 is beyond the end: `source` has 4 lines"},
};
// clang-format on

}  // namespace

TEST_SUITE("tools.calls") {
  TEST_CASE("a call that cannot be answered says which field is wrong and what to do") {
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    const std::string problem =
        tools().result("compile_kernel", {{"kernel_id", kernel}})["problem_id"];
    const std::string arch = tools().result("list_devices", Json::object())["devices"][0]["arch"];
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      std::string arguments = c.arguments;
      std::string message = c.message;
      for (std::string* text : {&arguments, &message}) {
        replace_all(*text, "{kernel}", kernel);
        replace_all(*text, "{problem}", problem);
        replace_all(*text, "{arch}", arch);
      }
      CHECK(tools().refusal(c.tool, Json::parse(arguments)) == message);
    }
  }

  TEST_CASE("a fill that the judge does not know is refused when the problem is registered") {
    Json problem = twice_problem();
    problem["args"][0]["fill"] = {{"kind", "normal"}, {"mena", 1}};
    CHECK(
        tools().refusal("compile_kernel", {{"problem", problem}, {"kernel", good_kernel()}}) ==
        "invalid_argument: argument \"x\": fill \"normal\" has no parameter \"mena\"; did you mean "
        "`mean`?");
  }

  TEST_CASE("a source of ten megabytes is refused before anything reads it") {
    Json kernel = good_kernel();
    kernel["source"] = kernel["source"].get<std::string>() + "//" + std::string(10'000'000, 'x');
    const std::string size = std::to_string(kernel["source"].get<std::string>().size());
    for (const char* tool : {"compile_kernel", "evaluate"}) {
      CAPTURE(std::string(tool));
      CHECK(tools().refusal(tool, {{"problem", twice_problem()}, {"kernel", kernel}}) ==
            "invalid_argument: kernel.source: expected at most 1048576 bytes, got " + size);
    }
  }

  TEST_CASE("inputs of three gigabytes are more than there is room for, and none is drawn") {
    Json problem = twice_problem();
    problem["dims"]["n"] = {805306368};
    const Json output =
        tools().result("evaluate", {{"problem", problem}, {"kernel", good_kernel()}});
    CHECK(output["verdict"] == "resource_limit");
    CHECK(output["compile"]["diagnostics"][0]["message"] ==
          "the buffers need 6144 MiB, the limit is 4096 MiB; the largest is `x`");
    CHECK(output["reward"] == 0.0);
  }

  TEST_CASE("evidence of another kernel cannot be repeated") {
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    const std::string other =
        tools().compiled(twice_problem(), twice_kernel("  if (i < n) y[i] = x[i] * 2;"));
    const std::string evidence = tools().result("validate", {{"kernel_id", kernel}})["evidence_id"];
    CHECK(tools().refusal("validate", {{"kernel_id", other}, {"repeat", evidence}}) ==
          "invalid_argument: `repeat` needs evidence of a validation of this kernel; " + evidence +
              " is of kind validate of " + kernel);
    const Json again = tools().result("validate", {{"kernel_id", kernel}, {"repeat", evidence}});
    CHECK(again["verdict"] == "passed");
  }

  TEST_CASE("a baseline of another problem is refused, with the choices") {
    Json other = twice_problem();
    other["name"] = "other";
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    const std::string foreign = tools().compiled(other, good_kernel());
    const auto problem_of = [](const std::string& id) {
      return tools().services().archive->kernel(id).value().problem_id;
    };
    for (const char* tool : {"benchmark", "evaluate"}) {
      CHECK(tools().refusal(tool, {{"kernel_id", kernel}, {"baseline", foreign}}) ==
            "invalid_argument: baseline " + foreign + " solves " + problem_of(foreign) +
                ", the kernel " + problem_of(kernel) +
                "; choose a kernel of the same problem, or `reference`");
    }
  }

  TEST_CASE("ten thousand workloads are refused") {
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    Json workloads = Json::array();
    for (int n = 1; n <= 10'000; ++n) {
      workloads.push_back({{"n", n}});
    }
    CHECK(tools().refusal("validate", {{"kernel_id", kernel}, {"workloads", workloads}}) ==
          "invalid_argument: `workloads` must have at most 64 items, got 10000");
    Json problem = twice_problem();
    problem["dims"]["n"] = std::vector<int>(10'000, 64);
    CHECK(
        tools().refusal("compile_kernel", {{"problem", problem}, {"kernel", good_kernel()}}) ==
        "invalid_argument: problem.dims.n: expected a list of 1 to 4096 items, got a list of 10000 "
        "items");
  }
}

}  // namespace ws::test
