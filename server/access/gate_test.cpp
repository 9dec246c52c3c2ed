#include "server/access/gate.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/archive/store/test_folder.h"
#include "server/access/private_file.h"
#include "server/access/token_hash.h"

namespace ws::server {
namespace {

using std::chrono::seconds;

const std::string kOwner = "0123456789abcdef";

/// A principals file with ann and bob, and their tokens.
struct GateBench {
  GateBench() {
    write();
    auto opened = Principals::open(*BearerToken::parse(kOwner, "here"), file);
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    principals = *opened;
    gate = std::make_unique<Gate>(principals);
  }

  void write(const std::string& head = "failed-logins-per-minute = 2\n",
             const std::string& limits = "") const {
    REQUIRE(replace_private_file(
        file, head + "[[principal]]\nname = 'ann'\nrole = 'use'\nhash = '" + ann.hash + "'\n" +
                  limits + "[[principal]]\nname = 'bob'\nrole = 'read'\nhash = '" + bob.hash +
                  "'\n"));
  }

  std::string admit(const std::string& address, const std::string& token,
                    std::optional<uid_t> user = {}) {
    const Admission admission = gate->admit(
        {.address = address,
         .user = user,
         .authorization = token.empty() ? std::nullopt : std::optional("Bearer " + token)},
        now);
    switch (admission.entry) {
      case Entry::kAdmitted:
        return admission.who->name;
      case Entry::kNoToken:
        return "no token";
      case Entry::kWrongToken:
        return "wrong token";
      case Entry::kUnknownUser:
        return "unknown user";
      case Entry::kTooManyLogins:
        return "logins: wait " + std::to_string(admission.wait.count());
      case Entry::kNoScope:
        return "no scope";
      case Entry::kKeysAwaited:
        return "keys awaited";
      case Entry::kTooManyRequests:
        break;
    }
    return admission.who->name + " of " + std::to_string(admission.per_minute) + ": wait " +
           std::to_string(admission.wait.count());
  }

