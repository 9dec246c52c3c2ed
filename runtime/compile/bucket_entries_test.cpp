// Entries in a bucket, whose endpoint may be down, wrong or hostile.
#include "runtime/compile/bucket_entries.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include "runtime/base/hash.h"
#include "tests/support/s3_endpoint.h"

namespace ws {
namespace {

const std::string kKey = sha256_hex("question");

std::unique_ptr<BucketEntries> entries_of(S3Bucket bucket,
                                          std::size_t most_bytes = BucketEntries::kMostBytes) {
  auto entries = BucketEntries::open(std::move(bucket), most_bytes);
  REQUIRE_MESSAGE(entries.has_value(), to_text(entries.error()));
  return *std::move(entries);
}

/// The entry, "none", or the error with URL in the place of the bucket's.
std::string found_in(EntryPlace& entries, const std::string& url) {
  const auto found = entries.find(kKey);
  if (found) {
    return found->value_or("none");
  }
  std::string text = to_text(found.error());
  const std::size_t at = text.find(url);
  return at == std::string::npos ? text : text.replace(at, url.size(), "URL");
}

std::string found_in(const S3Bucket& bucket) {
  return found_in(*entries_of(bucket), bucket.url);
}

std::string put_error(const S3Bucket& bucket) {
  const Status put = entries_of(bucket)->put(kKey, "kernel");
  REQUIRE_FALSE(put.has_value());
  std::string text = to_text(put.error());
  return text.replace(text.find(bucket.url), bucket.url.size(), "URL");
}

std::string refused(const std::string& why) {
  return "io: the bucket URL refuses this key (" + why +
         "); see AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the file with "
         "the key; --share-cache-s3-region; this machine's clock; and that the key may list the "
         "bucket, get and put objects";
}

void wait_until_gone(int client) {
  char byte = 0;
  while (::recv(client, &byte, 1, 0) > 0) {
  }
}

}  // namespace

TEST_SUITE("compile.bucket_entries") {
  TEST_CASE("what one machine puts another one gets") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    CHECK(found_in(endpoint.bucket()) == "none");
    const auto one = entries_of(endpoint.bucket());
    const std::string large(std::size_t{3} << 20U, 'k');  // A client asks before it sends that.
    for (const std::string& bytes : {std::string("kernel"), std::string(), large}) {
      CAPTURE(bytes.size());
      REQUIRE(one->put(kKey, bytes).has_value());
      CHECK(found_in(endpoint.bucket()) == bytes);
      CHECK(one->find(kKey).value() == bytes);
    }
    CHECK(endpoint.objects().size() == 1);
    CHECK(endpoint.objects().contains(kKey.substr(0, 2) + "/" + kKey + ".entry"));
  }

