#include "runtime/evaluate/binding/binding.h"

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

Json arg(const char* name, const char* type, const Json& shape, const char* role) {
  return {{"name", name}, {"type", type}, {"shape", shape}, {"role", role}};
}

Problem problem_of(const Json& dims, const Json& args) {
  return read_problem({{"name", "p"},
                       {"dims", dims},
                       {"args", args},
                       {"reference", {{"kind", "cuir"}, {"source", "class K(KernelBase): pass"}}}});
}

/// C[m, n] = A[m, k] B[k, n], with an index for each row and a factor.
Problem product() {
  return problem_of({{"m", {64}}, {"n", {48}}, {"k", {32}}},
                    {arg("A", "f32", {"m", "k"}, "in"),
                     arg("B", "f32", {"k", "n"}, "in"),
                     arg("rows", "i32", {"m"}, "in"),
                     arg("C", "f32", {"m", "n"}, "out"),
                     {{"name", "alpha"}, {"type", "f32"}, {"role", "scalar"}, {"values", {2}}}});
}

/// The same with `shapes` of A, B and C, and `rows` rows.
Problem translated(const Json& dims, const std::vector<Json>& shapes, const char* rows = "M") {
  return problem_of(dims,
                    {arg("a", "f32", shapes[0], "in"),
                     arg("b", "f32", shapes[1], "in"),
                     arg("index", "i64", Json::array({rows}), "in"),
                     arg("c", "f32", shapes[2], "out"),
                     {{"name", "factor"}, {"type", "f32"}, {"role", "scalar"}, {"values", {2}}}});
}

/// "K=k M=m; a=A10"
std::string text_of(const Binding& binding) {
  std::string text;
  for (const auto& [name, size] : binding.dims) {
    text += (text.empty() ? "" : " ") + name + "=" + size;
  }
  for (const BoundArg& bound : binding.args) {
    text += "; " + bound.other + "=" + bound.own;
    for (const std::size_t dim : bound.order.value_or(std::vector<std::size_t>())) {
      text += std::to_string(dim);
    }
  }
  return text;
}

std::string completed(const Problem& other, const Binding& said = {}) {
  const Result<Binding> binding = complete_binding(product(), other, said);
  const std::string kind = "invalid_argument: ";
  return binding ? text_of(*binding) : error_text(binding).substr(kind.size());
}

const Json kDims = {{"M", {64}}, {"N", {48}}, {"K", {32}}};

}  // namespace

