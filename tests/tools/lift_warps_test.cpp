// Kernels whose warps work together: fragments, copies by cp.async, addresses in shared memory.
// Each program has to compute what its kernel computes.
#include <doctest/doctest.h>

#include "tests/support/warp_kernels.h"

namespace ws::test {
namespace {

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("tools.lift_warps") {
  TEST_CASE("fragments are tiles, and sums of halves are rounded by each product") {
    const std::string program = right_warp_program(warp_kernel(
        std::string(kFragments) +
        "  for (int p = 0; p < k; p += 32) {\n"
        "    load_matrix_sync(x, a + row * k + p, k);\n"
        "    load_matrix_sync(y, b + p * n + column, n);\n    mma_sync(sum, x, y, sum);\n"
        "    load_matrix_sync(x, a + row * k + p + 16, k);\n"
        "    load_matrix_sync(y, b + (p + 16) * n + column, n);\n    mma_sync(sum, x, y, sum);\n"
        "  }\n" +
        kStored));
    CHECK(has(program, "\"wmma\", acc=gemm("));
  }

  TEST_CASE("a barrier at the end of a round is not joined with one after the loop") {
    const std::string program = right_warp_program(warp_kernel(
        "  __shared__ half s[16][16], t[16][16], r[16][16];\n" + std::string(kFragments) +
        "  for (int p = 0; p < k; p += 16) {\n"
        "    for (int i = lane; i < 256; i += 32) {\n"
        "      s[i / 16][i % 16] = a[(row + i / 16) * k + p + i % 16];\n"
        "      t[i / 16][i % 16] = b[(p + i / 16) * n + column + i % 16];\n"
        "    }\n    __syncthreads();\n"
        "    load_matrix_sync(x, &s[0][0], 16);\n    load_matrix_sync(y, &t[0][0], 16);\n"
        "    mma_sync(sum, x, y, sum);\n    __syncthreads();\n  }\n"
        "  store_matrix_sync(&r[0][0], sum, 16, mem_row_major);\n  __syncthreads();\n"
        "  for (int i = lane; i < 256; i += 32)\n"
        "    c[(row + i / 16) * n + column + i % 16] = r[i / 16][i % 16];\n"));
    CHECK_MESSAGE(has(program, "            cta_sync()  # @ source:20-20\n        cta_sync()"),
                  program);
  }

  TEST_CASE("copies by cp.async are there when they were waited for") {
    const std::string copies =
        "  __shared__ half s[2][16][24];\n" + std::string(kFragments) +
        "  for (int p = 0; p < k; p += 16) {\n"
        "    unsigned to = __cvta_generic_to_shared(&s[0][lane / 2][lane % 2 * 8]);\n"
        "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(to),\n"
        "                 \"l\"(a + (row + lane / 2) * k + p + lane % 2 * 8));\n"
        "    to += 16 * 24 * 2;\n"
        "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(to),\n"
        "                 \"l\"(b + (p + lane / 2) * n + column + lane % 2 * 8));\n"
        "    asm volatile(\"cp.async.commit_group;\");\n";
    const std::string rest =
        "    __syncthreads();\n    load_matrix_sync(x, &s[0][0][0], 24);\n"
        "    load_matrix_sync(y, &s[1][0][0], 24);\n    mma_sync(sum, x, y, sum);\n"
        "    __syncthreads();\n  }\n" +
        std::string(kStored);
    right_warp_program(
        warp_kernel(copies + "    asm volatile(\"cp.async.wait_group 0;\");\n" + rest));
    CHECK(first_reason(copies + rest) == "`s` is read while a copy to it may be under way");
  }

  TEST_CASE("a round may work on what the one before has loaded") {
    const std::string begin =
        "  extern __shared__ half s[];\n" + std::string(kFragments) +
        "  for (int i = lane; i < 256; i += 32) s[i] = a[(row + i / 16) * k + i % 16];\n"
        "  for (int i = lane; i < 256; i += 32) s[512 + i] = b[i / 16 * n + column + i % 16];\n"
        "  __syncthreads();\n"
        "  for (int t = 1; t < k / 16; ++t) {\n"
        "    const int now = (t - 1) & 1, next = t & 1;\n"
        "    for (int i = lane; i < 256; i += 32) {\n"
        "      s[next * 256 + i] = a[(row + i / 16) * k + t * 16 + i % 16];\n";
    const std::string end =
        "    }\n    load_matrix_sync(x, s + now * 256, 16);\n"
        "    load_matrix_sync(y, s + 512 + now * 256, 16);\n    mma_sync(sum, x, y, sum);\n"
        "    __syncthreads();\n  }\n"
        "  const int last = (k / 16 - 1) & 1;\n"
        "  load_matrix_sync(x, s + last * 256, 16);\n"
        "  load_matrix_sync(y, s + 512 + last * 256, 16);\n  mma_sync(sum, x, y, sum);\n" +
        std::string(kStored);
    right_warp_program(warp_kernel(
        begin + "      s[512 + next * 256 + i] = b[(t * 16 + i / 16) * n + column + i % 16];\n" +
        end));
    // A variable that each round writes first is another one before the first round.
    const std::string offset =
        "  int offset = 0;\n" + begin +
        "      offset = (t - 1) * 16;\n"
        "      s[512 + next * 256 + i] = b[(offset + 16 + i / 16) * n + column + i % 16];\n" +
        end;
    right_warp_program(warp_kernel(offset));
    // The second round's part of b is that of the first one.
    CHECK(lift_of(warp_kernel(begin + end)).lift["verdict"] != "lifted");
  }

  TEST_CASE("swizzled addresses, and products that add in halves") {
    right_warp_program(warp_kernel(
        "  extern __shared__ half s[];\n  const unsigned base = __cvta_generic_to_shared(s);\n"
        "  unsigned sum[2][2] = {};\n"
        "  for (int p = 0; p < k; p += 16) {\n"
        "    const unsigned at = lane / 2 * 32 + lane % 2 * 16;\n"
        "    const unsigned to = (base + at) ^ ((base + at) / 64 % 2 << 4);\n"
        "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(to),\n"
        "                 \"l\"(a + (row + lane / 2) * k + p + lane % 2 * 8));\n"
        "    *(float4*)(s + 1024 + lane * 8) = *(const float4*)(b + (p + lane / 2) * n + column + "
        "lane % 2 * 8);\n"
        "    asm volatile(\"cp.async.wait_all;\");\n    __syncthreads();\n"
        "    unsigned x[4], y[2], from = base + lane % 16 * 32 + lane / 16 * 16;\n"
        "    from ^= from / 64 % 2 << 4;\n"
        "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
        "      : \"=r\"(x[0]), \"=r\"(x[1]), \"=r\"(x[2]), \"=r\"(x[3]) : \"r\"(from));\n"
        "    for (int j = 0; j < 2; ++j) {\n"
        "      from = base + 2048 + lane % 16 * 32 + j * 16;\n"
        "      asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\"\n"
        "        : \"=r\"(y[0]), \"=r\"(y[1]) : \"r\"(from));\n"
        "      asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, "
        "%4, %5}, {%6, %7}, {%8, %9};\"\n"
        "        : \"=r\"(sum[j][0]), \"=r\"(sum[j][1]) : \"r\"(x[0]), \"r\"(x[1]), \"r\"(x[2]), "
        "\"r\"(x[3]),\n"
        "          \"r\"(y[0]), \"r\"(y[1]), \"r\"(sum[j][0]), \"r\"(sum[j][1]));\n"
        "    }\n    __syncthreads();\n  }\n"
        "  for (int j = 0; j < 4; ++j)\n"
        "    *(unsigned*)(c + (row + lane / 4 + j % 2 * 8) * n + column + j / 2 * 8 + lane % 4 * "
        "2) = sum[j / 2][j % 2];\n"));
  }

  TEST_CASE("a row of blocks by the parity of another index, and blocks that have nothing to do") {
    Json turned = warp_kernel(
        "  const int at = (blockIdx.z % 2 ? gridDim.y - blockIdx.y - 1 : blockIdx.y) * 16;\n"
        "  const int from = (blockIdx.z * gridDim.x + blockIdx.x) * 16;\n"
        "  if (at >= m || from >= n) return;\n" +
        std::string(kFragments) +
        "  for (int p = 0; p < k; p += 16) {\n    load_matrix_sync(x, a + at * k + p, k);\n"
        "    load_matrix_sync(y, b + p * n + from, n);\n    mma_sync(sum, x, y, sum);\n  }\n"
        "  store_matrix_sync(c + at * n + from, sum, n, mem_row_major);\n");
    turned["launches"][0]["grid"] = Json::array({"3", "m // 16", "cdiv(n, 48)"});
    CHECK(has(right_warp_program(turned), "return"));
  }

  TEST_CASE("sums of halves keep their order, as each one is rounded") {
    const std::string program = right_warp_program(warp_kernel(
        "  const int i = row + lane / 2, j = column + lane % 2 * 8;\n"
        "  half s[8] = {__float2half(0.0f)};\n"
        "  for (int p = 0; p < k; p += 4)\n    for (int q = 0; q < 4; ++q)\n"
        "      for (int e = 0; e < 8; ++e) s[e] += a[i * k + p + q] * b[(p + q) * n + j + e];\n"
        "  for (int e = 0; e < 8; ++e) c[i * n + j + e] = s[e];\n"));
    CHECK_FALSE(has(program, "mma("));
  }

  TEST_CASE("fragments of other shapes and types are told") {
    CHECK(first_reason("  fragment<accumulator, 32, 8, 16, float> sum;\n"
                       "  fill_fragment(sum, 0.0f);\n  mma_sync(sum, fragment<matrix_a, 32, 8, 16, "
                       "half, row_major>(),\n"
                       "    fragment<matrix_b, 32, 8, 16, half, row_major>(), sum);\n") ==
          "a fragment of wmma is not one of 16 x 16 x 16 halves or bfloat16, with sums in them or "
          "floats");
  }
}

}  // namespace ws::test
