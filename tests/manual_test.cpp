// `warpsmith manual` and `warpsmith --version` as a person and a package run them.
#include <string>

#include <doctest/doctest.h>

#include "server/protocol/protocol.h"
#include "tests/support/run_program.h"

namespace ws {
TEST_SUITE("manual_command") {
  TEST_CASE("every sub-command and its options are in the page and in each completion") {
    const std::string page = run_program({"manual", "man"}).out;
    for (const char* command : {"serve", "call", "archive", "export", "manual", "doctor"}) {
      CAPTURE(command);
      CHECK(page.find(".SS warpsmith " + std::string(command)) != std::string::npos);
      for (const char* shell : {"bash", "zsh", "fish"}) {
        CHECK(run_program({"manual", shell}).out.find(command) != std::string::npos);
      }
    }
    // `--http` stands in a group of options that is no command of its own.
    CHECK(page.find("\\fB\\-\\-http\\fR") != std::string::npos);
    CHECK(run_program({"manual", "bash"}).out.find("serve) words='") != std::string::npos);
  }

  TEST_CASE("another form is refused with the ones that there are") {
    const Ended ended = run_program({"manual", "info"});
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err ==
          "FORM: info not in {man,bash,zsh,fish}\nRun with --help for more information.\n");
  }

  TEST_CASE("the version comes alone, or with the archive's and the libraries'") {
    const Ended plain = run_program({"--version"});
    const Ended whole = run_program({"--version", "--json"});
    CHECK(plain.status == 0);
    CHECK(whole.status == 0);
    const server::Json about = server::Json::parse(whole.out);
    CHECK(about["version"].get<std::string>() + "\n" == plain.out);
    CHECK(about["archive"].get<int>() > 0);
    for (const char* library : {"sqlite", "openssl", "libseccomp", "llvm"}) {
      CHECK_FALSE(about["dependencies"][library].get<std::string>().empty());
    }
    CHECK(run_program({"--json", "--version"}).out == whole.out);
  }
}

}  // namespace ws
