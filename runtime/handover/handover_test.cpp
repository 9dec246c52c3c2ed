// Every form of several examples, compiled where their compilers are.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/handover/test_handover.h"
#include "tests/support/outside_program.h"

namespace ws::test {
namespace {

struct Example {
  const char* folder;
  const char* path;
};

constexpr Example kExamples[] = {
    {"vadd", "vadd/naive"},
    {"softmax", "softmax/warp_per_row"},
    {"gemm-f16", "gemm-f16/tma"},
    {"matmul", "matmul/thread_tile"},
    {"reduction", "reduction/two_launches"},
    {"compaction", "compaction/atomic_per_warp"},
};

constexpr Example kTiles[] = {
    {"vadd", "../tiles/vadd/vadd_triton"},
    {"softmax", "../tiles/softmax/softmax_triton"},
    {"reduction", "../tiles/reduction/sum_triton"},
    {"layernorm", "../tiles/layernorm/layernorm_triton"},
};

/// A plan with everything that examples have not: scratch that is zero, a symbol, repeats, a struct
/// and a null, a specialised dim, strides, a number of a short type.
constexpr const char* kWideProblem = R"json({
  "name": "wide", "dims": {"n": [64, 128], "class": {"values": [32], "min": 1, "max": 64}},
  "valid": ["n % 2 == 0"],
  "args": [{"name": "x", "type": "f32", "shape": ["n", "class"], "strides": ["class + 4", "1"], "role": "in"},
           {"name": "w", "type": "f32", "shape": ["4"], "role": "in"},
           {"name": "y", "type": "f32", "shape": ["n"], "role": "out"},
           {"name": "alpha", "type": "f16", "role": "scalar", "values": [0.5]},
           {"name": "count", "type": "i64", "role": "scalar", "values": [3]}],
  "reference": {"kind": "first_kernel"}})json";
constexpr const char* kWideKernel = R"json({
  "name": "wide \" */ \\", "language": "cuda",
  "macros": "#define v_n 7\n#define Int 9\n",
  "source": "#include <cuda_fp16.h>\n#include \"own.cuh\"\n__constant__ float weights[4];\nstruct Pair { int a; float b; };\ntemplate <int N> __global__ void add(const float* x, float* sums, float* y, Pair pair, const float* nothing, half alpha, long long count, int step, long long n) {\n  if (threadIdx.x < N) atomicAdd(sums, weights[step % 4] * pair.b * twice(alpha));\n  if (step == pair.a && threadIdx.x < n) y[threadIdx.x] = sums[0] + x[0];\n}\n",
  "headers": {"own.cuh": "#pragma once\n#include \"other.cuh\"\n", "other.cuh": "#pragma once\n#include \"own.cuh\"\n__device__ float twice(half a) { return 2.0f * __half2float(a); }\n"},
  "scratch": [{"name": "sums", "type": "f32", "shape": ["cdiv(n, 2)"], "zero": true}],
  "symbols": [{"name": "weights", "of": "w"}],
  "specialize": ["n"], "options": ["-DEXTRA=3", "--use_fast_math", "-std=c++20"],
  "constraints": ["class <= 48"],
  "launches": [{"entry": "add<@n@>", "grid": ["1"], "block": ["n", "1", "1"], "shared_bytes": "4 * n", "repeat": {"var": "s", "count": "log2(n)"},
                "args": ["x", {"buffer": "sums", "offset": "1"}, "y", {"struct": ["s", {"value": "0.5", "type": "f32"}]}, {"null": true}, "alpha", "count", "s", "n"]}]})json";

HandedExample wide() {
  return HandedExample::of_texts(kWideProblem, kWideKernel);
}

/// The line of the first file that builds it.
std::string build_line(const std::vector<HandoverFile>& files) {
  const std::string& text = files.front().text;
  const std::size_t at = text.find("build:      nvcc");
  REQUIRE(at != std::string::npos);
  return text.substr(at + 16, text.find('\n', at) - at - 16);
}

void check_python(const std::filesystem::path& folder) {
  CHECK(run_outside("python3 -m py_compile *.py", folder).output == "");
}

HandedExample changed(const std::string& path, const std::string& from, const std::string& to) {
  const auto problem = read_file(source_dir() / "examples/kernels/vadd/problem.json");
  auto kernel = read_file(source_dir() / ("examples/kernels/" + path + ".json"));
  REQUIRE(problem.has_value());
  REQUIRE(kernel.has_value());
  const std::size_t at = kernel->find(from);
  REQUIRE(at != std::string::npos);
  return HandedExample::of_texts(*problem, kernel->replace(at, from.size(), to));
}

