#include "runtime/compile/store.h"

#include <exception>

#include "runtime/base/log.h"
#include "runtime/base/metrics.h"
#include "runtime/compile/store_file.h"
#include "runtime/compile/store_folder.h"

namespace ws {
namespace {

/// More are not remembered on disk: a writer that is this far behind has a slow disk.
constexpr std::size_t kMaxWaiting = 256;

/// Other servers write too, so the folder is counted again now and then.
constexpr std::uint64_t kWritesBetweenCounts = 64;

}  // namespace

void note_cache_bytes(std::uint64_t bytes) {
  static MetricCell& cell = metric_cell(Metric::kCacheBytes);
  cell.set(static_cast<std::int64_t>(bytes));
}

CompileStore::CompileStore(Options options)
    : options_(std::move(options)),
      writer_([this] { write_until_stopped(); }) {}

CompileStore::~CompileStore() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  writer_.join();
}

std::shared_ptr<const CompileOutcome> CompileStore::find(const std::string& key) const {
  auto outcome = read_entry(entry_path(options_.folder, key), key);
  return outcome ? std::make_shared<const CompileOutcome>(*std::move(outcome)) : nullptr;
}

std::shared_ptr<const CompileOutcome> CompileStore::find_shared(const std::string& key) const {
  const Result<std::optional<std::string>> bytes = options_.shared->find(key);
  if (!bytes) {
    log(LogLevel::kWarning, "compile", to_text(bytes.error()));
    return nullptr;
  }
  if (!*bytes) {
    return nullptr;
  }
  const Result<std::string_view> entry = open_entry(options_.secret, **bytes);
  Result<CompileOutcome> outcome =
      entry ? decode_entry(key, *entry) : Result<CompileOutcome>(fail(entry.error()));
  if (!outcome) {
    log(LogLevel::kWarning, "compile", to_text(outcome.error()));
    return nullptr;
  }
  return std::make_shared<const CompileOutcome>(*std::move(outcome));
}

void CompileStore::keep(Keys keys, std::shared_ptr<const CompileOutcome> outcome) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) {
      return;
    }
    waiting_.emplace_back(std::move(keys), std::move(outcome));
  }
  changed_.notify_all();
}

void CompileStore::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

void CompileStore::write_until_stopped() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      return;
    }
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    writing_ = true;
    lock.unlock();
    try {
      write(job);
      share(job);
    } catch (const std::exception& error) {  // No memory: it is compiled again one day.
      log(LogLevel::kWarning, "compile", error.what());
    }
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

void CompileStore::share(const Job& job) {
  const std::string& key = job.first.shared;
  if (key.empty()) {
    return;
  }
  const std::string bytes = sign_entry(options_.secret, encode_entry(key, *job.second));
  if (const Status shared = options_.shared->put(key, bytes); !shared) {
    log(LogLevel::kWarning, "compile", to_text(shared.error()));
  }
}

void CompileStore::write(const Job& job) {
  const std::string bytes = encode_entry(job.first.key, *job.second);
  const Status written = write_entry(entry_path(options_.folder, job.first.key), bytes);
  if (!written) {
    log(LogLevel::kWarning, "compile", to_text(written.error()));
    return;
  }
  bytes_ += bytes.size();
  if (until_counted_ > 0 && bytes_ <= options_.max_bytes) {
    --until_counted_;
    note_cache_bytes(bytes_);
    return;
  }
  until_counted_ = kWritesBetweenCounts;
  // A full cache loses a tenth at once: not a walk through the folder for each entry.
  const std::uint64_t target =
      bytes_ > options_.max_bytes ? options_.max_bytes / 10 * 9 : options_.max_bytes;
  if (const auto left = trim_store(options_.folder, target); left) {
    bytes_ = left->bytes;
    note_cache_bytes(bytes_);
  } else {
    log(LogLevel::kWarning, "compile", to_text(left.error()));
  }
}

}  // namespace ws
