// The program of a file for nvcc, run without a GPU: this test's own functions take the place of
// the CUDA runtime, and one of them does what the kernel would.
#include "runtime/handover/self_check.h"

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/handover/test_handover.h"
#include "tests/support/outside_program.h"

namespace ws::test {
namespace {

/// Types and roles of every kind, and an output that is not as long as its row is apart.
constexpr const char* kProblem = R"json({
  "name": "scaled", "dims": {"n": {"values": [4], "max": 64}, "m": {"values": [24], "max": 64}},
  "args": [{"name": "x", "type": "bf16", "shape": ["n", "m"], "strides": ["m + 8", "1"], "role": "in"},
           {"name": "i", "type": "i32", "shape": ["n"], "role": "in", "fill": {"kind": "range", "low": 1, "high": 9}},
           {"name": "y", "type": "f32", "shape": ["n", "m"], "role": "out"},
           {"name": "z", "type": "i64", "shape": ["n"], "role": "inout", "fill": {"kind": "range", "low": 1, "high": 9}},
           {"name": "alpha", "type": "f32", "role": "scalar", "values": [0.5]},
           {"name": "plus", "type": "i32", "role": "scalar", "values": [3]}],
  "reference": {"kind": "python", "source": "import numpy as np\ndef reference(inputs, dims):\n    assert dims['n'] < 60, 'it\\'s too many rows'\n    assert inputs['x'].shape == (dims['n'], dims['m']) and inputs['x'].dtype == np.float32\n    assert isinstance(inputs['plus'], int) and inputs['z'].dtype == np.int64\n    y = inputs['alpha'] * inputs['x'] * inputs['i'][:, None]\n    return {'z': inputs['z'] + inputs['plus'], 'y': y[1:] if dims['m'] == 40 else y}\n"}})json";
constexpr const char* kKernel = R"json({
  "name": "scaled", "language": "cuda",
  "source": "#include <cuda_bf16.h>\n__global__ void scaled(const __nv_bfloat16* x, const int* i, float* y, long long* z, float alpha, int plus, int m) {}\n",
  "launches": [{"entry": "scaled", "grid": ["n"], "block": ["32"], "args": ["x", "i", "y", "z", "alpha", "plus", "m"]}]})json";

/// The functions of the CUDA runtime that the program calls.
constexpr const char* kRuntime = R"(#include <cuda_runtime.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
template <typename T> T argument(void** all, int i) { T value; std::memcpy(&value, all[i], sizeof value); return value; }
extern "C" {
cudaError_t cudaMalloc(void** memory, size_t bytes) { *memory = std::malloc(bytes); return cudaSuccess; }
cudaError_t cudaFree(void* memory) { std::free(memory); return cudaSuccess; }
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) { std::memcpy(to, from, bytes); return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an error"; }
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void*, void** all) {
  const auto* x = argument<const std::uint16_t*>(all, 0);
  const auto* i = argument<const int*>(all, 1);
  auto* y = argument<float*>(all, 2);
  auto* z = argument<long long*>(all, 3);
  const float alpha = argument<float>(all, 4);
  const int plus = argument<int>(all, 5), m = argument<int>(all, 6);
  for (unsigned row = 0; row < how->gridDim.x; ++row) {
    for (int column = 0; column < m; ++column) {
      const std::uint32_t bits = static_cast<std::uint32_t>(x[row * (m + 8) + column]) << 16;
      float value;
      std::memcpy(&value, &bits, 4);
      y[row * m + column] = alpha * value * i[row];
    }
    z[row] += plus;
  }
  if (std::getenv("WRONG")) z[2] = 99;
  return cudaSuccess;
}
void* __cudaRegisterFatBinary(void*) { static void* handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction() {}
char __cudaInitModule(void**) { return 0; }
int __cudaGetKernel() { return 0; }
int __cudaLaunchKernel() { return 0; }
unsigned __cudaPushCallConfiguration() { return 0; }
int __cudaPopCallConfiguration() { return 0; }
}
)";

/// The words of a build line up to the file's name: target, options and program.
std::string options_of(const std::string& text) {
  const std::string before = "build:      nvcc ";
  const std::size_t at = text.find(before) + before.size();
  return text.substr(at, text.find(" scaled.cu", at) - at);
}

}  // namespace

TEST_SUITE("handover.self_check") {
  TEST_CASE("a program compares its kernel with a reference in Python") {
    const auto nvcc = find_nvcc("an exported program that calls a reference in Python");
    if (!nvcc) {
      return;
    }
    const TestFolder folder;
    const auto files =
        HandedExample::of_texts(kProblem, kKernel).written(HandoverForm::kCuda, folder.path());
    REQUIRE(files.size() == 2);
    CHECK(files[0].text.find("// The program compares the kernel with scaled_reference.py, by "
                             "python3 with NumPy.\n") != std::string::npos);
    CHECK(files[1].path == "scaled_reference.py");
    REQUIRE(write_file(folder.path() / "runtime.cpp", kRuntime).has_value());
    const OutsideRun build =
        run_outside(*nvcc + " -cudart none " + options_of(files[0].text) + " scaled.cu runtime.cpp",
                    folder.path());
    REQUIRE_MESSAGE(build.status == 0, build.output);
    const auto run = [&](const std::string& line) {
      return run_outside("mkdir -p tmp; export TMPDIR=$PWD/tmp PYTHON=/usr/bin/python3; " + line +
                             "; status=$?; rmdir tmp && exit $status",
                         folder.path());
    };

    const OutsideRun right = run("./scaled n=5");
    CHECK(right.output ==
          "y: 120 elements, largest error 0\nz: 5 elements, largest error 0\npassed\n");
    CHECK(right.status == 0);
    const OutsideRun wrong = run("WRONG=1 ./scaled");
    CHECK(wrong.output.find("; 1 are WRONG, the first is element 2: 99, expected ") !=
          std::string::npos);
    CHECK(wrong.output.ends_with("\nFAILED\n"));
    CHECK(wrong.status == 1);

    const std::string failed =
        "error: `/usr/bin/python3 ./scaled_reference.py` failed; PYTHON names another "
        "interpreter\n";
    const OutsideRun raises = run("./scaled n=60");
    CHECK(raises.output.ends_with("AssertionError: it's too many rows\n" + failed));
    CHECK(raises.status == 2);
    CHECK(run("./scaled m=40").output ==
          "the reference gives `y` the shape (3, 40), expected (4, 40)\n" + failed);
    CHECK(run("PYTHON=no-such-python ./scaled")
              .output.ends_with("error: `no-such-python ./scaled_reference.py` failed; PYTHON "
                                "names another interpreter\n"));
    CHECK(run("mkdir other && cp scaled other && other/scaled").output ==
          "error: there is no `other/scaled_reference.py`, which computes what the kernel should; "
          "it belongs beside this program\n");
  }

  TEST_CASE("a file whose inputs the program cannot draw says so instead of a check") {
    std::string text = kProblem;
    const std::string fill = R"("role": "in", "fill": {"kind": "range", "low": 1, "high": 9})";
    const std::size_t at = text.find(fill);
    REQUIRE(at != std::string::npos);
    CHECK(why_not_checked(*parse_problem(text)).empty());
    text.replace(at, fill.size(),
                 R"("role": "in", "fill": {"kind": "computed", "value": "i * n"})");
    const Result<Problem> problem = parse_problem(text);
    REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
    CHECK(why_not_checked(*problem) == "the values of `i` are computed by an expression");
  }
}

}  // namespace ws::test
