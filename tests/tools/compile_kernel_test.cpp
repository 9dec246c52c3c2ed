// Kernels that cannot be compiled or do not fit: verdicts and diagnostics.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json compile(const Json& kernel) {
  return tools().result("compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}});
}

std::string refused(const Json& kernel) {
  return tools().refusal("compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}});
}

/// The right kernel with another value in its only launch.
Json with_launch(const char* field, const char* value) {
  Json kernel = good_kernel();
  kernel["launches"][0][field] = Json::parse(value);
  return kernel;
}

Json including(const std::string& header) {
  Json kernel = good_kernel();
  kernel["source"] = "#include " + header + "\n" + kernel["source"].get<std::string>();
  return kernel;
}

/// Declares a C function for the device and calls it in line 3.
Json calling(const std::string& function, const std::string& parameters,
             const std::string& values) {
  return with_source("extern \"C\" __device__ int " + function + "(" + parameters + ");\n" +
                     "__global__ void k(const int* x, int* y, int n) {\n  y[0] = " + function +
                     "(" + values + ");\n}\n");
}

struct Case {
  const char* name;
  Json kernel;
  const char* verdict;
  const char* region;
  int line;  ///< 0: the diagnostic has none.
  const char* message;
};

void check(const Case& c) {
  CAPTURE(std::string(c.name));
  const Json output = compile(c.kernel);
  CHECK(output["verdict"] == c.verdict);
  REQUIRE(!output["diagnostics"].empty());
  const Json first = output["diagnostics"][0];
  CHECK(first["message"] == c.message);
  CHECK(first["region"] == c.region);
  CHECK(first.value("line", 0) == c.line);
  const std::string place =
      c.line > 0 ? std::string(c.region) + ":" + std::to_string(c.line) + ": " : "";
  CHECK(output["summary"] ==
        output["kernel_id"].get<std::string>() + ": " + c.verdict + ": " + place + c.message);
}

}  // namespace

