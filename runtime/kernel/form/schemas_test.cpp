// The published schemas and the parser agree: each row of a table is tried on both.
// As schema_check.cpp has it: both are linked into one program and must agree on inline functions.
#define VALIJSON_USE_EXCEPTIONS 1  // NOLINT(readability-identifier-naming): valijson's name
#include <doctest/doctest.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "runtime/base/files.h"
#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

Json read_schema(const std::string& name) {
  const auto text = read_file(std::filesystem::path(WS_SOURCE_DIR) / "schemas" / name);
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

bool meets(const std::string& schema_name, const Json& form) {
  const Json document = read_schema(schema_name);
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(
      valijson::adapters::NlohmannJsonAdapter(document), schema,
      [](const std::string& name) { return new Json(read_schema(name)); },
      [](const Json* fetched) { delete fetched; });
  valijson::Validator validator;
  return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(form), nullptr);
}

/// A change to the contract's form, and whether both accept it.
struct FormCase {
  std::string pointer;
  std::string value;
  bool fine;
};

const std::vector<FormCase>& kernel_cases() {
  static const std::vector<FormCase> cases = {
      {"/name", R"("x")", true},
      {"/name", R"("")", false},
      {"/language", R"("hip")", true},
      {"/language", R"("hlsl")", false},
      {"/language", R"("triton")", false},
      {"/launches/0/num_warps", "4", false},
      {"/source", R"("")", false},
      {"/source", "5", false},
      {"/macros", R"("")", true},
      {"/lauches", "[]", false},
      {"/tensor_maps", "[]", true},
      {"/tensor_maps", R"([{"name": "t", "of": "B", "box": [4]}])", true},
      {"/tensor_maps", R"([{"name": "t", "of": "B"}])", false},
      {"/tensor_maps/0/box", "[1, 1, 1, 1, 1, 1]", false},
      {"/tensor_maps/0/strides", "[]", true},
      {"/tensor_maps/0/type", R"("f12")", false},
      {"/tensor_maps/0/l2", R"("512B")", false},
      {"/tensor_maps/0/interleave", R"("64B")", false},
      {"/tensor_maps/0/oob", R"("one")", false},
      {"/launches", "[]", false},
      {"/launches/0/grid", "[1, 2, 3]", true},
      {"/launches/0/grid", "[]", false},
      {"/launches/0/grid", "[1, 2, 3, 4]", false},
      {"/launches/0/grid", R"("1")", false},
      {"/launches/0/block", "[1.5]", false},
      {"/launches/0/cluster", "[1]", true},
      {"/launches/0/cluster", "[1, 1, 1, 1]", false},
      {"/launches/0/cooperative", R"("yes")", false},
      {"/launches/0/pdl", "1", false},
      {"/launches/0/shared_bytes", "0", true},
      {"/launches/0/repeat", R"j({"var": "s", "count": "log2(n)"})j", true},
      {"/launches/0/repeat", R"({"var": "s"})", false},
      {"/launches/0/repeat",
       R"j([{"var": "s", "count": "log2(n)"}, {"var": "t", "count": "s + 1"}])j", true},
      {"/launches/0/repeat", "[]", false},
      {"/launches/0/args", R"([{"struct": ["k", {"value": 1.5, "type": "f32"}]}])", true},
      {"/launches/0/args", R"([{"struct": []}])", false},
      {"/launches/0/args", R"([{"struct": [{"buffer": "A"}]}])", false},
      {"/scratch/0/zero", "true", true},
      {"/scratch/0/zero", "0", false},
      {"/launches/0/args", R"([{"null": true}, {"buffer": "A"}, "k", "BM"])", true},
      {"/launches/0/args", R"([{"value": 0.5, "type": "f32"}])", true},
      {"/launches/0/args", R"([{"texture": "A", "width": "k", "height": "m", "channels": 4}])",
       true},
      {"/launches/0/args", R"([{"texture": "A", "width": 4, "fetch": true, "read": "element"}])",
       true},
      {"/launches/0/args",
       R"([{"texture": "A", "width": 4, "address": "mirror", "filter": "linear", "normalized": true}])",
       true},
      {"/launches/0/args", R"([{"texture": "A"}])", false},
      {"/launches/0/args", R"([{"texture": "A", "width": 4, "channels": 3}])", false},
      {"/launches/0/args", R"([{"texture": "A", "width": 4, "address": "repeat"}])", false},
      {"/launches/0/args", R"([{"texture": "A", "width": 4, "filter": "cubic"}])", false},
      {"/launches/0/args", R"([{"texture": "A", "width": 4, "read": "float"}])", false},
      {"/launches/0/args", R"([{"texture": "A", "width": 4, "depth": 4}])", false},
      {"/launches/0/args", R"([{"texture": "A", "width": 4, "height": 4, "fetch": true}])", false},
      {"/launches/0/args",
       R"([{"texture": "A", "width": 4, "height": 4, "depth": 2, "layers": 2}])", false},
      {"/launches/0/args", R"([{"null": false}])", false},
      {"/launches/0/args", R"([{"value": "1"}])", false},
      {"/launches/0/args", R"(["m*n"])", false},
      {"/launches/0/args", "[5]", false},
      {"/scratch/0/shape", "[]", true},
      {"/scratch/0/type", R"("f12")", false},
      {"/symbols/0/at", R"("x")", false},
      {"/params/9x", "[1]", false},
      {"/params/BM", "[]", false},
      {"/params/BM", "[32, 32]", false},
      {"/params/BM", "[32, 1.5]", false},
      {"/defaults/BM", "16", true},
      {"/defaults/BM", R"("16")", false},
      {"/options", R"(["-DN=1", "--fmad=false", "-std=c++20", "--maxrregcount=64"])", true},
      {"/options", R"(["-I/etc"])", false},
      {"/options", R"(["-O4"])", false},
      {"/options", R"(["--maxrregcount=0"])", false},
      {"/headers", R"({"a/b.h": ""})", true},
      {"/headers", R"({"/a.h": ""})", false},
      {"/headers", R"({"a/../b.h": ""})", false},
      {"/specialize", R"(["m", "n"])", true},
      {"/specialize", R"("m")", false},
  };
  return cases;
}

