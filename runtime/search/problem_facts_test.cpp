#include "runtime/search/problem_facts.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

ProblemFacts matmul(const char* dims, const char* type = "f32") {
  return problem_facts(std::string(R"({"name":"mm","op":"matmul","dims":)") + dims +
                       R"(,"args":[{"name":"A","type":")" + type + R"("}]})");
}

}  // namespace

TEST_SUITE("search.problem_facts") {
  TEST_CASE(
      "a problem's facts are its operation, types and sizes, whichever way they are written") {
    const ProblemFacts facts =
        matmul(R"({"m":[1024],"n":{"values":[256,1024]},"k":{"range":[64,64,1]}})");
    CHECK(facts.op == "matmul");
    CHECK(facts.types == std::set<std::string>{"f32"});
    CHECK(facts.sizes == std::map<std::string, double>{{"k", 6}, {"m", 10}, {"n", 9}});
    const ProblemFacts again = facts_from_text("matmul", facts_text(facts));
    CHECK(again.sizes == facts.sizes);
    CHECK(again.types == facts.types);
  }

  TEST_CASE("the nearer in sizes and types, the nearer, and another operation is not at all") {
    const ProblemFacts own = matmul(R"({"m":[1024]})");
    CHECK(nearness(own, own) == 1);
    CHECK(nearness(own, matmul(R"({"m":[2048]})")) == 0.875);
    CHECK(nearness(own, matmul(R"({"m":[2048]})", "f16")) == 0.625);
    CHECK(nearness(own, matmul(R"({"m":[65536]})")) < nearness(own, matmul(R"({"m":[2048]})")));
    CHECK(nearness(own, matmul(R"({"m":[1024],"n":[4]})")) == 0.8125);
    CHECK(nearness(own, problem_facts(R"({"op":"conv","dims":{"m":[1024]}})")) == 0);
  }

  TEST_CASE("malformed problems have few facts, and are near to nothing") {
    for (const char* text : {"", "[]", "{}", R"({"args":3,"dims":7})", R"({"op":5,"args":[1]})",
                             R"({"dims":{"n":"x","m":{"range":[]}}})"}) {
      CAPTURE(std::string(text));
      const ProblemFacts facts = problem_facts(text);
      CHECK(nearness(facts, facts) == 0);
    }
    CHECK(facts_from_text("x", "nonsense").op == "x");
  }
}

}  // namespace ws
