// The helper files that passes import: values on the CPU engine, and that each compiles for the
// GPUs that it is for.
#include <doctest/doctest.h>

#include "runtime/compile/toolkit.h"
#include "runtime/session/skills.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A kernel `k(const int* x, int* y, int n)` with one helper file, and those that it includes.
Json kernel_with(const std::string& helper, const std::string& body) {
  const SkillLibrary skills = current_skills(tools().services().options);
  REQUIRE(skills.helpers.contains(helper));
  Json kernel = twice_kernel(body);
  kernel["source"] = "#include \"" + helper + "\"\n" + kernel["source"].get<std::string>();
  kernel["headers"] = skills.with_includes({helper});
  return kernel;
}

struct Value {
  const char* helper;
  const char* body;       ///< The kernel's body; i is the element, n is 1000.
  const char* reference;  ///< The same values, written another way.
};

constexpr Value kValues[] = {
    {"ws_swizzle.cuh", "if (i < n) y[i] = ws::swizzle_128(i * 4);",
     "if (i < n) { int b = i * 4, row = b / 128 % 8, piece = b % 128 / 16;"
     " int moved = piece - (piece & row) * 2 + row; y[i] = b / 128 * 128 + moved * 16 + b % 16; }"},
    {"ws_swizzle.cuh", "if (i < n) y[i] = ws::swizzle_64(i * 4);",
     "if (i < n) { int b = i * 4, row = b / 128 % 4, piece = b % 64 / 16;"
     " int moved = piece - (piece & row) * 2 + row; y[i] = b / 64 * 64 + moved * 16 + b % 16; }"},
    {"ws_swizzle.cuh", "if (i < n) y[i] = ws::swizzle_32(i * 4);",
     "if (i < n) { int b = i * 4, odd = b / 128 % 2, piece = b % 32 / 16;"
     " y[i] = b / 32 * 32 + (odd ? 1 - piece : piece) * 16 + b % 16; }"},
    {"ws_swizzle.cuh", "if (i < n) y[i] = ws::swizzled_piece<8>(i / 8, i % 8);",
     "if (i < n) { int r = i / 8 % 8, p = i % 8; y[i] = p - (p & r) * 2 + r; }"},
    {"ws_swizzle.cuh", "if (i < n) y[i] = ws::swizzled_piece<4>(i / 4, i % 4);",
     "if (i < n) { int r = i / 8 % 4, p = i % 4; y[i] = p - (p & r) * 2 + r; }"},
    // Bits 0 to 13 the address, 16 to 29 the leading offset, 32 to 45 the stride, 62 the swizzle;
    // each without its last four.
    {"ws_swizzle.cuh",
     "if (i < n) { unsigned long long d = ws::wgmma_descriptor(i / 2 * 1024, 16, 1024,"
     " ws::kSwizzle128); y[i] = (int)(i % 2 ? d >> 32 : d); }",
     "if (i < n) y[i] = i % 2 ? (1 << 30) + 64 : (1 << 16) + i / 2 % 256 * 64;"},
    {"ws_swizzle.cuh",
     "if (i < n) { ws::BlockPlace p = ws::grouped_block(i % 35, 5, 7, 2);"
     " y[i] = p.row * 100 + p.column; }",
     "if (i < n) { int left = i % 35, first = 0; while (left >= 14) { left -= 14; first += 2; }"
     " int rows = first == 4 ? 1 : 2; y[i] = (first + left % rows) * 100 + left / rows; }"},
    {"ws_reduce.cuh",
     "__shared__ float partial[32]; float sum = ws::block_sum(i < n ? x[i] : 0.0f, partial);"
     " float again = ws::block_sum(sum, partial); if (i < n) y[i] = again == sum * 64 ? (int)sum : "
     "-1;",
     "if (i < n) { int sum = 0; for (int j = i / 64 * 64; j < n && j < i / 64 * 64 + 64; ++j)"
     " sum += x[j]; y[i] = sum; }"},
    {"ws_reduce.cuh",
     "__shared__ float partial[32]; float most = ws::block_max(i < n ? x[i] : -1e9f, partial, "
     "-1e9f);"
     " if (i < n) y[i] = (int)most;",
     "if (i < n) { int most = -2000; for (int j = i / 64 * 64; j < n && j < i / 64 * 64 + 64; ++j)"
     " if (x[j] > most) most = x[j]; y[i] = most; }"},
};

