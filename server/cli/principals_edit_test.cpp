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
    CHECK(text_of(with_principal("", ann, {.hash = kHash}, "FILE")) == table("ann"));
    CHECK(text_of(with_principal(head, ann, {.hash = kHash}, "FILE")) ==
          head + "\n" + table("ann"));
    const std::string both = head + "\n" + table("ann") + "queued-jobs = 3\n\n" + table("bob");
    CHECK(text_of(without_principal(both, "ann", "FILE")) == head + "\n" + table("bob"));
    CHECK(text_of(without_principal(both, "bob", "FILE")) ==
          head + "\n" + table("ann") + "queued-jobs = 3\n\n");
  }

  TEST_CASE("a principal gets another token, and loses those before it") {
    const std::string other = "sha256:" + std::string(32, '3') + ":" + std::string(64, '4');
    const std::string more =
        "[[principal.token]]\nhash = \"" + other + "\"\nexpires = 2027-01-31T00:00:00.000Z\n";
    const std::string limits = "[oauth]\nqueued-jobs = 3\n\n";
    const std::string text = limits + table("ann") + "queued-jobs = 3\n\n" + table("bob");
    const std::string both =
        limits + table("ann") + "queued-jobs = 3\n" + more + "\n" + table("bob");
    CHECK(text_of(with_token(text, "ann", {other, 1801353600}, "FILE")) == both);
    CHECK(text_of(without_principal(both, "ann", "FILE")) == limits + table("bob"));
    CHECK(text_of(without_old_tokens(text, "ann", "FILE")) == text);
    CHECK(text_of(without_old_tokens(both, "ann", "FILE")) ==
          limits + "[[principal]]\nname = \"ann\"\nrole = \"use\"\nqueued-jobs = 3\n" + more +
              "\n" + table("bob"));
    const std::string third = table("ann") + more + more;
    CHECK(text_of(without_old_tokens(third, "ann", "FILE")) ==
          "[[principal]]\nname = \"ann\"\nrole = \"use\"\n" + more);
    CHECK(text_of(with_token(third + more, "ann", {.hash = other}, "FILE")) ==
          "invalid_argument: FILE:1:1: a principal has at most 4 tokens; remove those that nobody "
          "shows: warpsmith token revoke ann --old --file FILE");
    CHECK(text_of(with_token(text, "an", {.hash = other}, "FILE")) ==
          "not_found: there is no principal `an` in FILE; did you mean `ann`?");
  }

  TEST_CASE("what cannot be changed is refused, and says why") {
    CHECK(text_of(with_principal(table("ann"), {.name = "ann"}, {.hash = kHash}, "FILE")) ==
          "invalid_argument: FILE:7:8: there is a principal `ann` already");
    CHECK(text_of(with_principal("x = 1\n", {.name = "ann"}, {.hash = kHash}, "FILE")) ==
          "invalid_argument: FILE:1:1: no setting `x`; known: principal, failed-logins-per-minute, "
          "oauth");
    CHECK(text_of(without_principal(table("ann"), "an", "FILE")) ==
          "not_found: there is no principal `an` in FILE; did you mean `ann`?");
    const std::string row = "principal = [{name = 'ann', role = 'use', hash = '" + kHash + "'}]\n";
    CHECK(
        text_of(without_principal(row, "ann", "FILE")) ==
        "invalid_argument: FILE:1: `ann` is not in a table [[principal]] of its own; change it by "
        "hand");
  }
}

}  // namespace ws::server
