#include "runtime/archive/store/archive.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/archive/check/index_check.h"
#include "runtime/archive/check/row_check.h"
#include "runtime/archive/move/move_mark.h"
#include "runtime/archive/search/index_rebuild.h"
#include "runtime/archive/search/kernel_words.h"
#include "runtime/archive/search/operation_index.h"
#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/archive_file.h"
#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/archive_start.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/upkeep.h"
#include "runtime/base/log.h"

namespace ws {

/// One writer and one reader, each behind its own mutex: reading never waits for a write.
class Archive::Impl {
 public:
  /// An archive in a file.
  Impl(ArchiveLock lock, Connection writer, Connection reader, Connection spare)
      : lock_(std::move(lock)),
        writer_(std::move(writer)),
        reader_(std::move(reader)) {
    upkeep_.emplace([this] { return merge_words(); }, std::move(spare));
  }

  /// An archive in a database.
  Impl(Connection writer, Connection reader)
      : writer_(std::move(writer)),
        reader_(std::move(reader)) {}

  template <typename Body>
  auto read(const Body& body) {
    const std::lock_guard lock(reader_mutex_);
    return body(reader_);
  }

  /// Runs `body` in one transaction, which is committed when it succeeds.
  template <typename Body>
  auto write(const Body& body) -> decltype(body(std::declval<Connection&>())) {
    auto result = write_quietly(body);
    if (result && upkeep_) {
      upkeep_->note_write();
    }
    return result;
  }

  /// Runs `piece` in one transaction after the other, while it says that there is more to do.
  /// Others get a quarter of the time that a piece took: a process that waits for the file looks
  /// again now and then, and would hardly ever find it free.
  template <typename Piece>
  Status write_in_pieces(const Piece& piece) {
    constexpr int kShare = 4;
    constexpr std::chrono::milliseconds kLongest(200);
    for (bool more = true; more;) {
      const auto start = std::chrono::steady_clock::now();
      WS_TRY(more, write(piece));
      if (more) {
        const std::chrono::steady_clock::duration took = std::chrono::steady_clock::now() - start;
        std::this_thread::sleep_for(
            std::min<std::chrono::steady_clock::duration>(took / kShare, kLongest));
      }
    }
    return {};
  }

 private:
  template <typename Body>
  auto write_quietly(const Body& body) -> decltype(body(std::declval<Connection&>())) {
    const std::lock_guard lock(writer_mutex_);
    Transaction transaction(writer_);
    WS_CHECK(transaction.begin());
    auto result = body(writer_);
    if (result) {
      WS_CHECK(transaction.commit());
      if (upkeep_) {
        upkeep_->note_log(writer_.log_pages());
      }
    }
    return result;
  }

  Result<bool> merge_words() {
    return write_quietly([](Connection& c) { return store::merge_words(c, store::kPagesAlone); });
  }

