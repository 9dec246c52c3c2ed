// Host code of solutions as plans: what is read, and what is refused by its text.
#include "runtime/exchange/host_code.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/base/files.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/golden.h"

namespace ws::test {
namespace {

using Json = nlohmann::json;

/// y [rows, 96] from x [rows, 96] and a number `scale`.
Problem shift_problem() {
  const auto problem = parse_problem(R"json({"name": "shift", "dims": {"rows": [8], "hidden": [96]},
    "args": [{"name": "x", "type": "f32", "role": "in", "shape": ["rows", "hidden"]},
             {"name": "scale", "type": "f32", "role": "scalar", "values": [2]},
             {"name": "y", "type": "f32", "role": "out", "shape": ["rows", "hidden"]}],
    "reference": {"kind": "first_kernel"}})json");
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  return *problem;
}

constexpr const char* kKernel =
    "__global__ void k(const float* x, float* y, int n, float a) { y[threadIdx.x] = a * x[n]; }\n";

/// The plan of a function `run(torch::Tensor x, double scale)` with this body, or the refusal.
std::string plan_of(const std::string& body, const std::string& before = {}) {
  const std::string source =
      before + kKernel + "torch::Tensor run(torch::Tensor x, double scale) {\n" + body + "}\n";
  const auto text = CppText::read(source);
  if (!text) {
    return to_text(text.error());
  }
  const auto plan =
      plan_of_host_code(*text, {.function = "run", .arguments = {"x", "scale"}}, shift_problem());
  return plan ? Json::parse(plan->kernel)["launches"].dump() : to_text(plan.error());
}

std::string with_launch(const std::string& before, const std::string& launch) {
  return plan_of("  auto y = torch::empty_like(x);\n" + before + launch + "  return y;\n");
}

struct HostCase {
  const char* name;
  const char* before;
  const char* launch;
  const char* plan;
};

}  // namespace

