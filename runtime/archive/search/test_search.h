// Rows for the tests of the search.
#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_place.h"
#include "runtime/search/words.h"

namespace ws::test {

inline std::unique_ptr<Archive> open_archive(const ArchivePlace& place) {
  Result<std::unique_ptr<Archive>> archive = Archive::open(place);
  REQUIRE_MESSAGE(archive.has_value(), to_text(archive.error()));
  return *std::move(archive);
}

inline std::unique_ptr<Archive> open_archive(const TestFolder& folder) {
  return open_archive(ArchivePlace(folder.path()));
}

inline std::unique_ptr<Archive> open_archive(const TestPlace& folder) {
  return open_archive(folder.place());
}

/// A problem `op` with one dim.
inline void put_problem(Archive& archive, const std::string& id, const std::string& op, int size) {
  const nlohmann::json form = {{"name", op},
                               {"op", op},
                               {"dims", {{"n", {size}}}},
                               {"args", {{{"name", "x"}, {"type", "f32"}}}}};
  REQUIRE(archive.put_problem({id, op, form.dump(), {}}).has_value());
}

inline void put_kernel(Archive& archive, const std::string& id, const std::string& problem,
                       const std::string& source) {
  const nlohmann::json form = {{"language", "cuda"}, {"source", source}};
  REQUIRE(archive.put_kernel({id, "k", problem, {}, form.dump(), {}}).has_value());
}

/// Evidence of a kernel on a device. @param ratio  Of a benchmark against the reference.
inline void judge(Archive& archive, const std::string& kernel, const std::string& kind,
                  Verdict verdict, double ratio = 1, const std::string& key = "key",
                  const std::string& device = "cpu:0") {
  EvidenceRow row;
  row.kernel_id = kernel;
  row.device = device;
  row.kind = kind;
  row.key = key;
  row.verdict = verdict;
  row.json = nlohmann::json{{"output", {{"ratio", ratio}, {"baseline", "reference"}}},
                            {"device", {{"arch", "x86_64"}}}}
                 .dump();
  REQUIRE(archive.add_evidence(row).has_value());
}

/// A benchmark against another kernel.
inline void time_against(Archive& archive, const std::string& kernel, double ratio,
                         const std::string& baseline) {
  EvidenceRow row;
  row.kernel_id = kernel;
  row.device = "cpu:0";
  row.kind = "benchmark";
  row.verdict = Verdict::kFaster;
  row.json = nlohmann::json{{"output", {{"ratio", ratio}, {"baseline", baseline}}}}.dump();
  REQUIRE(archive.add_evidence(row).has_value());
}

inline constexpr const char* kTiled =
    "__global__ void gemm(const float* a, float* c, int n) { __shared__ float tile[16][16]; "
    "int row = blockIdx.y * 16 + threadIdx.y; float sum = 0; for (int k = 0; k < n; ++k) "
    "{ tile[threadIdx.y][threadIdx.x] = a[row * n + k]; __syncthreads(); sum += tile[0][k]; } "
    "c[row] = sum; }";
inline constexpr const char* kTwice =
    "__global__ void twice(const int* x, int* y) { y[threadIdx.x] = 2 * __ldg(x + threadIdx.x); }";

inline SearchRequest of_problem(const std::string& id, bool failures = false) {
  SearchRequest request;
  request.problem_id = id;
  request.failures = failures;
  return request;
}

inline SearchRequest of_words(const std::string& words, bool failures = false) {
  SearchRequest request;
  request.words = words_of(words, 12);
  request.failures = failures;
  return request;
}

/// Four kernels of two operations: three passed here, one of them elsewhere, one failed.
class Filled {
 public:
  Filled()
      : archive_(open_archive(folder_)) {
    put_problem(*archive_, "prb_mm", "matmul", 1024);
    put_problem(*archive_, "prb_mm2", "matmul", 2048);
    put_problem(*archive_, "prb_twice", "twice", 1024);
    put("slow", "prb_mm", std::string(kTiled) + "void slowPath() { commonWord(); }");
    put("fast", "prb_mm", std::string("struct A { int b; }; int c = 3;") + kTiled);
    put("near", "prb_mm2", std::string("template <typename T> class P { T t[4]; };") + kTiled);
    put("twice", "prb_twice", kTwice);
    judge(*archive_, "slow", "validate", Verdict::kPassed);
    judge(*archive_, "slow", "benchmark", Verdict::kSlower, 0.5);
    judge(*archive_, "fast", "validate", Verdict::kPassed);
    judge(*archive_, "fast", "benchmark", Verdict::kFaster, 3);
    judge(*archive_, "near", "validate", Verdict::kPassed, 1, "key", "GPU-1");
    judge(*archive_, "twice", "validate", Verdict::kIncorrect);
  }

  [[nodiscard]] Archive& archive() const { return *archive_; }

  [[nodiscard]] const TestPlace& folder() const { return folder_; }

  void put(const std::string& id, const std::string& problem, const std::string& source) const {
    put_kernel(*archive_, id, problem, source);
  }

  void reopen() {
    archive_.reset();
    archive_ = open_archive(folder_);
  }

  void close() { archive_.reset(); }

  [[nodiscard]] SearchResult find(SearchRequest request) const {
    request.device = "cpu:0";
    const Result<SearchResult> result = archive_->search(request);
    REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
    return *result;
  }

  /// Ids in order, a failure with a `!`.
  [[nodiscard]] std::string ids(const SearchRequest& request) const {
    std::string text;
    for (const SearchHit& hit : find(request).hits) {
      text += (text.empty() ? "" : " ") + hit.kernel_id + (hit.passed ? "" : "!");
    }
    return text;
  }

  [[nodiscard]] std::string by_words(const std::string& words, bool failures = false) const {
    return ids(of_words(words, failures));
  }

  [[nodiscard]] std::string by_problem(const std::string& problem, bool failures = false) const {
    return ids(of_problem(problem, failures));
  }

 private:
  TestPlace folder_;
  std::unique_ptr<Archive> archive_;
};

}  // namespace ws::test
