// <cuda/std/*> and <cuda/atomic> on the CPU engine.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"
#include "tests/support/expression_bench.h"

namespace ws::test {

TEST_SUITE("device.cpu.std_headers") {
  TEST_CASE("types, limits, values in groups and function objects are the standard library's") {
    constexpr ExpressionValue kValues[] = {
        {"cs::is_same_v<cs::remove_cvref_t<const int&>, int>", 1},
        {"cs::is_same<cs::conditional_t<false, int, float>, float>::value", 1},
        {"cs::is_integral_v<long> + cs::is_floating_point_v<long>", 1},
        {"cs::is_convertible_v<int, double>", 1},
        {"sizeof(cs::common_type_t<char, double>)", 8},
        {"cs::numeric_limits<int>::min()", -2147483648.0},
        {"cs::numeric_limits<unsigned char>::max()", 255},
        {"cs::numeric_limits<float>::lowest()", -0x1.fffffep127},
        {"cs::numeric_limits<double>::epsilon()", 0x1p-52},
        {"isinf(cs::numeric_limits<float>::infinity())", 1},
        {"cs::array<int, 3>{1, 2, 3 * one}[2]", 3},
        {"cs::get<1>(cs::make_tuple(1, 2.5f * one))", 2.5},
        {"cs::make_pair(one, 7).second", 7},
        {"cs::plus<>()(2, 3.5 * one)", 5.5},
        {"cs::max(3, 4 * one) + cs::clamp(9 * one, 1, 5)", 9},
        {"cuda::maximum<>()(3, 4 * one)", 4},
        {"cs::bit_cast<unsigned>(1.0f * one)", 0x3f800000},
        {"cs::sqrt(16.0 * one)", 4},
    };
    check_expressions(
        "#include <cuda/std/type_traits>\n#include <cuda/std/limits>\n#include <cuda/std/array>\n"
        "#include <cuda/std/tuple>\n#include <cuda/std/utility>\n#include <cuda/functional>\n"
        "namespace cs = cuda::std;\n",
        kValues);
  }

  TEST_CASE("device code may name the standard library, with its headers or without") {
    constexpr ExpressionValue kValues[] = {
        {"std::is_same<std::add_const_t<int>, const int>::value", 1},
        {"std::is_same_v<std::remove_volatile_t<volatile int>, int>", 1},
        {"std::conjunction_v<std::is_integral<int>, std::negation<std::is_signed<float>>>", 0},
        {"std::is_base_of<int, float>::value + std::is_empty_v<std::true_type>", 1},
        {"sizeof(std::common_type<char, double>::type)", 8},
        {"sum_of(std::make_index_sequence<5>())", 10},
        {"std::max(3, 4 * one) + std::numeric_limits<int>::digits", 35},
        {"std::get<1>(std::make_tuple(1, 2.5f * one))", 2.5},
    };
    const std::string sum =
        "template <size_t... I>\n__device__ int sum_of(std::index_sequence<I...>) {\n"
        "  return (0 + ... + (int)I);\n}\n";
    check_expressions("#include <type_traits>\n#include <utility>\n#include <tuple>\n" + sum,
                      kValues);
    check_expressions(sum, kValues);
    constexpr ExpressionValue kUsing[] = {{"one + 1", 2}};
    check_expressions("using namespace std;\n", kUsing);
  }

  TEST_CASE("atomic objects and references count for all threads, and a flag is waited for") {
    EngineRun run;
    run.source =
        "#include <cuda/atomic>\n"
        "__device__ cuda::atomic<int, cuda::thread_scope_device> flag;\n"
        "__global__ void k(int* y, float* f) {\n"
        "  cuda::atomic_ref<int, cuda::thread_scope_device> count(y[0]);\n"
        "  cuda::atomic_ref<float> sum(f[0]);\n"
        "  count.fetch_add(2, cuda::memory_order_relaxed);\n  count++;\n  sum.fetch_add(0.5f);\n"
        "  cuda::atomic_ref<int>(y[1]).fetch_max(threadIdx.x);\n"
        "  int none = 0;\n"
        "  if (cuda::atomic_ref<int>(y[2]).compare_exchange_strong(none, 5)) atomicAdd(&y[3], 1);\n"
        "  if (threadIdx.x == 0) {\n"
        "    while (flag.load(cuda::memory_order_acquire) != 31) { }\n    y[4] = 1;\n"
        "  } else {\n    flag.fetch_add(1, cuda::memory_order_release);\n  }\n}\n";
    run.entry = "k";
    run.block = {32, 1, 1};
    run.buffers = {buffer_of("y", DType::kI32, 5), buffer_of("f", DType::kF32, 1)};
    const EngineResult result = run_engine(run, [](EngineResult& made) {
      for (int& v : made.buffer<int>(0)) {
        v = 0;
      }
      made.buffer<float>(1)[0] = 0;
    });
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const int want[] = {96, 31, 5, 1, 1};
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(result.buffer<int>(0)[i] == want[i]);
    }
    CHECK(result.buffer<float>(1)[0] == 16);
  }
}

}  // namespace ws::test
