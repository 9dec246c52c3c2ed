#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"
#include "runtime/kernel/ids.h"

namespace ws {
namespace {

using Json = nlohmann::json;

struct BadField {
  const char* pointer;
  Json value;
  const char* want;
};

std::string kernel_error(const Json& form) {
  return error_text(kernel_from_json(form, read_problem(matmul_problem())));
}

const std::vector<BadField>& bad_fields() {
  static const std::vector<BadField> rows = {
      {"/lauches", 1,
       "invalid_argument: kernel: unknown field `lauches`; did you mean `launches`?"},
      {"/source", "", "invalid_argument: kernel.source: may not be empty"},
      {"/source", std::string("a\0b", 3),
       "invalid_argument: kernel.source: a NUL character is not allowed"},
      {"/language", "metal",
       "unsupported: kernel.language: language `metal` is not supported yet; use `cuda`, `hip`, "
       "`hlsl`, `glsl`, `triton`, `cutile` (cuTile Python) or `cutile_jl` (cuTile.jl)"},
      {"/language", "triton",
       "invalid_argument: kernel.launches[0].block: a kernel of tiles has no `block`; its compiler "
       "chooses the threads; give `num_warps` instead"},
      {"/launches/0/num_warps", "4",
       "invalid_argument: kernel.launches[0].num_warps: `num_warps` is for kernels of tiles; say "
       "the threads of a block in `block`"},
      {"/tensor_maps/0/of", "alpha",
       "invalid_argument: kernel.tensor_maps[0].of: unknown buffer `alpha`; known: A, B, C, "
       "partial"},
      {"/tensor_maps/0/name", "BM",
       "invalid_argument: kernel.tensor_maps[0].name: `BM` is declared already"},
      {"/tensor_maps/0/box", Json::array(),
       "invalid_argument: kernel.tensor_maps[0].box: expected a list of 1 to 5 items, got a list "
       "of 0 items"},
      {"/tensor_maps/0/swizzle", "256B",
       "invalid_argument: kernel.tensor_maps[0].swizzle: expected one of `none`, `32B`, `64B`, "
       "`128B`, got \"256B\""},
      {"/types", Json::object(),
       "unsupported: kernel.types: type specialisation is not supported yet"},
      {"/launches/0/cooperative", 1,
       "invalid_argument: kernel.launches[0].cooperative: expected true or false, got 1"},
      {"/launches", Json::array(),
       "invalid_argument: kernel.launches: expected a list of 1 to 64 items, got a list of 0 "
       "items"},
      {"/launches/0/gird", 1,
       "invalid_argument: kernel.launches[0]: unknown field `gird`; did you mean `grid`?"},
      {"/launches/0/grid",
       {"1", "1", "1", "1"},
       "invalid_argument: kernel.launches[0].grid: expected a list of 1 to 3 items, got a list of "
       "4 "
       "items"},
      {"/launches/0/grid/1", "cdiv(m, BX)",
       "invalid_argument: kernel.launches[0].grid[1]: expression `cdiv(m, BX)`: unknown name `BX` "
       "at "
       "column 9; did you mean `BM`?\n  cdiv(m, BX)\n          ^"},
      {"/launches/0/block/0", 1.5,
       "invalid_argument: kernel.launches[0].block[0]: expected an expression (a string) or an "
       "integer, got 1.5"},
      {"/launches/0/args/0", "m*n",
       "invalid_argument: kernel.launches[0].args[0]: expected a name of a buffer, scalar, dim or "
       "parameter, got \"m*n\"; write {\"value\": \"<expression>\", \"type\": \"i32\"} to pass an "
       "expression"},
      {"/launches/0/args/0", "D",
       "invalid_argument: kernel.launches[0].args[0]: unknown name `D`; known: A, B, C, partial, "
       "alpha, k, m, n, BM, BN, K_SPLITS, TILE_K, tmB"},
      {"/launches/0/args/0", 5,
       "invalid_argument: kernel.launches[0].args[0]: expected a name, {value, type}, {buffer, "
       "offset}, {struct}, {texture, width, ...} or {null: true}, got 5; write {\"value\": 5, "
       "\"type\": \"i32\"} to pass a number"},
      {"/launches/0/args/0", Json{{"value", "1"}},
       "invalid_argument: kernel.launches[0].args[0]: field `type` is missing"},
      {"/launches/0/args/0", Json{{"null", false}},
       "invalid_argument: kernel.launches[0].args[0]: expected one of `value`, `buffer`, "
       "`struct`, `texture` or `null: true`"},
      {"/launches/0/args/0", Json{{"struct", {"k", "A"}}},
       "invalid_argument: kernel.launches[0].args[0].struct[1]: a struct holds numbers, and `A` is "
       "none"},
      {"/launches/0/args/0", Json{{"struct", {Json{{"struct", {"k"}}}}}},
       "invalid_argument: kernel.launches[0].args[0].struct[0]: expected a name of a number, or "
       "{value, type}, got an object"},
      {"/launches/0/args/0", Json{{"struct", {"k"}}, {"type", "f32"}},
       "invalid_argument: kernel.launches[0].args[0]: unknown field `type`; known: struct"},
      {"/launches/0/repeat", Json{{{"var", "s"}, {"count", 3}}, {{"var", "s"}, {"count", 3}}},
       "invalid_argument: kernel.launches[0].repeat[1].var: `s` is declared already"},
      {"/scratch/0/zero", 1,
       "invalid_argument: kernel.scratch[0].zero: expected true or false, got 1"},
      {"/launches/0/args/5/buffer", "partail",
       "invalid_argument: kernel.launches[0].args[5].buffer: unknown buffer `partail`; did you "
       "mean "
       "`partial`?"},
      {"/launches/0/repeat", Json{{"var", "m"}, {"count", 3}},
       "invalid_argument: kernel.launches[0].repeat.var: `m` is declared already"},
      {"/scratch/0/name", "A", "invalid_argument: kernel.scratch[0].name: `A` is declared already"},
      {"/symbols/0/of", "C",
       "invalid_argument: kernel.symbols[0].of: expected the name of an `in` or `inout` argument, "
       "got \"C\""},
      {"/params/k", {1}, "invalid_argument: kernel.params.k: `k` is declared already"},
      {"/params/BM", {16, 16}, "invalid_argument: kernel.params.BM[1]: 16 is listed twice"},
      {"/params/9x",
       {1},
       "invalid_argument: kernel.params.9x: expected a name (letters, digits and _, at most 64, "
       "not "
       "a word of the expressions), got \"9x\""},
      {"/defaults/BM", 64,
       "invalid_argument: kernel.defaults.BM: 64 is not one of the parameter's values"},
      {"/defaults/BX", 64,
       "invalid_argument: kernel.defaults: unknown field `BX`; did you mean `BM`?"},
      {"/constraints/0", "BM <",
       "invalid_argument: kernel.constraints[0]: expression `BM <`: expected a value, got the end "
       "at "
       "column 5; here:\n  BM <\n      ^"},
      {"/headers", Json{{"/etc/passwd", ""}},
       "invalid_argument: kernel.headers: header name `/etc/passwd` is not allowed; name it as it "
       "is included, relative and without `..`"},
      {"/headers", Json{{"../x.h", ""}},
       "invalid_argument: kernel.headers: header name `../x.h` is not allowed; name it as it is "
       "included, relative and without `..`"},
      {"/specialize",
       {"q"},
       "invalid_argument: kernel.specialize[0]: `q` is not a dim of the problem; known: k, m, n"},
      {"/problem_id", "prb_x_0123456789abcdef0123456789abcdef",
       "conflict: kernel.problem_id: the kernel is for prb_x_0123456789abcdef0123456789abcdef, the "
       "problem is "
       "prb_matmul_f32_007cd7f01ba50b1e3dfc5a787e8da5a5; leave `problem_id` out of the kernel to "
       "use it for this "
       "problem"},
  };
  return rows;
}

constexpr const char* kGoodOptions[] = {
    "--use_fast_math", "--fmad=false",       "-std=c++17", "-DN=4",     "-DFLAG",
    "-lineinfo",       "--maxrregcount=128", "-O3",        "-DV=1+(2)", "--define-macro=X=1"};
constexpr const char* kBadOptions[] = {
    "-I/etc", "-include", "-o",           "-O4",       "-std=c++98",         "-D",
    "-D1=2",  "-DA\n=1",  "--fmad=maybe", "-Xclang",   "--maxrregcount=0",   "-O3 -I/etc",
    "@file",  "",         "-fplugin=x",   "-DA=1\x01", "--maxrregcount=1e9", "-lineinfox"};

}  // namespace

TEST_SUITE("kernel.kernel_form") {
  TEST_CASE("the contract's kernel is read, every field of it") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel kernel = read_kernel(matmul_kernel(), problem);
    CHECK(kernel.name == "tiled");
    CHECK(kernel.problem_id == problem.id);
    CHECK(kernel.parent.empty());
    REQUIRE(kernel.launches.size() == 1);
    CHECK(kernel.launches[0].args[4].kind == LaunchArgSpec::Kind::kValue);
    CHECK(kernel.launches[0].args[5].offset == "m*n");
    CHECK(kernel.scratch[0].shape == Names{"K_SPLITS", "m", "n"});
    CHECK(kernel.symbols[0].of == "A");
    REQUIRE(kernel.tensor_maps.size() == 1);
    CHECK(kernel.tensor_maps[0].of == "B");
    CHECK(kernel.tensor_maps[0].type == DType::kF32);
    CHECK(kernel.tensor_maps[0].shape == Names{"n", "k"});
    CHECK(kernel.tensor_maps[0].strides == Names{"4*n"});
    CHECK(kernel.tensor_maps[0].box == Names{"TILE_K", "BM"});
    CHECK(kernel.tensor_maps[0].element_strides == Names{"1", "1"});
    CHECK(kernel.tensor_maps[0].modes.interleave == 0);
    CHECK(kernel.tensor_maps[0].modes.swizzle == 2);
    CHECK(kernel.tensor_maps[0].modes.l2 == 2);
    CHECK(kernel.tensor_maps[0].modes.oob == 1);
    CHECK(kernel.launches[0].cluster == Names{"1"});
    CHECK(kernel.launches[0].cooperative);
    CHECK(kernel.launches[0].pdl);
    CHECK(kernel.params.at("TILE_K") == std::vector<std::int64_t>{8, 16, 32});
    CHECK(kernel.defaults.at("K_SPLITS") == 2);
    CHECK(kernel.constraints.size() == 2);
    CHECK(kernel.options == Names{"--use_fast_math"});
    CHECK(kernel.headers.at("util.h") == "...");
    CHECK(kernel.specialize == Names{"k"});
  }

