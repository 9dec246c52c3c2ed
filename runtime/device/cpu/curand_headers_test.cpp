// curand_kernel.h on the CPU engine, beside numbers that cuRAND 13.0 gives: integers and uniform
// numbers bit for bit, normal ones within the error of its sine and cosine.
#include <array>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr std::size_t kXorwowValues = 10;
constexpr std::size_t kPhiloxValues = 12;

/// One generator, and what it gives in the order of the kernel below.
struct XorwowRow {
  std::uint64_t seed;
  std::uint64_t sequence;
  std::uint64_t offset;
  std::array<std::uint32_t, 3> numbers;  ///< The first two, and the one behind all others.
  double uniform;
  double uniform_double;
  std::array<double, 5> normals;  ///< Two floats, two doubles, a log-normal float.
};

constexpr XorwowRow kXorwow[] = {
    {0u,
     0u,
     0u,
     {3179217846u, 1883133293u, 2351362526u},
     0x1.08b5e2p-1,
     0x1.245255e833fecp-4,
     {1.22961378, 0.173870713, -0.997959958636089, 1.696777829946418, 2.48934102}},
    {1234u,
     5u,
     3u,
     {1633321130u, 1363217923u, 2139935041u},
     0x1.423714p-1,
     0x1.8f808fe535a0ep-1,
     {0.331305593, 0.476313472, 1.3613607263493992, 1.3433350138811704, 4.31471348}},
    {244837814094590u,
     1099511627776u,
     1000003u,
     {940852438u, 3420185474u, 3309812941u},
     0x1.2ec6dcp-1,
     0x1.e992f1f01ae6fp-2,
     {1.15456879, -0.694492996, 0.15061129867113424, -0.34201979187735504, 5.06697655}},
    {42u,
     123456789u,
     0u,
     {3902081149u, 684391001u, 186001897u},
     0x1.80774ap-2,
     0x1.6d9c616b65e0ep-1,
     {-1.30418694, -0.00952120963, -0.43191140567240088, 0.47386734295047778, 5.44513035}},
};

constexpr const char* kXorwowSource =
    "#include <curand_kernel.h>\n"
    "__global__ void k(double* y, const unsigned long long* from) {\n"
    "  int i = threadIdx.x;\n  curandState s;\n"
    "  curand_init(from[3 * i], from[3 * i + 1], from[3 * i + 2], &s);\n"
    "  y += 10 * i;\n"
    "  y[0] = curand(&s);\n  y[1] = curand(&s);\n  y[3] = curand_uniform(&s);\n"
    "  y[4] = curand_uniform_double(&s);\n  y[5] = curand_normal(&s);\n"
    "  y[6] = curand_normal(&s);\n  y[7] = curand_normal_double(&s);\n"
    "  y[8] = curand_normal_double(&s);\n  y[9] = curand_log_normal(&s, 1.0f, 0.5f);\n"
    "  y[2] = curand(&s);\n}\n";

struct PhiloxRow {
  std::uint64_t seed;
  std::uint64_t sequence;
  std::uint64_t offset;
  std::array<std::uint32_t, 3> numbers;  ///< The first, the last of the next four, the last of all.
  std::array<double, 2> uniforms;        ///< One, and the third of four.
  std::array<double, 2> uniform_doubles;  ///< One, and the second of two.
  std::array<double, 5> normals;  ///< Two, the fourth of four, the second of two doubles, a double.
};

constexpr PhiloxRow kPhilox[] = {
    {0u,
     0u,
     0u,
     {1713891541u, 4175744164u, 182738035u},
     {0x1.72c804p-2, 0x1.3ea8cap-6},
     {0x1.20a89d7p-3, 0x1.3592203a474a6p-1},
     {-0.521760702, 1.19614136, -0.396234125, -0.20273336883257834, -0.51393427559881355}},
    {1234u,
     5u,
     3u,
     {3180702920u, 1925342002u, 3090651389u},
     {0x1.354de8p-3, 0x1.a3d0acp-1},
     {0x1.c17f3208p-3, 0x1.3c28f723f165cp-1},
     {1.63046217, -1.14279723, 0.243558347, 0.78712261872466083, 0.016431032657671013}},
    {244837814094590u,
     1099511627776u,
     1000001u,
     {3774010865u, 600296236u, 1675953020u},
     {0x1.b64cccp-4, 0x1.3410e8p-4},
     {0x1.ed62641ep-1, 0x1.06fe80e1efd6p-7},
     {0.460533559, 0.888940752, -0.0274897218, -0.1423845074098064, 0.82289848566079871}},
    {42u,
     123456789u,
     2u,
     {350685889u, 997653212u, 1912216561u},
     {0x1.ed566ep-1, 0x1.8018ecp-2},
     {0x1.bf5c66acp-1, 0x1.7df195d4eb0bep-1},
     {0.408604354, -2.14624071, 0.345341682, 1.1581738782365933, -0.69344298113677916}},
};