  const TestFolder folder;
  const std::string file = (folder.path() / "principals.toml").string();
  const IssuedToken ann = issue_token("ann");
  const IssuedToken bob = issue_token("bob");
  Clock::time_point now{};
  std::shared_ptr<Principals> principals;
  std::unique_ptr<Gate> gate;
};

}  // namespace

TEST_SUITE("access.gate") {
  TEST_CASE("each token lets its principal in, and without tokens everybody is local") {
    GateBench bench;
    CHECK(bench.admit("a", bench.ann.text) == "ann");
    CHECK(bench.admit("a", bench.bob.text) == "bob");
    CHECK(bench.admit("a", kOwner) == "owner");
    CHECK(bench.admit("a", "") == "no token");
    CHECK(bench.admit("a", "ann." + bench.bob.text.substr(4)) == "wrong token");
    Gate open(*Principals::open({}, {}));
    CHECK_FALSE(open.guarded());
    CHECK(open.admit({.address = "a"}, bench.now).who == local_principal());
    CHECK(local_principal()->role == Role::kAdmin);
    CHECK(owner_principal()->role == Role::kAdmin);
  }

  TEST_CASE("an address that guesses is refused, but not who came in from there before") {
    GateBench bench;
    CHECK(bench.admit("a", bench.ann.text) == "ann");
    CHECK(bench.admit("a", "guess") == "wrong token");
    CHECK(bench.admit("a", "guess") == "wrong token");
    CHECK(bench.admit("a", "guess") == "logins: wait 30");
    CHECK(bench.admit("a", bench.bob.text) == "logins: wait 30");
    CHECK(bench.admit("a", bench.ann.text) == "ann");
    CHECK(bench.admit("b", bench.bob.text) == "bob");
    CHECK(bench.admit("a", "") == "no token");
    bench.now += seconds(20);
    CHECK(bench.admit("a", "guess") == "logins: wait 10");
    bench.now += seconds(10);
    CHECK(bench.admit("a", bench.bob.text) == "bob");
    CHECK(bench.admit("a", "guess") == "wrong token");
    CHECK(bench.admit("a", "guess") == "logins: wait 30");
  }

  TEST_CASE("a principal may send so many requests a minute, from all its addresses together") {
    GateBench bench;
    bench.write("", "requests-per-minute = 3\n");
    REQUIRE(bench.principals->reload());
    for (int i = 0; i < 3; ++i) {
      CHECK(bench.admit(std::to_string(i), bench.ann.text) == "ann");
    }
    CHECK(bench.admit("a", bench.ann.text) == "ann of 3: wait 20");
    CHECK(bench.admit("a", bench.bob.text) == "bob");
    bench.now += seconds(20);
    CHECK(bench.admit("a", bench.ann.text) == "ann");
    CHECK(bench.admit("a", bench.ann.text) == "ann of 3: wait 20");
    bench.write();
    REQUIRE(bench.principals->reload());
    CHECK(bench.admit("a", bench.ann.text) == "ann");
  }

  TEST_CASE(
      "a revoked token is refused after the file is read again, and a broken file changes "
      "nothing") {
    GateBench bench;
    CHECK(bench.admit("a", bench.bob.text) == "bob");
    REQUIRE(replace_private_file(bench.file, "[[principal]]\nname = 1\n"));
    const Status broken = bench.principals->reload();
    REQUIRE_FALSE(broken.has_value());
    CHECK(to_text(broken.error()) ==
          "invalid_argument: " + bench.file +
              ":2:8: `name` must be 1 to 64 letters, digits, dashes and underscores");
    CHECK(bench.admit("a", bench.bob.text) == "bob");
    REQUIRE(replace_private_file(
        bench.file,
        "[[principal]]\nname = 'ann'\nrole = 'admin'\nhash = '" + bench.ann.hash + "'\n"));
    REQUIRE(bench.principals->reload());
    CHECK(bench.admit("a", bench.bob.text) == "wrong token");
    CHECK(bench.admit("a", bench.ann.text) == "ann");
    CHECK(bench.principals->list().size() == 1);
    CHECK(bench.principals->list().front()->role == Role::kAdmin);
    CHECK(bench.admit("a", kOwner) == "owner");
  }

  TEST_CASE("a user of a socket is the principal that the file says, the server's own is local") {
    GateBench bench;
    const uid_t own = ::geteuid();
    CHECK_FALSE(bench.principals->has_users());
    CHECK(bench.admit("unix", "", own) == "local");
    CHECK(bench.admit("unix", "", 0) == "local");
    CHECK(bench.admit("unix", "", own + 1) == "unknown user");
    CHECK(bench.admit("unix", bench.bob.text, own + 1) == "bob");
    bench.write("", "uid = " + std::to_string(own + 1) + "\n");
    REQUIRE(bench.principals->reload());
    CHECK(bench.principals->has_users());
    CHECK(bench.admit("unix", "", own + 1) == "ann");
    CHECK(bench.admit("unix", "", own + 2) == "unknown user");
    Gate open(*Principals::open({}, {}));
    CHECK(open.admit({.address = "unix", .user = own + 1, .authorization = "Bearer x"}, bench.now)
              .entry == Entry::kUnknownUser);
    CHECK(open.admit({.address = "unix", .user = own}, bench.now).who == local_principal());
  }

  TEST_CASE("addresses without end take no memory without end") {
    GateBench bench;
    for (std::size_t i = 0; i < Gate::kMostAddresses + 10; ++i) {
      bench.now += std::chrono::milliseconds(1);
      CHECK(bench.admit("first", "guess") != "ann");
      bench.admit(std::to_string(i), "guess");
    }
    CHECK(bench.admit("first", "guess").starts_with("logins: wait "));
    CHECK(bench.admit("0", "guess") == "wrong token");
  }
}

}  // namespace ws::server