struct Use {
  const char* helper;
  const char* bounds;  ///< The bounds of its launch.
  const char* body;
};

constexpr Use kUses[] = {
    {"ws_reduce.cuh", "", "y[i] = (int)ws::warp_max(x[i]);"},
    {"ws_swizzle.cuh", "", "y[i] = ws::swizzle_64(i);"},
    {"ws_cp_async.cuh", "",
     "__shared__ int t[256]; ws::cp_async_16(&t[threadIdx.x * 4], x, true);"
     " ws::cp_async_4(&t[threadIdx.x], x + i, i < n); ws::cp_async_commit();"
     " ws::cp_async_wait<1>(); ws::cp_async_wait<0>(); __syncthreads(); y[i] = t[threadIdx.x];"},
    {"ws_mma.cuh", "",
     "__shared__ unsigned t[256]; t[threadIdx.x] = x[i]; __syncthreads(); float c[4] = {};"
     " unsigned a[4], b[4]; ws::ldmatrix_4(a, &t[threadIdx.x % 32 * 4]);"
     " ws::ldmatrix_4_transposed(b, &t[threadIdx.x % 32 * 4]); unsigned half[2] = {b[0], b[1]};"
     " ws::mma_f16(c, a, half); ws::mma_bf16(c, a, half); y[i] = (int)c[0];"},
    {"ws_mbarrier.cuh", "",
     "__shared__ __align__(8) unsigned long long b[2]; if (threadIdx.x == 0) {"
     " ws::mbarrier_init(&b[0], 64); ws::mbarrier_init(&b[1], 1); ws::fence_barrier_init(); }"
     " __syncthreads(); ws::mbarrier_arrive(&b[0]); ws::mbarrier_wait(&b[0], 0);"
     " if (threadIdx.x == 0) ws::mbarrier_arrive_expect(&b[1], 0); ws::mbarrier_wait(&b[1], 0);"
     " ws::mbarrier_arrive_remote(&b[0], 0); ws::fence_async_shared(); y[i] = x[i];"},
    {"ws_tma.cuh", "",
     "__shared__ __align__(1024) int t[2048]; __shared__ __align__(8) unsigned long long b;"
     " ws::tma_prefetch(x); ws::tma_load_2d(t, x, &b, 0, 0); ws::tma_load_3d(t, x, &b, 0, 0, 0);"
     " ws::tma_load_2d_multicast(t, x, &b, 0, 0, 3); ws::tma_store_2d(y, t, 0, 0);"
     " ws::tma_store_commit(); ws::tma_store_wait_read<0>(); ws::cluster_sync();"
     " y[i] = ws::cluster_block();"},
    {"ws_wgmma.cuh", "__launch_bounds__(128, 1) ",
     "__shared__ __align__(1024) int t[8192]; float c[32] = {}, d[64] = {};"
     " ws::more_registers<232>(); ws::wgmma_fence();"
     " ws::wgmma_64x64x16(c, ws::wgmma_tile(t), ws::wgmma_tile(t), 1);"
     " ws::wgmma_64x128x16(d, ws::wgmma_tile(t), ws::wgmma_tile(t), 0); ws::wgmma_commit();"
     " ws::wgmma_wait<0>(); ws::fewer_registers<24>(); y[i] = (int)(c[0] + d[63]);"},
    {"ws_wgmma_registers.cuh", "__launch_bounds__(128, 1) ",
     "__shared__ __align__(1024) int t[8192]; float c[32] = {}, d[64] = {};"
     " const unsigned a[4] = {(unsigned)x[i], 1, 2, 3}; ws::wgmma_fence();"
     " ws::wgmma_registers(c, a, ws::wgmma_rows(t, 16384), 1);"
     " ws::wgmma_registers(d, a, ws::wgmma_rows(t, 16384), 0); ws::wgmma_commit();"
     " ws::wgmma_wait<0>(); y[i] = (int)(c[0] + d[63]);"},
};

}  // namespace

