// Access tokens of an issuer at the gate: what an address that guesses costs.
#include <filesystem>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "server/access/gate.h"
#include "server/access/private_file.h"
#include "tests/support/signed_tokens.h"

namespace ws::server {
namespace {

using test::kTokenFuture;
using test::SigningKey;

const TokenRules kIssuer = {.issuer = "https://login.example",
                            .resource = "https://gpu.example/mcp"};

/// A gate that takes the tokens of one issuer, and two wrong ones a minute.
struct IssuedGate {
  IssuedGate() {
    const std::filesystem::path keys = folder.path() / "keys.json";
    const std::string file = (folder.path() / "principals.toml").string();
    REQUIRE(write_file(keys, Json{{"keys", {key.jwk("one")}}}.dump()));
    REQUIRE(replace_private_file(file, "failed-logins-per-minute = 2\n"));
    auto read = IssuerKeys::from_file(keys);
    REQUIRE_MESSAGE(read.has_value(), to_text(read.error()));
    // The time is asked for with each token that is checked.
    const auto count = [this] {
      ++checked;
      return std::int64_t{2'000'000'000};
    };
    auto opened = Principals::open(
        {}, file, std::make_shared<const AccessTokens>(kIssuer, *std::move(read), count));
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    gate = std::make_unique<Gate>(*opened);
  }

  static std::string token(const SigningKey& signer, const std::string& user, int number = 0) {
    return signer.sign({{"alg", "ES256"}, {"kid", "one"}}, {{"iss", kIssuer.issuer},
                                                            {"aud", kIssuer.resource},
                                                            {"sub", user},
                                                            {"exp", kTokenFuture},
                                                            {"scope", "warpsmith:use"},
                                                            {"jti", number}});
  }

  std::string admit(const std::string& shown) {
    const Admission admission =
        gate->admit({.address = "a", .user = {}, .authorization = "Bearer " + shown}, now);
    return admission.entry == Entry::kAdmitted        ? admission.who->name
           : admission.entry == Entry::kTooManyLogins ? "too many"
                                                      : "wrong";
  }

  const TestFolder folder;
  const SigningKey key = SigningKey::elliptic();
  const SigningKey forger = SigningKey::elliptic();
  int checked = 0;
  Clock::time_point now{};
  std::unique_ptr<Gate> gate;
};

}  // namespace

TEST_SUITE("access.gate_issued") {
  TEST_CASE("an address that guesses on has no signature checked") {
    IssuedGate bench;
    CHECK(bench.admit(IssuedGate::token(bench.forger, "bob")) == "wrong");
    CHECK(bench.admit(IssuedGate::token(bench.forger, "bob")) == "wrong");
    CHECK(bench.checked == 2);
    for (const char* user : {"bob", "ann", "", "oauth:bob"}) {
      CHECK(bench.admit(IssuedGate::token(bench.forger, user)) == "too many");
      CHECK(bench.admit(IssuedGate::token(bench.key, user)) == "too many");
    }
    CHECK(bench.admit("..") == "too many");
    CHECK(bench.checked == 2);
    bench.now += std::chrono::minutes(1);
    CHECK(bench.admit(IssuedGate::token(bench.key, "bob")) == "oauth:bob");
    CHECK(bench.checked == 3);
  }

  TEST_CASE("who came in from there before is let in, and whoever takes the name is not") {
    IssuedGate bench;
    const std::string ann = IssuedGate::token(bench.key, "ann");
    CHECK(bench.admit(ann) == "oauth:ann");
    CHECK(bench.admit(IssuedGate::token(bench.forger, "bob")) == "wrong");
    CHECK(bench.admit(IssuedGate::token(bench.forger, "bob")) == "wrong");
    CHECK(bench.admit(ann) == "oauth:ann");
    const std::string renewed = IssuedGate::token(bench.key, "ann", 1);
    CHECK(bench.admit(renewed) == "oauth:ann");
    CHECK(bench.checked == 5);
    CHECK(bench.admit(IssuedGate::token(bench.forger, "ann")) == "too many");
    CHECK(bench.checked == 6);
    CHECK(bench.admit(IssuedGate::token(bench.forger, "ann")) == "too many");
    CHECK(bench.checked == 6);
    CHECK(bench.admit(renewed) == "oauth:ann");
    CHECK(bench.checked == 7);
  }
}

}  // namespace ws::server