  std::optional<ArchiveLock> lock_;  ///< The first member: held until all connections are closed.
  std::mutex writer_mutex_;
  Connection writer_;
  std::mutex reader_mutex_;
  Connection reader_;
  std::optional<Upkeep> upkeep_;  ///< The last member: its thread uses the others.
};

Archive::Archive(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

Archive::~Archive() = default;

Result<std::unique_ptr<Archive>> Archive::open(const ArchivePlace& place) {
  WS_TRY(std::unique_ptr<Archive> archive,
         place.store.empty() ? open_file(place.folder) : open_store(place.store));
  WS_TRY(const int pruned, archive->prune_jobs());
  log(LogLevel::kDebug, "archive", "jobs_forgotten=" + std::to_string(pruned));
  return archive;
}

Result<std::unique_ptr<Archive>> Archive::open_store(const std::string& url) {
  WS_TRY(const std::string name, store_name(url));
  WS_TRY(Connection writer, open_postgres(url));
  WS_CHECK(make_postgres_tables(writer, name));
  WS_CHECK(store::check_not_half_moved(writer, name));
  WS_TRY(Connection reader, open_postgres(url));
  log(LogLevel::kDebug, "archive", "store=" + name);
  return std::unique_ptr<Archive>(
      new Archive(std::make_unique<Impl>(std::move(writer), std::move(reader))));
}

Result<std::unique_ptr<Archive>> Archive::open_file(const std::filesystem::path& folder) {
  WS_TRY(ArchiveLock lock, start_archive(folder));
  const std::filesystem::path file = folder / kArchiveFile;
  WS_TRY(Connection writer, open_writer(file, lock));
  lock.note_tables(true);
  WS_CHECK(store::check_not_half_moved(writer, folder.string()));
  WS_TRY(Connection reader, open_reader(file));
  WS_TRY(Connection spare, Connection::open(file.string(), false));
  log(LogLevel::kDebug, "archive", "file=" + file.string());
  return std::unique_ptr<Archive>(new Archive(std::make_unique<Impl>(
      std::move(lock), std::move(writer), std::move(reader), std::move(spare))));
}

Status Archive::put_problem(const ProblemRow& problem) {
  return impl_->write([&](Connection& c) { return store::put_problem(c, problem); });
}

Result<ProblemRow> Archive::problem(const std::string& name) {
  return impl_->read([&](Connection& c) { return store::problem(c, name); });
}

Status Archive::put_kernel(const KernelRow& kernel) {
  // Most kernels that a loop sends are known; then nothing is computed, and no write waits.
  WS_TRY(const bool known,
         impl_->read([&](Connection& c) { return store::known_kernel(c, kernel); }));
  if (known) {
    return {};
  }
  const store::KernelTraits traits = store::traits_of(kernel);
  return impl_->write([&](Connection& c) { return store::put_kernel(c, kernel, traits); });
}

Result<bool> Archive::has_kernel(const std::string& id) {
  return impl_->read([&](Connection& c) { return store::has_kernel(c, id); });
}

Result<KernelRow> Archive::kernel(const std::string& name) {
  return impl_->read([&](Connection& c) { return store::kernel(c, name); });
}

Result<std::vector<KernelRow>> Archive::children(const std::string& kernel_id) {
  return impl_->read([&](Connection& c) { return store::children(c, kernel_id); });
}

Result<KernelRow> Archive::root(const std::string& kernel_id) {
  return impl_->read([&](Connection& c) { return store::root(c, kernel_id); });
}

Status Archive::set_ref(const std::string& ref, const std::string& kernel_id,
                        const std::optional<std::string>& expect) {
  return impl_->write([&](Connection& c) { return store::set_ref(c, ref, kernel_id, expect); });
}

Result<std::string> Archive::ref(const std::string& ref) {
  return impl_->read([&](Connection& c) { return store::ref(c, ref); });
}

Result<std::string> Archive::add_evidence(const EvidenceRow& evidence) {
  return impl_->write([&](Connection& c) { return store::add_evidence(c, evidence); });
}

Result<EvidenceRow> Archive::evidence(const std::string& id) {
  return impl_->read([&](Connection& c) { return store::evidence(c, id); });
}

Result<std::optional<EvidenceRow>> Archive::latest_evidence(const std::string& kernel_id,
                                                            const std::string& device,
                                                            const std::string& kind,
                                                            const std::string& key,
                                                            std::optional<Verdict> verdict) {
  return impl_->read([&](Connection& c) {
    return store::latest_evidence(c, kernel_id, device, kind, key, verdict);
  });
}

Result<std::optional<EvidenceRow>> Archive::reference_benchmark(const std::string& problem_id) {
  return impl_->read([&](Connection& c) { return store::reference_benchmark(c, problem_id); });
}

Result<std::int64_t> Archive::add_pass_try(const PassTry& row) {
  return impl_->write([&](Connection& c) { return store::add_pass_try(c, row); });
}

Result<std::vector<PassTry>> Archive::pass_history(const std::string& kernel_id) {
  return impl_->read([&](Connection& c) { return store::pass_history(c, kernel_id); });
}

Result<std::vector<PassStatistic>> Archive::pass_statistics(const std::string& transformation) {
  return impl_->read([&](Connection& c) { return store::pass_statistics(c, transformation); });
}

Status Archive::put_label(const LabelRow& label) {
  return impl_->write([&](Connection& c) { return store::put_label(c, label); });
}

Result<std::vector<LabelRow>> Archive::labels(const std::string& kernel_id, std::size_t most) {
  return impl_->read([&](Connection& c) { return store::labels(c, kernel_id, most); });
}

Status Archive::add_claim(const ClaimRow& claim) {
  return impl_->write([&](Connection& c) { return store::add_claim(c, claim); });
}

Status Archive::set_operations(const std::string& kernel_id, const OperationCounts& counts) {
  return impl_->write([&](Connection& c) { return store::set_operations(c, kernel_id, counts); });
}

Result<SearchResult> Archive::search(const SearchRequest& request) {
  return impl_->read([&](Connection& c) { return store::search(c, request); });
}

Result<std::vector<PutOutcome>> Archive::put_all(const std::vector<ArchiveItem>& items) {
  std::vector<store::KernelTraits> traits(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == ArchiveItem::Kind::kKernel) {
      WS_TRY(const bool known, has_kernel(items[i].kernel.id));
      traits[i] = known ? store::KernelTraits() : store::traits_of(items[i].kernel);
    }
  }
  return impl_->write([&](Connection& c) -> Result<std::vector<PutOutcome>> {
    WS_TRY(std::vector<PutOutcome> outcomes, store::put_all(c, items, traits));
    WS_CHECK(store::merge_words(c, items.size() * store::kPagesOfMany));
    return outcomes;
  });
}

Status Archive::export_lines(const std::function<Status(std::string_view line)>& sink) {
  return impl_->read([&](Connection& c) { return store::export_lines(c, sink); });
}

Result<GarbageReport> Archive::collect_garbage(const GarbageRules& rules, bool remove) {
  const auto at_one_moment = [&](Connection& c) -> Result<store::Garbage> {
    Snapshot snapshot(c);
    WS_CHECK(snapshot.begin());
    return store::find_garbage(c, rules);
  };
  WS_TRY(store::Garbage garbage, impl_->read(at_one_moment));
  if (!remove) {
    const std::size_t shown = std::min(garbage.kernels.size(), store::kGarbageIds);
    return GarbageReport{.kernels = garbage.kernels.size(),
                         .evidence = garbage.evidence.size() + garbage.with_kernels,
                         .problems = garbage.problems.size(),
                         .bytes = garbage.bytes,
                         .ids = {garbage.kernels.begin(),
                                 garbage.kernels.begin() + static_cast<std::ptrdiff_t>(shown)}};
  }
  const std::uint64_t bytes = garbage.bytes;
  store::GarbageRemoval removal(std::move(garbage));
  WS_CHECK(impl_->write_in_pieces([&](Connection& c) { return removal.step(c); }));
  GarbageReport report = removal.removed();
  report.bytes = bytes;
  return report;
}

Result<ArchiveCheck> Archive::check() {
  store::RowCheck rows;
  for (bool more = true; more;) {
    WS_TRY(more, impl_->read([&](Connection& c) { return rows.step(c); }));
  }
  ArchiveCheck check = rows.found();
  // All is read at one moment, as the words of a kernel are compared with its labels. That holds up
  // no write.
  const auto at_one_moment = [](Connection& c) -> Result<store::IndexCheck> {
    Snapshot snapshot(c);
    WS_CHECK(snapshot.begin());
    return store::check_index(c);
  };
  WS_TRY(store::IndexCheck index, impl_->read(at_one_moment));
  check.misindexed = index.wrong;
  std::move(index.findings.begin(), index.findings.end(), std::back_inserter(check.findings));
  if (check.misindexed > 0) {
    store::IndexRebuild rebuild;
    WS_CHECK(impl_->write_in_pieces([&](Connection& c) { return rebuild.step(c); }));
  }
  return check;
}

Result<std::vector<std::string>> Archive::sample_passed(const std::string& device, int count) {
  return impl_->read([&](Connection& c) { return store::sample_passed(c, device, count); });
}

Result<Sharing> Archive::share(const std::string& name, bool shared) {
  return impl_->write([&](Connection& c) { return store::share(c, name, shared); });
}

Status Archive::put_job(const JobRow& job) {
  return impl_->write([&](Connection& c) { return store::put_job(c, job); });
}

Result<JobRow> Archive::job(const std::string& id) {
  return impl_->read([&](Connection& c) { return store::job(c, id); });
}

Result<std::vector<ClientJob>> Archive::jobs_of(const std::string& client, std::int64_t before,
                                                int most) {
  return impl_->read([&](Connection& c) { return store::jobs_of(c, client, before, most); });
}

Result<bool> Archive::claim_job(const JobRow& row, const std::string& instance) {
  return impl_->write([&](Connection& c) { return store::claim_job(c, row, instance); });
}

Result<int> Archive::prune_jobs() {
  return impl_->write([](Connection& c) { return store::prune_jobs(c); });
}

Status Archive::set_setting(const std::string& key, const std::string& value) {
  return impl_->write([&](Connection& c) { return store::set_setting(c, key, value); });
}

Result<std::optional<std::string>> Archive::setting(const std::string& key) {
  return impl_->read([&](Connection& c) { return store::setting(c, key); });
}

}  // namespace ws
