// Signatures of AWS, version 4, as an endpoint makes them: nothing of the client's is used for it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ws::test {

/// A request as it came. Names of headers are in lower case, values without blanks around them.
struct S3Request {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;
  std::string body;
};

/// The request of an HTTP text. Nothing of it is checked.
S3Request parse_s3_request(std::string_view text);

/// The parts of the header `authorization`; empty ones where it has another form.
struct S3Authorization {
  std::string key_id;
  std::string date;    ///< "20130524"
  std::string region;  ///< "us-east-1"
  std::string service;
  std::vector<std::string> signed_headers;
  std::string signature;
};

S3Authorization parse_s3_authorization(const std::string& header);

/// The signature that the request has to have.
/// @source AWS, "Authenticating Requests: Using the Authorization Header" of S3's API reference.
std::string s3_signature(const S3Request& request, const S3Authorization& claimed,
                         const std::string& secret);

}  // namespace ws::test
