// The requests of one stdio connection that are being worked on, by id.
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "server/protocol.h"

namespace ws {

/// Where a cancel finds its request. Any thread.
class InFlight {
 public:
  /// False when a request with this id is already there.
  bool add(const Json& id, std::stop_source stop);

  /// Requests the stop, and keeps the answer from being sent. Unknown and finished ids are ignored:
  /// the answer may have crossed the cancel on its way.
  void cancel(const Json& id);

  /// Takes the request out. False: it was cancelled, send nothing for it.
  [[nodiscard]] bool finish(const Json& id);

  /// Requests the stop of all, at the end of the connection. Their answers are still sent.
  void stop_all();

 private:
  struct Row {
    std::stop_source stop;
    bool cancelled = false;
  };

  std::mutex mutex_;
  std::map<std::string, Row> rows_;  // by the id's JSON text: 1 and "1" differ; guarded by mutex_
};

}  // namespace ws
