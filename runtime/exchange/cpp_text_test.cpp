// C++ of other projects: its device code without the host's.
#include "runtime/exchange/cpp_text.h"

#include <doctest/doctest.h>

namespace ws::test {

TEST_SUITE("exchange.cpp_text") {
  TEST_CASE("host headers inside a host function are cut once, with it") {
    const auto text = CppText::read(
        "#include <torch/extension.h>\n"
        "__global__ void k(float* y) { y[0] = 1; }\n"
        "torch::Tensor run(torch::Tensor x) {\n#include <map>\n#include <vector>\n"
        "  return x;\n}\n"
        "__global__ void l(float* y) { y[0] = 2; }\n");
    REQUIRE(text.has_value());
    CHECK(text->device_source() ==
          "__global__ void k(float* y) { y[0] = 1; }\n__global__ void l(float* y) { y[0] = 2; }\n");
  }

  // The time once grew with the square of their number.
  TEST_CASE("many blocks in one declaration are read in time" * doctest::timeout(10)) {
    std::string blocks;
    for (int i = 0; i < 200'000; ++i) {
      blocks += "{}";
    }
    const std::string source = blocks + "\nconstexpr int n = 3;\n";
    const auto text = CppText::read(source);
    REQUIRE(text.has_value());
    CHECK(text->device_source() == source);
  }

  TEST_CASE("a block that is no function leaves the rest of its statement together") {
    const auto text = CppText::read(
        "struct Pair { int a; } pair;\nconst int list[] = {1, 2}, n = 3;\n"
        "template <class T> requires requires(T t) { t.x; } __global__ void k(T t) { t.x; }\n");
    REQUIRE(text.has_value());
    CHECK(text_of_tokens(text->constant("n")) == "3");
    REQUIRE(text->function("k") != nullptr);
    CHECK(text->function("k")->kernel);
  }

  TEST_CASE("a bracket that nothing closes has what stands behind it") {
    const std::vector<RawToken> tokens = raw_tokens("f(a, (b), c");
    CHECK(text_of_tokens(inside_of(tokens, 1)) == "a, (b),");
    CHECK(text_of_tokens(inside_of(tokens, 4)) == "b");
    const Tokens open = Tokens(tokens).first(2);
    CHECK(inside_of(open, 1).empty());
    CHECK(inside_of(open, 2).empty());
  }
}

}  // namespace ws::test
