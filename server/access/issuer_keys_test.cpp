#include "server/access/issuer_keys.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "tests/support/signed_tokens.h"

namespace ws::server {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using test::SigningKey;

/// An issuer that can be down, and counts how often it is asked.
class FakeIssuer {
 public:
  IssuerKeys::Fetch fetch() {
    return [this]() -> Result<std::string> {
      ++asked;
      const std::lock_guard lock(mutex_);
      if (text_.empty()) {
        return fail(ErrorCode::kIo, "nobody answers");
      }
      return text_;
    };
  }

  /// Nothing: it is down.
  void publish(const std::string& text) {
    const std::lock_guard lock(mutex_);
    text_ = text;
  }

  void publish(const SigningKey& key) { publish(Json{{"keys", {key.jwk("one")}}}.dump()); }

  std::atomic<int> asked = 0;

 private:
  std::mutex mutex_;
  std::string text_;
};

/// Within ten seconds.
template <typename Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  return condition();
}

bool opens(const IssuerKeys& keys, const SigningKey& key) {
  const std::string token = key.sign({{"alg", "ES256"}}, {{"sub", "ann"}});
  const auto now = keys.current();
  return now && now->open(token, *signature_method("ES256"), "one").check == JwkSet::Check::kSigned;
}

}  // namespace

TEST_SUITE("access.issuer_keys") {
  TEST_CASE("an issuer that is down at the start is asked again until it answers") {
    const SigningKey key = SigningKey::elliptic();
    FakeIssuer issuer;
    IssuerKeys keys(issuer.fetch(), {.refresh = hours(1), .retry = milliseconds(1)});
    CHECK(comes_true([&] { return issuer.asked > 2; }));
    CHECK_FALSE(keys.current().has_value());
    issuer.publish("<html>not yet</html>");
    const int before = issuer.asked;
    CHECK(comes_true([&] { return issuer.asked > before + 2; }));
    CHECK_FALSE(keys.current().has_value());
    issuer.publish(key);
    CHECK(comes_true([&] { return opens(keys, key); }));
  }

  TEST_CASE("keys stay while the issuer is down, and change when it has others") {
    const SigningKey first = SigningKey::elliptic();
    const SigningKey second = SigningKey::elliptic();
    FakeIssuer issuer;
    issuer.publish(first);
    IssuerKeys keys(issuer.fetch(), {.refresh = milliseconds(1), .retry = milliseconds(1)});
    CHECK(comes_true([&] { return opens(keys, first); }));
    issuer.publish("");
    const int before = issuer.asked;
    CHECK(comes_true([&] { return issuer.asked > before + 2; }));
    CHECK(opens(keys, first));
    issuer.publish(second);
    CHECK(comes_true([&] { return opens(keys, second); }));
    CHECK_FALSE(opens(keys, first));
  }

  TEST_CASE("an unknown key has them fetched again, but not right after the last time") {
    const SigningKey first = SigningKey::elliptic();
    const SigningKey second = SigningKey::elliptic();
    FakeIssuer issuer;
    issuer.publish(first);
    IssuerKeys eager(issuer.fetch(), {.gap = milliseconds(0)});
    CHECK(comes_true([&] { return opens(eager, first); }));
    issuer.publish(second);
    CHECK(eager.ask_again());
    CHECK(comes_true([&] { return opens(eager, second); }));

    IssuerKeys slow(issuer.fetch(), {.gap = hours(1)});
    CHECK(comes_true([&] { return opens(slow, second) && !slow.ask_again(); }));
    const int before = issuer.asked;
    CHECK_FALSE(slow.ask_again());
    CHECK(issuer.asked == before);
    CHECK(slow.reload().has_value());
    CHECK(comes_true([&] { return issuer.asked == before + 1; }));
  }

  TEST_CASE("a file is read again on demand, and a broken one changes nothing") {
    const SigningKey key = SigningKey::elliptic();
    const TestFolder folder;
    const std::string file = (folder.path() / "keys.json").string();
    const auto missing = IssuerKeys::from_file(file);
    REQUIRE_FALSE(missing.has_value());
    CHECK(to_text(missing.error()) ==
          "io: cannot read " + file + " (open: No such file or directory)");
    REQUIRE(write_file(file, Json{{"keys", {SigningKey::elliptic().jwk("one")}}}.dump()));
    const auto keys = IssuerKeys::from_file(file);
    REQUIRE(keys.has_value());
    CHECK_FALSE(opens(**keys, key));
    CHECK_FALSE((*keys)->ask_again());
    REQUIRE(write_file(file, Json{{"keys", {key.jwk("one")}}}.dump()));
    CHECK((*keys)->reload().has_value());
    CHECK(opens(**keys, key));
    REQUIRE(write_file(file, "{"));
    const Status broken = (*keys)->reload();
    REQUIRE_FALSE(broken.has_value());
    CHECK(to_text(broken.error()) ==
          "invalid_argument: the key file " + file +
              " is no key set: it must be a JSON object with the array `keys`; an issuer's "
              "metadata names the address of its key set as `jwks_uri`");
    CHECK(opens(**keys, key));
  }
}

}  // namespace ws::server
