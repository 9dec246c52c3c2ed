// References that cannot judge, and the one that judges itself.
#include <doctest/doctest.h>

#include "runtime/evaluate/validate/validation.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

TEST_SUITE("tools.references") {
  TEST_CASE("a reference that cannot judge is named as the one to fix") {
    struct Reference {
      const char* name;
      const char* body;
      const char* message;
    };

    constexpr Reference kReferences[] = {
        {"does not compile", "y[0] = zzz;",
         "the problem's reference does not compile: use of undeclared identifier 'zzz'"},
        {"writes too little", "if (i < n - 1) y[i] = 2 * x[i];",
         "the problem's reference left elements of `y` unwritten in 5 draws"},
        {"writes an input", "if (i < n) y[i] = 2 * x[i]; ((int*)x)[0] = 12345;",
         "the problem's reference went wrong: the input `x` was written"},
        {"writes beyond", "if (i < n) y[i] = 2 * x[i]; y[n + 3] = 1;",
         "the problem's reference went wrong: memory 12 bytes after the end of `y` was written"},
        {"crashes", "if (i < 64) *(volatile int*)8 = 1;",
         "the problem's reference went wrong: access to memory that does not exist at source:3 in "
         "block (0,0,0)"},
    };
    for (const Reference& c : kReferences) {
      CAPTURE(std::string(c.name));
      const Json output = tools().judge(twice_problem(c.body), good_kernel());
      CHECK(output["verdict"] == "invalid_reference");
      CHECK(output["message"] == c.message);
    }
  }

  TEST_CASE("a reference that gives NaN is not taken as a judge") {
    Json problem = twice_problem("if (i < n) y[i] = x[i] < 1000 ? NAN : 1.0f;");
    for (Json& arg : problem["args"]) {
      arg["type"] = "f32";
    }
    problem["args"][0].erase("fill");
    std::string source = problem["reference"]["source"];
    source.replace(source.find("const int* x, int* y"), 20, "const float* x, float* y");
    problem["reference"]["source"] = source;
    const Json kernel = with_source("__global__ void k(const float* x, float* y, int n) {}\n");
    const Json output = tools().judge(problem, kernel);
    CHECK(output["verdict"] == "invalid_reference");
    CHECK(output["message"] ==
          "the problem's reference gave values of `y` that are not finite or out of range in 5 "
          "draws; give `x` a `fill` or `domain` on which they are finite");
  }

  TEST_CASE("a reference that hangs is stopped at its limit") {
    const Json problem =
        twice_problem("volatile int* p = y;\n  while (i == 5 && p[0] != 12345) {}");
    const std::string id = tools().compiled(problem, good_kernel());
    Result<Subject> subject = load_subject(*tools().services().archive, id);
    REQUIRE(subject.has_value());
    ValidationRequest request;
    request.params = {Params{}};
    request.reference_limit = std::chrono::milliseconds(300);
    const auto result = validate_kernel(*tools().services().devices[0].backend,
                                        *tools().services().host_workers, *subject, request, {});
    REQUIRE(result.has_value());
    CHECK(result->verdict == Verdict::kInvalidReference);
    CHECK(result->message ==
          "the problem's reference went wrong: the kernel ran past its limit of 300 ms; it was at "
          "source:4 by thread (5,0,0) of block (0,0,0)");
  }

  TEST_CASE("the first kernel as its own reference is suspect, and judges others") {
    Json problem = twice_problem();
    problem["reference"] = {{"kind", "first_kernel"}};
    const Json compile =
        tools().result("compile_kernel", {{"problem", problem}, {"kernel", good_kernel()}});
    const Json own = tools().result("validate", {{"kernel_id", compile["kernel_id"]}});
    CHECK(own["verdict"] == "suspect");
    CHECK(own["reference"]["trusted"] == false);
    CHECK(
        own["findings"] ==
        Json::array({{{"kind", "self_reference"},
                      {"message",
                       "the kernel was compared with itself: the problem's reference is made from "
                       "it"}}}));
    const Json other = tools().result(
        "compile_kernel", {{"problem_id", compile["problem_id"]},
                           {"kernel", twice_kernel("  if (i < n) y[i] = x[i] + x[i];")}});
    const Json judged = tools().result("validate", {{"kernel_id", other["kernel_id"]}});
    CHECK(judged["verdict"] == "passed");
    CHECK(judged["reference"]["trusted"] == false);
  }
}

}  // namespace ws::test
