// Problems that are made of PyTorch modules, from the call to a kernel that passes. Left out where
// no interpreter has PyTorch.
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/reference/module_import.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

const std::vector<std::string> kInterpreters = {"/usr/bin/python3", "/usr/local/bin/python3"};

ModuleImporter& importer() {
  static ModuleImporter one({.executable = executable_path().replace_filename("warpsmith").string(),
                             .interpreters = kInterpreters});
  return one;
}

std::string module_file(const std::string& name) {
  const auto text = read_file(source_dir() / ("tests/pytorch/modules/" + name + ".py"));
  REQUIRE(text.has_value());
  return *text;
}

/// Whether a PyTorch is here; else one line says what is left out.
bool torch_is_here() {
  static const bool here = [] {
    const auto module = importer().import(module_file("level2_silu_gate"), {});
    if (!module && module.error().code == ErrorCode::kUnsupported) {
      MESSAGE("left out: PyTorch (" << module.error().message << ")");
      return false;
    }
    REQUIRE_MESSAGE(module.has_value(), to_text(module.error()));
    return true;
  }();
  return here;
}

Json form_of(const std::string& source) {
  const auto module = importer().import(source, {});
  REQUIRE_MESSAGE(module.has_value(), to_text(module.error()));
  return Json::parse(module->form);
}

std::string refusal_of(const std::string& source) {
  const auto module = importer().import(source, {});
  return module ? "imported" : to_text(module.error());
}

std::string model(const std::string& body, const std::string& inputs = "torch.randn(8, 64)") {
  return "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n" + body +
         "\ndef get_inputs():\n    return [" + inputs + "]\n";
}

}  // namespace

