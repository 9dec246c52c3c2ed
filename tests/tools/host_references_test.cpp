// References that are programs: CuIR and Python, what they give and every way they go wrong.
#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "tests/support/child.h"
#include "tests/support/examples_here.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y[i] = 2 * x[i] over f32, for n from 1 to 256, with another reference.
Json doubling(const std::string& kind, const std::string& source) {
  return {{"name", "doubling"},
          {"dims", {{"n", {{"values", {96}}, {"min", 1}, {"max", 256}}}}},
          {"args",
           {{{"name", "x"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "in"}},
            {{"name", "y"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "out"}}}},
          {"reference", {{"kind", kind}, {"source", source}}}};
}

Json doubling_kernel(const std::string& factor) {
  return with_source(
      "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + "
      "threadIdx.x;\n  if (i < n) y[i] = " +
      factor + " * x[i];\n}\n");
}

std::string program(const std::string& body) {
  return "class Double(KernelBase):\n    def __init__(self, x, y, n):\n        self.x = x\n        "
         "self.y = y\n        self.gridDim = (cdiv(n, 32), 1, 1)\n\n    def run(self):\n" +
         body;
}

const std::string kDoubles =
    program("        store(self.y, (blockIdx.x,), load(self.x, (blockIdx.x,), (32,)) * 2.0)\n");

std::string python(const std::string& body) {
  return "import numpy as np\ndef reference(inputs, dims):\n" + body;
}

/// The answer of compile_kernel to the problem over HTTP: its verdict, or the error's text.
std::string over_http(std::vector<std::string> flags, const Json& problem) {
  const TestFolder data;
  flags.insert(flags.begin(),
               {"serve", "--http", "127.0.0.1:0", "--no-gpu", "--data", data.path().string()});
  Child server("warpsmith", flags);
  const std::string log = server.error_line().value_or("");
  const std::size_t url = log.find("http://");
  REQUIRE(url != std::string::npos);
  const Json arguments = {{"problem", problem}, {"kernel", doubling_kernel("2")}};
  Child call("warpsmith",
             {"call", "compile_kernel", arguments.dump(), "--server", log.substr(url)});
  const std::string answer = call.rest();
  return answer.empty() ? call.errors() : Json::parse(answer)["verdict"].get<std::string>();
}

struct Wrong {
  const char* name;
  std::string source;
  const char* message;
};

/// Checks the answer of compile_kernel to a problem whose reference cannot even start.
void check_refusal(const std::string& kind, const Wrong& c) {
  CAPTURE(std::string(c.name));
  CHECK(tools().refusal("compile_kernel", {{"problem", doubling(kind, c.source)},
                                           {"kernel", doubling_kernel("2")}}) == c.message);
}

/// Checks the answer of validate to one that goes wrong when it runs.
void check_invalid(const std::string& kind, const Wrong& c) {
  CAPTURE(std::string(c.name));
  const Json output = tools().judge(doubling(kind, c.source), doubling_kernel("2"));
  CHECK(output["verdict"] == "invalid_reference");
  CHECK(output["message"] == c.message);
}

}  // namespace