/// The standards of C++ that setup.py of an extension asks both compilers for, where this PyTorch
/// is installed.
std::string standards_of(const HandedExample& example, const std::string& version) {
  const TestFolder folder;
  example.written(HandoverForm::kPytorch, folder.path());
  const std::map<std::string, std::string> stand_ins = {
      {"setuptools.py", "def setup(**_): pass\n"},
      {"torch/__init__.py", "__version__ = \"" + version + "\"\n"},
      {"torch/utils/__init__.py", ""},
      {"torch/utils/cpp_extension.py",
       "BuildExtension = None\n"
       "def CUDAExtension(name, sources, extra_compile_args):\n"
       "    def standards(of):\n"
       "        return \" \".join(each for each in extra_compile_args[of] if \"std\" in each)\n"
       "    print(\"cxx\", standards(\"cxx\"), \"nvcc\", standards(\"nvcc\"))\n"}};
  for (const auto& [path, text] : stand_ins) {
    std::filesystem::create_directories((folder.path() / path).parent_path());
    REQUIRE(write_file(folder.path() / path, text).has_value());
  }
  const OutsideRun run = run_outside("PYTHONPATH=. python3 setup.py", folder.path());
  REQUIRE_MESSAGE(run.status == 0, run.output);
  return run.output;
}

}  // namespace