const std::vector<FormCase>& problem_cases() {
  static const std::vector<FormCase> cases = {
      {"/name", R"("x")", true},
      {"/oops", "1", false},
      {"/dims/m", R"({"range": [1024, 2048, 1024]})", true},
      {"/dims/m", R"({"range": [1024]})", false},
      {"/dims/m", R"({"values": [1024]})", true},
      {"/dims/m", R"({"min": 1})", false},
      {"/dims/m", R"({"values": [1024], "range": [1, 2]})", false},
      {"/dims/m", "1024", false},
      {"/dims/m", "[1024, 1024]", false},
      {"/dims/m", "[-1]", false},
      {"/args", "[]", false},
      {"/args/0/role", R"("input")", false},
      {"/args/0/shape", R"("m")", false},
      {"/args/0/strides", R"(["k", 1])", true},
      {"/args/0/values", "[1]", false},
      {"/args/0/fill", R"({"kind": "uniform", "low": -1})", true},
      {"/args/0/fill", R"({"low": -1})", false},
      {"/args/0/fill", "1", false},
      {"/args/0", R"({"name": "A", "type": "i32", "shape": ["m"], "role": "in",
                      "fill": {"kind": "range", "high": "2*m"}})",
       true},
      {"/args/2/unordered", "true", true},
      {"/args/2/unordered", "{}", true},
      {"/args/2/unordered", "1", false},
      {"/args/2/unordered", R"({"counts": "C"})", false},
      {"/args/2/unordered", R"({"count": 1})", false},
      {"/args/0/domain", "[0, 1]", true},
      {"/args/0/domain", "[0]", false},
      {"/args/2/role", R"("inout")", true},
      {"/args/2/tolerance", R"({"rtol": 0.1})", true},
      {"/args/2/tolerance", R"({"rtol": -1})", false},
      {"/args/3/values", "[]", false},
      {"/args/3/values", "[1, 2.5]", true},
      {"/args/3/shape", "[]", false},
      {"/tolerance", R"({"C": {"atol": 1}})", true},
      {"/tolerance", R"({"C": 1})", false},
      {"/tolerance", R"({"rtol": "x"})", false},
      {"/flops", "5", true},
      {"/flops", "5.5", false},
      {"/difficulty", "0", true},
      {"/difficulty", "6", false},
      {"/workloads", R"([{"m": 1024, "n": 1024, "k": 1024, "alpha": 0.5}])", true},
      {"/workloads", "[]", false},
      {"/workloads", R"([{"m": "1024", "n": 1024, "k": 1024}])", false},
      {"/baseline", R"("reference")", true},
      {"/baseline", R"("root")", false},
      {"/reference", R"({"kind": "first_kernel"})", true},
      {"/reference", R"({"kind": "first_kernel", "source": "x"})", false},
      {"/reference", R"({"kind": "python", "source": "x"})", true},
      {"/reference", R"({"kind": "cuir", "source": "x"})", true},
      {"/reference", R"({"kind": "cuir", "source": "x", "entry": "f"})", false},
      {"/reference", R"({"kind": "python"})", false},
      {"/reference", R"({"kind": "kernel", "source": "x"})", false},
      {"/reference", R"({"kind": "kernel", "source": "x", "entry": "f"})", true},
      {"/reference",
       R"({"kind": "kernel", "source": "x", "launches": [{"entry": "f", "grid": [1], "block": [1]}]})",
       true},
      {"/reference/problem_id", R"("x")", false},
  };
  return cases;
}

}  // namespace

TEST_SUITE("kernel.schemas") {
  TEST_CASE("the contract's forms meet their schemas") {
    CHECK(meets("problem.schema.json", matmul_problem()));
    CHECK(meets("kernel.schema.json", matmul_kernel()));
    const Problem problem = read_problem(matmul_problem());
    CHECK(meets("kernel.schema.json", Json::parse(read_kernel(matmul_kernel(), problem).json)));
  }

  TEST_CASE("schema and parser accept and refuse the same kernels") {
    const Problem problem = read_problem(matmul_problem());
    for (const FormCase& c : kernel_cases()) {
      const Json form = patched(matmul_kernel(), c.pointer, Json::parse(c.value));
      CAPTURE(c.pointer);
      CAPTURE(c.value);
      CHECK(meets("kernel.schema.json", form) == c.fine);
      CHECK(kernel_from_json(form, problem).has_value() == c.fine);
    }
  }

  TEST_CASE("schema and parser accept and refuse the same problems") {
    for (const FormCase& c : problem_cases()) {
      const Json form = patched(matmul_problem(), c.pointer, Json::parse(c.value));
      CAPTURE(c.pointer);
      CAPTURE(c.value);
      CHECK(meets("problem.schema.json", form) == c.fine);
      CHECK(problem_from_json(form).has_value() == c.fine);
    }
  }

  TEST_CASE("what spans several fields is the parser's alone") {
    const Json form = patched(matmul_problem(), "/args/1/name", "A");
    CHECK(meets("problem.schema.json", form));
    CHECK_FALSE(problem_from_json(form).has_value());
  }
}

}  // namespace ws