TEST_SUITE("tools.transformation_library") {
  TEST_CASE("the helpers that a host could compute give the values of their definitions") {
    for (const Value& value : kValues) {
      CAPTURE(value.body);
      const Json result =
          tools().judge(twice_problem(value.reference), kernel_with(value.helper, value.body));
      CHECK_MESSAGE(result["verdict"] == "passed", result.dump());
    }
  }

  TEST_CASE("a helper file that is included and was not sent is found, with those it includes") {
    const std::string body =
        "__shared__ float partial[32]; float most = ws::block_max(i < n ? x[i] : -1e9f, partial, "
        "-1e9f); if (i < n) y[i] = 2 * x[i] + 0 * (int)most;";
    const auto headers_of = [](const Json& compiled) {
      const std::string id = compiled["kernel_id"];
      return Json::parse(tools().services().archive->kernel(id)->json)["headers"];
    };
    const auto names_of = [&](const Json& compiled) {
      std::string names;
      const Json headers = headers_of(compiled);
      for (const auto& header : headers.items()) {
        names += header.key() + " ";
      }
      return names;
    };
    const auto compiled = [](const Json& kernel, const char* arch) {
      Json arguments = {{"problem", twice_problem()}, {"kernel", kernel}};
      if (*arch != '\0') {
        arguments["arch"] = arch;
      }
      return tools().result("compile_kernel", arguments);
    };
    Json kernel = kernel_with("ws_reduce.cuh", body);
    kernel.erase("headers");
    const Json judged = tools().judge(twice_problem(), kernel);
    CHECK_MESSAGE(judged["verdict"] == "passed", judged.dump());
    CHECK(names_of(judged) == "ws_reduce.cuh ");

    // By an edit of a kernel that did without.
    const Json edited = tools().result(
        "compile_kernel",
        {{"base", tools().compiled(twice_problem(), good_kernel())},
         {"edits",
          {{{"op", "insert"}, {"from", 1}, {"text", "#include <ws_wgmma_registers.cuh>"}}}}});
    CHECK(edited["parent"] == tools().compiled(twice_problem(), good_kernel()));
    CHECK(names_of(edited) ==
          "ws_cp_async.cuh ws_swizzle.cuh ws_wgmma.cuh ws_wgmma_registers.cuh ");

    kernel["headers"] = {{"ws_reduce.cuh", "namespace ws {}\n"}};
    CHECK(headers_of(compiled(kernel, "")) == kernel["headers"]);
    kernel["source"] = "#  include \"ws_none.cuh\"\n" + kernel["source"].get<std::string>();
    CHECK(compiled(kernel, "")["verdict"] == "compile_error");
  }

  TEST_CASE("every helper file compiles for sm_90a, all its functions used") {
    if (const auto toolkit = find_toolkit({}); !toolkit) {
      MESSAGE("left out: compiling for NVIDIA GPUs (" << toolkit.error().message << ")");
      return;
    }
    const SkillLibrary skills = current_skills(tools().services().options);
    for (const auto& [helper, text] : skills.helpers) {
      bool used = false;
      for (const Use& use : kUses) {
        used = used || use.helper == helper;
      }
      CHECK_MESSAGE(used, helper << " is not tried");
    }
    for (const Use& use : kUses) {
      CAPTURE(use.helper);
      Json kernel = kernel_with(use.helper, use.body);
      std::string source = kernel["source"];
      if (*use.bounds != '\0') {
        source.insert(source.find("void k("), use.bounds);
      }
      kernel["source"] = source;
      const Json result = tools().result(
          "compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}, {"arch", "sm_90a"}});
      CHECK_MESSAGE(result["verdict"] == "compiled", result.dump());
    }
  }
}

}  // namespace ws::test
