// Kernels that go wrong when they run: the verdict, the message and the place.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Case {
  const char* name;
  Json kernel;
  const char* verdict;
  const char* message;
  Json fault;  ///< The fields that must be there, but for the message; null: no fault.
};

void check(const Case& c) {
  CAPTURE(std::string(c.name));
  const Json output = tools().judge(twice_problem(), c.kernel);
  CHECK(output["verdict"] == c.verdict);
  CHECK(output["message"] == c.message);
  CHECK(output["summary"] ==
        output["kernel_id"].get<std::string>() + ": " + c.verdict + ": " + c.message);
  if (c.fault.is_null()) {
    CHECK_FALSE(output.contains("fault"));
    return;
  }
  REQUIRE(output.contains("fault"));
  Json fault = output["fault"];
  CHECK(fault["message"] == c.message);
  fault.erase("message");
  fault.erase("column");
  CHECK(fault == c.fault);
}

Json place(const char* kind, int line, const Json& block, const Json& thread = nullptr) {
  Json fault = {{"kind", kind}, {"file", "source"}, {"line", line}, {"block", block}};
  if (!thread.is_null()) {
    fault["thread"] = thread;
  }
  return fault;
}

Json bounds(const char* access, const char* buffer, int index, const Json& at) {
  Json fault = at;
  fault["kind"] = std::string(access) + "_out_of_bounds";
  fault["access"] = access;
  fault["buffer"] = buffer;
  fault["index"] = index;
  return fault;
}

const Json kFirst = Json::array({0, 0, 0});

Json scratch_kernel() {
  Json kernel = with_source(
      "__global__ void k(const int* x, int* y, int n, int* t) {\n  int i = blockIdx.x * blockDim.x "
      "+ threadIdx.x;\n  t[i] = x[i % n];\n  if (i < n) y[i] = 2 * t[i];\n}\n");
  kernel["launches"][0]["args"] = {"x", "y", "n", "t"};
  kernel["scratch"] = {{{"name", "t"}, {"type", "i32"}, {"shape", {"n"}}}};
  return kernel;
}

Json symbol_kernel() {
  Json kernel = with_source(
      "__constant__ int c[1000];\n__global__ void k(const int* x, int* y, int n) {\n  int i = "
      "blockIdx.x * 64 + threadIdx.x;\n  y[i] = 2 * c[i];\n}\n");
  kernel["symbols"] = {{{"name", "c"}, {"of", "x"}}};
  return kernel;
}

Json dynamic_shared_kernel() {
  Json kernel = twice_kernel(
      "  extern __shared__ int s[];\n  s[threadIdx.x + (i < 64)] = i;\n  __syncthreads();\n  if (i "
      "< n) "
      "y[i] = 2 * x[i];");
  kernel["launches"][0]["shared_bytes"] = "256";
  return kernel;
}

}  // namespace