constexpr const char* kPhiloxSource =
    "#include <curand_kernel.h>\n"
    "__global__ void k(double* y, const unsigned long long* from) {\n"
    "  int i = threadIdx.x;\n  curandStatePhilox4_32_10_t s;\n"
    "  curand_init(from[3 * i], from[3 * i + 1], from[3 * i + 2], &s);\n"
    "  y += 12 * i;\n"
    "  y[0] = curand(&s);\n  y[1] = curand4(&s).w;\n  y[3] = curand_uniform(&s);\n"
    "  y[4] = curand_uniform4(&s).z;\n  y[5] = curand_uniform_double(&s);\n"
    "  y[6] = curand_uniform2_double(&s).y;\n  y[7] = curand_normal(&s);\n"
    "  y[8] = curand_normal(&s);\n  y[9] = curand_normal4(&s).w;\n"
    "  y[10] = curand_normal2_double(&s).y;\n  y[11] = curand_normal_double(&s);\n"
    "  y[2] = curand(&s);\n}\n";

template <typename Row, std::size_t N>
EngineResult run_generators(const char* source, const Row (&rows)[N], std::size_t values) {
  EngineRun run;
  run.source = source;
  run.entry = "k";
  run.block = {static_cast<std::int64_t>(N), 1, 1};
  run.buffers = {buffer_of("y", DType::kF64, static_cast<std::int64_t>(N * values)),
                 buffer_of("from", DType::kU64, static_cast<std::int64_t>(3 * N))};
  EngineResult result = run_engine(run, [&](EngineResult& made) {
    for (std::size_t i = 0; i < N; ++i) {
      made.buffer<std::uint64_t>(1)[3 * i] = rows[i].seed;
      made.buffer<std::uint64_t>(1)[3 * i + 1] = rows[i].sequence;
      made.buffer<std::uint64_t>(1)[3 * i + 2] = rows[i].offset;
    }
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  return result;
}

}  // namespace

TEST_SUITE("device.cpu.curand_headers") {
  TEST_CASE("XORWOW gives cuRAND's numbers, from any sequence and offset on") {
    const EngineResult result = run_generators(kXorwowSource, kXorwow, kXorwowValues);
    const double* y = result.buffer<double>(0).data();
    for (const XorwowRow& row : kXorwow) {
      CAPTURE(row.seed);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(y[i] == row.numbers.at(i));
      }
      CHECK(y[3] == row.uniform);
      CHECK(y[4] == row.uniform_double);
      for (std::size_t i = 0; i < row.normals.size(); ++i) {
        CHECK(y[5 + i] == doctest::Approx(row.normals.at(i)).epsilon(1e-5));
      }
      y += kXorwowValues;
    }
  }

  TEST_CASE("Philox gives cuRAND's numbers, one at a time or several") {
    const EngineResult result = run_generators(kPhiloxSource, kPhilox, kPhiloxValues);
    const double* y = result.buffer<double>(0).data();
    for (const PhiloxRow& row : kPhilox) {
      CAPTURE(row.seed);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(y[i] == row.numbers.at(i));
      }
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(y[3 + i] == row.uniforms.at(i));
        CHECK(y[5 + i] == row.uniform_doubles.at(i));
      }
      for (std::size_t i = 0; i < row.normals.size(); ++i) {
        CHECK(y[7 + i] == doctest::Approx(row.normals.at(i)).epsilon(1e-5));
      }
      y += kPhiloxValues;
    }
  }

  TEST_CASE("a state has the size of cuRAND's, for the memory that a plan gives it") {
    CHECK(compiled_source("#include <curand_kernel.h>\n"
                          "static_assert(sizeof(curandState) == 48);\n"
                          "static_assert(sizeof(curandStatePhilox4_32_10_t) == 64);\n"
                          "__global__ void k(curandState* s) { skipahead(3, s); }\n")
              .message.empty());
  }

  TEST_CASE("generators and distributions that are missing say which are there") {
    constexpr const char* kGenerator =
        "'curandStateMRG32k3a' is unavailable: the CPU engine has the generators XORWOW "
        "(`curandState`) and Philox (`curandStatePhilox4_32_10_t`) only";
    CHECK(compiled_source("#include <curand_kernel.h>\n"
                          "__global__ void k() { curandStateMRG32k3a s; }\n")
              .message == kGenerator);
    CHECK(compiled_source("#include <curand_uniform.h>\n"
                          "__global__ void k(curandState* s, int* y) { *y = curand_poisson(s, 2); "
                          "}\n")
              .message ==
          "'curand_poisson<curandStateXORWOW>' is unavailable: the CPU engine has no Poisson "
          "numbers: use curand_uniform, curand_normal or curand_log_normal");
  }
}

}  // namespace ws::test
