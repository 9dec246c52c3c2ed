// Tests of the configuration file: its kinds of values, and its errors.
#include "server/cli/settings.h"

#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws::server {
namespace {

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
      {.key = "http", .kind = SettingKind::kText, .group = "transport"},
      {.key = "stdio", .kind = SettingKind::kSwitch, .group = "transport"},
      {.key = "cache-size", .kind = SettingKind::kSize},
      {.key = "offset", .kind = SettingKind::kNumber},
      {.key = "count", .kind = SettingKind::kInteger},
      {.key = "cuda", .kind = SettingKind::kPath, .variable = "WARPSMITH_CUDA"},
      {.key = "token", .variable = "WARPSMITH_TOKEN", .group = "token", .secret = true},
      {.key = "token-file", .group = "token"},
  };
  return all;
}

/// The values of a file with this text, a line for each; or the error, with FILE for its name.
std::string read(const std::string& text, mode_t mode = 0600) {
  const TestFolder folder;
  const auto file = folder.path() / "config.toml";
  REQUIRE(write_file(file, text).has_value());
  ::chmod(file.c_str(), mode);
  const auto values = read_settings(file, settings());
  std::string found = values ? "" : to_text(values.error());
  for (std::size_t at = found.find(file.string()); at != std::string::npos;
       at = found.find(file.string())) {
    found.replace(at, file.string().size(), "FILE");
  }
  if (values) {
    for (const FileValue& value : *values) {
      found += std::to_string(value.line) + ":" + std::to_string(value.column) + " " + value.key +
               "=" + value.text + "\n";
    }
  }
  return found;
}

constexpr const char* kBad = "invalid_argument: FILE:";

}  // namespace

TEST_SUITE("cli.settings") {
  TEST_CASE("values of all kinds are read, with their places, in their order") {
    CHECK(read("# mine\nhttp = '127.0.0.1:1'\n  stdio = false\ncache-size = 5\noffset = 2.5\n"
               "count = 1_000\ncuda = \"/opt/cuda\"\n") ==
          "2:1 http=127.0.0.1:1\n3:3 stdio=false\n4:1 cache-size=5\n5:1 offset=2.500000\n"
          "6:1 count=1000\n7:1 cuda=/opt/cuda\n");
    CHECK(read("cache-size = \"512MB\"\noffset = 2\n") == "1:1 cache-size=512MB\n2:1 offset=2\n");
    CHECK(read("") == "");
  }

  TEST_CASE("a wrong file is refused with the place, and a key with the one that was meant") {
    const std::pair<const char*, const char*> cases[] = {
        {"chache-size = 1\n", "1:1: no setting `chache-size`; did you mean `cache-size`?"},
        {"count = 1\n[serve]\nhttp = 'x'\n",
         "2:2: no setting `serve`; known: http, stdio, cache-size, offset, count, cuda, token, "
         "token-file"},
        {"\nhttp = 7411\n", "2:8: `http` must be a string, not an integer"},
        {"http = ['x']\n", "1:8: `http` must be a string, not an array"},
        {"http = 1979-05-27\n", "1:8: `http` must be a string, not a date or a time"},
        {"stdio = 'yes'\n", "1:9: `stdio` must be true or false, not a string"},
        {"count = 1.5\n", "1:9: `count` must be an integer, not a floating-point number"},
        {"offset = true\n", "1:10: `offset` must be a number, not true or false"},
        {"cache-size = {}\n",
         "1:14: `cache-size` must be a number of bytes, or a string such as \"512MB\", not a "
         "table"},
        {"cuda = 'here'\n", "1:8: `cuda` must be a string with a whole path, not a relative one"},
        {"token = 'short'\n", nullptr},
        {"http = 'x'\nhttp = 'y'\n",
         "2:8: Error while parsing key-value pair: cannot redefine existing string 'http'"},
    };
    for (const auto& [text, error] : cases) {
      CAPTURE(text);
      CHECK(read(text) ==
            (error != nullptr
                 ? kBad + std::string(error)
                 : "invalid_argument: the token in FILE:1:9 has 5 characters; it must have 16 to "
                   "512; make one with: openssl rand -hex 32"));
    }
    CHECK(to_text(read_settings("/none/config.toml", settings()).error()) ==
          "io: cannot read /none/config.toml (open: No such file or directory)");
  }

  TEST_CASE("a file with a token is its owner's alone") {
    const std::string text = "http = 'x'\ntoken = '0123456789abcdef'\n";
    CHECK(read(text) == "1:1 http=x\n2:1 token=0123456789abcdef\n");
    CHECK(read(text, 0640) ==
          std::string(kBad) +
              "2:1: users other than its owner may use this file, which has a token; chmod 600 "
              "FILE, or name the token's own file by `token-file`");
    CHECK(read("http = 'x'\n", 0644) == "1:1 http=x\n");
  }

  TEST_CASE("a flag or a variable hides the file's value, and those that it stands in for") {
    const std::vector<FileValue> values = {
        {"http", "x", 1, 1}, {"token-file", "/t", 2, 1}, {"count", "3", 3, 1}};
    const auto counting = [&](const std::set<std::string>& given) {
      std::string keys;
      for (const FileValue& value : values_that_count(values, settings(), given)) {
        keys += value.key + " ";
      }
      return keys;
    };
    CHECK(counting({}) == "http token-file count ");
    CHECK(counting({"count", "cuda"}) == "http token-file ");
    CHECK(counting({"stdio"}) == "token-file count ");
    CHECK(counting({"token"}) == "http count ");
  }

  TEST_CASE("a text as TOML can be read again") {
    for (const std::string& text :
         std::vector<std::string>{"plain", "with \"quotes\" and 'others'", "a\\b\tc\nd", ""}) {
      CHECK(read("http = " + toml_string(text) + "\n") == "1:1 http=" + text + "\n");
    }
  }
}

}  // namespace ws::server