TEST_SUITE("tools.pytorch") {
  TEST_CASE("sizes that inputs share are dims, and those of outputs follow from them") {
    if (!torch_is_here()) {
      return;
    }
    const Json product = form_of(module_file("level1_matmul"));
    CHECK(product["args"][0]["shape"] == Json{"M", "K"});
    CHECK(product["args"][1]["shape"] == Json{"K", "N"});
    CHECK(product["args"][2] ==
          Json{{"name", "output"}, {"type", "f32"}, {"role", "out"}, {"shape", {"M", "N"}}});
    CHECK(product["args"][0]["fill"] == Json{{"kind", "uniform"}, {"low", 0.0}, {"high", 1.0}});
    CHECK(product["dims"]["K"] ==
          Json{{"values", {64}}, {"min", 1}, {"max", 128}, {"multiple_of", 1}});
    CHECK(product["bytes"] == "4 * M * K + 4 * K * N + 4 * M * N");

    const Json conv = form_of(module_file("level1_conv2d"));
    CHECK(conv["args"].back()["shape"] ==
          Json{"batch_size", 8, "(height + 1) // 2", "(width + 1) // 2"});
    CHECK(conv["args"][1]["name"] == "conv_weight");
    CHECK(conv["args"][1]["shape"] == Json{8, 3, 3, 3});

    const Json joined = form_of(module_file("level2_concat_linear"));
    CHECK(joined["args"].back()["shape"] == Json{"first + second", 20});

    const Json targets = form_of(module_file("level1_cross_entropy"));
    CHECK(targets["args"][1]["fill"] ==
          Json{{"kind", "range"}, {"low", 0}, {"high", "num_classes"}});
    CHECK(targets["args"].back()["shape"] == Json::array());
  }

  TEST_CASE("a module alone becomes a problem, and kernels for it are judged") {
    if (!torch_is_here()) {
      return;
    }
    tools().services().modules = std::make_unique<ModuleImporter>(
        ModuleImporterOptions{.executable = tools().services().options.executable.string(),
                              .interpreters = kInterpreters});
    const Json problem = {
        {"name", "silu_gate"},
        {"reference", {{"kind", "pytorch"}, {"source", module_file("level2_silu_gate")}}}};
    const Json made = tools().result("compile_kernel", {{"problem", problem}});
    CHECK(made["verdict"] == "imported");
    CHECK(made["args"].size() == 3);
    const std::string id = made["problem_id"];
    CHECK(made["summary"] == id + " is the problem of the module: 3 arguments, 2 dims");

    const auto kernel = [](const std::string& result) {
      return Json{
          {"language", "cuda"},
          {"source",
           "__global__ void k(const float* x, const float* g, float* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] = " +
               result + ";\n}\n"},
          {"launches",
           {{{"entry", "k"},
             {"grid", {"cdiv(tokens * hidden, 128)"}},
             {"block", {"128"}},
             {"args", {"x", "gate", "output", {{"value", "tokens * hidden"}, {"type", "i32"}}}}}}}};
    };
    const auto verdict = [&](const std::string& result) {
      const Json compiled =
          tools().result("compile_kernel", {{"problem_id", id}, {"kernel", kernel(result)}});
      return tools().result("validate", {{"kernel_id", compiled["kernel_id"]}})["verdict"];
    };
    CHECK(verdict("x[i] / (1.0f + expf(-x[i])) * g[i]") == "passed");
    CHECK(verdict("x[i] / (1.0f + expf(-g[i])) * g[i]") == "incorrect");

    Json unknown = kernel("x[i]");
    unknown["constraints"] = {"width % 4 == 0"};
    CHECK(tools().refusal("compile_kernel", {{"problem", problem}, {"kernel", unknown}}) ==
          "invalid_argument: kernel.constraints[0]: expression `width % 4 == 0`: unknown name "
          "`width` at column 1; known: hidden, tokens\n  width % 4 == 0\n  ^");
  }

  TEST_CASE("what cannot be a problem is refused with the reason") {
    if (!torch_is_here()) {
      return;
    }

    struct Case {
      std::string source;
      std::string message;
    };

    const std::vector<Case> cases = {
        {model("    def forward(self, x):\n        return open('/etc/passwd').read()"),
         "invalid_argument: PermissionError: a module may not use open at module:5: return "
         "open('/etc/passwd').read()"},
        {"import socket\ndef forward(x):\n    return x\ndef get_inputs():\n    "
         "socket.socket()\n",
         "invalid_argument: PermissionError: a module may not use socket"},
        {model("    def forward(self, x):\n        return x", "torch.empty(10 ** 11)"),
         "invalid_argument: RuntimeError: it needs more memory than an import may have at "
         "module:7: return [torch.empty(10 ** 11)]; let get_inputs() give smaller tensors: sizes "
         "are taken for examples"},
        {model("    def forward(self, x):\n        return nn.functional.dropout(x, 0.5)"),
         "invalid_argument: the module gives other results for the same inputs: it draws random "
         "numbers, as dropout does; call eval() in its constructor, or leave the dropout out"},
        {model("    def forward(self, x):\n        return x.mul_(2)"),
         "invalid_argument: the module changes its input `x` in place; let it work on a copy"},
        {model(
             "    calls = 0\n    def forward(self, x):\n        Model.calls += 1\n        return x "
             "if Model.calls % 2 else x.half()"),
         "invalid_argument: the module gives another type in its second call; let it keep no state "
         "between calls"},
        {model("    def forward(self, x):\n        return x", "[torch.ones(3)]"),
         "invalid_argument: get_inputs() (line 6) gives a list for `x`: the inputs of a problem "
         "are "
         "tensors and numbers; let the module take each tensor by itself"},
        {model("    def forward(self, x):\n        return torch.nonzero(x > 0)"),
         "invalid_argument: the shape of an output depends on the data: "},
        {"import torch\ndef one(x):\n    return x\ndef two(x):\n    return x\ndef get_inputs():\n  "
         "  "
         "return [torch.ones(2)]\n",
         "invalid_argument: the module has no class `Model`, and of its functions (one, two) it is "
         "not clear which one is meant; name the class `Model`, or the function `forward`"},
        {"import torch\ndef forward(x):\n    return x\n",
         "invalid_argument: the module defines no function `get_inputs()`; add one that gives the "
         "list of example inputs"},
        {"def forward(x)\n    return x\n",
         "invalid_argument: SyntaxError: expected ':' at module:1"},
        {"import requests\n", "invalid_argument: ModuleNotFoundError: `requests` is not there; a "},
        {model("    def forward(self, x):\n        return {'y': x}"),
         "invalid_argument: the module gives a dict: the outputs of a problem are tensors"},
        {"import sys\ndef forward(x):\n    return x\ndef get_inputs():\n    "
         "sys.setrecursionlimit(10 ** 9)\n    nested = []\n    "
         "for _ in range(10 ** 6):\n        nested = [nested]\n    return [repr(nested)]\n",
         "invalid_argument: the module's process ended by signal 11; it may need more memory than "
         "an import may have: let get_inputs() give smaller tensors"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.source);
      const std::string told = refusal_of(c.source);
      CHECK(told.substr(0, c.message.size()) == c.message);
    }
  }

  TEST_CASE("an argument that is called like a keyword gets another name") {
    if (!torch_is_here()) {
      return;
    }
    const Json form = form_of(
        "import torch\ndef forward(new, default):\n    return new + default\ndef get_inputs():\n   "
        " "
        "return [torch.randn(6), torch.randn(6)]\n");
    CHECK(form["args"][0]["name"] == "new_");
    CHECK(form["args"][1]["name"] == "default_");
  }

  TEST_CASE("without PyTorch the refusal says how to get it") {
    ModuleImporter none({.executable = executable_path().replace_filename("warpsmith").string(),
                         .interpreters = {"/nothing/bin/python3"}});
    const auto module = none.import("", {});
    REQUIRE_FALSE(module.has_value());
    CHECK(to_text(module.error()) ==
          "unsupported: no Python interpreter here imports torch and numpy; install the package "
          "python3-torch, or start warpsmith in an environment that has PyTorch; WARPSMITH_PYTHON "
          "names its interpreter");
    ModuleImporter off({.executable = {}, .allowed = false, .interpreters = kInterpreters});
    CHECK(to_text(off.import("", {}).error()) ==
          "unsupported: problems of kind `pytorch` are off in this server; start it with "
          "--allow-python-reference, or describe the problem by hand");
  }

  TEST_CASE("a module that is sent again is not executed again") {
    if (!torch_is_here()) {
      return;
    }
    // The next time it would be another problem.
    const std::string source =
        "import time\nrows = 64 + time.time_ns() % 1000000\n" +
        model("    def forward(self, x):\n        return x.exp()", "torch.randn(rows, 64)");
    const Json first = form_of(source);
    CHECK(form_of(source) == first);
    CHECK(form_of(source + "\n")["dims"] != first["dims"]);
    // Sixteen others do not take its place, as it is sent again meanwhile.
    for (std::size_t others = 2; others <= 16; ++others) {
      const Json other = form_of(source + std::string(others, '\n'));
      CHECK((others % 8 != 0 || form_of(source) == first));
    }
    CHECK(form_of(source) == first);
  }

  TEST_CASE("a call with a module is checked before anything runs") {
    const auto refused = [](Json problem) {
      return tools().refusal("compile_kernel", {{"problem", std::move(problem)}});
    };
    CHECK(
        refused({{"args", Json::array()}, {"reference", {{"kind", "pytorch"}, {"source", "x"}}}}) ==
        "invalid_argument: problem.args: the arguments of a module are found out by running it; "
        "leave `args` out, or write the problem with a reference of kind `python`");
    CHECK(refused({{"reference", {{"kind", "pytorch"}}}}) ==
          "invalid_argument: problem.reference.source: expected the module's text; send the whole "
          "Python file: class Model, get_inputs() and get_init_inputs()");
    CHECK(refused({{"reference", {{"kind", "pytorch"}, {"source", "x"}, {"entry", "y"}}}}) ==
          "invalid_argument: problem.reference: a module has no field `entry`; give `kind` and "
          "`source`");
  }

  TEST_CASE("a module in f16 becomes a problem where PyTorch computes no product of f16 on a CPU") {
    if (!torch_is_here()) {
      return;
    }
    const Json problem =
        form_of(model("    def __init__(self):\n        super().__init__()\n"
                      "        self.linear = nn.Linear(24, 16).half()\n"
                      "    def forward(self, x):\n        return self.linear(x)",
                      "torch.randn(32, 24).half()"));
    REQUIRE(problem["args"].size() == 4);
    for (const Json& arg : problem["args"]) {
      CHECK(arg["type"] == "f16");
    }
    CHECK(problem["reference"]["source"].get<std::string>().find("in f64") != std::string::npos);
    CHECK(refusal_of(model("    def forward(self, x):\n        y = x @ x\n        x += 1\n"
                           "        return y",
                           "torch.randn(24, 24).half()")) ==
          "invalid_argument: the module changes its input `x` in place; let it work on a copy");
  }

  TEST_CASE("sizes that only computing shows to be equal are one dim") {
    if (!torch_is_here()) {
      return;
    }
    // Without elements, older versions of PyTorch take a bias of any length.
    const Json problem = form_of(
        "import torch\ndef forward(x, weight, bias):\n"
        "    return torch.nn.functional.linear(x, weight, bias)\n"
        "def get_inputs():\n"
        "    return [torch.randn(48, 64), torch.randn(32, 64), torch.randn(32)]\n");
    CHECK(problem["args"][1]["shape"] == Json{"d2", "d1"});
    CHECK(problem["args"][2]["shape"] == Json{"d2"});
    CHECK(problem["args"][3]["shape"] == Json{"d0", "d2"});
    CHECK(problem["dims"].size() == 3);
  }

  TEST_CASE("axes of square inputs are told apart") {
    if (!torch_is_here()) {
      return;
    }
    const Json gated =
        form_of(model("    def forward(self, x, gate):\n        return torch.relu(x) * gate",
                      "torch.randn(24, 24), torch.randn(24, 24)"));
    CHECK(gated["args"][0]["shape"] == Json{"d0", "d1"});
    CHECK(gated["args"][1]["shape"] == Json{"d0", "d1"});
    CHECK(gated["args"][2]["shape"] == Json{"d0", "d1"});
    const Json square = form_of(model("    def forward(self, a, b):\n        return a @ b",
                                      "torch.randn(24, 24), torch.randn(24, 24)"));
    CHECK(square["args"][0]["shape"] == Json{"d0", "d1"});
    CHECK(square["args"][1]["shape"] == Json{"d1", "d2"});
    CHECK(square["args"][2]["shape"] == Json{"d0", "d2"});
  }

  TEST_CASE("a module is no baseline of other problems, nor on an emulated device") {
    const std::string other = tools().compiled(twice_problem(), good_kernel());
    const std::string problem_id = tools().services().archive->kernel(other)->problem_id;
    CHECK(tools().refusal("benchmark", {{"kernel_id", other}, {"baseline", "torch.compile"}}) ==
          "invalid_argument: " + problem_id +
              " was not made from a PyTorch module, so `torch.compile` cannot be timed; send the "
              "module as the problem's reference, of kind `pytorch`, or choose `root`, `parent`, "
              "`reference`, `none` or a kernel id");
    Json problem = twice_problem();
    problem["reference"] = {{"kind", "python"},
                            {"source",
                             "def reference(inputs, dims):\n    return {'y': 2 * inputs['x']}\n"
                             "def make_module(): pass\n"
                             "def load_module(model, tensors): pass\n"
                             "def call_module(model, tensors): pass\n"}};
    const std::string kernel = tools().compiled(problem, good_kernel());
    for (const char* baseline : {"torch", "torch.compile", "torch.compile:max-autotune"}) {
      CHECK(tools().refusal("benchmark",
                            {{"kernel_id", kernel}, {"baseline", baseline}, {"device", "cpu:0"}}) ==
            "unsupported: cpu:0 is emulated: its times say nothing about PyTorch on a GPU; name a "
            "GPU as `device`, or choose another baseline");
    }
    CHECK(tools().refusal("evaluate",
                          {{"kernel_id", kernel}, {"baseline", "torch"}, {"device", "cpu:0"}}) ==
          "unsupported: cpu:0 is emulated: its times say nothing about PyTorch on a GPU; name a "
          "GPU as `device`, or choose another baseline");
  }
}

}  // namespace ws::test
