// Kernels that would keep the lifter busy: it runs in the server, so it must end in any case.
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/base/processor_time.h"
#include "runtime/ir/syntax/parser.h"
#include "tests/ir/program_bench.h"
#include "tests/support/tool_bench.h"
#include "tools/kernels/lifting.h"

namespace ws::test {
namespace {

using std::chrono::milliseconds;

/// Numbers of 1024 threads, and as many steps as the lifter takes: some seconds.
constexpr const char* kSlow =
    "  int v = threadIdx.x;\n"
    "  for (int a = 0; a < 100; ++a)\n    for (int b = 0; b < 100; ++b)\n"
    "      for (int c = 0; c < 100; ++c) v = (v ^ (threadIdx.x * a + b)) & 1023;\n"
    "  if (i < n) y[i] = v;";

Result<Lifting> lift_twice(const std::string& body, int threads, milliseconds limit,
                           const std::stop_token& stop) {
  Json kernel = twice_kernel(body);
  kernel["launches"][0]["block"] = {std::to_string(threads)};
  const std::string id = tools().compiled(twice_problem(), kernel);
  WS_TRY(const Subject subject, load_subject(*tools().services().archive, id));
  LiftChoice choice;
  choice.limit = limit;
  return lift_kernel(tools().services(), subject, choice, stop);
}

/// This thread's processor time: others may run beside it.
milliseconds since(std::chrono::nanoseconds start) {
  return std::chrono::duration_cast<milliseconds>(thread_processor_time() - start);
}

}  // namespace

TEST_SUITE("tools.lift_limits") {
  TEST_CASE("a lift that takes too long ends, with its reason") {
    const std::chrono::nanoseconds start = thread_processor_time();
    const Result<Lifting> lifting = lift_twice(kSlow, 1024, milliseconds(50), {});
    REQUIRE(lifting.has_value());
    CHECK(lifting->program.ir.empty());
    CHECK(lifting->program.not_lifted.at(0).why == "the kernel takes too long to lift");
    CHECK(since(start) < milliseconds(2000));
  }

  TEST_CASE("a hole for want of time is reported as such") {
    const Json problem =
        Json::parse(ir::repository_file("examples/kernels/attention-f16/problem.json"));
    const Json kernel = Json::parse(ir::repository_file("examples/kernels/attention-f16/tma.json"));
    const std::string id =
        tools().result("compile_kernel", {{"problem", problem}, {"kernel", kernel}})["kernel_id"];
    const Subject subject = *load_subject(*tools().services().archive, id);
    LiftChoice choice;
    choice.params = subject.kernel.defaults;
    choice.limit = milliseconds(0);
    const Result<Lifting> lifting = lift_kernel(tools().services(), subject, choice, {});
    REQUIRE(lifting.has_value());
    CHECK_FALSE(lifting->program.holes.empty());
    CHECK(lifting->program.not_lifted.at(0).why == "the kernel takes too long to lift");
  }

  TEST_CASE("a lift that nobody waits for any more ends") {
    std::stop_source source;
    std::jthread canceller([&] {
      std::this_thread::sleep_for(milliseconds(400));
      source.request_stop();
    });
    const Result<Lifting> lifting =
        lift_twice(kSlow, 1024, milliseconds(60'000), source.get_token());
    REQUIRE_FALSE(lifting.has_value());
    CHECK(to_text(lifting.error()) == "cancelled: the lift was cancelled");
  }

  TEST_CASE("values, products and calls that grow without end do not hold it up") {
    struct Row {
      const char* name;
      std::string body;
    };

    const Row rows[] = {
        {"a value added to itself",
         "  float v = x[i];\n  for (int a = 0; a < 100; ++a) v = v + v;\n  if (i < n) y[i] = v;"},
        {"a value times itself",
         "  float v = x[i];\n  for (int a = 0; a < 100; ++a) v = v * v;\n  if (i < n) y[i] = v;"},
        {"a polynomial times itself",
         "  int v = n + blockIdx.x + blockIdx.y + blockIdx.z + gridDim.x;\n"
         "  for (int a = 0; a < 20; ++a) v = v * v;\n  if (i < n) y[i] = v;"},
        {"a chain of a million additions",
         "  float v = x[i];\n  for (int a = 0; a < 100; ++a)\n    for (int b = 0; b < 100; ++b) v "
         "= "
         "v * 0.5f + 1.0f;\n  if (i < n) y[i] = v;"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const std::chrono::nanoseconds start = thread_processor_time();
      REQUIRE(lift_twice(row.body, 64, milliseconds(20'000), {}).has_value());
      CHECK(since(start) < milliseconds(8000));
    }
  }

  TEST_CASE("conditions that stand in each other many times are looked at once") {
    std::string body = "  bool p0 = n > 7 || blockIdx.x > 3;\n";
    for (int i = 1; i < 40; ++i) {
      const std::string before = "p" + std::to_string(i - 1);
      body += "  bool p" + std::to_string(i) + " = " + before + " || (" + before + " && n > 9);\n";
    }
    const std::chrono::nanoseconds start = thread_processor_time();
    const Result<Lifting> lifting = lift_twice(
        body + "  if (p39) return;\n  if (i < n) y[i] = 2 * x[i];", 256, milliseconds(10000), {});
    REQUIRE(lifting.has_value());
    CHECK(lifting->program.ir.empty());
    CHECK(lifting->program.not_lifted.at(0).why == "an expression that is too large");
    CHECK(since(start) < milliseconds(2000));
  }

  TEST_CASE("names that CuIR does not have are told") {
    const Result<Lifting> lifting = lift_twice(
        "  if (i >= n) return;\n  float $x = x[i];\n  $x = $x * x[i] + $x;\n"
        "  y[i] = $x * $x;",
        256, milliseconds(10000), {});
    REQUIRE(lifting.has_value());
    CHECK(lifting->program.not_lifted.at(0).why ==
          "an expression or a name that CuIR does not have");
  }

  TEST_CASE("a program that would be too long to parse is refused with its size") {
    const std::string numbers(300, 's');  // A program has the name many times.
    std::string body = "  __shared__ float " + numbers + "[64];\n  " + numbers +
                       "[threadIdx.x] = i < n ? x[i] : 0;\n  __syncthreads();\n  float v = 1;\n";
    for (int loop = 0; loop < 3; ++loop) {
      body += "  for (int p = 0; p < n; ++p)\n    for (int a = 0; a < 12; ++a) v += " + numbers +
              "[63 - a] * (0.5f * v);\n";
    }
    const Result<Lifting> lifting =
        lift_twice(body + "  if (i < n) y[i] = v;", 64, milliseconds(60'000), {});
    REQUIRE(lifting.has_value());
    const std::string why = lifting->program.not_lifted.at(0).why;
    CHECK_MESSAGE(why.starts_with("a program of 1"), why);
    CHECK_MESSAGE(why.ends_with(" bytes: at most 1048576 are allowed"), why);
  }

  TEST_CASE("an expression is lifted where a program may be as deep, and else refused") {
    const auto lifted = [](int levels) {
      std::string value = "v";
      for (int i = 0; i < levels; ++i) {
        value = "v * (1.5f - " + value + ")";
      }
      return lift_twice("  float v = x[i];\n  if (i < n) y[i] = " + value + ";", 64,
                        milliseconds(60'000), {});
    };
    const Result<Lifting> deep = lifted(28);
    REQUIRE(deep.has_value());
    CHECK(deep->program.whole());
    CHECK(ir::parse_program(deep->program.ir));
    const Result<Lifting> deeper = lifted(40);
    REQUIRE(deeper.has_value());
    CHECK(deeper->program.ir.empty());
    CHECK(deeper->program.not_lifted.at(0).why == "an expression that is too large");
  }

  TEST_CASE("a grid is lifted as it was written, unless it is too large for a program") {
    const auto lifted = [](const std::string& grid) {
      Json kernel = good_kernel();
      kernel["launches"][0]["grid"] = {grid};
      const std::string id = tools().compiled(twice_problem(), kernel);
      const Result<Subject> subject = load_subject(*tools().services().archive, id);
      REQUIRE(subject.has_value());
      return lift_kernel(tools().services(), *subject, {}, {});
    };
    const Result<Lifting> blank = lifted(" \t(n + 63) // 64");
    REQUIRE_MESSAGE(blank.has_value(), to_text(blank.error()));
    CHECK(blank->program.whole());
    // As a part of `self.gridDim` a grid is one deeper than by itself.
    int whole = 0;
    int refused = 0;
    std::string terms = "(n + 63) // 64";
    for (int i = 1; i <= 101; ++i) {
      terms += " + 0";
      if (i < 95) {
        continue;
      }
      CAPTURE(i);
      const Result<Lifting> large = lifted(terms);
      whole += large && large->program.ir.find("self.gridDim = ((n") != std::string::npos ? 1 : 0;
      refused += !large && to_text(large.error()) ==
                               "unsupported: the grid of launch 0 is no expression of CuIR; it may "
                               "be nested too deep, or have too many terms"
                     ? 1
                     : 0;
    }
    CHECK(whole > 0);
    CHECK(refused > 0);
    CHECK(whole + refused == 7);
  }

  TEST_CASE("functions that call each other many times are looked into once") {
    Json kernel = good_kernel();
    std::string source = "__device__ void f0() { __syncwarp(); }\n";
    for (int depth = 1; depth <= 12; ++depth) {
      const std::string inner = "f" + std::to_string(depth - 1) + "(); ";
      std::string calls;
      for (int i = 0; i < 12; ++i) {
        calls += inner;
      }
      source += "__device__ void f" + std::to_string(depth) + "() { " + calls + "}\n";
    }
    source += "__global__ void k(const int* x, int* y, int n) {\n";
    source += "  if (n < 0) f12();\n  int i = blockIdx.x * 64 + threadIdx.x;\n";
    source += "  if (i < n) y[i] = 2 * x[i];\n}\n";
    kernel["source"] = source;
    const Json made =
        tools().result("compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}});
    const Result<Subject> subject =
        load_subject(*tools().services().archive, made["kernel_id"].get<std::string>());
    REQUIRE(subject.has_value());
    const std::chrono::nanoseconds start = thread_processor_time();
    REQUIRE(lift_kernel(tools().services(), *subject, {}, {}).has_value());
    CHECK(since(start) < milliseconds(8000));
  }
}

}  // namespace ws::test
