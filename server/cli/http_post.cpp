// libwarpsmith_http.so. The only file that includes cpp-httplib (0.11.4).
#include "server/cli/http_post.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include <httplib.h>

namespace {

/// Ends what a client does when its time is over. The library has limits for each read and write,
/// so a server that sends byte by byte would hold its client for ever.
class Deadline {
 public:
  Deadline(httplib::Client& client, std::chrono::seconds limit)
      : thread_([this, &client, limit](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          done_.wait_for(lock, stop, limit, [] { return false; });
          while (!stop.stop_requested()) {  // Again, as it may just be about to connect.
            passed_ = true;
            client.stop();
            done_.wait_for(lock, stop, kAgain, [] { return false; });
          }
        }) {}

  [[nodiscard]] bool passed() const { return passed_; }

 private:
  static constexpr std::chrono::milliseconds kAgain{100};

  std::atomic<bool> passed_ = false;
  std::mutex mutex_;
  std::condition_variable_any done_;
  std::jthread thread_;  // last: it uses the others
};

void get_within(httplib::Client& client, const ws::server::HttpPost& post,
                const httplib::Headers& headers, ws::server::HttpAnswer& answer,
                std::string& reason) {
  const Deadline deadline(client, std::chrono::seconds(post.limit_s));
  std::string body;
  const auto take = [&](const char* bytes, std::size_t size) {
    body.append(bytes, size);
    return body.size() <= post.most_bytes;
  };
  const httplib::Result got = client.Get(post.path, headers, take);
  if (deadline.passed()) {
    reason = "it took longer than " + std::to_string(post.limit_s) + " s";
  } else if (body.size() > post.most_bytes) {
    reason = "it is longer than " + std::to_string(post.most_bytes) + " bytes";
  } else if (got) {
    answer = {got->status, body};
  } else {
    reason = httplib::to_string(got.error());
  }
}

}  // namespace

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
  if (post.most_bytes > 0) {
    get_within(client, post, headers, answer, reason);
    return;
  }
  const httplib::Result got = client.Post(post.path, headers, post.body, "application/json");
  if (got) {
    answer = {got->status, got->body};
  } else {
    reason = httplib::to_string(got.error());
  }
}
