// Built-in passes: which lines they find, and which they leave alone.
#include "runtime/skills/builtins.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/kernel/form/edits.h"
#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

nlohmann::json form_of(const std::string& source, const std::string& language = "cuda") {
  return {{"name", "k"},
          {"language", language},
          {"source", source},
          {"launches",
           {{{"entry", "k"},
             {"grid", {"cdiv(n, 16)", "cdiv(m, 32)"}},
             {"block", {"16", "32"}},
             {"args", {"A"}}}}}};
}

/// The source after the proposal was applied, or the error.
std::string after(const std::string& builtin, const std::string& source,
                  const std::string& language = "cuda") {
  const Problem problem = read_problem(matmul_problem());
  nlohmann::json form = form_of(source, language);
  form["params"] = {{"GROUP", {8}}, {"PAD", {1}}};
  const Kernel kernel = read_kernel(form, problem);
  const auto proposal = propose_edits(builtin, kernel);
  if (!proposal) {
    return to_text(proposal.error());
  }
  const auto edited = edit_kernel(problem, kernel, proposal->value("edits", nlohmann::json()),
                                  proposal->value("set", nlohmann::json()));
  return edited ? edited->source : to_text(edited.error());
}

}  // namespace

TEST_SUITE("skills.builtins") {
  TEST_CASE("unrolling finds innermost loops with constant ends") {
    CHECK(after("unroll",
                "for (int i = 0; i < n; ++i) {\n"
                "  for (int j = 0; j < 4; ++j) {\n"
                "    for (int l = 0; l < TILE; ++l) x += l;\n"
                "  }\n"
                "#pragma unroll 2\n"
                "  for (int j = 0; j <= @GROUP@; ++j) x += j;\n"
                "  for (int j = 0; j < @GROUP@; ++j)\n"
                "    x += j;\n"
                "  for (int j = 0; j < m; ++j) x += j;\n"
                "}\n") ==
          "for (int i = 0; i < n; ++i) {\n"
          "  for (int j = 0; j < 4; ++j) {\n"
          "    #pragma unroll\n"
          "    for (int l = 0; l < TILE; ++l) x += l;\n"
          "  }\n"
          "#pragma unroll 2\n"
          "  for (int j = 0; j <= @GROUP@; ++j) x += j;\n"
          "  #pragma unroll\n"
          "  for (int j = 0; j < @GROUP@; ++j)\n"
          "    x += j;\n"
          "  for (int j = 0; j < m; ++j) x += j;\n"
          "}\n");
    CHECK(after("unroll", "int x;\n") ==
          "invalid_argument: no innermost loop with a constant end is without `#pragma unroll`; a "
          "loop's end is constant when it is a number, a macro or a parameter");
  }

  TEST_CASE("loops of a shader have an attribute") {
    CHECK(after("unroll",
                "for (uint j = 0; j < 4; ++j) {\n"
                "  [unroll] for (uint l = 0; l < TILE; ++l) x += l;\n"
                "}\n"
                "[loop]\n"
                "for (uint j = 0; j < 4; ++j) x += j;\n"
                "  for (uint j = 0; j < 4; ++j) x += j;\n",
                "hlsl") ==
          "for (uint j = 0; j < 4; ++j) {\n"
          "  [unroll] for (uint l = 0; l < TILE; ++l) x += l;\n"
          "}\n"
          "[loop]\n"
          "for (uint j = 0; j < 4; ++j) x += j;\n"
          "  [unroll]\n"
          "  for (uint j = 0; j < 4; ++j) x += j;\n");
    CHECK(after("unroll", "int x;\n", "hlsl") ==
          "invalid_argument: no innermost loop with a constant end is without `[unroll]`; a "
          "loop's end is constant when it is a number, a macro or a parameter");
  }

  TEST_CASE("shared arrays and constants of a shader are found, the order of its blocks is not") {
    CHECK(after("pad_shared", "groupshared float a[16][32];\na[i][j] = 1;\n", "hlsl") ==
          "groupshared float a[16][32 + @PAD@];\na[i][j] = 1;\n");
    CHECK(after("introduce_parameters",
                "static const uint TILE = 16;\nconst float SCALE = 2;\n#define WIDTH 8\n",
                "hlsl") ==
          "static const uint TILE = @TILE@;\nconst float SCALE = 2;\n#define WIDTH @WIDTH@\n");
    CHECK(after("introduce_parameters", "int x;\n", "hlsl") ==
          "invalid_argument: no named constant and no extent of a block that could be a parameter; "
          "write `#define NAME 16` for the number that is to vary");
    CHECK(after("block_swizzle", "uint x = group.x;\n", "hlsl") ==
          "invalid_argument: a shader does not know its grid's extents, so no edits are proposed; "
          "compute them from the sizes, as `(n + BN - 1) / BN`, and write the pass by hand");
  }

  TEST_CASE("padding takes arrays that are used by all their indices, and no others") {
    CHECK(after("pad_shared",
                "__shared__ float a[16][32];  // [row][column]\n"
                "__shared__ float b[16][32];\n"
                "__shared__ float c[32];\n"
                "__shared__ float d[2][16][32];\n"
                "a[i][j] = b[0][j] + c[j] + d[s][i][j];\n"
                "f(&b[0][0]);\n") ==
          "__shared__ float a[16][32 + @PAD@];  // [row][column]\n"
          "__shared__ float b[16][32];\n"
          "__shared__ float c[32];\n"
          "__shared__ float d[2][16][32 + @PAD@];\n"
          "a[i][j] = b[0][j] + c[j] + d[s][i][j];\n"
          "f(&b[0][0]);\n");
    CHECK(after("pad_shared", "__shared__ float b[16][32];\nf(b[2]);\n") ==
          "invalid_argument: no shared array of two or more extents is used by its indices alone; "
          "an array that is also used through pointers must be padded by hand");
  }

  TEST_CASE("constants and the block's extents become parameters with their neighbours") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel kernel = read_kernel(form_of("constexpr int TILE = 16;  // elements\n"
                                              "#define WIDTH 8\n"
                                              "constexpr int ODD = 7;\n"
                                              "constexpr float SCALE = 2;\n"
                                              "int x = blockDim.x;\n"),
                                      problem);
    const auto proposal = propose_edits("introduce_parameters", kernel);
    REQUIRE_MESSAGE(proposal.has_value(), to_text(proposal.error()));
    const auto edited = edit_kernel(problem, kernel, (*proposal)["edits"], (*proposal)["set"]);
    REQUIRE_MESSAGE(edited.has_value(), to_text(edited.error()));
    CHECK(edited->source ==
          "constexpr int TILE = @TILE@;  // elements\n"
          "#define WIDTH @WIDTH@\n"
          "constexpr int ODD = 7;\n"
          "constexpr float SCALE = 2;\n"
          "int x = blockDim.x;\n");
    CHECK(edited->params ==
          std::map<std::string, std::vector<std::int64_t>>{
              {"BLOCK_X", {8, 16, 32}}, {"TILE", {8, 16, 32}}, {"WIDTH", {4, 8, 16}}});
    CHECK(edited->defaults == Params{{"BLOCK_X", 16}, {"TILE", 16}, {"WIDTH", 8}});
    CHECK(edited->launches[0].grid == std::vector<std::string>{"cdiv(n, BLOCK_X)", "cdiv(m, 32)"});
    CHECK(edited->launches[0].block == std::vector<std::string>{"BLOCK_X", "32"});
    CHECK(edited->constraints == std::vector<std::string>{"BLOCK_X*32 <= 1024"});
  }

  TEST_CASE("the order of blocks changes where an entry asks for it") {
    const std::string swizzled = after("block_swizzle",
                                       "__global__ void k(float* A) {\n"
                                       "  int x = blockIdx.x;\n"
                                       "  A[blockIdx.y] = x;\n"
                                       "}\n");
    CHECK(swizzled.starts_with("__global__ void k(float* A) {\n  // Blocks run down groups"));
    CHECK(swizzled.ends_with("  int x = block_x;\n  A[block_y] = x;\n}\n"));
    CHECK(after("block_swizzle", "__global__ void a() {}\n__global__ void b() {}\n") ==
          "invalid_argument: it takes one entry, launched once, on a grid of two extents; split "
          "the source, or write the pass by hand");
  }

  TEST_CASE("an unknown pass is named") {
    const Kernel kernel;
    const auto proposal = propose_edits("unrol", kernel);
    REQUIRE_FALSE(proposal.has_value());
    CHECK(to_text(proposal.error()) ==
          "invalid_argument: no built-in pass `unrol`; did you mean `unroll`?");
  }
}

}  // namespace ws
