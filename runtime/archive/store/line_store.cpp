#include "runtime/archive/store/line_store.h"

#include <utility>

#include "runtime/archive/store/shared_connection.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"

namespace ws {

LineStore::LineStore(std::unique_ptr<SharedConnection> connection)
    : connection_(std::move(connection)) {}

LineStore::~LineStore() = default;

Result<std::unique_ptr<LineStore>> LineStore::open(const ArchivePlace& place) {
  WS_TRY(auto connection, SharedConnection::open(place));
  return std::unique_ptr<LineStore>(new LineStore(std::move(connection)));
}

Status LineStore::check_room() {
  return connection_->use([](Connection& connection) { return store::check_room(connection); });
}

Status LineStore::add_ref(const RefRow& ref) {
  return connection_->use([&](Connection& connection) -> Status {
    Transaction transaction(connection);
    WS_CHECK(transaction.begin());
    WS_CHECK(store::add_ref(connection, ref));
    return transaction.commit();
  });
}

Result<std::vector<RefRow>> LineStore::refs(const std::string& kernel_id, int limit) {
  return connection_->use([&](Connection& c) { return store::refs(c, kernel_id, limit); });
}

Result<std::vector<EvidenceRow>> LineStore::newest_evidence(const std::string& kernel_id,
                                                            const std::string& device,
                                                            const std::string& kind, int limit) {
  return connection_->use(
      [&](Connection& c) { return store::newest_evidence(c, kernel_id, device, kind, limit); });
}

Result<std::vector<EvidenceRow>> LineStore::answers(const std::string& kernel_id,
                                                    const std::string& device,
                                                    const std::string& kind) {
  return connection_->use(
      [&](Connection& c) { return store::answers(c, kernel_id, device, kind); });
}

Result<std::int64_t> LineStore::passed_validations(const std::string& kernel_id,
                                                   const std::string& device) {
  return connection_->use(
      [&](Connection& c) { return store::passed_validations(c, kernel_id, device); });
}

Result<std::vector<KernelVerdict>> LineStore::failed_validations(const std::string& problem_id) {
  return connection_->use([&](Connection& connection) -> Result<std::vector<KernelVerdict>> {
    WS_TRY(
        Statement rows,
        connection.prepare("SELECT DISTINCT kernel_id, verdict FROM evidence WHERE kernel_id IN "
                           "(SELECT id FROM kernels WHERE problem_id = ?) AND kind = 'validate' "
                           "AND verdict <> 'passed'" +
                           store::and_seen("evidence.id") + store::and_seen("evidence.kernel_id")));
    return read_rows(rows.bind(problem_id), [](const Statement& row) {
      return KernelVerdict{.kernel_id = row.text(0),
                           .verdict = verdict_of(row.text(1)).value_or(Verdict::kSuspect)};
    });
  });
}

Result<std::vector<PassStatistic>> LineStore::failed_passes(const std::string& base_id) {
  return connection_->use([&](Connection& c) { return store::failed_passes(c, base_id); });
}

Result<std::optional<PassStatistic>> LineStore::failure_of(const std::string& kernel_id) {
  return connection_->use([&](Connection& c) { return store::failure_of(c, kernel_id); });
}

}  // namespace ws