  TEST_CASE("a wrong field is named with its path, what was expected and what came") {
    for (const BadField& c : bad_fields()) {
      CAPTURE(std::string(c.pointer));
      CHECK(kernel_error(patched(matmul_kernel(), c.pointer, c.value)) == std::string(c.want));
    }
  }

  TEST_CASE("integers stand for expressions, and a parameter without a default takes the first") {
    Json form = patched(matmul_kernel(), "/launches/0/block", {256});
    form["launches"][0]["shared_bytes"] = 1024;
    form.erase("defaults");
    const Kernel kernel = read_kernel(form, read_problem(matmul_problem()));
    CHECK(kernel.launches[0].block == Names{"256"});
    CHECK(kernel.launches[0].shared_bytes == "1024");
    CHECK(kernel.defaults.at("TILE_K") == 8);
  }

  TEST_CASE("options are taken from one list, everything else is refused by name") {
    for (const char* option : kGoodOptions) {
      CAPTURE(std::string(option));
      CHECK(kernel_error(patched(matmul_kernel(), "/options", {option})) == "no error");
    }
    for (const char* option : kBadOptions) {
      CAPTURE(std::string(option));
      CHECK(kernel_error(patched(matmul_kernel(), "/options", {option})) != "no error");
    }
    CHECK(kernel_error(patched(matmul_kernel(), "/options", {"-I/etc"})) ==
          "invalid_argument: kernel.options[0]: option `-I/etc` is not allowed; allowed: "
          "--use_fast_math, --fmad=true|false, --ftz=true|false, --prec-div=true|false, "
          "--prec-sqrt=true|false, -std=c++14|c++17|c++20, -DNAME[=VALUE], --maxrregcount=N, "
          "-lineinfo, -O0 to -O3");
  }

