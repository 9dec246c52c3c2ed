// Definitions and solutions of FlashInfer-Bench as problems and kernels, and problems as
// definitions.
#include "runtime/exchange/definition.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/base/files.h"
#include "runtime/exchange/imported.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/golden.h"

namespace ws::test {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

std::string sample(const std::string& name) {
  const auto text = read_file(source_dir() / "tests/data/exchange" / name);
  REQUIRE(text.has_value());
  return *text;
}

/// A sample with a change at a JSON pointer; null takes the field away.
std::string changed_sample(const std::string& name, const std::string& pointer, const Json& value) {
  OrderedJson json = OrderedJson::parse(sample(name));
  const OrderedJson::json_pointer place(pointer);
  if (value.is_null()) {
    json[place.parent_pointer()].erase(place.back());
  } else {
    json[place] = OrderedJson::parse(value.dump());
  }
  return json.dump();
}

std::string imported_or_why(const std::vector<std::string>& texts, const AxisSizes& sizes = {}) {
  const auto forms = import_flashinfer(texts, sizes);
  return forms ? "imported" : to_text(forms.error());
}

/// A problem with a reference in Python, changed at a pointer.
Problem written_problem(const std::string& pointer, const Json& value) {
  Json form = Json::parse(
      R"json({"name": "scaled", "dims": {"n": {"values": [8], "min": 1, "max": 16}, "k": [4]},
    "args": [{"name": "x", "type": "f32", "role": "in", "shape": ["n", "k"]},
             {"name": "index", "type": "i32", "role": "in", "shape": ["n"]},
             {"name": "alpha", "type": "f32", "role": "scalar", "values": [2]},
             {"name": "y", "type": "f32", "role": "out", "shape": ["n", "k"]}],
    "reference": {"kind": "python", "source": "def reference(inputs, dims):\n    return inputs[\"x\"]\n"}})json");
  if (!pointer.empty()) {
    form[Json::json_pointer(pointer)] = value;
  }
  const auto problem = problem_from_json(form);
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  return *problem;
}

std::string definition_or_why(const std::string& pointer, const Json& value) {
  const auto definition = definition_of(written_problem(pointer, value));
  return definition ? definition->dump() : to_text(definition.error());
}

struct ChangedFile {
  const char* pointer;
  Json value;
  const char* error;
};

}  // namespace

