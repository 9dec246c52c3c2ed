#include "runtime/compile/bucket_url.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

std::string url_or_error(std::string_view text) {
  const Result<std::string> url = bucket_url(text);
  return url ? *url : to_text(url.error());
}

}  // namespace

TEST_SUITE("compile.bucket_url") {
  TEST_CASE("a bucket is an https address with a path") {
    for (const char* text :
         {"https://s3.eu-central-1.amazonaws.com/warpsmith", "https://HOST:9000/b/one/two",
          "https://[fe80::1]:9000/b", "https://10.0.0.7/my_bucket.x/p-1"}) {
      CHECK(url_or_error(text) == text);
    }
    CHECK(url_or_error("https://host/b/p/") == "https://host/b/p");
  }

  TEST_CASE("http is for this machine alone") {
    for (const char* text : {"http://127.0.0.1:9000/b", "http://127.3.2.1/b",
                             "http://localhost:4568/b/p", "http://[::1]:9000/b"}) {
      CHECK(url_or_error(text) == text);
    }
    for (const char* text : {"http://minio:9000/b", "http://127.evil.org/b", "http://10.0.0.7/b",
                             "http://127.0.0.1.example.org/b", "http://localhost.example.org/b"}) {
      CAPTURE(text);
      CHECK(url_or_error(text) ==
            "invalid_argument: the URL of --share-cache-s3 is http:, by which others could read "
            "the kernels; take https:; http: is for 127.0.0.1 and localhost");
    }
  }

  TEST_CASE("other texts are no bucket") {
    for (const char* text : {"",
                             "https://",
                             "s3://bucket/prefix",
                             "https://host",
                             "https://host/",
                             "https:///b",
                             "https://host/b//p",
                             "https://host/b/../c",
                             "https://host/b/.",
                             "https://host/b?x=1",
                             "https://host/b#p",
                             "https://host/b%20",
                             "https://host/a b",
                             "https://ho st/b",
                             "https://host:/b",
                             "https://host:0/b",
                             "https://host:65536/b",
                             "https://host:9x/b",
                             "https://host:123456789012/b",
                             "https://[::1/b",
                             "https://[]/b",
                             "https://[::1]x/b",
                             "HTTPS://host/b",
                             "https://host/b\n",
                             "ftp://host/b"}) {
      CAPTURE(text);
      CHECK(url_or_error(text) ==
            "invalid_argument: the URL of --share-cache-s3 names no bucket; such as "
            "https://s3.example.org/BUCKET or https://HOST:9000/BUCKET/PREFIX, of letters, "
            "digits, '.', '_' and '-'");
    }
    CHECK_FALSE(bucket_url("https://host/" + std::string(1000, 'b')).has_value());
  }

  TEST_CASE("a key in the URL is not repeated") {
    CHECK(url_or_error("https://AKIA:hunter2@host/b") ==
          "invalid_argument: the URL of --share-cache-s3 has a user in it, whose password others "
          "could read; put the key into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }

  TEST_CASE("a region has lower-case letters, digits and dashes") {
    CHECK(is_bucket_region("us-east-1"));
    CHECK(is_bucket_region("auto"));
    CHECK_FALSE(is_bucket_region(""));
    CHECK_FALSE(is_bucket_region("us east"));
    CHECK_FALSE(is_bucket_region("eu:s3"));
    CHECK_FALSE(is_bucket_region(std::string(65, 'a')));
  }
}

}  // namespace ws
