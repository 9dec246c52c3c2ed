#include "runtime/compile/store.h"

#include <chrono>

#include "runtime/base/log.h"
#include "runtime/base/metrics.h"
#include "runtime/compile/store_file.h"
#include "runtime/compile/store_folder.h"

namespace ws {
namespace {

/// So long a server that ends goes on to share what it has compiled, besides the entry that it is
/// at: a slow place must not hold up its end.
constexpr std::chrono::milliseconds kSharedAtEnd{5000};

/// Other servers write too, so the folder is counted again now and then.
constexpr std::uint64_t kWritesBetweenCounts = 64;

}  // namespace

void note_cache_bytes(std::uint64_t bytes) {
  static MetricCell& cell = metric_cell(Metric::kCacheBytes);
  cell.set(static_cast<std::int64_t>(bytes));
}

CompileStore::CompileStore(Options options)
    : options_(std::move(options)),
      folder_writer_({.place = "the compile cache in " + options_.folder.string(),
                      .write = [this](const EntryWriter::Entry& entry) { write(entry); }}) {
  if (options_.shared != nullptr) {
    place_writer_.emplace(
        EntryWriter::Options{.place = "the shared compile cache",
                             .write = [this](const EntryWriter::Entry& entry) { share(entry); },
                             .patience = kSharedAtEnd});
  }
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

void CompileStore::keep(const Keys& keys, const std::shared_ptr<const CompileOutcome>& outcome) {
  folder_writer_.add({keys.key, outcome});
  if (place_writer_ && !keys.shared.empty()) {
    place_writer_->add({keys.shared, outcome});
  }
}

void CompileStore::flush() {
  folder_writer_.flush();
  if (place_writer_) {
    place_writer_->flush();
  }
}

void CompileStore::share(const EntryWriter::Entry& entry) {
  const std::string bytes = sign_entry(options_.secret, encode_entry(entry.key, *entry.outcome));
  if (const Status shared = options_.shared->put(entry.key, bytes); !shared) {
    log(LogLevel::kWarning, "compile", to_text(shared.error()));
  }
}

void CompileStore::write(const EntryWriter::Entry& entry) {
  const std::string bytes = encode_entry(entry.key, *entry.outcome);
  const Status written = write_entry(entry_path(options_.folder, entry.key), bytes);
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
