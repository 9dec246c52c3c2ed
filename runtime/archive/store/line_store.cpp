#include "runtime/archive/store/line_store.h"

#include <mutex>

#include "runtime/archive/store/store.h"

namespace ws {

class LineStore::Impl {
 public:
  explicit Impl(Connection connection)
      : connection_(std::move(connection)) {}

  template <typename Body>
  auto use(const Body& body) {
    const std::lock_guard lock(mutex_);
    return body(connection_);
  }

 private:
  std::mutex mutex_;
  Connection connection_;
};

LineStore::LineStore(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

LineStore::~LineStore() = default;

Result<std::unique_ptr<LineStore>> LineStore::open(const std::filesystem::path& folder) {
  WS_TRY(Connection connection, Connection::open((folder / "archive.db").string(), false));
  WS_CHECK(connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON"));
  return std::unique_ptr<LineStore>(new LineStore(std::make_unique<Impl>(std::move(connection))));
}

Status LineStore::add_ref(const RefRow& ref) {
  return impl_->use([&](Connection& connection) -> Status {
    Transaction transaction(connection);
    WS_CHECK(transaction.begin());
    WS_CHECK(store::add_ref(connection, ref));
    return transaction.commit();
  });
}

Result<std::vector<RefRow>> LineStore::refs(const std::string& kernel_id, int limit) {
  return impl_->use([&](Connection& c) { return store::refs(c, kernel_id, limit); });
}

Result<std::vector<EvidenceRow>> LineStore::newest_evidence(const std::string& kernel_id,
                                                            const std::string& device,
                                                            const std::string& kind, int limit) {
  return impl_->use(
      [&](Connection& c) { return store::newest_evidence(c, kernel_id, device, kind, limit); });
}

Result<std::vector<EvidenceRow>> LineStore::answers(const std::string& kernel_id,
                                                    const std::string& device,
                                                    const std::string& kind) {
  return impl_->use([&](Connection& c) { return store::answers(c, kernel_id, device, kind); });
}

Result<std::vector<PassStatistic>> LineStore::failed_passes(const std::string& base_id) {
  return impl_->use([&](Connection& c) { return store::failed_passes(c, base_id); });
}

Result<std::optional<PassStatistic>> LineStore::failure_of(const std::string& kernel_id) {
  return impl_->use([&](Connection& c) { return store::failure_of(c, kernel_id); });
}

}  // namespace ws