  TEST_CASE("an id depends on the content and on the name's slug, not on order or spelling") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel kernel = read_kernel(matmul_kernel(), problem);
    // SHA-256 over json.dumps(form, sort_keys=True, separators=(",", ":")), computed in Python.
    CHECK(problem.id == "prb_matmul_f32_007cd7f01ba50b1e3dfc5a787e8da5a5");
    CHECK(kernel.id == "krn_tiled_3c3f4aceb3b3fd699738f73b1155bc34");
    CHECK(parse_problem(problem.json)->id == problem.id);
    CHECK(parse_kernel(kernel.json, problem)->id == kernel.id);
    Json named = matmul_kernel();
    named["problem_id"] = problem.id;
    named["name"] = "Tiled!";
    CHECK(read_kernel(named, problem).id == kernel.id);
    named["defaults"]["BM"] = 16;
    CHECK(read_kernel(named, problem).id != kernel.id);
    named.erase("name");
    CHECK(read_kernel(named, problem).id.substr(0, 11) == "krn_kernel_");
  }

  TEST_CASE("an id has 128 bits, and the same content the same name whichever version gave it") {
    const std::string id = "krn_tiled_v2_3c3f4aceb3b3fd699738f73b1155bc34";
    CHECK(older_id(id) == "krn_tiled_v2_3c3f4aceb3b3fd69");
    CHECK(older_id("krn_tiled_v2_3c3f4aceb3b3fd69").empty());
    CHECK(older_id("a").empty());
    CHECK(same_name(id, older_id(id)));
    CHECK(same_name(older_id(id), id));
    CHECK(same_name("a", "a"));
    CHECK_FALSE(same_name("a", "b"));
    CHECK_FALSE(same_name("a", ""));
    CHECK_FALSE(same_name(id, "krn_tiled_v2_3c3f4aceb3b3fd68"));
    CHECK(same_content(R"({"name":"a","x":1})", R"({"x":1,"name":"b"})"));
    CHECK_FALSE(same_content(R"({"name":"a","x":1})", R"({"name":"a","x":2})"));
    CHECK(same_content("no JSON", "no JSON"));
    CHECK_FALSE(same_content("no JSON", "no JSON either"));
  }

  TEST_CASE("a slug has only lower-case letters, digits and single underscores") {
    CHECK(slug("Tiled 32x32 (fast)", "x") == "tiled_32x32_fast");
    CHECK(slug("__a--b__", "x") == "a_b");
    CHECK(slug("", "x") == "x");
    CHECK(slug("\xc3\xa9", "x") == "x");
    CHECK(slug(std::string(60, 'a'), "x") == std::string(40, 'a'));
  }

  TEST_CASE("the first kernel becomes an untrusted reference, which fixes the id") {
    Json form = patched(matmul_problem(), "/reference", {{"kind", "first_kernel"}});
    const Problem open = read_problem(form);
    CHECK(open.reference == nullptr);
    CHECK_FALSE(open.reference_trusted);
    const Kernel first = read_kernel(matmul_kernel(), open);
    const Result<Problem> resolved = resolve_first_kernel(open, first);
    REQUIRE(resolved.has_value());
    CHECK(resolved->id != open.id);
    CHECK(resolved->reference_kind == "kernel");
    CHECK_FALSE(resolved->reference_trusted);
    CHECK(resolved->reference->source == first.source);
    CHECK(resolved->reference->defaults == first.defaults);
    const Result<Problem> again = parse_problem(resolved->json);
    CHECK(again->id == resolved->id);
    CHECK_FALSE(again->reference_trusted);
    CHECK(error_text(resolve_first_kernel(*resolved, first)) ==
          "conflict: " + resolved->id + " has a reference already");
  }
}

}  // namespace ws
