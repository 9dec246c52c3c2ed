// The tests' own endpoint against the examples that AWS publishes.
#include "tests/support/s3_signature.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::test {
namespace {

constexpr const char* kExampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/// Whether the request of an example has the signature that belongs to it.
bool is_signed(const std::string& text) {
  const S3Request request = parse_s3_request(text);
  const S3Authorization claimed = parse_s3_authorization(request.headers.at("authorization"));
  return s3_signature(request, claimed, kExampleSecret) == claimed.signature;
}

std::string get_example(const std::string& path) {
  return "GET " + path +
         " HTTP/1.1\r\nHost: examplebucket.s3.amazonaws.com\r\n"
         "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
         "aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature="
         "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41\r\n"
         "Range: bytes=0-9\r\nx-amz-content-sha256: "
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\r\n"
         "x-amz-date: 20130524T000000Z\r\n\r\n";
}

}  // namespace

TEST_SUITE("s3_signature") {
  TEST_CASE("the examples of AWS have the signatures that AWS says") {
    CHECK(is_signed(get_example("/test.txt")));
    CHECK(is_signed(
        "PUT /test%24file.text HTTP/1.1\r\nHost: examplebucket.s3.amazonaws.com\r\n"
        "Date: Fri, 24 May 2013 00:00:00 GMT\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
        "aws4_request,SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,"
        "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd\r\n"
        "x-amz-date: 20130524T000000Z\r\nx-amz-storage-class: REDUCED_REDUNDANCY\r\n"
        "x-amz-content-sha256: "
        "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072\r\n\r\n"
        "Welcome to Amazon S3."));
  }

  TEST_CASE("another request has another signature") {
    CHECK_FALSE(is_signed(get_example("/other.txt")));
  }
}

}  // namespace ws::test
