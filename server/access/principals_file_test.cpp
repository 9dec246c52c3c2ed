#include "server/access/principals_file.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws::server {
namespace {

const std::string kHash = "sha256:" + std::string(32, '1') + ":" + std::string(64, '2');

std::string entry(const std::string& name, const std::string& more = "") {
  return "[[principal]]\nname = \"" + name + "\"\nrole = \"use\"\nhash = \"" + kHash + "\"\n" +
         more;
}

struct BadCase {
  std::string text;
  std::string want;  ///< Without "invalid_argument: FILE:".
};

std::string error_of(const std::string& text) {
  const auto parsed = parse_principals(text, "FILE");
  return parsed ? "" : to_text(parsed.error());
}

}  // namespace

TEST_SUITE("access.principals_file") {
  TEST_CASE("principals are read in their order, with their limits") {
    const auto parsed = parse_principals(
        "failed-logins-per-minute = 5\n" +
            entry("ci", "requests-per-minute = 60\nqueued-jobs = 20\n") + entry("grafana") +
            "compile-seconds-per-day = 3600\ndevice-seconds-per-day = 7200\n"
            "stored-megabytes = 3000\n",
        "FILE");
    REQUIRE_MESSAGE(parsed.has_value(), to_text(parsed.error()));
    CHECK(parsed->failed_logins_per_minute == 5);
    REQUIRE(parsed->entries.size() == 2);
    const Principal& ci = parsed->entries[0].principal;
    CHECK(ci.name == "ci");
    CHECK(ci.role == Role::kUse);
    CHECK(ci.limits.requests_per_minute == 60);
    CHECK(ci.limits.queued_jobs == 20);
    CHECK_FALSE(ci.limits.compile_seconds_per_day.has_value());
    REQUIRE(parsed->entries[0].tokens.size() == 1);
    CHECK(parsed->entries[0].tokens[0].hash == kHash);
    CHECK_FALSE(parsed->entries[0].tokens[0].expires_s.has_value());
    CHECK(parsed->entries[0].line == 2);
    CHECK(parsed->entries[1].principal.limits.compile_seconds_per_day == 3600);
    CHECK(parsed->entries[1].principal.limits.device_seconds_per_day == 7200);
    CHECK(parsed->entries[1].principal.limits.stored_megabytes == 3000);
    CHECK(parsed->entries[1].principal.viewer->most_bytes == 3'000'000'000);
    CHECK_FALSE(ci.viewer->most_bytes.has_value());
    CHECK(parse_principals("", "FILE")->entries.empty());
    CHECK(parse_principals("", "FILE")->failed_logins_per_minute == 30);
  }

  TEST_CASE("what a principal stores is its own, unless it shares, and an administrator sees all") {
    std::string admin = entry("root");
    admin.replace(admin.find("\"use\""), 5, "\"admin\"");
    const auto parsed = parse_principals(entry("ann") + entry("bob", "visibility = \"shared\"\n") +
                                             entry("cid", "visibility = \"private\"\n") + admin,
                                         "FILE");
    REQUIRE_MESSAGE(parsed.has_value(), to_text(parsed.error()));
    std::string shown;
    for (const PrincipalEntry& one : parsed->entries) {
      const Viewer& viewer = *one.principal.viewer;
      shown += viewer.owner + (viewer.shares ? " shares" : "") +
               (viewer.sees_all ? " sees all" : "") + ";";
    }
    CHECK(shown == "ann;bob shares;cid;root sees all;");
  }

  TEST_CASE("a principal may have several tokens, which may end, and those of an issuer limits") {
    const auto parsed = parse_principals(
        "[oauth]\nqueued-jobs = 5\n" + entry("ci", "expires = 2027-01-31T01:00:00+01:00\n") +
            "[[principal.token]]\nhash = \"" + kHash + "\"\n[[principal.token]]\nhash = \"" +
            kHash + "\"\nexpires = 1970-01-02T00:00:01Z\n" + entry("bob"),
        "FILE");
    REQUIRE_MESSAGE(parsed.has_value(), to_text(parsed.error()));
    CHECK(parsed->issued_limits.queued_jobs == 5);
    REQUIRE(parsed->entries.size() == 2);
    REQUIRE(parsed->entries[0].tokens.size() == 3);
    CHECK(parsed->entries[0].tokens[0].expires_s == 1801353600);
    CHECK_FALSE(parsed->entries[0].tokens[1].expires_s.has_value());
    CHECK(parsed->entries[0].tokens[2].expires_s == 86401);
    CHECK(parsed->entries[1].tokens.size() == 1);
  }

  TEST_CASE("each mistake is named with its place") {
    const std::string one = "must be an integer of 1 or more";
    const std::string token = "[[principal.token]]\nhash = \"" + kHash + "\"\n";
    const std::string tokens = token + token;
    const BadCase cases[] = {
        {"[[principal]\n", "1:13: Error while parsing table header: expected ']', saw '\\n'"},
        {"principals = 1\n", "1:1: no setting `principals`; did you mean `principal`?"},
        {"principal = 1\n", "1:13: a principal is a table of its own: [[principal]]"},
        {"principal = [1]\n", "1:14: a principal is a table of its own: [[principal]]"},
        {"failed-logins-per-minute = 0\n", "1:28: `failed-logins-per-minute` " + one},
        {entry("ci", "rol = 'use'\n"), "5:1: a principal has no `rol`; did you mean `role`?"},
        {entry("ci", "queued-jobs = '20'\n"), "5:15: `queued-jobs` " + one},
        {entry("ci", "requests-per-minute = -1\n"), "5:23: `requests-per-minute` " + one},
        {entry("ci", "requests-per-minute = 3000000000\n"), "5:23: `requests-per-minute` " + one},
        {entry("c i"), "2:8: `name` must be 1 to 64 letters, digits, dashes and underscores"},
        {entry(""), "2:8: `name` must be 1 to 64 letters, digits, dashes and underscores"},
        {entry("owner"),
         "2:8: `owner` is the name of a principal that needs no entry; choose another name"},
        {entry("local"),
         "2:8: `local` is the name of a principal that needs no entry; choose another name"},
        {entry("ci") + entry("ci"), "6:8: there is a principal `ci` already"},
        {"[[principal]]\nrole = 'root'\n", "2:8: `role` must be \"read\", \"use\" or \"admin\""},
        {"[[principal]]\nvisibility = 'all'\n",
         "2:14: `visibility` must be \"private\" or \"shared\""},
        {"[[principal]]\nrole = 1\n", "2:8: `role` must be \"read\", \"use\" or \"admin\""},
        {"[[principal]]\nhash = 'secret'\n",
         "2:8: `hash` is not one that `warpsmith token new` makes"},
        {"[[principal]]\nname = 'ci'\n",
         "1:1: the principal has neither a `hash` nor a `uid`; make one with: warpsmith token new "
         "NAME --role use --file FILE"},
        {"[[principal]]\nname = 'ci'\nuid = 1001\n",
         "1:1: the principal has no `name` or no `role`; make one with: warpsmith token new NAME "
         "--role use --file FILE"},
        {entry("ci", "expires = 2027-01-31\n"),
         "5:11: `expires` must be a time with its zone, such as 2027-01-31T00:00:00Z"},
        {entry("ci", "expires = 2027-01-31T00:00:00\n"),
         "5:11: `expires` must be a time with its zone, such as 2027-01-31T00:00:00Z"},
        {"[[principal]]\nexpires = 2027-01-31T00:00:00Z\n", "2:11: `expires` needs a `hash`"},
        {entry("ci", "token = 1\n"), "5:9: a token is a table with a `hash`: [[principal.token]]"},
        {entry("ci", "[[principal.token]]\nhash = 'secret'\n"),
         "6:8: `hash` is not one that `warpsmith token new` makes"},
        {entry("ci", "[[principal.token]]\nhash = '" + kHash + "'\nrole = 'use'\n"),
         "7:1: a token has no `role`; known: hash, expires"},
        {entry("ci", tokens + tokens),
         "1:1: a principal has at most 4 tokens; remove those that nobody shows: warpsmith token "
         "revoke ci --old --file FILE"},
        {"oauth = 1\n", "1:9: `oauth` is a table: [oauth]"},
        {"[oauth]\nqueued-job = 1\n",
         "2:1: [oauth] has no `queued-job`; did you mean "
         "`queued-jobs`?"},
        {"[oauth]\nqueued-jobs = 0\n", "2:15: `queued-jobs` " + one},
        {entry("ci", "uid = 0\n"), "5:7: `uid` " + one},
        {entry("ci", "uid = 1001\n") + entry("cd", "uid = 1001\n"),
         "10:7: the user 1001 is the principal `ci` already"},
    };
    for (const BadCase& c : cases) {
      CAPTURE(c.text);
      CHECK(error_of(c.text) == "invalid_argument: FILE:" + c.want);
    }
  }

  TEST_CASE("a file that others may read is refused, and so is one without an end") {
    const TestFolder folder;
    const std::filesystem::path file = folder.path() / "principals.toml";
    REQUIRE(write_file(file, entry("ci")));
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    CHECK(read_principals(file).has_value());
    std::filesystem::permissions(
        file, std::filesystem::perms::owner_all | std::filesystem::perms::group_read);
    const auto open = read_principals(file);
    REQUIRE_FALSE(open.has_value());
    CHECK(to_text(open.error()) ==
          "invalid_argument: users other than its owner may use the principals file " +
              file.string() + "; chmod 600 " + file.string());
    REQUIRE(write_file(file, std::string((std::size_t{1} << 20U) + 1, '\n')));
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    const auto longer = read_principals(file);
    REQUIRE_FALSE(longer.has_value());
    CHECK(to_text(longer.error()) ==
          "invalid_argument: the principals file " + file.string() + " is longer than 1 MiB");
  }
}

}  // namespace ws::server
