// The keys that an issuer publishes, kept up to date beside the requests that need them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/base/call_context.h"
#include "runtime/base/result.h"
#include "server/access/jose.h"

namespace ws::server {

/// Any thread. No method waits for a fetch.
class IssuerKeys {
 public:
  /// Gets the text of a key set; may take some seconds.
  using Fetch = std::function<Result<std::string>()>;

  struct Pace {
    std::chrono::milliseconds refresh = std::chrono::hours(1);
    std::chrono::milliseconds retry = std::chrono::seconds(5);  ///< After one that failed.
    std::chrono::milliseconds gap = std::chrono::minutes(1);    ///< Between those for unknown keys.
  };

  /// From a file. @errors kIo: it cannot be read; as JwkSet::parse().
  static Result<std::unique_ptr<IssuerKeys>> from_file(const std::filesystem::path& file);

  /// A thread of its own fetches them, from now on. Where that fails the last ones stay.
  IssuerKeys(Fetch fetch, Pace pace);
  /// Waits for a fetch that runs.
  ~IssuerKeys();
  IssuerKeys(const IssuerKeys&) = delete;
  IssuerKeys& operator=(const IssuerKeys&) = delete;

  /// Nothing: they were not here yet.
  [[nodiscard]] std::optional<JwkSet> current() const;

  /// A token has a key that is not among them: they are fetched again if the last time was not just
  /// now. @return Whether others may be here soon.
  bool ask_again();

  /// Reads the file again, where all stays as it was when that fails, or has them fetched again.
  /// @errors As from_file().
  Status reload();

 private:
  explicit IssuerKeys(std::filesystem::path file)
      : file_(std::move(file)) {}

  void fetch_all();
  void take(const Result<std::string>& fetched);

  const std::filesystem::path file_;  // empty: they are fetched
  const Fetch fetch_;
  const Pace pace_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<JwkSet> keys_;   // guarded by mutex_
  bool fetching_ = false;        // guarded by mutex_
  bool asked_ = false;           // guarded by mutex_
  bool ending_ = false;          // guarded by mutex_
  Clock::time_point fetched_{};  // guarded by mutex_; the end of the last fetch
  bool fails_ = false;           // Only the thread: the last fetch failed.
  std::thread thread_;
};

}  // namespace ws::server