TEST_SUITE("handover.forms") {
  TEST_CASE("a file for nvcc compiles by the line that it names") {
    const auto nvcc = find_nvcc("exported kernels compiled by nvcc");
    std::vector<HandedExample> all = {wide()};
    for (const Example& example : kExamples) {
      all.push_back(HandedExample::of(example.folder, example.path));
    }
    for (const HandedExample& example : all) {
      CAPTURE(example.id());
      const TestFolder folder;
      const auto files = example.written(HandoverForm::kCuda, folder.path());
      if (nvcc) {
        const OutsideRun run = run_outside(*nvcc + build_line(files), folder.path());
        CHECK_MESSAGE(run.status == 0, run.output);
      }
    }
  }

  TEST_CASE("an extension of PyTorch compiles but for its kernel against PyTorch's headers") {
    const auto headers = find_torch_headers("exported operators compiled by c++");
    std::vector<HandedExample> all = {
        wide(), HandedExample::of("softmax", "softmax/warp_per_row"),
        HandedExample::of("compaction", "compaction/atomic_per_warp")};
    for (const HandedExample& example : all) {
      CAPTURE(example.id());
      const TestFolder folder;
      const auto files = example.written(HandoverForm::kPytorch, folder.path());
      CHECK(files.front().path == "kernel.cu");
      check_python(folder.path());
      if (headers) {
        const OutsideRun run =
            run_outside("c++ -std=c++17 -fsyntax-only -w $(/usr/bin/python3-config --includes) -I" +
                            *headers + " -I. binding.cpp",
                        folder.path());
        CHECK_MESSAGE(run.status == 0, run.output);
      }
    }
  }

  TEST_CASE("PyTorch chooses the C++ of an extension, but for the old ones that choose C++14") {
    const std::map<std::string, std::string> chosen = {{"1.13.0a0", "-std=c++17"},
                                                       {"2.0.1+cu118", "-std=c++17"},
                                                       {"2.1.0", ""},
                                                       {"2.14.0+cu132", ""}};
    const HandedExample usual = HandedExample::of("softmax", "softmax/warp_per_row");
    const HandedExample newer = wide();  // The kernel asks for C++20.
    for (const auto& [version, standard] : chosen) {
      CAPTURE(version);
      CHECK(standards_of(usual, version) == "cxx " + standard + " nvcc " + standard + "\n");
      CHECK(standards_of(newer, version) == "cxx " + standard + " nvcc -std=c++20\n");
    }
  }

  TEST_CASE("files for CuPy and Triton are right Python") {
    for (const Example& example : kExamples) {
      const HandedExample handed = HandedExample::of(example.folder, example.path);
      if (std::string_view(example.path) == "gemm-f16/tma") {
        CHECK(handed.refusal(HandoverForm::kCupy) ==
              "unsupported: " + handed.id() +
                  " needs tensor maps, which CuPy cannot make; take it as `cuda` or `pytorch`");
        continue;
      }
      const TestFolder folder;
      CHECK(handed.written(HandoverForm::kCupy, folder.path()).size() == 1);
      check_python(folder.path());
    }
    for (const Example& example : kTiles) {
      const TestFolder folder;
      const HandedExample handed = HandedExample::of(example.folder, example.path);
      CHECK(handed.written(HandoverForm::kTriton, folder.path()).size() == 1);
      check_python(folder.path());
    }
  }

  TEST_CASE("sizes outside the ranges are refused by dim, value and range") {
    const TestFolder folder;
    static_cast<void>(wide().written(HandoverForm::kPytorch, folder.path()));
    const std::string program =
        "#include <cstdio>\n#include \"kernel.h\"\nusing namespace handover;\nint main() {\n"
        "  for (auto [n, c] : {std::pair{64, 65}, {128, 3}, {64, 50}, {64, 48}}) {\n"
        "    Arguments given; given.v_n = n; given.v_class = c;\n"
        "    try { check_sizes(given); std::puts(\"taken\"); }\n"
        "    catch (const std::exception& error) { std::puts(error.what()); }\n  }\n}\n";
    REQUIRE(write_file(folder.path() / "a.cpp", program).has_value());
    CHECK(run_outside("c++ -std=c++17 -w -o a a.cpp && ./a", folder.path()).output ==
          "dim `class` is 65, outside the range 1 to 64\n"
          "dim `n` is 128, outside the sizes 64\n"
          "the sizes break the condition `class <= 48`\n"
          "taken\n");
  }

  TEST_CASE("a form that cannot have a kernel says why") {
    const HandedExample vadd = HandedExample::of("vadd", "vadd/naive");
    CHECK(vadd.refusal(HandoverForm::kTriton) ==
          "unsupported: " + vadd.id() +
              " is in CUDA C++, and this form takes kernels in Triton only");
    const HandedExample tiles = HandedExample::of("vadd", "../tiles/vadd/vadd_triton");
    CHECK(tiles.refusal(HandoverForm::kCuda) ==
          "unsupported: " + tiles.id() + " is in Triton, and this form takes CUDA C++ only");
    CHECK(tiles.refusal(HandoverForm::kCupy) ==
          "unsupported: " + tiles.id() +
              " is in the language triton, and CuPy compiles CUDA C++ only");
    CHECK(wide().refusal(HandoverForm::kCupy) ==
          "unsupported: launches[0].args[3] is a struct by value, and CuPy passes numbers and "
          "arrays only");
    const HandedExample texture =
        changed("vadd/naive", R"("args": ["a",)", R"("args": [{"texture": "a", "width": "n"},)");
    CHECK(texture.refusal(HandoverForm::kCuda) ==
          "unsupported: launches[0].args[0] is a texture, and the host code that is written here "
          "makes none; read the buffer through a pointer instead");
    CHECK(texture.refusal(HandoverForm::kCupy) ==
          "unsupported: launches[0].args[0] is a texture, and CuPy passes numbers and arrays only");
    const std::string block = R"("block": ["256"])";
    const HandedExample clusters = changed("vadd/naive", block, block + R"(, "cluster": ["2"])");
    CHECK(clusters.refusal(HandoverForm::kCupy) ==
          "unsupported: " + clusters.id() +
              " launches clusters, which CuPy cannot; take it as `cuda` or `pytorch`");
    const HandedExample wrong_number =
        changed("../tiles/vadd/vadd_triton", R"("n",)", R"({"value": "n", "type": "i64"},)");
    CHECK(wrong_number.refusal(HandoverForm::kTriton) ==
          "unsupported: " + wrong_number.id() +
              ": launches[0].args[3] is a number of type i64, and Triton's launcher gives numbers "
              "a type of its own");
  }

  TEST_CASE("a file begins with what is known of its kernel") {
    const HandedExample handed = wide();
    const auto files = handed.as(HandoverForm::kCuda);
    REQUIRE(files.has_value());
    const std::string& text = files->front().text;
    CHECK(text.starts_with("// kernel:     " + handed.id() + "\n// problem:    prb_wide_"));
    CHECK(text.find("// evidence:   none: NOT VERIFIED\n"
                    "// declared sizes, which no evidence covers:\n"
                    "//   class: 1 to 64\n"
                    "//   n: 64\n"
                    "// parameters: none\n"
                    "// SPDX-License-Identifier: see the kernel's author\n") != std::string::npos);
    CHECK(text.find("// The program runs the kernel and compares nothing: the problem's reference "
                    "is of kind `first_kernel`, neither a kernel nor a Python program.\n") !=
          std::string::npos);
  }
}

}  // namespace ws::test
