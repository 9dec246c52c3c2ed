// Nodes that share what they compiled: real processes, on one database.
#include <csignal>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/shared_entries.h"
#include "tests/support/child.h"
#include "tests/support/node_cluster.h"
#include "tests/support/process_variables.h"
#include "tests/support/run_program.h"
#include "tests/support/s3_endpoint.h"

namespace ws::test {
namespace {

std::string secret_file(const TestFolder& folder, std::size_t bytes) {
  const std::filesystem::path path = folder.path() / "share.secret";
  REQUIRE(write_file(path, std::string(bytes, 's')).has_value());
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return path.string();
}

/// A kernel of two megabytes: it has a table that no launch reads.
Json large_kernel() {
  std::string table = "#define A \"" + std::string(64, 'w') + "\"\n";
  for (const char* lines : {"BA", "CB", "DC", "ED", "FE"}) {
    table += "#define " + std::string(1, lines[0]);
    for (int i = 0; i < 8; ++i) {
      table += " " + std::string(1, lines[1]);
    }
    table += "\n";
  }
  Json kernel = doubling_kernel(1);
  std::string source = kernel["kernel"]["source"];
  source.insert(source.find('{') + 1, " if (n < 0) y[0] = table[-n];");
  kernel["kernel"]["source"] = table + "__device__ const char table[] = F;\n" + source;
  return kernel;
}

ProcessVariables key_of(const S3Bucket& bucket) {
  return ProcessVariables({{"AWS_ACCESS_KEY_ID", bucket.key.id},
                           {"AWS_SECRET_ACCESS_KEY", bucket.key.secret},
                           {"AWS_SESSION_TOKEN", bucket.key.session}});
}

/// The error of a node that shares and has these options.
std::string error_with(const std::string& secret, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"node", "--store", "postgres://nobody@127.0.0.1:1/none",
                                    "--share-cache", secret};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = run_program(words);
  CHECK(ended.status != 0);
  return ended.err;
}

}  // namespace

