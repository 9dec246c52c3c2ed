#include "runtime/archive/store/server_lease.h"

#include <chrono>
#include <utility>

#include "runtime/base/log.h"

namespace ws {
namespace {

constexpr std::chrono::seconds kBeat(10);  // A third of what `lives` allows.

}  // namespace

ServerLease::ServerLease(std::unique_ptr<SharedConnection> connection, std::string id)
    : connection_(std::move(connection)),
      id_(std::move(id)) {}

Result<std::unique_ptr<ServerLease>> ServerLease::begin(const std::string& url,
                                                        const std::string& id) {
  WS_TRY(auto connection, SharedConnection::open(ArchivePlace({}, url)));
  std::unique_ptr<ServerLease> lease(new ServerLease(std::move(connection), id));
  WS_CHECK(lease->connection_->use([](Connection& c) {
    return c.execute("DELETE FROM instances WHERE seen_at < clock_timestamp() - interval '1 day'");
  }));
  WS_CHECK(lease->beat());
  lease->thread_ =
      std::jthread([lease = lease.get()](const std::stop_token& stop) { lease->run(stop); });
  return lease;
}

ServerLease::~ServerLease() {
  thread_ = {};
  const Status ended = connection_->use([&](Connection& connection) -> Status {
    WS_TRY(Statement end, connection.prepare("DELETE FROM instances WHERE id = ?"));
    return end.bind(id_).run();
  });
  if (!ended) {  // It ends by itself, half a minute later.
    log(LogLevel::kDebug, "archive", "the lease was not ended: " + to_text(ended.error()));
  }
}

Status ServerLease::beat() {
  return connection_->use([&](Connection& connection) -> Status {
    WS_TRY(Statement seen,
           connection.prepare("INSERT INTO instances(id, seen_at) VALUES(?, clock_timestamp()) "
                              "ON CONFLICT(id) DO UPDATE SET seen_at = excluded.seen_at"));
    return seen.bind(id_).run();
  });
}

void ServerLease::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, stop, kBeat, [&] { return stop.stop_requested(); })) {
    if (const Status beaten = beat(); !beaten) {
      log(LogLevel::kWarning, "archive",
          "other servers may take over this one's jobs: " + to_text(beaten.error()));
    }
  }
}

bool ServerLease::lives(const std::string& id) {
  const Result<bool> found = connection_->use([&](Connection& connection) -> Result<bool> {
    WS_TRY(Statement row, connection.prepare("SELECT 1 FROM instances WHERE id = ? AND seen_at > "
                                             "clock_timestamp() - interval '30 seconds'"));
    return row.bind(id).step();
  });
  return !found || *found;
}

}  // namespace ws
