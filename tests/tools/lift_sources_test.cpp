// lift_to_ir on sources as people have them: host code around the kernel, several kernels, macros,
// templates; and on those with nothing in them to lift.
#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json vadd(const std::string& source, const std::string& entry = "vadd") {
  Json kernel = Json::parse(ir::repository_file("examples/kernels/vadd/naive.json"));
  kernel["source"] = source;
  kernel.erase("entry");
  kernel["launches"] = {{{"entry", entry},
                         {"grid", {"cdiv(n, 256)"}},
                         {"block", {"256"}},
                         {"args", {"a", "b", "c", "n"}}}};
  return kernel;
}

/// The kernel's id, whether it compiles or not.
std::string stored(const Json& kernel) {
  const Json problem = Json::parse(ir::repository_file("examples/kernels/vadd/problem.json"));
  return tools().result("compile_kernel", {{"problem", problem}, {"kernel", kernel}})["kernel_id"];
}

Json lifted(const Json& kernel) {
  return tools().result("lift_to_ir", {{"kernel_id", stored(kernel)}, {"detail", "full"}});
}

constexpr const char* kArguments = "(const float* a, const float* b, float* c, int n)";
constexpr const char* kBody =
    " {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];\n}\n";

std::string kernel_text(const std::string& name) {
  return "__global__ void " + name + kArguments + kBody;
}

std::string ten_kernels() {
  std::string text;
  for (int i = 0; i < 9; ++i) {
    text += "__global__ void other" + std::to_string(i) +
            "(float* c) { c[threadIdx.x] = " + std::to_string(i) + "; }\n";
  }
  return text + kernel_text("vadd");
}

struct Source {
  const char* name;
  std::string text;
  const char* entry;
};

struct Refused {
  const char* name;
  std::string text;
  const char* entry;
  const char* summary;
};

}  // namespace

TEST_SUITE("tools.lift_sources") {
  TEST_CASE("what stands around a kernel does not matter") {
    const Source sources[] = {
        {"host functions",
         "__host__ int blocks(int n) { return (n + 255) / 256; }\n" + kernel_text("vadd") +
             "int main() { return blocks(3) - 1; }\n",
         "vadd"},
        {"ten kernels", ten_kernels(), "vadd"},
        {"a namespace", "namespace mine {\n" + kernel_text("vadd") + "}\n", "mine::vadd"},
        {"macros that hide indices, guard and loop",
         std::string("#define ME (blockIdx.x * blockDim.x + threadIdx.x)\n"
                     "#define GUARDED(condition, body) if (condition) { body; }\n"
                     "#define ONCE(body) for (int once = 0; once < 1; ++once) { body }\n"
                     "#define KERNEL(name) __global__ void name") +
             "\nKERNEL(vadd)" + kArguments +
             " {\n  ONCE(GUARDED(ME < n, c[ME] = a[ME] + b[ME]))\n}\n",
         "vadd"},
        {"a template",
         "template <typename T, int N>\n__global__ void vadd(const T* a, const T* b, T* c, int n) "
         "{\n"
         "  int i = blockIdx.x * N + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];\n}\n",
         "vadd<float, 256>"},
        {"a class with functions and a constructor of its own",
         std::string("class Place {\n public:\n  __device__ Place(int first) : at_(first) { at_ += "
                     "threadIdx.x; }\n  __device__ int at() const { return at_; }\n"
                     "  __device__ bool within(int n) const { return this->at() < n; }\n\n"
                     " private:\n  int at_;\n};\n__global__ void vadd") +
             kArguments +
             " {\n  Place place(blockIdx.x * blockDim.x);\n"
             "  if (place.within(n)) c[place.at()] = a[place.at()] + b[place.at()];\n}\n",
         "vadd"},
    };
    for (const Source& source : sources) {
      CAPTURE(source.name);
      const Json kernel = vadd(source.text, source.entry);
      const Json output = lifted(kernel);
      CHECK(output["verdict"] == "lifted");
      REQUIRE_MESSAGE(output.contains("ir"), output.dump());
      CHECK(tools().result("verify_ir", {{"kernel_id", stored(kernel)},
                                         {"ir", output["ir"]},
                                         {"schedules", 2}})["verdict"] == "ok");
    }
  }

  TEST_CASE("products by wmma of other shapes are shown by their meaning") {
    const Json kernel =
        vadd(std::string("#include <mma.h>\nusing namespace nvcuda;\n__global__ void vadd") +
             kArguments +
             " {\n  __shared__ half x[512];\n  x[threadIdx.x] = __float2half(a[threadIdx.x]);\n"
             "  __syncthreads();\n"
             "  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> left;\n"
             "  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> right;\n"
             "  wmma::fragment<wmma::accumulator, 32, 8, 16, float> sums;\n"
             "  wmma::load_matrix_sync(left, x, 16);\n  wmma::load_matrix_sync(right, x, 16);\n"
             "  wmma::fill_fragment(sums, 0.0f);\n"
             "  wmma::mma_sync(sums, left, right, sums);\n"
             "  wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);\n}\n");
    const Json output = lifted(kernel);
    CHECK(output["verdict"] == "partial");
    const Json load = {{"from", 10},
                       {"to", 10},
                       {"why",
                        "a fragment of wmma is not one of 16 x 16 x 16 halves or bfloat16, with "
                        "sums in them or floats"}};
    const Json product = {
        {"from", 13}, {"to", 13}, {"why", "`nvcuda::wmma::mma_sync`: d = a b + c, by the warp"}};
    CHECK(output["not_lifted"] == Json::array({load, product}));
    const auto annotated = tools().resources().read("kernel://" + stored(kernel) + "/annotated");
    REQUIRE(annotated.has_value());
    CHECK(annotated->text.find("  // nvcuda::wmma::load_matrix_sync: loads a fragment of a matrix "
                               "[copy]") != std::string::npos);
  }

  TEST_CASE("a source without the entry, or without a kernel, says so") {
    const Refused sources[] = {
        {"another kernel", kernel_text("other"), "vadd",
         "failed: the source does not compile: entry `vadd`: use of undeclared identifier 'vadd'"},
        {"host code only", "int main() { return 0; }\n", "vadd",
         "failed: the source does not compile: entry `vadd`: use of undeclared identifier 'vadd'"},
        {"a device function", std::string("__device__ void vadd") + kArguments + kBody, "vadd",
         "failed: the source does not compile: entry `vadd`: not a __global__ function"},
        {"a template without its arguments",
         std::string("template <int N>\n__global__ void vadd") + kArguments + kBody, "vadd",
         "failed: the source does not compile: entry `vadd`: a template, or one of several of this "
         "name: give its template arguments, as in `name<32>`"},
        {"blanks only", "  \n", "vadd",
         "failed: the source does not compile: entry `vadd`: use of undeclared identifier 'vadd'"},
        {"no CUDA", "\x01\x02\x03 not CUDA", "vadd",
         "failed: the source does not compile: expected unqualified-id"},
        {"a brace that is never closed", "__global__ void vadd(float* c) {\n", "vadd",
         "failed: the source does not compile: entry `vadd`: the source ends inside a block: a `}` "
         "is missing"},
    };
    for (const Refused& source : sources) {
      CAPTURE(source.name);
      const Json output = lifted(vadd(source.text, source.entry));
      CHECK(output["summary"] == source.summary);
      CHECK_FALSE(output.contains("ir"));
    }
  }
}

}  // namespace ws::test
