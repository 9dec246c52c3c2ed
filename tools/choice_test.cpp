#include "tools/choice.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

Error error_of(std::string message) {
  return {
      .code = ErrorCode::kInvalidArgument, .message = std::move(message), .hint = {}, .source = {}};
}

}  // namespace

TEST_SUITE("tools.choice") {
  TEST_CASE("an error that names what an argument may mean is a choice") {
    const Json arguments = {{"kernel_id", "krn_a"}, {"level", "quick"}};
    const auto choice = choice_of(
        arguments, error_of("`krn_a` is the beginning of several kernels: krn_a_1, krn_a_2"));
    REQUIRE(choice.has_value());
    CHECK(choice->argument == "kernel_id");
    CHECK(choice->question == "`krn_a` is the beginning of several kernels. Which one is meant?");
    CHECK(choice->values == std::vector<std::string>{"krn_a_1", "krn_a_2"});
  }

  TEST_CASE("other errors are none, nor one that does not name all, or no argument") {
    const Json arguments = {{"kernel_id", "krn_a"}};
    for (const char* message :
         {"no kernel `krn_a`",
          "`krn_a` is the beginning of several kernels: krn_a_1, krn_a_2 and more",
          "`krn_b` is the beginning of several kernels: krn_b_1, krn_b_2",
          "`krn_a` is the beginning of several kernels: krn_a_1",
          "`krn_a` is the beginning of several kernels", ""}) {
      CHECK_FALSE(choice_of(arguments, error_of(message)).has_value());
    }
  }
}

}  // namespace ws