TEST_SUITE("server.share_cache") {
  TEST_CASE("a node runs what another one compiled") {
    if (no_postgres("nodes that share compiled kernels")) {
      return;
    }
    const TestFolder folder;
    const std::vector<std::string> share = {"--share-cache", secret_file(folder, kLeastSecret)};
    NodeCluster cluster;
    auto front = cluster.front();
    {
      const auto one = cluster.node("one", share);
      CHECK(call_ok(*front, "compile_kernel", doubling_kernel(1))["cache"] == "miss");
      one->signal(SIGTERM);  // It writes what waits before it ends.
      CHECK(one->wait(kPatience) == 0);
    }
    {
      const auto alone = cluster.node("alone");
      CHECK(call_ok(*front, "compile_kernel", doubling_kernel(1))["cache"] == "miss");
    }
    const auto two = cluster.node("two", share);
    const Json compiled = call_ok(*front, "compile_kernel", doubling_kernel(1));
    CHECK(compiled["cache"] == "hit");
    CHECK(call_ok(*front, "validate", {{"kernel_id", compiled["kernel_id"]}})["verdict"] ==
          "passed");
  }

  TEST_CASE("nodes share a large kernel by a bucket, and do without it where it is away") {
    if (no_postgres("nodes that share a bucket") || no_s3("nodes that share a bucket")) {
      return;
    }
    const TestFolder folder;
    S3Endpoint endpoint;
    const S3Bucket bucket = endpoint.bucket();
    const ProcessVariables key = key_of(bucket);
    const std::vector<std::string> share = {
        "--share-cache",       secret_file(folder, kLeastSecret), "--share-cache-s3",
        bucket.url + "/team/", "--share-cache-s3-region",         bucket.region};
    NodeCluster cluster;
    auto front = cluster.front();
    const auto compiled_by = [&](const std::string& name) {
      const auto node = cluster.node(name, share);
      const Json compiled = call_ok(*front, "compile_kernel", large_kernel());
      node->signal(SIGTERM);
      CHECK(node->wait(kPatience) == 0);
      return compiled["cache"].get<std::string>();
    };
    CHECK(compiled_by("one") == "miss");
    REQUIRE(endpoint.objects().size() == 1);
    const std::string name = endpoint.objects().begin()->first;
    constexpr std::size_t kKeyAt = 8;
    REQUIRE(name.size() > kKeyAt);
    const std::string digits = name.substr(kKeyAt, 64);
    CHECK(name == "team/" + digits.substr(0, 2) + "/" + digits + ".entry");
    CHECK(compiled_by("two") == "hit");
    endpoint.stop();
    CHECK(compiled_by("three") == "miss");
  }

  TEST_CASE("a bucket that cannot be used is refused at the start") {
    const TestFolder folder;
    const std::string secret = secret_file(folder, kLeastSecret);
    const std::string url = "https://s3.example.org/kernels";
    const std::string none = (folder.path() / "none").string();
    const ProcessVariables nowhere({{"AWS_ACCESS_KEY_ID", ""},
                                    {"AWS_SECRET_ACCESS_KEY", ""},
                                    {"AWS_SHARED_CREDENTIALS_FILE", none}});
    const std::string with_user =
        error_with(secret, {"--share-cache-s3", "https://AKIA:hunter2@host/b"});
    CHECK(with_user.find("hunter2") == std::string::npos);
    CHECK(with_user.starts_with(
        "--share-cache-s3: invalid_argument: the URL of --share-cache-s3 has a "
        "user in it, whose password others could read; put the key into "
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\n"));
    CHECK(error_with(secret, {"--share-cache-s3", "http://minio:9000/b"})
              .starts_with("--share-cache-s3: invalid_argument: the URL of --share-cache-s3 is "
                           "http:, by which others could read the kernels; take https:; http: is "
                           "for 127.0.0.1 and localhost\n"));
    CHECK(error_with(secret, {"--share-cache-s3", url, "--share-cache-s3-region", "a b"})
              .starts_with("--share-cache-s3-region: a region has lower-case letters, digits and "
                           "dashes, such as eu-central-1\n"));
    CHECK(error_with(secret, {"--share-cache-s3", url, "--share-cache-folder", none})
              .starts_with("--share-cache-folder excludes --share-cache-s3\n"));
    CHECK(error_with(secret, {"--share-cache-s3-region", "eu-central-1"})
              .starts_with("--share-cache-s3-region requires --share-cache-s3\n"));
    CHECK(error_with(secret, {"--share-cache-s3", url})
              .ends_with("error node: invalid_argument: there is no key for --share-cache-s3; set "
                         "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into " +
                         none + "\n"));
    const ProcessVariables key(
        {{"AWS_ACCESS_KEY_ID", "AKIA"}, {"AWS_SECRET_ACCESS_KEY", "secret"}});
    CHECK(error_with(secret, {"--share-cache-s3", url, "--share-cache-s3-ca", none})
              .ends_with("error node: io: cannot read " + none +
                         " (open: No such file or directory)\n"));
  }

  TEST_CASE("a bucket needs the library beside the program") {
    const TestFolder folder;
    const std::string secret = secret_file(folder, kLeastSecret);
    const ProcessVariables key(
        {{"AWS_ACCESS_KEY_ID", "AKIA"}, {"AWS_SECRET_ACCESS_KEY", "secret"}});
    const std::string program = (folder.path() / "warpsmith").string();
    std::filesystem::copy_file(std::string(WS_BINARY_DIR) + "/warpsmith", program);
    const Ended ended =
        run_program({"node", "--store", "postgres://nobody@127.0.0.1:1/none", "--share-cache",
                     secret, "--share-cache-s3", "https://s3.example.org/kernels"},
                    "", std::filesystem::relative(program, WS_BINARY_DIR).string());
    CHECK(ended.status == 1);
    CHECK(ended.err.ends_with(
        "error node: unsupported: the library that talks to S3 cannot be loaded (" +
        folder.path().string() +
        "/libwarpsmith_s3.so: cannot open shared object file: No such file or directory); install "
        "libcurl4, and keep libwarpsmith_s3.so beside the program; it is built where "
        "libcurl4-openssl-dev is installed\n"));
  }

  TEST_CASE("options of sharing that make no sense are errors") {
    const TestFolder folder;
    const std::string data = (folder.path() / "data").string();
    const std::string file = secret_file(folder, kLeastSecret - 1);
    const Ended alone = run_program({"serve", "--stdio", "--data", data, "--share-cache", file});
    CHECK(alone.status == 1);
    CHECK(alone.err.find("invalid_argument: --share-cache needs a --store; name the database that "
                         "the machines share\n") != std::string::npos);
    const Ended small = run_program({"serve", "--stdio", "--data", data, "--share-cache", file,
                                     "--store", "postgres://nobody@127.0.0.1:1/none"});
    CHECK(small.status == 1);
    CHECK(
        small.err.find("invalid_argument: the file of --share-cache has 31 bytes, at least 32 are "
                       "needed; (umask 077; head -c 32 /dev/urandom > " +
                       file + ")\n") != std::string::npos);
    std::filesystem::permissions(file, std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    const Ended open = run_program({"serve", "--stdio", "--data", data, "--share-cache", file,
                                    "--store", "postgres://nobody@127.0.0.1:1/none"});
    CHECK(open.status == 1);
    CHECK(open.err.find("file of --share-cache") != std::string::npos);
    const Ended folder_alone =
        run_program({"serve", "--stdio", "--data", data, "--share-cache-folder", data});
    CHECK(folder_alone.err.find("--share-cache-folder requires --share-cache") !=
          std::string::npos);
    const Ended bucket_alone = run_program(
        {"serve", "--stdio", "--data", data, "--share-cache-s3", "https://s3.example.org/kernels"});
    CHECK(bucket_alone.err.starts_with("--share-cache-s3 requires --share-cache\n"));
  }
}

}  // namespace ws::test
