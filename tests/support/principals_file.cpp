#include "tests/support/principals_file.h"

#include <doctest/doctest.h>

#include "tests/support/run_program.h"

namespace ws::test {

std::string made_token(const std::string& file, const std::string& name, const std::string& role) {
  const Ended made = run_program({"token", "new", name, "--role", role, "--file", file});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  CHECK(made.err ==
        "This is the only time that the token is shown. A running server takes it after SIGHUP.\n");
  REQUIRE(made.out.ends_with("\n"));
  return made.out.substr(0, made.out.size() - 1);
}

std::string bearer(const std::string& token) {
  return "Authorization: Bearer " + token + "\r\n";
}

}  // namespace ws::test
