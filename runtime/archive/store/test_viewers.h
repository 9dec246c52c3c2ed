// Viewers of an archive for tests, and rows of one of them.
#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/listing.h"
#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/base/viewer.h"

namespace ws::test {

/// A principal that sees what is its own and what is shared.
inline ViewerPtr private_viewer(const std::string& name) {
  return std::make_shared<const Viewer>(Viewer{.owner = name, .sees_all = false, .shares = false});
}

/// The same, which shares what it stores.
inline ViewerPtr sharing_viewer(const std::string& name) {
  return std::make_shared<const Viewer>(Viewer{.owner = name, .sees_all = false, .shares = true});
}

/// Empty: it is no error.
template <typename T>
std::string error_of(const Result<T>& result) {
  return result ? "" : to_text(result.error());
}

/// Alice's problem with a kernel that passed, its child, a note, a ref, a try and a job.
class OfAlice {
 public:
  OfAlice()
      : archive_(open_archive(folder_)),
        lines_(*LineStore::open(folder_.place())),
        listing_(*ArchiveListing::open(folder_.place())) {
    const ViewerScope alice(private_viewer("alice"));
    put_problem(*archive_, "prb_mm_aaaa", "matmul", 1024);
    put_kernel(*archive_, "krn_mm_aaaa", "prb_mm_aaaa", kTiled);
    REQUIRE(archive_->put_kernel({"krn_child_bbbb",
                                  "k",
                                  "prb_mm_aaaa",
                                  "krn_mm_aaaa",
                                  R"({"language": "cuda", "source": "int child;"})",
                                  {}}));
    judge(*archive_, "krn_mm_aaaa", "validate", Verdict::kPassed);
    judge(*archive_, "krn_mm_aaaa", "benchmark", Verdict::kFaster, 3);
    REQUIRE(archive_->put_label({"krn_mm_aaaa", "note", "secretword"}));
    REQUIRE(archive_->set_ref("mm@main", "krn_mm_aaaa"));
    REQUIRE(archive_->add_pass_try({.transformation = "tile",
                                    .base_id = "krn_mm_aaaa",
                                    .kernel_id = "krn_child_bbbb",
                                    .verdict = Verdict::kIncorrect,
                                    .reason = "private"}));
    JobRow job;
    job.id = "job_1";
    job.tool = "validate";
    job.status = "running";
    job.json = "{}";
    job.client = "@alice x";
    REQUIRE(archive_->put_job(job));
    evidence_ = (*archive_->latest_evidence("krn_mm_aaaa", "", "validate"))->id;
  }

  [[nodiscard]] Archive& archive() const { return *archive_; }

  [[nodiscard]] LineStore& lines() const { return *lines_; }

  [[nodiscard]] ArchiveListing& listing() const { return *listing_; }

  [[nodiscard]] const TestPlace& folder() const { return folder_; }

  /// The id of the validation.
  [[nodiscard]] const std::string& evidence() const { return evidence_; }

 private:
  TestPlace folder_;
  std::unique_ptr<Archive> archive_;
  std::unique_ptr<LineStore> lines_;
  std::unique_ptr<ArchiveListing> listing_;
  std::string evidence_;
};

/// Hits of a search, with those that nobody has judged. REQUIREs that it succeeds.
inline std::size_t hits_of(Archive& archive, SearchRequest request) {
  const auto found = archive.search(request);
  REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
  return found->hits.size() + found->unverified;
}

}  // namespace ws::test
