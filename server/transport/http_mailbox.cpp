#include "server/transport/http_mailbox.h"

#include <atomic>
#include <exception>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/base/log.h"
#include "runtime/base/no_memory.h"

namespace ws::server {
namespace {

class MailResponder : public HttpResponder {
 public:
  MailResponder(std::shared_ptr<HttpMailbox> mailbox, std::uint64_t link, std::uint64_t request,
                std::string accepted)
      : mailbox_(std::move(mailbox)),
        link_(link),
        request_(request),
        accepted_(std::move(accepted)) {}

  MailResponder(const MailResponder&) = delete;
  MailResponder& operator=(const MailResponder&) = delete;

  ~MailResponder() override {
    try {
      if (!ended_.exchange(true)) {
        post(HttpMail::Kind::kDropped, {}, {});
      }
    } catch (const std::exception& error) {
      log(LogLevel::kError, "http", error.what());  // The client waits until it has waited enough.
    }
  }

  void reply(HttpReply reply) override {
    if (!ended_) {
      pack(reply, accepted_);  // There may be no memory for it: another answer can still be given.
    }
    if (!ended_.exchange(true)) {
      post(HttpMail::Kind::kReply, std::move(reply), {});
    }
  }

  void begin(HttpReply head) override { post(HttpMail::Kind::kBegin, std::move(head), {}); }

  void send(std::string part) override {
    if (!ended_) {
      post(HttpMail::Kind::kPart, {}, std::move(part));
    }
  }

  void finish(std::string part) override {
    if (!ended_.exchange(true)) {
      post(HttpMail::Kind::kLast, {}, std::move(part));
    }
  }

 private:
  void post(HttpMail::Kind kind, HttpReply reply, std::string part) {
    mailbox_->post({link_, request_, kind, std::move(reply), std::move(part)});
  }

  const std::shared_ptr<HttpMailbox> mailbox_;
  const std::uint64_t link_;
  const std::uint64_t request_;
  const std::string accepted_;
  std::atomic<bool> ended_ = false;
};

}  // namespace

HttpMailbox::HttpMailbox()
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void HttpMailbox::wake() {
  const std::uint64_t one = 1;
  // A full counter wakes, too.
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof(one));
}

void HttpMailbox::post(HttpMail mail) {
  std::unique_lock lock(mutex_);
  if (closed_) {
    return;
  }
  if (serving_ == std::this_thread::get_id() && direct_ && mail.link == link_) {
    lock.unlock();
    direct_(mail);
    return;
  }
  surely([&] { mails_.push_back(std::move(mail)); }, &lock);
  const bool first = mails_.size() == 1;
  lock.unlock();
  if (first) {
    wake();
  }
}

std::vector<HttpMail> HttpMailbox::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof(count));
  const std::lock_guard lock(mutex_);
  return std::exchange(mails_, {});
}

void HttpMailbox::serve_directly(std::uint64_t link, std::function<void(const HttpMail&)> deliver) {
  {
    const std::lock_guard lock(mutex_);
    serving_ = std::this_thread::get_id();
  }
  link_ = link;
  direct_ = std::move(deliver);
}

void HttpMailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  mails_.clear();
}

std::shared_ptr<HttpResponder> mail_responder(std::shared_ptr<HttpMailbox> mailbox,
                                              std::uint64_t link, std::uint64_t request,
                                              std::string accepted) {
  return std::make_shared<MailResponder>(std::move(mailbox), link, request, std::move(accepted));
}

}  // namespace ws::server
