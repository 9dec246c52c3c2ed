#include "server/cli/principals_edit.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

const std::string kHash = "sha256:" + std::string(32, '1') + ":" + std::string(64, '2');

std::string table(const std::string& name) {
  return "[[principal]]\nname = \"" + name + "\"\nrole = \"use\"\nhash = \"" + kHash + "\"\n";
}

std::string text_of(const Result<std::string>& text) {
  return text ? *text : to_text(text.error());
}

}  // namespace

TEST_SUITE("cli.principals_edit") {
  TEST_CASE("a principal comes to the end, and goes without a trace") {
    const std::string head = "# Ours.\nfailed-logins-per-minute = 5 # few\n";
    const Principal ann{.name = "ann", .role = Role::kUse};
    CHECK(text_of(with_principal("", ann, kHash, "FILE")) == table("ann"));
    CHECK(text_of(with_principal(head, ann, kHash, "FILE")) == head + "\n" + table("ann"));
    const std::string both = head + "\n" + table("ann") + "queued-jobs = 3\n\n" + table("bob");
    CHECK(text_of(without_principal(both, "ann", "FILE")) == head + "\n" + table("bob"));
    CHECK(text_of(without_principal(both, "bob", "FILE")) ==
          head + "\n" + table("ann") + "queued-jobs = 3\n\n");
  }

  TEST_CASE("what cannot be changed is refused, and says why") {
    CHECK(text_of(with_principal(table("ann"), {.name = "ann"}, kHash, "FILE")) ==
          "invalid_argument: FILE:7:8: there is a principal `ann` already");
    CHECK(text_of(with_principal("x = 1\n", {.name = "ann"}, kHash, "FILE")) ==
          "invalid_argument: FILE:1:1: no setting `x`; known: principal, failed-logins-per-minute");
    CHECK(text_of(without_principal(table("ann"), "an", "FILE")) ==
          "not_found: there is no principal `an` in FILE; did you mean `ann`?");
    const std::string row = "principal = [{name = 'ann', role = 'use', hash = '" + kHash + "'}]\n";
    CHECK(
        text_of(without_principal(row, "ann", "FILE")) ==
        "invalid_argument: FILE:1: `ann` is not in a table [[principal]] of its own; remove it by "
        "hand");
  }
}

}  // namespace ws::server