TEST_SUITE("exchange.flashinfer") {
  TEST_CASE("a definition, its workloads and a solution become a problem and a kernel") {
    const auto forms =
        import_flashinfer({sample("row_scale.solution.json"), sample("row_scale.workloads.jsonl"),
                           sample("row_scale.definition.json")},
                          {});
    REQUIRE_MESSAGE(forms.has_value(), to_text(forms.error()));
    const Json form = Json::parse(forms->problem);
    CHECK(form["dims"] ==
          Json::parse(R"({"rows": {"values": [8, 100], "min": 1, "max": 100}, "hidden": [96]})"));
    CHECK(form["args"] == Json::parse(R"json([
      {"name": "x", "type": "f32", "role": "in", "shape": ["rows", "hidden"]},
      {"name": "factor", "type": "f32", "role": "in", "shape": ["rows"]},
      {"name": "offset", "type": "f32", "role": "scalar", "values": [0.5, -2.0]},
      {"name": "y", "type": "f32", "role": "out", "shape": ["rows", "hidden"]}])json"));
    CHECK(form["workloads"] == Json::parse(R"json([{"rows": 8, "hidden": 96, "offset": 0.5},
                                                  {"rows": 100, "hidden": 96, "offset": -2.0}])json"));
    const auto problem = parse_problem(forms->problem);
    REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
    const auto kernel = parse_kernel(forms->kernel, *problem);
    REQUIRE_MESSAGE(kernel.has_value(), to_text(kernel.error()));
    CHECK(kernel->name == "row_scale_by_element");
    CHECK(kernel->launches.front().entry == "row_scale<128>");
    CHECK(kernel->launches.front().grid ==
          std::vector<std::string>{"((((rows * hidden) + 128) - 1) // 128)"});
    CHECK(kernel->headers.at("width.h") == "#pragma once\nconstexpr int kWidth = 96;\n");
    CHECK(kernel->source.find("tvm") == std::string::npos);
    CHECK(forms->notes.empty());
  }

  TEST_CASE("constants of a solution's headers are read") {
    std::string text = sample("row_scale.solution.json");
    const std::string threads = "(count), THREADS)";
    text.replace(text.find(threads), threads.size(), "(count), kWidth)");
    const auto forms = import_flashinfer(
        {sample("row_scale.definition.json"), sample("row_scale.workloads.jsonl"), text}, {});
    REQUIRE_MESSAGE(forms.has_value(), to_text(forms.error()));
    CHECK(Json::parse(forms->kernel)["launches"][0]["grid"][0] ==
          "((((rows * hidden) + 96) - 1) // 96)");
  }

  TEST_CASE("sizes that the user gives take the place of workloads") {
    std::string text = changed_sample("row_scale.definition.json", "/inputs/offset", nullptr);
    const auto forms = import_flashinfer({text}, {{"rows", {16, 3}}});
    REQUIRE_MESSAGE(forms.has_value(), to_text(forms.error()));
    CHECK(Json::parse(forms->problem)["dims"]["rows"] ==
          Json::parse(R"({"values": [16, 3], "min": 1, "max": 16})"));
  }

  // The time once grew with the square of their number.
  TEST_CASE("many workloads of different sizes are read in time" * doctest::timeout(20)) {
    constexpr int kMany = 60'000;
    std::string lines;
    for (int i = 1; i <= kMany; ++i) {
      lines += R"({"definition":"row_scale_h96","workload":{"axes":{"rows":)" + std::to_string(i) +
               R"(},"inputs":{"offset":{"type":"scalar","value":)" + std::to_string(i) + "}}}}\n";
    }
    const auto forms = import_flashinfer({sample("row_scale.definition.json"), lines}, {});
    REQUIRE_MESSAGE(forms.has_value(), to_text(forms.error()));
    const Json form = Json::parse(forms->problem);
    CHECK(form["dims"]["rows"]["values"].size() == kMany);
    CHECK(form["workloads"].size() == kMany);
  }

  TEST_CASE("a definition that cannot be a problem is refused by its field") {
    const ChangedFile kCases[] = {
        {"/axes", 3, "invalid_argument: definition.axes: expected an object, got 3"},
        {"/axes/hidden/value", 0,
         "invalid_argument: definition.axes.hidden.value: expected an integer from 1 to "
         "1099511627776, got 0"},
        {"/inputs/x/dtype", "float4_e2m1",
         "unsupported: x: no type here corresponds to `float4_e2m1`"},
        {"/inputs/x/shape/0", "tokens",
         "invalid_argument: x.shape: \"tokens\" is none of the axes"},
        {"/outputs/y/shape", Json(),
         "unsupported: output `y` is a scalar, and kernels write tensors only"},
        {"/constraints",
         {"rows = 4"},
         "invalid_argument: definition.constraints: expression `rows = 4`: unexpected "
         "character `=` at column 6; here:\n  rows = 4\n       ^"},
        {"/inputs/a b",
         {{"shape", Json::array()}, {"dtype", "float32"}},
         "invalid_argument: definition: the name of a tensor: expected a name (letters, digits "
         "and _, at most 64, not a word of the expressions), got \"a b\""},
        {"/reference", 1, "invalid_argument: definition.reference: expected a string, got 1"}};
    for (const ChangedFile& each : kCases) {
      CAPTURE(std::string(each.pointer));
      const bool taken = each.pointer == std::string("/outputs/y/shape");
      Json nothing;
      OrderedJson json = OrderedJson::parse(sample("row_scale.definition.json"));
      json[OrderedJson::json_pointer(each.pointer)] =
          taken ? OrderedJson() : OrderedJson::parse(each.value.dump());
      CHECK(imported_or_why({json.dump(), sample("row_scale.workloads.jsonl")}) == each.error);
    }
    CHECK(imported_or_why({sample("row_scale.definition.json")}) ==
          "invalid_argument: axis `rows` has no size; give a file with workloads, or --size "
          "rows=SIZE");
    CHECK(
        imported_or_why({sample("row_scale.definition.json")}, {{"rows", {4}}}) ==
        "invalid_argument: scalar `offset` has no value; give a file with workloads that have one");
    CHECK(imported_or_why({sample("row_scale.workloads.jsonl")}) ==
          "invalid_argument: the files have no definition; give the definition's file first, then "
          "that of a solution");
    CHECK(imported_or_why(
              {sample("row_scale.definition.json"), sample("row_scale.definition.json")}) ==
          "invalid_argument: the files have two definitions, and an import takes one");
    CHECK(imported_or_why({"[1]"}) ==
          "invalid_argument: neither a definition nor a solution nor a trace of FlashInfer-Bench");
    CHECK(imported_or_why({std::string(150, '[') + std::string(150, ']')}) ==
          "invalid_argument: nested deeper than 100");
  }

  TEST_CASE("a solution that cannot be a kernel is refused by its field") {
    const ChangedFile kCases[] = {
        {"/definition", "other",
         "invalid_argument: the solution is one of the definition \"other\", not of this one"},
        {"/spec/language", "triton",
         "unsupported: a solution in `triton` launches from Python, which is not read; of other "
         "programs only CUDA C++ is; send its kernel with compile_kernel, with `launches`"},
        {"/spec/dependencies",
         {"cutlass"},
         "unsupported: the solution needs libraries: [\"cutlass\"]"},
        {"/spec/entry_point", "kernel.cu",
         "invalid_argument: solution.spec.entry_point: expected FILE::FUNCTION, got \"kernel.cu\""},
        {"/spec/entry_point", "other.cu::run",
         "invalid_argument: solution: no source is called `other.cu`, where the entry point is"},
        {"/spec/entry_point", "kernel.cu::walk",
         "unsupported: the C++ text has no function `walk` with a body"},
        {"/sources/1/path", "../../width.h",
         "invalid_argument: solution.sources[1].path: `../../width.h` leaves the solution's "
         "folder"},
        {"/sources/1/path", "/etc/passwd",
         "invalid_argument: solution.sources[1].path: `/etc/passwd` leaves the solution's folder"}};
    for (const ChangedFile& each : kCases) {
      CAPTURE(std::string(each.pointer));
      CHECK(
          imported_or_why({sample("row_scale.definition.json"), sample("row_scale.workloads.jsonl"),
                           changed_sample("row_scale.solution.json", each.pointer, each.value)}) ==
          each.error);
    }
  }

  TEST_CASE("a problem's definition gives the problem back, until somebody changes it") {
    const Problem problem = written_problem("", {});
    const auto definition = definition_of(problem);
    REQUIRE_MESSAGE(definition.has_value(), to_text(definition.error()));
    CHECK((*definition)["axes"].dump() == R"({"k":{"type":"const","value":4},"n":{"type":"var"}})");
    CHECK((*definition)["inputs"].dump() ==
          R"({"x":{"shape":["n","k"],"dtype":"float32"},"index":{"shape":["n"],"dtype":"int32"},)"
          R"("alpha":{"shape":null,"dtype":"float32"}})");
    const auto back = problem_of_export(definition->dump());
    REQUIRE_MESSAGE(back.has_value(), to_text(back.error()));
    CHECK(back->id == problem.id);
    OrderedJson other = *definition;
    other["axes"]["k"]["value"] = 5;
    const auto changed = problem_of_export(other.dump());
    REQUIRE_FALSE(changed.has_value());
    CHECK(
        to_text(changed.error()) ==
        "conflict: the definition was changed after its export: `axes` is not that of the problem "
        "in `warpsmith`; remove the field `warpsmith` to read the definition by itself");
    other.erase(kOwnField);
    const auto alone =
        import_flashinfer({other.dump(), R"({"definition":"scaled","workload":{"axes":{"n":4},)"
                                         R"("inputs":{"alpha":{"type":"scalar","value":3}}}})"},
                          {});
    REQUIRE_MESSAGE(alone.has_value(), to_text(alone.error()));
    CHECK(Json::parse(alone->problem)["dims"]["k"] == Json{5});
  }

  TEST_CASE("an extent that is an expression is an axis with a constraint") {
    const auto definition = definition_of(written_problem("/args/1/shape", {"n + 1", "7"}));
    REQUIRE_MESSAGE(definition.has_value(), to_text(definition.error()));
    CHECK((*definition)["inputs"]["index"]["shape"].dump() == R"(["index_0","size_7"])");
    CHECK((*definition)["constraints"].dump() == R"(["index_0 == n + 1"])");
    const Problem problem = written_problem("/args/1/shape", {"n + 1", "7"});
    const auto workload =
        workload_of(problem, {.dims = {{"n", 8}, {"k", 4}}, .scalars = {{"alpha", 2}}});
    REQUIRE(workload.has_value());
    CHECK((*workload)["axes"].dump() == R"({"n":8,"index_0":9})");
    CHECK((*workload)["inputs"]["alpha"].dump() == R"({"type":"scalar","value":2.0})");
  }

  TEST_CASE("a problem that cannot be a definition is refused by its argument") {
    const ChangedFile kCases[] = {
        {"/args/0/role", "inout",
         "unsupported: `x` is read and written, and a definition has inputs and outputs only"},
        {"/args/0/strides",
         {"k + 1", "1"},
         "unsupported: `x` has strides, and tensors of a definition have none"},
        {"/args/0/type", "f64",
         "unsupported: `x` has elements of type f64, which FlashInfer-Bench does not have"},
        {"/args/0/name", "lambda",
         "unsupported: `lambda` is a word of Python, and arguments of a definition are names "
         "there"},
        {"/args/1/fill", "permutation",
         "unsupported: `index` is filled `permutation`, and FlashInfer-Bench draws integers from "
         "-1024 to 1023"},
        {"/args/3/shape/0", "2 * n",
         "unsupported: `y` has the extent `2 * n`, and axes of an output are those of inputs"},
        {"/args/3/unordered", true,
         "unsupported: `y` has rows in any order, and FlashInfer-Bench compares element by "
         "element"},
        {"/dims/m",
         {{"values", {2}}, {"min", 1}, {"max", 4}},
         "unsupported: dim `m` is the extent of no input, where axes are read from"}};
    for (const ChangedFile& each : kCases) {
      CAPTURE(std::string(each.pointer));
      CHECK(definition_or_why(each.pointer, each.value) == each.error);
    }
    for (const char* word : {"in", "None", "True", "False"}) {
      CHECK(definition_or_why("/args/0/name", word) ==
            "unsupported: `" + std::string(word) +
                "` is a word of Python, and arguments of a definition are names there");
    }
    const auto first = parse_problem(R"json({"name": "f", "dims": {"n": [4]},
      "args": [{"name": "x", "type": "f32", "role": "in", "shape": ["n"]},
               {"name": "y", "type": "f32", "role": "out", "shape": ["n"]}],
      "reference": {"kind": "first_kernel"}})json");
    REQUIRE(first.has_value());
    const auto refused = definition_of(*first);
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) ==
          "unsupported: the reference of a definition is Python code, and that of " + first->id +
              " is of kind `first_kernel`; describe the problem with a reference of kind `python`");
  }
}

}  // namespace ws::test
