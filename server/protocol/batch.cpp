#include "server/protocol/batch.h"

#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "runtime/base/no_memory.h"
#include "server/protocol/message.h"

namespace ws::server {
namespace {

constexpr int kNothingToSay = 202;

/// The replies to a batch, as they come.
struct Batch {
  std::mutex mutex;
  std::vector<Reply> replies;  // guarded by mutex
  std::size_t left = 0;        // guarded by mutex
  SendReply send;

  void put(std::size_t at, Reply reply) {
    {
      const std::lock_guard lock(mutex);
      replies[at] = std::move(reply);
      if (left == 0 || --left > 0) {
        return;
      }
    }
    send(whole());
  }

  [[nodiscard]] Reply whole() const {
    try {
      return joined();
    } catch (const std::bad_alloc&) {
      Reply reply;
      surely([&] { reply.body = error_line(nullptr, {rpc::kInternal, kNoMemory, nullptr}); });
      return reply;
    }
  }

  [[nodiscard]] Reply joined() const {
    std::string body;
    for (const Reply& reply : replies) {
      if (!reply.body.empty()) {
        body += (body.empty() ? "[" : ",") + reply.body;
      }
    }
    return body.empty() ? Reply{.body = {}, .http_status = kNothingToSay}
                        : Reply{.body = body + "]"};
  }
};

}  // namespace

Accepted join_batch(std::vector<Accepted> parts) {
  auto batch = std::make_shared<Batch>();
  auto shared = std::make_shared<std::vector<Accepted>>(std::move(parts));
  batch->replies.resize(shared->size());
  batch->left = shared->size();
  Accepted joined;
  bool slow = false;
  for (std::size_t i = 0; i < shared->size(); ++i) {
    Accepted& part = (*shared)[i];
    joined.may_stream = joined.may_stream || part.may_stream;
    slow = slow || part.work;
    if (part.reply) {
      batch->replies[i] = *std::move(part.reply);
    }
  }
  if (!slow) {
    joined.reply = batch->joined();
    return joined;
  }
  joined.work = [batch, shared](SendReply send) {
    batch->send = std::move(send);
    for (std::size_t i = 0; i < shared->size(); ++i) {
      if ((*shared)[i].work) {
        (*shared)[i].work([batch, i](Reply reply) { batch->put(i, std::move(reply)); });
      } else {
        batch->put(i, std::move(batch->replies[i]));
      }
    }
  };
  return joined;
}

}  // namespace ws::server
