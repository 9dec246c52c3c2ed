// The figures of search over a made-up archive: how long each kind of query takes, what an insert
// costs, how much disk is used, and whether near-duplicates are found.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "runtime/archive/candidates.h"
#include "runtime/archive/sqlite.h"
#include "runtime/archive/store.h"
#include "runtime/archive/test_folder.h"
#include "runtime/base/clock.h"
#include "runtime/search/fingerprint.h"
#include "tests/bench/synthetic_kernels.h"

namespace ws::bench {
namespace {

constexpr std::uint64_t kGroup = 5000;  // Kernels of one transaction.
constexpr std::uint64_t kQueries = 300;
constexpr std::uint64_t kInserts = 1000;
constexpr std::uint64_t kRecallQueries = 40;
constexpr std::size_t kRecallAt = 10;
// A prime: queries are of kernels from all over the archive.
constexpr std::uint64_t kStride = 7919;

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

void print_times(const char* what, const std::vector<double>& ms, double goal_ms) {
  std::printf("%-34s p50 %8.2f ms   p99 %8.2f ms   goal %5.1f ms %s\n", what, at_share(ms, 0.5),
              at_share(ms, 0.99), goal_ms, at_share(ms, 0.99) < goal_ms ? "" : "MISSED");
}

Status fill_group(Connection& connection, std::uint64_t from, std::uint64_t to,
                  std::uint64_t count) {
  Transaction transaction(connection);
  WS_CHECK(transaction.begin());
  for (std::uint64_t i = from; i < to; ++i) {
    const KernelRow kernel = synthetic_kernel(i, count);
    WS_CHECK(store::put_kernel(connection, kernel));
    WS_CHECK(store::add_evidence(connection, synthetic_validation(i, kernel)));
    if (i % 2 == 0) {
      WS_CHECK(store::add_evidence(connection, synthetic_benchmark(i, kernel)));
    }
  }
  return transaction.commit();
}

Status fill(const std::filesystem::path& folder, std::uint64_t count) {
  WS_TRY(const auto archive, Archive::open(folder));
  WS_TRY(Connection connection, Connection::open((folder / "archive.db").string(), false));
  // As bulk loads are done: the pages that all inserts touch stay in memory.
  WS_CHECK(connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -400000"));
  for (std::uint64_t i = 0; i < synthetic_problem_count(count); ++i) {
    WS_CHECK(store::put_problem(connection, synthetic_problem(i)));
  }
  for (std::uint64_t i = 0; i < count; i += kGroup) {
    WS_CHECK(fill_group(connection, i, std::min(i + kGroup, count), count));
    if (i % (20 * kGroup) == 0) {
      std::fprintf(stderr, "%llu kernels\n", static_cast<unsigned long long>(i));
    }
  }
  return {};
}

using MakeRequest = std::function<SearchRequest(std::uint64_t query)>;

Status time_queries(Archive& archive, const char* what, const MakeRequest& make) {
  std::vector<double> ms;
  for (std::uint64_t query = 0; query < kQueries; ++query) {
    SearchRequest request = make(query);
    request.device = "cpu:0";
    const auto start = std::chrono::steady_clock::now();
    WS_TRY([[maybe_unused]] const SearchResult result, archive.search(request));
    ms.push_back(elapsed_ms(start));
  }
  constexpr double kGoalMs = 20;
  print_times(what, ms, kGoalMs);
  return {};
}

Status time_all_queries(Archive& archive, std::uint64_t count) {
  const auto words = [](std::uint64_t query, std::initializer_list<std::uint64_t> ranks) {
    SearchRequest request;
    for (const std::uint64_t rank : ranks) {
      request.words.push_back(synthetic_word((rank + query) % 2000));
    }
    return request;
  };
  const auto problem = [count](std::uint64_t query) {
    SearchRequest request;
    request.problem_id = synthetic_problem(query * kStride % synthetic_problem_count(count)).id;
    return request;
  };
  const auto like = [count](std::uint64_t query) {
    SearchRequest request;
    request.runs = token_runs(synthetic_source(query * kStride % count));
    return request;
  };
  WS_CHECK(
      time_queries(archive, "words: one, frequent", [&](auto q) { return words(q % 5, {0}); }));
  WS_CHECK(time_queries(archive, "words: one, rare", [&](auto q) { return words(q, {1500}); }));
  WS_CHECK(
      time_queries(archive, "words: three, any", [&](auto q) { return words(q, {0, 40, 900}); }));
  WS_CHECK(time_queries(archive, "problem", problem));
  WS_CHECK(time_queries(archive, "like", like));
  return time_queries(archive, "problem, words and like", [&](std::uint64_t query) {
    SearchRequest request = words(query, {3, 30});
    request.problem_id = problem(query).problem_id;
    request.runs = like(query).runs;
    request.failures = true;
    return request;
  });
}

Status time_inserts(Archive& archive, std::uint64_t count) {
  std::vector<double> fresh;
  std::vector<double> known;
  for (std::uint64_t i = count; i < count + kInserts; ++i) {
    // A kernel of its own: its near-duplicates would share its fingerprint.
    const KernelRow kernel = synthetic_kernel(i * kVariants, count);
    for (std::vector<double>* times : {&fresh, &known}) {
      const auto start = std::chrono::steady_clock::now();
      WS_CHECK(archive.put_kernel(kernel));
      times->push_back(elapsed_ms(start));
    }
  }
  constexpr double kGoalMs = 2;
  print_times("insert of a new kernel", fresh, kGoalMs);
  print_times("insert of a known kernel", known, kGoalMs);
  return {};
}

/// The shares of the likest, best first, each fingerprint once: one list for each query.
std::vector<std::vector<double>> exact_shares(
    const std::vector<std::vector<std::uint64_t>>& queries, std::uint64_t count) {
  std::vector<std::vector<double>> best(queries.size());
  std::unordered_set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::vector<std::uint64_t> runs = token_runs(synthetic_source(i));
    if (!seen.insert(runs_hash(runs)).second) {
      continue;
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::vector<double>& list = best[q];
      list.push_back(jaccard(queries[q], runs));
      std::sort(list.rbegin(), list.rend());
      list.resize(std::min(list.size(), kRecallAt));
    }
  }
  return best;
}

Status print_recall(const std::filesystem::path& folder, std::uint64_t count) {
  WS_TRY(Connection connection, Connection::open((folder / "archive.db").string(), true));
  std::vector<std::vector<std::uint64_t>> queries;
  for (std::uint64_t q = 0; q < kRecallQueries; ++q) {
    queries.push_back(token_runs(synthetic_source(q * kStride * 13 % count)));
  }
  const std::vector<std::vector<double>> exact = exact_shares(queries, count);
  double found = 0;
  double wanted = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    WS_TRY(const auto likes, store::like_fingerprints(connection, queries[q], kRecallAt));
    wanted += static_cast<double>(exact[q].size());
    // Of several that are equally like any one will do.
    found += static_cast<double>(std::count_if(likes.begin(), likes.end(), [&](const auto& like) {
      return like.common_share >= exact[q].back() - 1e-12;
    }));
  }
  std::printf("%-34s %.3f   goal 0.95 %s\n", "recall@10 of near-duplicates", found / wanted,
              found / wanted >= 0.95 ? "" : "MISSED");
  return {};
}

Status run(std::uint64_t count) {
  const TestFolder folder;
  const auto start = std::chrono::steady_clock::now();
  WS_CHECK(fill(folder.path(), count));
  const double seconds = elapsed_ms(start) / 1000;
  WS_TRY(const auto archive, Archive::open(folder.path()));
  std::printf("%llu kernels\n%-34s %.1f s, made, stored, judged and indexed\n",
              static_cast<unsigned long long>(count), "build", seconds);
  std::printf("%-34s %.2f GB   goal 4 GB for 1,000,000\n", "disk",
              static_cast<double>(std::filesystem::file_size(folder.path() / "archive.db")) * 1e-9);
  WS_CHECK(time_all_queries(*archive, count));
  WS_CHECK(time_inserts(*archive, count));
  return print_recall(folder.path(), count);
}

}  // namespace
}  // namespace ws::bench

int main(int argc, char** argv) {
  std::uint64_t count = 10'000;
  if (argc > 1) {
    const std::string_view text(argv[1]);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0) {
      std::fprintf(stderr, "usage: ws_search_bench [KERNELS]\n");
      return 2;
    }
  }
  const ws::Status status = ws::bench::run(count);
  if (!status) {
    std::fprintf(stderr, "%s\n", ws::to_text(status.error()).c_str());
    return 1;
  }
  return 0;
}
