#include "server/access/issuer_keys.h"

#include <exception>
#include <utility>

#include "runtime/base/files.h"
#include "runtime/base/log.h"

namespace ws::server {

Result<std::unique_ptr<IssuerKeys>> IssuerKeys::from_file(const std::filesystem::path& file) {
  std::unique_ptr<IssuerKeys> keys(new IssuerKeys(file));
  WS_CHECK(keys->reload());
  return keys;
}

IssuerKeys::IssuerKeys(Fetch fetch, Pace pace)
    : fetch_(std::move(fetch)),
      pace_(pace),
      fetching_(true),
      thread_([this] { fetch_all(); }) {}

IssuerKeys::~IssuerKeys() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

std::optional<JwkSet> IssuerKeys::current() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

bool IssuerKeys::ask_again() {
  const std::lock_guard lock(mutex_);
  if (fetch_ && !fetching_ && Clock::now() - fetched_ >= pace_.gap) {
    asked_ = true;
    changed_.notify_one();
  }
  return fetching_ || asked_;
}

Status IssuerKeys::reload() {
  if (fetch_) {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    changed_.notify_one();
    return {};
  }
  WS_TRY(const std::string text, read_file(file_));
  WS_TRY(JwkSet read, JwkSet::parse(text, "the key file " + file_.string()));
  const std::lock_guard lock(mutex_);
  keys_ = std::move(read);
  return {};
}

void IssuerKeys::fetch_all() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    fetching_ = true;
    asked_ = false;
    lock.unlock();
    try {
      take(fetch_());
    } catch (const std::exception& error) {  // No memory.
      take(fail(ErrorCode::kIo, error.what()));
    }
    lock.lock();
    fetching_ = false;
    fetched_ = Clock::now();
    changed_.wait_for(lock, fails_ ? pace_.retry : pace_.refresh,
                      [this] { return ending_ || asked_; });
  }
}

void IssuerKeys::take(const Result<std::string>& fetched) {
  const bool failed = fails_;
  const Result<JwkSet> read =
      fetched ? JwkSet::parse(*fetched, "the answer") : fail(fetched.error());
  fails_ = !read;
  if (read) {
    const std::lock_guard lock(mutex_);
    keys_ = *read;
  }
  if (!read && !failed) {
    log(LogLevel::kWarning, "oauth",
        "the issuer's keys cannot be fetched, and are tried again: " + to_text(read.error()));
  } else if (read && failed) {
    log(LogLevel::kInfo, "oauth", "the issuer's keys are here");
  }
}

}  // namespace ws::server