TEST_SUITE("tools.compile_kernel") {
  TEST_CASE("a plan that does not fit is a verdict with one diagnostic") {
    const Case cases[] = {
        {"grid above the limit", with_launch("grid", R"(["1", "70000"])"), "resource_limit", "plan",
         0, "launches[0]: a grid of 1x70000x1 blocks; the device allows 2147483647x65535x65535"},
        {"block above the limit", with_launch("block", R"(["64", "64"])"), "resource_limit", "plan",
         0, "launches[0]: a block of 64x64x1 threads; the device allows 1024 (at most 64 in z)"},
        {"block too deep", with_launch("block", R"(["1", "1", "65"])"), "resource_limit", "plan", 0,
         "launches[0]: a block of 1x1x65 threads; the device allows 1024 (at most 64 in z)"},
        {"dynamic shared memory", with_launch("shared_bytes", R"("300000")"), "resource_limit",
         "plan", 0,
         "launches[0]: `k` needs 300000 bytes of shared memory (0 static, 300000 dynamic); the "
         "device has 232448"},
        {"static shared memory",
         twice_kernel(
             "  __shared__ int s[60000];\n  s[i % n] = i;\n  __syncthreads();\n  y[i % n] = "
             "s[0];"),
         "resource_limit", "plan", 0,
         "launches[0]: `k` needs 240000 bytes of shared memory (240000 static, 0 dynamic); the "
         "device has 232448"},
        {"too few arguments", with_launch("args", R"(["x", "y"])"), "compile_error", "plan", 0,
         "launches[0] passes 2 arguments, `k` takes 3: (const int * x, int * y, int n)"},
        {"a scalar for a pointer", with_launch("args", R"(["x", "n", "n"])"), "compile_error",
         "plan", 0,
         "launches[0].args[1]: argument `n` is a scalar, but parameter `int * y` is a pointer"},
        {"a buffer for a scalar", with_launch("args", R"(["x", "y", "y"])"), "compile_error",
         "plan", 0,
         "launches[0].args[2]: argument `y` is a buffer, but parameter `int n` is not a pointer"},
        {"a float for an integer",
         with_launch("args", R"(["x", "y", {"value": "1", "type": "f32"}])"), "compile_error",
         "plan", 0,
         "launches[0].args[2]: argument `1` is of type f32, but parameter `int n` is an integer"},
        {"eight bytes for four",
         with_launch("args", R"(["x", "y", {"value": "n", "type": "i64"}])"), "compile_error",
         "plan", 0,
         "launches[0].args[2]: argument `n` has 8 bytes (i64), but parameter `int n` has 4"},
    };
    for (const Case& c : cases) {
      check(c);
      CHECK(compile(c.kernel)["diagnostics_total"] == 1);
    }
  }

  TEST_CASE("memory and symbols that do not fit are found before anything runs") {
    Json huge = good_kernel();
    huge["scratch"] = {{{"name", "t"}, {"type", "f32"}, {"shape", {"27000000*n"}}}};
    Json missing = good_kernel();
    missing["symbols"] = {{{"name", "c"}, {"of", "x"}}};
    Json small = with_source(
        "__constant__ int c[10];\n__global__ void k(const int* x, int* y, int n) {\n  int i = "
        "blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = c[i % 10];\n}\n");
    small["symbols"] = missing["symbols"];
    const Case cases[] = {
        {"100 GB of scratch", huge, "resource_limit", "plan", 0,
         "the buffers need 102996 MiB, the limit is 4096 MiB; the largest is `t`"},
        {"a symbol that is not there", missing, "compile_error", "plan", 0,
         "symbols: the source uses no __constant__ or __device__ variable `c`"},
        {"a symbol that is too small", small, "compile_error", "plan", 0,
         "symbols: `c` has 40 bytes, its argument `x` has 4000"},
    };
    for (const Case& c : cases) {
      check(c);
    }
  }

  TEST_CASE("what reaches for the machine does not compile, and is named with its line") {
    const Case cases[] = {
        {"absolute include", including("\"/etc/passwd\""), "compile_error", "source", 1,
         "'/etc/passwd' file not found"},
        {"include from above", including("\"../../../etc/passwd\""), "compile_error", "source", 1,
         "'../../../etc/passwd' file not found"},
        {"a header of the host", including("<unistd.h>"), "compile_error", "source", 1,
         "'unistd.h' file not found"},
        {"fork", calling("fork", "", ""), "unsupported", "source", 3,
         "function `fork` is declared but not known on the CPU engine"},
        {"open", calling("open", "const char*, int", "\"/etc/passwd\", 0"), "unsupported", "source",
         3, "function `open` is declared but not known on the CPU engine"},
        {"socket", calling("socket", "int, int, int", "1, 1, 0"), "unsupported", "source", 3,
         "function `socket` is declared but not known on the CPU engine"},
        {"system", calling("system", "const char*", "\"ls\""), "unsupported", "source", 3,
         "function `system` is declared but not known on the CPU engine"},
        {"inline assembly", twice_kernel("  asm volatile(\"syscall\");"), "unsupported", "source",
         3, "inline PTX: `syscall`: the CPU engine knows no such instruction"},
        {"assembly at file scope",
         with_source("asm(\".incbin \\\"/etc/passwd\\\"\");\n" +
                     good_kernel()["source"].get<std::string>()),
         "compile_error", "source", 1, "assembly at file scope is not allowed"},
        {"a kernel that excludes itself",
         with_source("static_assert(sizeof(int) == 8, \"ws_invalid: needs wide ints\");\n" +
                     good_kernel()["source"].get<std::string>()),
         "unsupported", "source", 1,
         "static assertion failed due to requirement 'sizeof(int) == 8': ws_invalid: needs wide "
         "ints"},
    };
    for (const Case& c : cases) {
      check(c);
    }
  }

  TEST_CASE("an entry in a header is no missing one") {
    Json kernel = including("\"kernels.cuh\"");
    kernel["headers"] = {{"kernels.cuh", "__global__ void other() { x = 1; }\n"}};
    kernel["launches"] = {
        {{"entry", "other"}, {"grid", {"1"}}, {"block", {"1"}}, {"args", Json::array()}}};
    check({"in a header", kernel, "compile_error", "kernels.cuh", 1,
           "use of undeclared identifier 'x'"});
  }

  TEST_CASE("an entry that is missing or is no kernel is named") {
    const Case cases[] = {
        {"missing", with_launch("entry", R"("nothere")"), "compile_error", "entry", 0,
         "launches[0].entry: the source has no `nothere`; its __global__ functions: k"},
        {"a device function", with_source("__device__ void k(const int* x, int* y, int n) {}\n"),
         "compile_error", "entry", 0, "entry `k`: not a __global__ function"},
        {"a host function", with_source("void k(const int* x, int* y, int n) {}\n"),
         "compile_error", "entry", 0, "entry `k`: not a __global__ function"},
    };
    for (const Case& c : cases) {
      check(c);
    }
  }

  TEST_CASE("macros have line numbers of their own, and the source keeps its own") {
    Json kernel = good_kernel();
    kernel["macros"] = "#define A 1\n#error nope\n";
    check({"in the macros", kernel, "compile_error", "macros", 2, "nope"});
    kernel = twice_kernel("  y[i] = z;");
    kernel["macros"] = "#define A 1\n#define B 2\n";
    check({"in the source", kernel, "compile_error", "source", 3,
           "use of undeclared identifier 'z'"});
  }

  TEST_CASE("at most ten diagnostics are shown, and the total says how many there are") {
    std::string body;
    for (int i = 0; i < 14; ++i) {
      body += "  y[i] = u" + std::to_string(i) + ";\n";
    }
    const Json output = compile(twice_kernel(body));
    CHECK(output["verdict"] == "compile_error");
    REQUIRE(output["diagnostics"].size() == 10);
    CHECK(output["diagnostics_total"] == 14);
    for (int i = 0; i < 10; ++i) {
      const Json row = output["diagnostics"][static_cast<std::size_t>(i)];
      CHECK(row["line"] == i + 3);
      CHECK(row["column"] == 10);
      CHECK(row["message"] == "use of undeclared identifier 'u" + std::to_string(i) + "'");
      CHECK(row["snippet"] == "  y[i] = u" + std::to_string(i) + ";\n         ^");
    }
  }

  TEST_CASE("a form that is wrong is refused before a compiler sees it") {
    struct Refused {
      const char* name;
      Json kernel;
      const char* message;
    };

    Json excluded = good_kernel();
    excluded["constraints"] = {"n > 5000"};
    Json option = good_kernel();
    option["options"] = {"-fplugin=x.so"};
    Json header = good_kernel();
    header["headers"] = {{"/etc/x.h", "int x;"}};
    Json vast = good_kernel();
    vast["scratch"] = {{{"name", "t"}, {"type", "f32"}, {"shape", {"2**62", "16"}}}};
    const Refused cases[] = {
        {"unknown argument", with_launch("args", R"(["x", "y", "z"])"),
         "invalid_argument: kernel.launches[0].args[2]: unknown name `z`; known: x, y, n"},
        {"no workload left", excluded,
         "invalid_argument: no workload left by constraints: {\"n\":1000} breaks `n > 5000`; "
         "choose "
         "other params, or relax the constraints"},
        {"a grid of zero", with_launch("grid", R"(["n // 5000"])"),
         "invalid_argument: launches[0].grid[0]: `n // 5000` is 0, expected at least 1"},
        {"an offset outside",
         with_launch("args", R"([{"buffer": "x", "offset": "n+1"}, "y", "n"])"),
         "invalid_argument: launches[0].args[0].offset: `n+1` is 1001, outside `x` of 1000 "
         "elements"},
        {"a forbidden option", option,
         "invalid_argument: kernel.options[0]: option `-fplugin=x.so` is not allowed; allowed: "
         "--use_fast_math, --fmad=true|false, --ftz=true|false, --prec-div=true|false, "
         "--prec-sqrt=true|false, -std=c++14|c++17|c++20, -DNAME[=VALUE], --maxrregcount=N, "
         "-lineinfo, -O0 to -O3"},
        {"an absolute header", header,
         "invalid_argument: kernel.headers: header name `/etc/x.h` is not allowed; name it as it "
         "is "
         "included, relative and without `..`"},
        {"more than memory can name", vast,
         "invalid_argument: scratch[0]: more than 1099511627776 elements"},
        {"an undeclared parameter", twice_kernel("  y[i] = @X@;"),
         "invalid_argument: `@X@` is not declared at source:3:10; declare it in `params`\n    y[i] "
         "= @X@;\n           ^"},
    };
    for (const Refused& c : cases) {
      CAPTURE(std::string(c.name));
      CHECK(refused(c.kernel) == c.message);
    }
  }
}

}  // namespace ws::test