TEST_SUITE("evaluate.binding") {
  TEST_CASE("names of one problem need no binding") {
    CHECK(text_of(complete_binding(product(), product(), {}).value()) ==
          "k=k m=m n=n; A=A01; B=B01; rows=rows0; C=C01; alpha=alpha");
  }

  TEST_CASE("arguments are found by name, then by place, and dimensions by sizes") {
    CHECK(completed(translated(kDims, {{"M", "K"}, {"K", "N"}, {"M", "N"}})) ==
          "K=k M=m N=n; a=A01; b=B01; c=C01; index=rows0; factor=alpha");
    CHECK(completed(translated(kDims, {{"K", "M"}, {"N", "K"}, {"N", "M"}})) ==
          "K=k M=m N=n; a=A10; b=B10; c=C10; index=rows0; factor=alpha");
    // Names that say nothing, and names that are the wrong way round.
    CHECK(completed(translated({{"p", {64}}, {"q", {48}}, {"r", {32}}},
                               {{"p", "r"}, {"r", "q"}, {"p", "q"}}, "p")) ==
          "p=m q=n r=k; a=A01; b=B01; c=C01; index=rows0; factor=alpha");
    CHECK(completed(translated({{"n", {64}}, {"m", {48}}, {"k", {32}}},
                               {{"n", "k"}, {"k", "m"}, {"n", "m"}}, "n")) ==
          "k=k m=n n=m; a=A01; b=B01; c=C01; index=rows0; factor=alpha");
  }

  TEST_CASE("what is said stays, and sizes may be expressions") {
    const Problem tiled = translated({{"M", {64}}, {"N", {48}}, {"tiles", {4, 8}}},
                                     {{"M", "8*tiles"}, {"8*tiles", "N"}, {"M", "N"}});
    CHECK(completed(tiled) ==
          "nothing gives the other problem's dim `tiles` a size; "
          "say it in `binding.dims`, as an expression over `k`, `m`, `n`");
    Binding said;
    said.dims = {{"tiles", "k // 8"}};
    said.args = {{"C", "c", std::vector<std::size_t>{0, 1}, 0}};
    CHECK(completed(tiled, said) ==
          "M=m N=n tiles=k // 8; c=C01; a=A01; b=B01; index=rows0; factor=alpha");
    said.args.front().order = {1, 0};
    CHECK(completed(tiled, said).starts_with("no order of dimensions makes the shapes"));
  }

  TEST_CASE("a search that has no end is given up") {
    Json args = Json::array();
    const Json wide = Json::array({"n", "n", "n", "n", "n", "n", "n", "n"});
    for (int i = 0; i < 60; ++i) {
      args.push_back(arg(("a" + std::to_string(i)).c_str(), "f32", wide, "in"));
    }
    Json other = args;
    args.push_back(arg("y", "f32", {"2*n"}, "out"));
    other.push_back(arg("y", "f32", {"3*n"}, "out"));
    const Json dims = {{"n", {2}}};
    const Result<Binding> binding =
        complete_binding(problem_of(dims, args), problem_of(dims, other), {});
    CHECK(error_text(binding).starts_with("invalid_argument: no order of dimensions makes"));
  }

  TEST_CASE("a workload of the one is a workload of the other") {
    const Problem other = translated(kDims, {{"K", "M"}, {"N", "K"}, {"N", "M"}});
    const Binding binding = complete_binding(product(), other, {}).value();
    const Workload made =
        other_workload(binding, product(), other, {{{"m", 7}, {"n", 5}, {"k", 3}}, {{"alpha", 2}}})
            .value();
    CHECK(made == Workload{{{"M", 7}, {"N", 5}, {"K", 3}}, {{"factor", 2}}});
  }

  TEST_CASE("each mistake of a binding is named") {
    const Problem other = translated(kDims, {{"M", "K"}, {"K", "N"}, {"M", "N"}});
    const std::string own_args = "its arguments are `A`, `B`, `rows`, `C`, `alpha`";
    const std::string other_args = "its arguments are `a`, `b`, `index`, `c`, `factor`";

    struct Row {
      Binding said;
      std::string want;
    };

    const std::vector<std::size_t> twice = {0, 0};
    const Row rows[] = {
        {{{{"Q", "m"}}, {}},
         "binding.dims.Q: the other problem has no such dim; it has `K`, `M`, `N`"},
        {{{}, {{"Z", "a", {}, 0}}},
         "binding.args.Z: the kernel's problem has no such argument; " + own_args},
        {{{}, {{"A", "z", {}, 0}}},
         "binding.args.A: the other problem has no argument `z`; " + other_args},
        {{{}, {{"A", "c", {}, 0}}},
         "binding.args.A: `c` has another type, role or rank; "
         "a binding changes the order of dimensions and adds to whole numbers"},
        {{{}, {{"A", "a", {}, 1}}},
         "binding.args.A.add: `A` holds no whole numbers; "
         "it is for indices that begin with another number"},
        {{{}, {{"A", "a", twice, 0}}},
         "binding.args.A.order: it is no order of 2 dimensions; "
         "for the dimensions of `a` in turn, it names those of `A`, from 0"},
        {{{}, {{"A", "a", {}, 0}, {"B", "a", {}, 0}}},
         "binding.args.B: `a` is bound already; each argument of the other problem belongs to one"},
        {{{{"M", "n"}}, {}},
         "no order of dimensions makes the shapes of the two problems agree; "
         "say in `binding` what differs: `dims` has each dim of the other problem as an expression "
         "over `k`, `m`, `n`, and `order` in `args` the dimensions of an argument"},
    };
    for (const Row& row : rows) {
      CHECK(completed(other, row.said) == row.want);
    }
    CHECK(completed(other, {{{"M", "m +"}}, {}}).starts_with("binding.dims.M: expression `m +`"));
    CHECK(completed(other, {{{"M", "q"}}, {}}).starts_with("binding.dims.M: expression `q`"));
    const Problem more = problem_of(
        {{"m", {64}}}, {arg("u", "f64", {"m"}, "in"), arg("v", "f32", {"m", "m"}, "out")});
    CHECK(completed(more) ==
          "nothing gives the other kernel its argument `u`; say it in `binding.args`: the kernel's "
          "arguments are `A`, `B`, `rows`, `C`, `alpha`");
    const Problem other_role = problem_of(
        {{"m", {64}}}, {arg("A", "f32", {"m", "m"}, "in"), arg("C", "f32", {"m", "m"}, "inout")});
    CHECK(
        completed(other_role) ==
        "`C` has another type, role or rank in the two problems; compare kernels of problems that "
        "agree in it");
    const Problem less = problem_of(
        {{"m", {64}}}, {arg("A", "f32", {"m", "m"}, "in"), arg("v", "f64", {"m"}, "out")});
    CHECK(completed(less) ==
          "nothing of the other kernel can be compared with the output `C`; say it in "
          "`binding.args`: the other problem's arguments are `A`, `v`");
  }
}

}  // namespace ws
