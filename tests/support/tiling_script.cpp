#include "tests/support/tiling_script.h"

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"

namespace ws::test {

Json matmul_example(const std::string& name) {
  const auto text = read_file(source_dir() / ("examples/kernels/matmul/" + name + ".json"));
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

Json replace_edit(int from, int to, const std::string& old, const std::string& text) {
  return {{"op", "replace"}, {"from", from}, {"to", to}, {"old", old}, {"text", text}};
}

Json insert_edit(int from, const std::string& text) {
  return {{"op", "insert"}, {"from", from}, {"text", text}};
}

Json tile_sizes() {
  Json launch = matmul_example("naive")["launches"];
  launch[0]["grid"] = {"cdiv(n, BN)", "cdiv(m, BM)"};
  launch[0]["block"] = {"BN", "BM"};
  return {{"edits",
           {{{"region", "macros"},
             {"op", "insert"},
             {"from", 1},
             {"text", "#define BM @BM@\n#define BN @BN@\n"}}}},
          {"set", {{"launches", launch}}}};
}

Json scripted_pass(int pass) {
  const std::string place =
      "  int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  int row = blockIdx.y * blockDim.y + threadIdx.y;";
  const std::string loop =
      "    for (int i = 0; i < k; ++i) {\n"
      "      sum += A[row * k + i] * B[i * n + col];\n"
      "    }";
  switch (pass) {
    case 2:
      return {
          {"edits",
           {replace_edit(4, 11,
                         place + "\n  if (row < m && col < n) {\n    float sum = 0.0f;\n" + loop +
                             "\n    C[row * n + col] = sum;",
                         "  const int tx = threadIdx.x;\n"
                         "  const int ty = threadIdx.y;\n"
                         "  const int row = blockIdx.y * BM + ty;\n"
                         "  const int col = blockIdx.x * BN + tx;\n"
                         "  float sum = 0.0f;\n"
                         "  for (int i = 0; i < k; ++i) {\n"
                         "    sum += row < m && col < n ? A[row * k + i] * B[i * n + col] : 0.0f;\n"
                         "  }\n"
                         "  if (row < m && col < n) {\n"
                         "    C[row * n + col] = sum;")}}};
    case 3:
      return {
          {"edits",
           {replace_edit(9, 11,
                         "  for (int i = 0; i < k; ++i) {\n"
                         "    sum += row < m && col < n ? A[row * k + i] * B[i * n + col] : 0.0f;\n"
                         "  }",
                         "  for (int k0 = 0; k0 < k; k0 += @BK@) {\n"
                         "    for (int i = 0; i < @BK@ && k0 + i < k; ++i) {\n"
                         "      sum += row < m && col < n ? A[row * k + k0 + i] * B[(k0 + i) * n + "
                         "col] : 0.0f;\n"
                         "    }\n"
                         "  }")}}};
    case 4:
      return {
          {"edits",
           {insert_edit(4, "  __shared__ float As[BM][@BK@];\n  __shared__ float Bs[@BK@][BN];")}}};
    case 5:
      return {{"edits",
               {insert_edit(12,
                            "    for (int e = ty * BN + tx; e < BM * @BK@; e += BM * BN) {\n"
                            "      const int r = e / @BK@, c = e % @BK@;\n"
                            "      const int gr = blockIdx.y * BM + r, gc = k0 + c;\n"
                            "      As[r][c] = gr < m && gc < k ? A[gr * k + gc] : 0.0f;\n"
                            "    }\n"
                            "    for (int e = ty * BN + tx; e < @BK@ * BN; e += BM * BN) {\n"
                            "      const int r = e / BN, c = e % BN;\n"
                            "      const int gr = k0 + r, gc = blockIdx.x * BN + c;\n"
                            "      Bs[r][c] = gr < k && gc < n ? B[gr * n + gc] : 0.0f;\n"
                            "    }\n"
                            "    __syncthreads();"),
                insert_edit(15, "    __syncthreads();")}}};
    default:
      return {
          {"edits",
           {replace_edit(23, 25,
                         "    for (int i = 0; i < @BK@ && k0 + i < k; ++i) {\n"
                         "      sum += row < m && col < n ? A[row * k + k0 + i] * B[(k0 + i) * n + "
                         "col] : 0.0f;\n"
                         "    }",
                         "    for (int i = 0; i < @BK@; ++i) {\n"
                         "      sum += As[ty][i] * Bs[i][tx];\n"
                         "    }")}}};
  }
}

}  // namespace ws::test
