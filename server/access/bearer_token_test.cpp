#include "server/access/bearer_token.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws::server {
namespace {

namespace fs = std::filesystem;

const std::string kGood = "0123456789abcdef";

struct TextCase {
  std::string text;
  std::string want;  ///< The error, or empty.
};

struct HeaderCase {
  std::optional<std::string> header;
  bool matches;
};

std::string error_of(const Result<BearerToken>& token) {
  return token ? "" : to_text(token.error());
}

}  // namespace

TEST_SUITE("server.bearer_token") {
  TEST_CASE(
      "a token has 16 to 512 of the characters that a header may hold, and is in no message") {
    const std::string length =
        " characters; it must have 16 to 512; make one with: openssl rand -hex 32";
    const TextCase cases[] = {
        {kGood, ""},
        {std::string(512, 'x'), ""},
        {"a-b.c_d~e+f/g==0", ""},
        {"", "invalid_argument: the token in here has 0" + length},
        {"fifteen-letters", "invalid_argument: the token in here has 15" + length},
        {std::string(513, 'x'), "invalid_argument: the token in here has 513" + length},
        {"0123456789 abcdef",
         "invalid_argument: the token in here has characters other than letters, digits and "
         "-._~+/=; make one with: openssl rand -hex 32"},
        {"0123456789abcdef\r",
         "invalid_argument: the token in here has characters other than letters, digits and "
         "-._~+/=; make one with: openssl rand -hex 32"},
    };
    for (const TextCase& c : cases) {
      CAPTURE(c.text);
      CHECK(error_of(BearerToken::parse(c.text, "here")) == c.want);
    }
  }

  TEST_CASE("only the whole token matches, the scheme in any case") {
    const auto token = BearerToken::parse(kGood, "here");
    REQUIRE(token.has_value());
    const HeaderCase cases[] = {
        {"Bearer " + kGood, true},
        {"bearer " + kGood, true},
        {"BEARER   " + kGood, true},
        {token->header(), true},
        {std::nullopt, false},
        {"", false},
        {kGood, false},
        {"Bearer", false},
        {"Bearer ", false},
        {"Basic " + kGood, false},
        {"Bearer 0123456789abcdeF", false},
        {"Bearer 0123456789abcde", false},
        {"Bearer 0123456789abcdef0", false},
        {"Bearer " + kGood + " ", false},
    };
    for (const HeaderCase& c : cases) {
      CAPTURE(c.header.value_or("(none)"));
      const auto shown = shown_token(c.header);
      CHECK((shown && token->matches(*shown)) == c.matches);
    }
  }

  TEST_CASE("a token's file is its owner's alone, and may end its line") {
    const TestFolder folder;
    const fs::path file = folder.path() / "token";
    REQUIRE(write_file(file, kGood + "\n"));
    fs::permissions(file, fs::perms::owner_read);
    const auto token = BearerToken::from_file(file);
    REQUIRE_MESSAGE(token.has_value(), error_of(token));
    CHECK(token->header() == "Bearer " + kGood);
    for (const fs::perms others :
         {fs::perms::group_read, fs::perms::others_read, fs::perms::others_write}) {
      fs::permissions(file, fs::perms::owner_read | others);
      CHECK(error_of(BearerToken::from_file(file)) ==
            "invalid_argument: users other than its owner may use the token file " + file.string() +
                "; chmod 600 " + file.string());
    }
  }

  TEST_CASE("what is no token's file is named") {
    const TestFolder folder;
    const std::string missing = (folder.path() / "missing").string();
    CHECK(error_of(BearerToken::from_file(missing)) ==
          "io: cannot read the token file " + missing + " (open: No such file or directory)");
    CHECK(error_of(BearerToken::from_file(folder.path())) ==
          "invalid_argument: the token file " + folder.path().string() + " is not a file");
    const fs::path longer = folder.path() / "long";
    REQUIRE(write_file(longer, std::string(4096, 'x')));
    fs::permissions(longer, fs::perms::owner_read);
    CHECK(error_of(BearerToken::from_file(longer)) ==
          "invalid_argument: the token in the token file " + longer.string() +
              " has 515 characters; it must have 16 to 512; make one with: openssl rand -hex 32");
  }

  TEST_CASE("a file goes before the environment, and an empty variable is a mistake") {
    const TestFolder folder;
    const fs::path file = folder.path() / "token";
    REQUIRE(write_file(file, "from-the-file-00"));
    fs::permissions(file, fs::perms::owner_read);
    const auto both = find_token({file.string(), kGood});
    REQUIRE(both.has_value());
    CHECK((*both)->header() == "Bearer from-the-file-00");
    const auto variable = find_token({"", kGood});
    REQUIRE(variable.has_value());
    CHECK((*variable)->header() == "Bearer " + kGood);
    CHECK_FALSE(find_token({"", std::nullopt})->has_value());
    const auto empty = find_token({"", ""});
    REQUIRE_FALSE(empty.has_value());
    CHECK(to_text(empty.error()) ==
          "invalid_argument: the token in WARPSMITH_TOKEN has 0 characters; it must have 16 to "
          "512; make one with: openssl rand -hex 32");
  }
}

}  // namespace ws::server