  TEST_CASE("a prefix, and a key without a session, are signed too") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    S3Bucket bucket = endpoint.bucket();
    bucket.url += "/team/v1.2_x-y";
    REQUIRE(entries_of(bucket)->put(kKey, "kernel").has_value());
    CHECK(endpoint.objects().begin()->first.starts_with("team/v1.2_x-y/"));
    bucket.key.session.clear();
    CHECK(put_error(bucket) == refused("403 AccessDenied"));
  }

  TEST_CASE("a wrong key, secret, session or region is an error that says so") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    const auto both = [](const S3Bucket& bucket, const std::string& want) {
      CHECK(found_in(bucket) == want);
      CHECK(put_error(bucket) == want);
    };
    S3Bucket wrong = endpoint.bucket();
    wrong.key.id += "X";
    both(wrong, refused("403 InvalidAccessKeyId"));
    wrong = endpoint.bucket();
    wrong.key.secret += "X";
    both(wrong, refused("403 SignatureDoesNotMatch"));
    wrong = endpoint.bucket();
    wrong.key.session += "X";
    both(wrong, refused("403 InvalidToken"));
    wrong = endpoint.bucket();
    wrong.region = "us-east-1";
    both(wrong, refused("403 AuthorizationHeaderMalformed"));
    CHECK(endpoint.objects().empty());
  }

  TEST_CASE("a bucket that is not there is an error") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    S3Bucket other = endpoint.bucket();
    other.url += "-2";
    const std::string want =
        "io: there is no bucket URL (404 NoSuchBucket); make it, or name another one by "
        "--share-cache-s3";
    CHECK(found_in(other) == want);
    CHECK(put_error(other) == want);
  }

  TEST_CASE("an endpoint that is down is an error, until it is there again") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    S3Bucket bucket;
    {
      test::S3Endpoint endpoint;
      bucket = endpoint.bucket();
    }
    CHECK(found_in(bucket) == "io: no answer from the bucket URL (Couldn't connect to server)");
    CHECK(put_error(bucket) == "io: no answer from the bucket URL (Couldn't connect to server)");
  }

  TEST_CASE("a redirection is not followed") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint other;
    test::S3Endpoint endpoint;
    REQUIRE(entries_of(other.bucket())->put(kKey, "kernel").has_value());
    const std::string to = other.bucket().url + "/" + kKey.substr(0, 2) + "/" + kKey + ".entry";
    for (const char* status : {"301 Moved Permanently", "302 Found", "307 Temporary Redirect"}) {
      CAPTURE(status);
      endpoint.act([&](int client) {
        test::send_text(client, "HTTP/1.1 " + std::string(status) +
                                    "\r\nConnection: close\r\nContent-Length: 0\r\nLocation: " +
                                    to + "\r\n\r\n");
      });
      const std::string want = "io: the bucket URL has another address or region (" +
                               std::string(status, 3) +
                               "); write it into --share-cache-s3 and --share-cache-s3-region: "
                               "redirections are not followed";
      CHECK(found_in(endpoint.bucket()) == want);
      CHECK(put_error(endpoint.bucket()) == want);
    }
    CHECK(other.asked() == 1);
  }

  TEST_CASE("an object that is too large, or has no end, is not read to its end") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    const auto entries = entries_of(endpoint.bucket(), 1000);
    const std::string url = endpoint.bucket().url;
    REQUIRE(entries->put(kKey, std::string(1000, 'k')).has_value());
    CHECK(found_in(*entries, url) == std::string(1000, 'k'));
    CHECK(entries->put(kKey, std::string(1001, 'x')).has_value());  // It stays here.
    CHECK(found_in(*entries, url) == std::string(1000, 'k'));
    endpoint.change_objects([](std::string& bytes) { bytes += "k"; });
    const std::string want = "io: no answer from the bucket URL (it is too long)";
    CHECK(found_in(*entries, url) == want);
    for (const char* head : {"\r\n", "Transfer-Encoding: chunked\r\n\r\n", "X-Endless: "}) {
      CAPTURE(head);
      endpoint.act([head](int client) {
        test::send_text(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n" + std::string(head));
        while (test::send_text(client, "10\r\n0123456789abcdef\r\n" + std::string(65536, ' '))) {
        }
      });
      const std::string error = found_in(*entries, url);
      CHECK(error.starts_with("io: no answer from the bucket URL ("));
    }
  }

  TEST_CASE("an endpoint that answers slowly holds nobody longer than the limit") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    S3Bucket bucket = endpoint.bucket();
    const std::string want = "io: no answer from the bucket URL (Timeout was reached)";
    for (const char* begin : {"", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nker"}) {
      CAPTURE(begin);
      endpoint.act([begin](int client) {
        test::send_text(client, begin);
        wait_until_gone(client);
      });
      bucket.limits = {.whole = std::chrono::milliseconds(300)};
      CHECK(found_in(bucket) == want);
      bucket.limits = {.stall = std::chrono::seconds(1), .whole = std::chrono::hours(1)};
      CHECK(found_in(bucket) == want);
    }
    bucket.limits = {.whole = std::chrono::milliseconds(300)};
    CHECK(put_error(bucket) == want);
  }

  TEST_CASE("an answer that ends early is no entry") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    endpoint.act([](int client) {
      test::send_text(client, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nker");
    });
    CHECK(found_in(endpoint.bucket()) ==
          "io: no answer from the bucket URL (Transferred a partial file)");
    endpoint.act([](int client) { test::send_text(client, "kernel"); });
    CHECK(found_in(endpoint.bucket()) ==
          "io: no answer from the bucket URL (Unsupported protocol)");
  }

  TEST_CASE("other errors have their number, and a code only where it is a word") {
    if (test::no_s3("entries in a bucket")) {
      return;
    }
    test::S3Endpoint endpoint;
    const auto error_for = [&](const std::string& body) {
      endpoint.act([&body](int client) {
        test::send_text(client, "HTTP/1.1 503 Slow Down\r\nConnection: close\r\nContent-Length: " +
                                    std::to_string(body.size()) + "\r\n\r\n" + body);
      });
      return found_in(endpoint.bucket());
    };
    CHECK(error_for("<Error><Code>SlowDown</Code></Error>") ==
          "io: the bucket URL answers with an error (503 SlowDown)");
    for (const std::string& body :
         {std::string(), std::string("<Code>a\nb</Code>"), std::string("<Code>"),
          "<Code>" + std::string(65, 'c') + "</Code>"}) {
      CAPTURE(body);
      CHECK(error_for(body) == "io: the bucket URL answers with an error (503)");
    }
  }
}

}  // namespace ws
