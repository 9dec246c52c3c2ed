// Arithmetic and conversions with their way of rounding in their names, on the CPU engine, beside
// the processor's own arithmetic in that way.
#include <cfenv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"
#include "tests/support/expression_bench.h"

namespace ws::test {
namespace {

struct Way {
  const char* suffix;
  int mode;  ///< As fesetround takes it.
};

constexpr Way kWays[] = {
    {"rn", FE_TONEAREST}, {"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}, {"rz", FE_TOWARDZERO}};

/// The way of rounding while it lives.
class Rounding {
 public:
  explicit Rounding(int mode) { std::fesetround(mode); }

  ~Rounding() { std::fesetround(FE_TONEAREST); }

  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};

/// The compiler moves no volatile over a change of the way.
template <typename To, typename From>
To converted(From value, int mode) {
  const volatile From from = value;
  const Rounding way(mode);
  const volatile To to = static_cast<To>(from);
  return to;
}

/// Numbers around those where a float or a double has no more digits, and the largest.
template <typename Integer>
std::vector<Integer> edge_integers() {
  std::vector<Integer> values = {0, 1, std::numeric_limits<Integer>::max(),
                                 std::numeric_limits<Integer>::max() - 1};
  for (int bit = 23; bit < std::numeric_limits<Integer>::digits; ++bit) {
    const Integer power = Integer{1} << static_cast<unsigned>(bit);
    for (const Integer less : {-3, -1}) {
      values.push_back(static_cast<Integer>(power + less));
    }
    for (const Integer more : {0, 1, 2, 3, 5, 257}) {
      values.push_back(static_cast<Integer>(power + more));
    }
  }
  if constexpr (std::numeric_limits<Integer>::is_signed) {
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<Integer>(-values[i]));
    }
    values.push_back(std::numeric_limits<Integer>::min());
  }
  return values;
}

struct TypeNames {
  const char* from;  ///< In the function's name.
  const char* type;
  const char* to;
  DType from_type;
  DType to_type;
};

template <typename From, typename To>
void check_conversions(const TypeNames& names, const std::vector<From>& values) {
  EngineRun run;
  run.source = "__global__ void k(" + std::string(names.to) + "* y, const " + names.type +
               "* x) {\n  int i = blockIdx.x;\n";
  for (const Way& way : kWays) {
    run.source += "  y[4 * i + " + std::to_string(&way - kWays) + "] = __" + names.from + "2" +
                  names.to + "_" + way.suffix + "(x[i]);\n";
  }
  run.source += "}\n";
  run.entry = "k";
  const auto count = static_cast<std::int64_t>(values.size());
  run.grid = {count, 1, 1};
  run.buffers = {buffer_of("y", names.to_type, 4 * count), buffer_of("x", names.from_type, count)};
  const EngineResult result = run_engine(run, [&](EngineResult& made) {
    std::copy(values.begin(), values.end(), made.template buffer<From>(1).begin());
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const Way& way : kWays) {
      CAPTURE(std::string(names.from));
      CAPTURE(std::string(way.suffix));
      CAPTURE(values[i]);
      CHECK(result.buffer<To>(0)[4 * i + static_cast<std::size_t>(&way - kWays)] ==
            converted<To>(values[i], way.mode));
    }
  }
}

}  // namespace

TEST_SUITE("device.cpu.rounding_headers") {
  TEST_CASE("integers become floats as the function's name says, where digits are lost") {
    check_conversions<int, float>({"int", "int", "float", DType::kI32, DType::kF32},
                                  edge_integers<int>());
    check_conversions<unsigned, float>({"uint", "unsigned", "float", DType::kU32, DType::kF32},
                                       edge_integers<unsigned>());
    check_conversions<long long, float>({"ll", "long long", "float", DType::kI64, DType::kF32},
                                        edge_integers<long long>());
    check_conversions<unsigned long long, float>(
        {"ull", "unsigned long long", "float", DType::kU64, DType::kF32},
        edge_integers<unsigned long long>());
    check_conversions<long long, double>({"ll", "long long", "double", DType::kI64, DType::kF64},
                                         edge_integers<long long>());
    check_conversions<unsigned long long, double>(
        {"ull", "unsigned long long", "double", DType::kU64, DType::kF64},
        edge_integers<unsigned long long>());
  }

  TEST_CASE("doubles become floats as the function's name says") {
    std::vector<double> values;
    for (const double value : {0.1, 1.0, 1.0 + 0x1p-30, 0x1.fffffep127, 0x1.ffffffp127, 1e300,
                               0x1p-126, 0x1.8p-140, 0x1p-149, 0x1p-150, 1e-300, 0.0}) {
      values.push_back(value);
      values.push_back(-value);
    }
    check_conversions<double, float>({"double", "double", "float", DType::kF64, DType::kF32},
                                     values);
  }

  TEST_CASE("sums, products, quotients and roots are rounded as the function's name says") {
    constexpr ExpressionValue kValues[] = {
        {"__fadd_rd(1.0f, 0x1p-30f * one)", 1},
        {"__fadd_ru(1.0f, 0x1p-30f * one)", 1 + 0x1p-23},
        {"__fadd_rz(-1.0f, -0x1p-30f * one)", -1},
        {"__fsub_rd(1.0f, 0x1p-30f * one)", 1 - 0x1p-24},
        {"__fmul_ru(1.0f + 0x1p-23f, 1.0f + 0x1p-23f * one)", 1 + 0x1.8p-22},
        {"__fdiv_rd(1.0f, 3.0f * one)", 0x1.555554p-2},
        {"__fdiv_ru(1.0f, 3.0f * one)", 0x1.555556p-2},
        {"__frcp_rz(-3.0f * one)", -0x1.555554p-2},
        {"__fsqrt_rd(2.0f * one)", 0x1.6a09e6p0},
        {"__fsqrt_ru(2.0f * one)", 0x1.6a09e8p0},
        {"__fmaf_ru(0x1p-20f, 0x1p-20f * one, 1.0f)", 1 + 0x1p-23},
        {"__dadd_ru(1.0, 0x1p-60 * one)", 1 + 0x1p-52},
        {"__dmul_rz(-0.1, 0.1 * one) == -0x1.47ae147ae147bp-7", 1},
        {"__ddiv_rd(1.0, 3.0 * one) == 0x1.5555555555555p-2", 1},
        {"__drcp_ru(3.0 * one) == 0x1.5555555555556p-2", 1},
        {"__dsqrt_rz(2.0 * one) == 0x1.6a09e667f3bccp0", 1},
        {"__fma_rd(0x1p-40, -0x1p-40 * one, 1.0) == 1 - 0x1p-53", 1},
    };
    check_expressions("", kValues);
  }
}

}  // namespace ws::test