TEST_SUITE("exchange.host_code") {
  TEST_CASE("tensors that the host makes are outputs by their return, or scratch") {
    const auto source = read_file(source_dir() / "tests/data/exchange/row_shift.cu");
    REQUIRE(source.has_value());
    const auto text = CppText::read(*source);
    REQUIRE(text.has_value());
    const auto plan =
        plan_of_host_code(*text, {.function = "run", .arguments = {"x"}}, shift_problem());
    REQUIRE_MESSAGE(plan.has_value(), to_text(plan.error()));
    const Json kernel = Json::parse(plan->kernel);
    CHECK(kernel["launches"] == Json::parse(R"json([
      {"entry": "row_sums", "grid": ["rows"], "block": ["64"], "shared_bytes": "0", "args": ["x", "sums", "hidden"]},
      {"entry": "shift", "grid": ["rows", "1", "1"], "block": ["64"], "shared_bytes": "0",
       "args": ["x", "sums", "y", "hidden", {"value": "0.5", "type": "f32"}]}])json"));
    CHECK(kernel["scratch"] ==
          Json::parse(R"([{"name": "sums", "type": "f32", "shape": ["rows"], "zero": true}])"));
    const std::string device = kernel["source"];
    CHECK(device.starts_with("__global__ void row_sums("));
    CHECK(device.find("torch") == std::string::npos);
    CHECK(device.find("PYBIND11") == std::string::npos);
    CHECK(device.ends_with("sums[blockIdx.x];\n  }\n}\n"));
    CHECK(plan->notes.empty());
  }

  TEST_CASE("expressions of the host become expressions over dims") {
    constexpr HostCase kCases[] = {
        {"a quotient", "const int n = x.numel(); int b = 128;",
         "k<<<(n + b - 1) / b, b>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, scale);",
         R"json([{"args":["x","y",{"type":"i32","value":"(rows * hidden)"},"scale"],"block":["128"],"entry":"k","grid":["((((rows * hidden) + 128) - 1) // 128)"]}])json"},
        {"conditions and casts",
         "auto n = static_cast<int>(x.size(-1)); dim3 g((unsigned int)(n > 64 ? 2 : 1), "
         "std::min(n, 7));",
         "k<<<g, 32, 4 * sizeof(float)>>>(x.data_ptr<float>() + n, y.data_ptr<float>(), g.x, 1.f);",
         R"json([{"args":[{"buffer":"x","offset":"hidden"},"y",{"type":"i32","value":"(2 if (hidden > 64) else 1)"},{"type":"f32","value":"1.0"}],"block":["32"],"entry":"k","grid":["(2 if (hidden > 64) else 1)","min(hidden, 7)"],"shared_bytes":"16"}])json"},
        {"a guard", "if (x.numel() == 0) { return y; } TORCH_CHECK(x.is_cuda());",
         "k<<<1, 2>>>(x.data_ptr<float>(), y.data_ptr<float>(), 3, 1.0f);",
         R"json([{"args":["x","y",{"type":"i32","value":"3"},{"type":"f32","value":"1.0"}],"block":["2"],"entry":"k","grid":["1"]}])json"}};
    for (const HostCase& each : kCases) {
      CAPTURE(std::string(each.name));
      CHECK(with_launch(each.before, each.launch) == each.plan);
    }
  }

  TEST_CASE("what a plan cannot have is refused by its text") {
    constexpr HostCase kCases[] = {
        {"a loop", "for (int i = 0; i < 3; ++i) { k<<<1, 2>>>(x, y, i, 1.0f); }", "",
         "unsupported: a loop or a switch of the host cannot be part of a plan: `for(int "
         "i=0;i<3;++i)`"},
        {"a branch", "if (x.size(0) > 4) {", "k<<<1, 2>>>(x, y, 1, 1.0f); }",
         "unsupported: a branch of the host cannot be part of a plan: `if(x.size(0)>4)`"},
        {"a library", "auto z = torch::matmul(x, x);", "",
         "unsupported: the host's expression `torch::matmul(x, x)` is not understood"},
        {"a call", "helper(x);", "",
         "unsupported: this statement of the host cannot be part of a plan: `helper(x)`"},
        {"another kernel", "", "other<<<1, 2>>>(x);",
         "unsupported: the launch `other<<<1, 2>>>(x)` does not fit a kernel of the text"},
        {"a number for a tensor", "", "k<<<1, 2>>>(3, y, 1, 1.0f);",
         "unsupported: the launch `k<<<1, 2>>>(3, y, 1, 1.0f)` gives the parameter `const float*x` "
         "what a plan cannot give"},
        {"a launch in a macro", "", "CHECKED(k<<<1, 2>>>(x, y, 1, 1.0f));",
         "unsupported: the launch `CHECKED(k<<<1, 2>>>(x, y, 1, 1.0f))` stands inside another "
         "statement"},
        {"a tensor without a name", "k<<<1, 2>>>(torch::empty({x.dim() > q}), y, 1, 1.0f);", "",
         "unsupported: the host's expression `x.dim()>q` is not understood"},
        {"an axis that is no number", "const int r = x.numel(); const int n = x.size(r);", "",
         "unsupported: the host's expression `x.size(r)` is not understood"},
        {"an axis that is a sum", "const int r = x.size(0); const int n = x.sizes()[r - 8];", "",
         "unsupported: the host's expression `x.sizes()[r-8]` is not understood"},
        {"a sizeof of nothing", "int n = sizeof;", "",
         "unsupported: the host's expression `sizeof` is not understood"},
        {"a sizeof without brackets", "int n = sizeof x;", "",
         "unsupported: the host's expression `sizeof x` is not understood"},
        {"many blocks", "{{{{{{{{{{{{{{{{{ ; }}}}}}}}}}}}}}}}}", "",
         "unsupported: a block in so many blocks cannot be part of a plan: `{`"},
        {"no launch", "", "", "unsupported: `run` launches no kernel itself"}};
    for (const HostCase& each : kCases) {
      CAPTURE(std::string(each.name));
      CHECK(with_launch(each.before, each.launch) == each.plan);
    }
    CHECK(plan_of("  int n = OPEN;\n", "#define OPEN (\n") ==
          "unsupported: the host's expression `` is not understood");
    CHECK(plan_of("  int n = SIZE;\n", "#define SIZE sizeof\n") ==
          "unsupported: the host's expression `sizeof` is not understood");
    const std::string deep = std::string(5000, '(') + "1" + std::string(5000, ')');
    CHECK(with_launch("int n = " + deep + ";", "") == "unsupported: the host's expression `" +
                                                          std::string(120, '(') +
                                                          "...` is not understood");
    std::string macros;
    for (char name = 'A'; name < 'H'; ++name) {
      const std::string next = std::string(1, static_cast<char>(name + 1)) + "(x)";
      macros += "#define " + std::string(1, name) + "(x) ";
      for (int i = 0; i < 10; ++i) {
        macros += (i == 0 ? "" : "+") + next;
      }
      macros += "\n";
    }
    CHECK(plan_of("  int n = A(1);\n", macros + "#define H(x) x\n") ==
          "unsupported: the host's expression `x` is not understood");
    CHECK(plan_of("}\n") == "invalid_argument: the brackets of the C++ text do not match");
    const auto text = CppText::read("void other() {}\n");
    REQUIRE(text.has_value());
    const auto none =
        plan_of_host_code(*text, {.function = "run", .arguments = {}}, shift_problem());
    REQUIRE_FALSE(none.has_value());
    CHECK(to_text(none.error()) == "unsupported: the C++ text has no function `run` with a body");
    const auto fewer =
        plan_of_host_code(*text, {.function = "other", .arguments = {"x"}}, shift_problem());
    REQUIRE_FALSE(fewer.has_value());
    CHECK(to_text(fewer.error()) ==
          "unsupported: `other` has 0 parameters, and 1 arguments are given to it");
  }

  TEST_CASE("an output that the host sets to zero is noted") {
    const auto text = CppText::read(std::string(kKernel) +
                                    "at::Tensor run(at::Tensor x, double scale) {\n"
                                    "  at::Tensor out = at::zeros_like(x);\n"
                                    "  k<<<1, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), 1, "
                                    "scale);\n  return out;\n}\n");
    REQUIRE(text.has_value());
    const auto plan =
        plan_of_host_code(*text, {.function = "run", .arguments = {"x", "scale"}}, shift_problem());
    REQUIRE_MESSAGE(plan.has_value(), to_text(plan.error()));
    CHECK(plan->notes ==
          std::vector<std::string>{"the host's code sets `y` to zero, which a plan does not do: it "
                                   "must be written whole"});
    CHECK(Json::parse(plan->kernel)["launches"][0]["args"] ==
          Json::parse(R"(["x", "y", {"value": "1", "type": "i32"}, "scale"])"));
  }
}

}  // namespace ws::test
