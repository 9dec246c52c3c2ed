// libwarpsmith_http.so. The only file that includes cpp-httplib (0.11.4).
#include "server/cli/http_post.h"

#include <httplib.h>

extern "C" void warpsmith_http_post(const ws::server::HttpPost& post,
                                    ws::server::HttpAnswer& answer, std::string& reason) {
  httplib::Client client(post.server, post.trust.certificate, post.trust.key);
  if (!post.trust.ca.empty()) {
    client.set_ca_cert_path(post.trust.ca);
  }
  client.set_connection_timeout(post.limit_s);
  client.set_read_timeout(post.limit_s);
  client.set_write_timeout(post.limit_s);
  const httplib::Headers headers(post.headers.begin(), post.headers.end());
  std::string body;
  const auto take = [&](const char* bytes, std::size_t size) {
    body.append(bytes, size);
    return body.size() <= post.most_bytes;
  };
  const httplib::Result got = post.most_bytes > 0
                                  ? client.Get(post.path, headers, take)
                                  : client.Post(post.path, headers, post.body, "application/json");
  if (got) {
    answer = {got->status, post.most_bytes > 0 ? body : got->body};
  } else {
    reason = httplib::to_string(got.error());
  }
}