TEST_SUITE("tools.host_references") {
  TEST_CASE("a CuIR program judges kernels, on ragged sizes too") {
    const Json right = tools().judge(doubling("cuir", kDoubles), doubling_kernel("2"), "standard");
    CHECK(right["verdict"] == "passed");
    CHECK(right["reference"] == Json{{"kind", "cuir"}, {"trusted", true}});
    CHECK(right["coverage"]["hidden"] > 0);
    const Json wrong = tools().judge(doubling("cuir", kDoubles), doubling_kernel("2.001f"));
    CHECK(wrong["verdict"] == "incorrect");
  }

  TEST_CASE("a CuIR reference that does not parse or check is refused with its places") {
    check_refusal("cuir", {"syntax", program("        store(self.y,\n"),
                           "invalid_argument: problem.reference.source: 9:1: expected a value, got "
                           "the end of the line\n\n^"});
    check_refusal("cuir",
                  {"names", program("        store(self.z, (0,), v)\n"),
                   "invalid_argument: problem.reference.source: 8:20: self has no "
                   "attribute `z`\n        store(self.z, (0,), v)\n                   "
                   "^\nhint: known: clusterDim, gridDim, x, y\n8:29: unknown name `v`\n        "
                   "store(self.z, (0,), v)\n                            ^\nhint: known: "
                   "blockIdx, gridDim, inf"});
    check_refusal("cuir", {"arguments",
                           "class K(KernelBase):\n    def __init__(self, x, y, z):\n        "
                           "pass\n\n    def run(self):\n        pass\n",
                           "invalid_argument: problem.reference.source: 2:30: argument `z` of the "
                           "kernel is not given\n    def __init__(self, x, y, z):\n               "
                           "              ^"});
  }

  TEST_CASE("a CuIR reference with a finding judges nothing") {
    check_invalid("cuir", {"left open",
                           program("        store(self.y, (blockIdx.x,), load(self.x, "
                                   "(blockIdx.x,), (16,)) * 2.0)\n"),
                           "the problem's reference went wrong: unwritten_output at line 1: `y`: "
                           "48 of 96 elements are never written, the first is number 48"});
  }

  TEST_CASE("a reference that does not run on the device is no baseline") {
    const std::string id = tools().compiled(doubling("cuir", kDoubles), doubling_kernel("2"));
    CHECK(tools().refusal("benchmark", {{"kernel_id", id}, {"baseline", "reference"}}) ==
          "unsupported: a reference of kind `cuir` does not run on the device and cannot be timed; "
          "choose `root`, `parent`, `none` or a kernel id");
  }

  TEST_CASE("a Python function judges kernels, whatever form its result has") {
    if (!has_numpy()) {
      return;
    }
    for (const char* result : {"2 * inputs['x']", "{'y': inputs['x'] * 2.0}", "[inputs['x'] * 2]",
                               "np.full(dims['n'], 2, 'f8') * inputs['x']"}) {
      CAPTURE(std::string(result));
      const Json problem = doubling("python", python("    return " + std::string(result) + "\n"));
      const Json right = tools().judge(problem, doubling_kernel("2"));
      CHECK(right["verdict"] == "passed");
      CHECK(right["reference"] == Json{{"kind", "python"}, {"trusted", true}});
      CHECK(tools().judge(problem, doubling_kernel("2.001f"))["verdict"] == "incorrect");
    }
  }

  TEST_CASE("over HTTP Python has to be allowed") {
    const Json problem = doubling("python", python("    return 2 * inputs['x']\n"));
    CHECK(over_http({}, problem) ==
          "unsupported: references of kind `python` are off in this server; start it with "
          "--allow-python-reference, or use kind `cuir` or `kernel`\n");
    if (has_numpy()) {
      CHECK(over_http({"--allow-python-reference"}, problem) == "compiled");
    }
  }

  TEST_CASE("a Python reference that cannot start is refused") {
    if (!has_numpy()) {
      return;
    }
    const Wrong cases[] = {
        {"syntax", python("    return 2 *\n"),
         "invalid_argument: problem.reference.source: SyntaxError: invalid syntax at "
         "reference:3:15: return 2 *"},
        {"no function", "x = 1\n",
         "invalid_argument: problem.reference.source: the source defines no function "
         "`reference(inputs, dims)`"},
        {"an exception at its top", "import numpy\nnumpy.zeros(3)[5]\n",
         "invalid_argument: problem.reference.source: IndexError: index 5 is out of bounds for "
         "axis 0 with size 3 at reference:2: numpy.zeros(3)[5]"},
        {"the end of its process", "import os\nos._exit(0)\n",
         "invalid_argument: problem.reference.source: the program's process ended"},
        {"another module", "import sqlite3\n",
         "invalid_argument: problem.reference.source: ModuleNotFoundError: `sqlite3` is "
         "not there; a reference may import torch and scipy where they are installed, and cmath, "
         "collections, dataclasses, fractions, functools, itertools, math, numpy, operator, typing "
         "at reference:1: import sqlite3"},
    };
    for (const Wrong& c : cases) {
      check_refusal("python", c);
    }
  }

  TEST_CASE("an integer that an output cannot hold is named, not wrapped") {
    if (!has_numpy()) {
      return;
    }
    Json problem = doubling("python", python("    return np.full(dims['n'], 300, 'i8')\n"));
    problem["args"][1]["type"] = "i8";
    const Json kernel = with_source("__global__ void k(const float* x, signed char* y, int n) {}");
    const Json wrapped = tools().judge(problem, kernel);
    CHECK(wrapped["verdict"] == "invalid_reference");
    CHECK(wrapped["message"] ==
          "the problem's reference went wrong: output `y` has 300, which i8 cannot hold; wrap it "
          "with astype() if that is meant");
    problem["reference"]["source"] = python("    return np.full(dims['n'], -128, 'i8')\n");
    CHECK(tools().judge(problem, kernel)["verdict"] == "incorrect");
  }

  TEST_CASE("a call that brings a slow reference waits no longer than it was asked to") {
    if (!has_numpy()) {
      return;
    }
    const Json problem =
        doubling("python", "sum(range(40_000_000))\n" + python("    return 2 * inputs['x']\n"));
    for (const char* tool : {"compile_kernel", "evaluate"}) {
      CAPTURE(std::string(tool));
      Json arguments = {{"problem", problem}, {"kernel", doubling_kernel("2")}, {"wait_ms", 0}};
      arguments["problem"]["name"] = tool;  // Another problem: none is stored yet.
      const auto began = tools().call(tool, arguments);
      REQUIRE_MESSAGE(began.has_value(), to_text(began.error()));
      CHECK((*began)["status"] != "done");
      const auto ended = tools().call("job", {{"job_id", (*began)["job_id"]}});
      REQUIRE_MESSAGE(ended.has_value(), to_text(ended.error()));
      CHECK((*ended)["status"] == "done");
      CHECK((*ended)["kernel_id"].is_string());
      CHECK(ended->value("baseline", "root") == "root");  // A program cannot be timed.
    }
  }

  TEST_CASE("a Python reference that goes wrong is named with its line") {
    if (!has_numpy()) {
      return;
    }
    const Wrong cases[] = {
        {"exception", python("    x = inputs['x']\n    return x / dims['m']\n"),
         "the problem's reference went wrong: KeyError: 'm' at reference:4: return x / dims['m']"},
        {"nothing", python("    pass\n"),
         "the problem's reference went wrong: reference() gave NoneType, expected a dict of arrays "
         "by name: y"},
        {"missing output", python("    return {}\n"),
         "the problem's reference went wrong: reference() gave no output `y`"},
        {"unknown output", python("    return {'y': inputs['x'], 'z': 1}\n"),
         "the problem's reference went wrong: reference() gave `z`, the outputs are y"},
        {"shape", python("    return inputs['x'][None, :]\n"),
         "the problem's reference went wrong: output `y` has shape (1, 96), the problem says "
         "(96,)"},
        {"type", python("    return inputs['x'] + 1j\n"),
         "the problem's reference went wrong: output `y` has elements of type complex64, the "
         "problem says f32"},
        {"an input written", python("    inputs['x'][0] = 1\n    return inputs['x']\n"),
         "the problem's reference went wrong: ValueError: assignment destination is read-only at "
         "reference:3: inputs['x'][0] = 1"},
        {"too much memory", python("    return np.ones(10**12)\n"),
         "the problem's reference went wrong: MemoryError: Unable to allocate 7.28 TiB for "
         "an array with shape (1000000000000,) and data type float64 at reference:3: return "
         "np.ones(10**12)"},
        {"more and more memory",
         python("    held = []\n    while True:\n        held.append(np.ones(10**7))\n"),
         "the problem's reference went wrong: MemoryError: Unable to allocate 76.3 MiB for "
         "an array with shape (10000000,) and data type float64 at reference:5: "
         "held.append(np.ones(10**7))"},
        {"a process", python("    import os\n    os.system('true')\n"),
         "the problem's reference went wrong: PermissionError: a reference may not use os.system "
         "at reference:4: os.system('true')"},
        {"a file written", python("    open('/tmp/x', 'w')\n"),
         "the problem's reference went wrong: PermissionError: a reference may not use open at "
         "reference:3: open('/tmp/x', 'w')"},
        {"a socket", python("    import socket\n    socket.socket()\n"),
         "the problem's reference went wrong: ModuleNotFoundError: `socket` is not there; a "
         "reference may import torch and scipy where they are installed, and cmath, collections, "
         "dataclasses, fractions, functools, itertools, math, numpy, operator, typing at "
         "reference:3: import socket"},
        {"what only the filter refuses", python("    import os\n    os.memfd_create('x')\n"),
         "the problem's reference went wrong: PermissionError: [Errno 1] Operation not permitted "
         "at "
         "reference:4: os.memfd_create('x')"},
        {"the end of its process", python("    import os\n    os._exit(0)\n"),
         "the problem's reference went wrong: the program's process ended"},
        {"not finite", python("    return inputs['x'] / 0\n"),
         "the problem's reference gave values of `y` that are not finite or out of range in 5 "
         "draws; give `x` a `fill` or `domain` on which they are finite"},
    };
    for (const Wrong& c : cases) {
      check_invalid("python", c);
    }
  }
}

}  // namespace ws::test
