// The requests that are being worked on, by id, so that a cancel finds them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// The requests of one stdio connection. Any thread.
class InFlight {
  struct Row {
    std::stop_source stop;
    bool cancelled = false;
  };

  using Rows = std::map<std::string, Row>;  // By the id's JSON text: 1 and "1" differ.

 public:
  /// One request, for as long as it may still be answered: its id is free with the end of this,
  /// whatever becomes of the work. The requests must outlive it, or it must have finished.
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    ~Entry() { [[maybe_unused]] const bool wanted = finish(); }

    /// Takes the request out. False: it was cancelled, send nothing for it.
    [[nodiscard]] bool finish();

   private:
    friend class InFlight;

    InFlight* requests_ = nullptr;  // null: finished
    Rows::iterator row_;
  };

  /// Null when a request with this id is already there.
  [[nodiscard]] std::shared_ptr<Entry> add(const Json& id, std::stop_source stop);

  /// Requests the stop, and keeps the answer from being sent. Unknown and finished ids are ignored:
  /// the answer may have crossed the cancel on its way.
  void cancel(const Json& id);

  /// Requests the stop of all, at the end of the connection. Their answers are still sent.
  void stop_all();

 private:
  std::mutex mutex_;
  Rows rows_;  // guarded by mutex_
};

/// The same of all who come over HTTP, where an id alone does not say whose it is. Any thread.
class SharedInFlight {
 public:
  /// @param who  Address and session. Nobody's requests need different ids.
  /// @return  For finish().
  std::uint64_t add(const std::string& who, const Json& id, std::stop_source stop);

  /// Requests the stop of the one request with that id; of several, which cannot be told apart, and
  /// of unknown ones, of none.
  void cancel(const std::string& who, const Json& id);

  void finish(std::uint64_t number);

  /// One request's row, for as long as the request may still be answered: it is taken out with
  /// this, whatever becomes of the work. The rows must outlive it, or it must have finished.
  class Entry {
   public:
    Entry(SharedInFlight& rows, const std::string& who, const Json& id, std::stop_source stop);
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    ~Entry() { finish(); }

    /// Takes the row out. Nothing when that has been done.
    void finish();

   private:
    SharedInFlight* rows_;  // null: finished
    std::uint64_t number_;
  };

 private:
  struct Row {
    std::string key;
    std::stop_source stop;
  };

  std::mutex mutex_;
  std::uint64_t last_ = 0;             // guarded by mutex_
  std::map<std::uint64_t, Row> rows_;  // guarded by mutex_
};

}  // namespace ws::server