TEST_SUITE("tools.validate") {
  TEST_CASE("an access out of bounds is named with buffer, index, line, thread and block") {
    const Json last = place("", 3, Json::array({15, 0, 0}), Json::array({40, 0, 0}));
    const Json first = place("", 3, kFirst, kFirst);
    Json last_line_4 = last;
    last_line_4["line"] = 4;
    const Json cases_thread_63 = place("", 4, kFirst, Json::array({63, 0, 0}));
    const Case cases[] = {
        {"write to global memory", twice_kernel("  if (i < 64) y[i + 1000] = 1;"), "out_of_bounds",
         "out-of-bounds write of 4 bytes at source:3 by thread (0,0,0) of block (0,0,0): y[1000], "
         "but it has 1000 elements",
         bounds("write", "y", 1000, first)},
        {"read before the start", twice_kernel("  if (i == 0) y[0] = x[-3];"), "out_of_bounds",
         "out-of-bounds read of 4 bytes at source:3 by thread (0,0,0) of block (0,0,0): x[-3], but "
         "it has 1000 elements",
         bounds("read", "x", -3, first)},
        {"shared variable",
         twice_kernel(
             "  __shared__ int s[64];\n  s[threadIdx.x + (i < 64)] = i;\n  __syncthreads();\n  if "
             "(i < n) y[i] = 2 * x[i];"),
         "out_of_bounds",
         "out-of-bounds write of 4 bytes at source:4 by thread (63,0,0) of block (0,0,0): s[64], "
         "but it has 64 elements",
         bounds("write", "s", 64, cases_thread_63)},
        {"dynamic shared memory", dynamic_shared_kernel(), "out_of_bounds",
         "out-of-bounds write of 4 bytes at source:4 by thread (63,0,0) of block (0,0,0): s[64], "
         "but it has 64 elements",
         bounds("write", "s", 64, cases_thread_63)},
        {"local array",
         twice_kernel("  int s[4]; for (int j = 0; j <= n && i == 0; ++j) s[j & 7] = j;\n  if (i < "
                      "n) y[i] = "
                      "2 * x[i] + s[3];"),
         "out_of_bounds",
         "out-of-bounds write of 4 bytes at source:3 by thread (0,0,0) of block (0,0,0): a local "
         "array[4], but it has 4 elements",
         bounds("write", "a local array", 4, first)},
        {"scratch", scratch_kernel(), "out_of_bounds",
         "out-of-bounds write of 4 bytes at source:3 by thread (40,0,0) of block (15,0,0): "
         "t[1000], "
         "but it has 1000 elements",
         bounds("write", "t", 1000, last)},
        {"symbol", symbol_kernel(), "out_of_bounds",
         "out-of-bounds read of 4 bytes at source:4 by thread (40,0,0) of block (15,0,0): c[1000], "
         "but it has 1000 elements",
         bounds("read", "c", 1000, last_line_4)},
    };
    for (const Case& c : cases) {
      check(c);
    }
  }

  TEST_CASE("a kernel that stops or waits for ever is a verdict with its line") {
    const Case cases[] = {
        {"division by zero", twice_kernel("  if (i < n) y[i] = n / (i - 3);"), "runtime_error",
         "integer division by zero at source:3 by thread (3,0,0) of block (0,0,0)",
         place("integer_division_by_zero", 3, kFirst, Json::array({3, 0, 0}))},
        {"endless recursion",
         with_source(
             "__device__ int f(int n, int* y) {\n  y[0] = n;\n  return n < -5 ? 0 : f(n + 1, "
             "y) + f(n + 2, y);\n}\n__global__ void k(const int* x, int* y, int n) {\n  y[0] "
             "= blockIdx.x == 0 ? f(n, y) : 0;\n}\n"),
         "runtime_error",
         "a thread ran out of stack at source:2 by thread (0,0,0) of block (0,0,0): endless "
         "recursion, or local arrays beyond 128 KiB",
         place("stack_overflow", 2, kFirst, kFirst)},
        {"different barriers",
         twice_kernel("  if (i >= 64) return; if (threadIdx.x < 20) {\n    __syncthreads();\n  } "
                      "else {\n    "
                      "__syncthreads();\n  }\n  if (i < n) y[i] = 2 * x[i];"),
         "barrier_divergence",
         "20 threads wait at source:4, 44 at source:6: all threads of a block must reach the same "
         "barrier",
         place("barrier_divergence", 4, kFirst, kFirst)},
        {"a shuffle that waits for a barrier",
         twice_kernel("  int v = i; if (i >= 64) return;\n  if (threadIdx.x == 0) v = "
                      "__shfl_sync(~0u, v, 1);\n  else "
                      "__syncthreads();\n  if (i < n) y[i] = 2 * x[i] + v * 0;"),
         "deadlock", "1 threads wait at source:4, 63 at source:5: none of them can go on",
         place("deadlock", 4, kFirst, kFirst)},
    };
    for (const Case& c : cases) {
      check(c);
    }
  }

  TEST_CASE("an endless loop ends with the line it was at") {
    const Json output =
        tools().judge(twice_problem(),
                      twice_kernel("  volatile int* p = y;\n  while (i == 5 && p[0] != 12345) {}"));
    CHECK(output["verdict"] == "timeout");
    CHECK(output["fault"]["kind"] == "timeout");
    CHECK(output["fault"]["file"] == "source");
    CHECK(output["fault"]["line"] == 4);
    const std::string message = output["message"];
    CHECK(message.starts_with("the kernel ran past its limit of "));
    CHECK(message.ends_with(" ms; it was at source:4 by thread (5,0,0) of block (0,0,0)"));
  }

  TEST_CASE("a kernel that writes an input is caught, whatever it gives") {
    check({"input",
           with_source("__global__ void k(int* x, int* y, int n) {\n  int i = blockIdx.x * "
                       "64 + threadIdx.x;\n  if (i < n) { y[i] = 2 * x[i]; x[i] = 0; }\n}\n"),
           "input_modified", "the input `x` was written",
           Json{{"kind", "input_modified"}, {"buffer", "x"}, {"access", "write"}}});
  }

  TEST_CASE("an unwritten output differs from a wrong one") {
    // Wanted values below zero: the poison of integers is never one of those, so none passes.
    Json problem = twice_problem("if (i < n) y[i] = 2 * x[i];");
    problem["args"][0]["fill"] = {{"kind", "uniform"}, {"low", -1000}, {"high", -1}};
    const Json nothing = tools().judge(problem, twice_kernel(""));
    CHECK(nothing["verdict"] == "incorrect");
    CHECK(nothing["mismatch"]["pattern"] == "no element was ever written");
    CHECK(nothing["mismatch"]["pattern_code"] == "unwritten");
    CHECK(nothing["mismatch"]["count"] == 1000);
    CHECK_FALSE(nothing.contains("mismatch_map"));  // People see it; it would fill an answer.
    const auto row = tools().services().archive->evidence(nothing["evidence_id"]);
    REQUIRE(row.has_value());
    const Json map = Json::parse(row->json)["mismatch_map"];
    CHECK(map["shape"] == Json::array({1000}));
    CHECK(map["levels"][0].get<std::string>().size() == 64);
    check({"tail", twice_kernel("  if (i < n - 5) y[i] = 2 * x[i];"), "incorrect",
           "output `y`: 5 of 1000 elements differ: the last 5 of 1000 elements are wrong and never "
           "written",
           nullptr});
  }
}

}  // namespace ws::test
