#include "server/cli/s3_key.h"

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws::server {
namespace {

constexpr const char* kFileText =
    "# of the team\r\n[default]\naws_access_key_id = AKIA1\naws_secret_access_key=s/1+=\n\n"
    "[ short ]\n aws_access_key_id=AKIA2\n aws_secret_access_key = s2\naws_session_token = t==\n"
    "region = eu-west-1\n; the end\n[half]\naws_access_key_id = AKIA3\n"
    "[blank]\naws_access_key_id = AKIA 4\naws_secret_access_key = s4\n";

class KeyFile {
 public:
  explicit KeyFile(const std::string& text) {
    REQUIRE(write_file(path(), text).has_value());
    std::filesystem::permissions(path(), std::filesystem::perms::owner_read);
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "credentials"; }

  /// "ID SECRET SESSION", or the error with FILE in the place of its name.
  [[nodiscard]] std::string key(const std::string& profile, const S3Key& environment = {}) const {
    const Result<S3Key> key = read_s3_key({environment, path(), profile});
    if (key) {
      return key->id + " " + key->secret + " " + key->session;
    }
    std::string text = to_text(key.error());
    for (std::size_t at = text.find(path()); at != std::string::npos; at = text.find(path())) {
      text.replace(at, path().string().size(), "FILE");
    }
    return text;
  }

 private:
  TestFolder folder_;
};

}  // namespace

TEST_SUITE("cli.s3_key") {
  TEST_CASE("a profile of the file has a key") {
    const KeyFile file(kFileText);
    CHECK(file.key("") == "AKIA1 s/1+= ");
    CHECK(file.key("default") == "AKIA1 s/1+= ");
    CHECK(file.key("short") == "AKIA2 s2 t==");
  }

  TEST_CASE("the environment goes before the file") {
    const KeyFile file(kFileText);
    CHECK(file.key("", {"AKIA5", "s5", "t5"}) == "AKIA5 s5 t5");
    CHECK(file.key("", {"", "", "t5"}) == "AKIA1 s/1+= ");
  }

  TEST_CASE("a key that is not there, or not whole, is an error") {
    const KeyFile file(kFileText);
    CHECK(file.key("other") ==
          "invalid_argument: the file with keys FILE has no key for the profile other; write "
          "aws_access_key_id and aws_secret_access_key below [other], or name another profile by "
          "AWS_PROFILE");
    CHECK(file.key("half") ==
          "invalid_argument: the file with keys FILE has only a part of a key; a key of "
          "--share-cache-s3 has an id and a secret");
    const std::string half =
        "invalid_argument: the environment has only a part of a key; a key of --share-cache-s3 "
        "has an id and a secret";
    CHECK(file.key("", {"AKIA5", "", ""}) == half);
    CHECK(file.key("", {"", "s5", ""}) == half);
    std::filesystem::remove(file.path());
    CHECK(file.key("") ==
          "invalid_argument: there is no key for --share-cache-s3; set AWS_ACCESS_KEY_ID and "
          "AWS_SECRET_ACCESS_KEY, or write them into FILE");
  }

  TEST_CASE("a key that would end a header is refused, and not repeated") {
    const KeyFile file(kFileText);
    CHECK(file.key("blank") ==
          "invalid_argument: the key of --share-cache-s3 in the file with keys FILE has blanks or "
          "other characters that no key has");
    const std::string bad =
        "invalid_argument: the key of --share-cache-s3 in the environment has blanks or other "
        "characters that no key has";
    CHECK(file.key("", {"AKIA\n", "s", ""}) == bad);
    CHECK(file.key("", {"AKIA", "s\x80", ""}) == bad);
    CHECK(file.key("", {"AKIA", "s", "t\r\nx-amz-acl: public-read"}) == bad);
  }

  TEST_CASE("a file that others can read is refused") {
    const KeyFile file(kFileText);
    std::filesystem::permissions(file.path(), std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    CHECK(file.key("") ==
          "invalid_argument: users other than its owner may use the file with keys FILE; chmod "
          "600 FILE");
  }
}

}  // namespace ws::server
