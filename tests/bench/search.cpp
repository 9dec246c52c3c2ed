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

#include "runtime/archive/search/candidates.h"
#include "runtime/archive/search/index_rebuild.h"
#include "runtime/archive/search/kernel_words.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/base/clock.h"
#include "runtime/base/processor_time.h"
#include "runtime/search/fingerprint.h"
#include "tests/bench/synthetic_kernels.h"

namespace ws::bench {
namespace {

constexpr std::uint64_t kGroup = 5000;  // Kernels of one transaction.
constexpr int kLogPages = 80'000;       // As the archive's own writer.
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

double processor_ms() {
  return std::chrono::duration<double, std::milli>(thread_processor_time()).count();
}

/// The time that a query and an insert may take, 99 times of 100.
struct Goals {
  double search_ms;
  double insert_ms;
};

constexpr Goals kOfFile{20, 2};
constexpr Goals kOfDatabase{60, 10};

/// How long something takes: on the clock, and of a processor, which others on the machine do not
/// make longer.
class Times {
 public:
  template <typename Work>
  Status take(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    const double before = processor_ms();
    WS_CHECK(work());
    processor_ms_.push_back(processor_ms() - before);
    clock_ms_.push_back(elapsed_ms(start));
    return {};
  }

  void print(const char* what, double goal_ms) const {
    const double p99 = at_share(clock_ms_, 0.99);
    std::printf("%-32s p50 %7.2f ms  p99 %7.2f ms  (processor: %7.2f, %7.2f)  goal %4.1f ms %s\n",
                what, at_share(clock_ms_, 0.5), p99, at_share(processor_ms_, 0.5),
                at_share(processor_ms_, 0.99), goal_ms, p99 < goal_ms ? "" : "MISSED");
  }

 private:
  std::vector<double> clock_ms_;
  std::vector<double> processor_ms_;
};

struct Size {
  std::uint64_t kernels = 10'000;
  std::uint64_t judged_percent = 100;
};

bool is_judged(std::uint64_t index, const Size& size) {
  constexpr std::uint64_t kSpread = 61;  // Has no divisor in common with 100.
  return index * kSpread % 100 < size.judged_percent;
}

Status fill_group(Connection& connection, std::uint64_t from, std::uint64_t to, const Size& size) {
  Transaction transaction(connection);
  WS_CHECK(transaction.begin());
  for (std::uint64_t i = from; i < to; ++i) {
    const KernelRow kernel = synthetic_kernel(i, size.kernels);
    WS_CHECK(store::put_kernel(connection, kernel, store::traits_of(kernel)));
    if (!is_judged(i, size)) {
      continue;
    }
    WS_CHECK(store::add_evidence(connection, synthetic_validation(i, kernel)));
    if (i % 2 == 0) {
      WS_CHECK(store::add_evidence(connection, synthetic_benchmark(i, kernel)));
    }
  }
  WS_CHECK(store::merge_words(connection, (to - from) * store::kPagesOfMany));
  return transaction.commit();
}

Status fill(const std::filesystem::path& folder, const Size& size) {
  const std::uint64_t count = size.kernels;
  WS_TRY(const auto archive, Archive::open(folder));
  WS_TRY(Connection connection, Connection::open((folder / "archive.db").string(), false));
  // As bulk loads are done: the pages that all inserts touch stay in memory.
  WS_CHECK(connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -400000"));
  for (std::uint64_t i = 0; i < synthetic_problem_count(count); ++i) {
    WS_CHECK(store::put_problem(connection, synthetic_problem(i)));
  }
  for (std::uint64_t i = 0; i < count; i += kGroup) {
    WS_CHECK(fill_group(connection, i, std::min(i + kGroup, count), size));
    if (i % (20 * kGroup) == 0) {
      std::fprintf(stderr, "%llu kernels\n", static_cast<unsigned long long>(i));
    }
  }
  return {};
}

/// Empties the index and fills it again from the rows, as `warpsmith archive verify` does where it
/// is wrong, with nobody else writing.
Status time_rebuild(const std::filesystem::path& folder) {
  WS_TRY(Connection connection, Connection::open((folder / "archive.db").string(), false));
  WS_CHECK(connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000"));
  connection.write_back_at(kLogPages);
  store::IndexRebuild rebuild;
  const auto start = std::chrono::steady_clock::now();
  double longest_ms = 0;
  for (bool more = true; more;) {
    const auto piece = std::chrono::steady_clock::now();
    Transaction transaction(connection);
    WS_CHECK(transaction.begin());
    WS_TRY(more, rebuild.step(connection));
    WS_CHECK(transaction.commit());
    longest_ms = std::max(longest_ms, elapsed_ms(piece));
  }
  std::printf("%-32s %.1f s, the longest piece %.0f ms   goal 600 s for 1,000,000\n",
              "index made again from the rows", elapsed_ms(start) / 1000, longest_ms);
  return {};
}

using MakeRequest = std::function<SearchRequest(std::uint64_t query)>;

Status time_queries(Archive& archive, double goal_ms, const char* what, const MakeRequest& make) {
  Times times;
  for (std::uint64_t query = 0; query < kQueries; ++query) {
    SearchRequest request = make(query);
    request.device = "cpu:0";
    WS_CHECK(times.take([&]() -> Status {
      WS_TRY([[maybe_unused]] const SearchResult result, archive.search(request));
      return {};
    }));
  }
  times.print(what, goal_ms);
  return {};
}

Status time_all_queries(Archive& archive, std::uint64_t count, double goal_ms) {
  const auto time = [&](const char* what, const MakeRequest& make) {
    return time_queries(archive, goal_ms, what, make);
  };
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
  WS_CHECK(time("words: one, frequent", [&](auto q) { return words(q % 5, {0}); }));
  WS_CHECK(time("words: one, rare", [&](auto q) { return words(q, {1500}); }));
  WS_CHECK(time("words: three, any", [&](auto q) { return words(q, {0, 40, 900}); }));
  WS_CHECK(time("problem", problem));
  WS_CHECK(time("like", like));
  return time("problem, words and like", [&](std::uint64_t query) {
    SearchRequest request = words(query, {3, 30});
    request.problem_id = problem(query).problem_id;
    request.runs = like(query).runs;
    request.failures = true;
    return request;
  });
}

Status time_inserts(Archive& archive, std::uint64_t count, double goal_ms) {
  Times fresh;
  Times known;
  for (std::uint64_t i = count; i < count + kInserts; ++i) {
    // A kernel of its own: its near-duplicates would share its fingerprint.
    const KernelRow kernel = synthetic_kernel(i * kVariants, count);
    for (Times* times : {&fresh, &known}) {
      WS_CHECK(times->take([&] { return archive.put_kernel(kernel); }));
    }
  }
  fresh.print("insert of a new kernel", goal_ms);
  known.print("insert of a known kernel", goal_ms);
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
  queries.reserve(kRecallQueries);
  for (std::uint64_t q = 0; q < kRecallQueries; ++q) {
    queries.push_back(token_runs(synthetic_source(q * kStride * 13 % count)));
  }
  const std::vector<std::vector<double>> exact = exact_shares(queries, count);
  double found = 0;
  double wanted = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    WS_TRY(auto likes,
           store::like_fingerprints(connection, queries[q], {0, 1, 2, 3}, store::kMaxCompared));
    likes.resize(std::min(likes.size(), kRecallAt));
    wanted += static_cast<double>(exact[q].size());
    // If several are equally similar any of them will do.
    found += static_cast<double>(std::count_if(likes.begin(), likes.end(), [&](const auto& like) {
      return like.common_share >= exact[q].back() - 1e-12;
    }));
  }
  std::printf("%-32s %.3f   goal 0.95 %s\n", "recall@10 of near-duplicates", found / wanted,
              found / wanted >= 0.95 ? "" : "MISSED");
  return {};
}

Status run(const Size& size) {
  const TestFolder folder;
  const auto start = std::chrono::steady_clock::now();
  WS_CHECK(fill(folder.path(), size));
  const double seconds = elapsed_ms(start) / 1000;
  const double processor_seconds = processor_ms() / 1000;
  WS_CHECK(time_rebuild(folder.path()));
  WS_TRY(const auto archive, Archive::open(folder.path()));
  std::printf("%llu kernels, %llu %% of them judged\n",
              static_cast<unsigned long long>(size.kernels),
              static_cast<unsigned long long>(size.judged_percent));
  std::printf("%-32s %.1f s (processor: %.1f s), made, stored, judged and indexed\n", "build",
              seconds, processor_seconds);
  std::printf("%-32s %.2f GB   goal 4 GB for 1,000,000\n", "disk",
              static_cast<double>(std::filesystem::file_size(folder.path() / "archive.db")) * 1e-9);
  WS_CHECK(time_all_queries(*archive, size.kernels, kOfFile.search_ms));
  WS_CHECK(time_inserts(*archive, size.kernels, kOfFile.insert_ms));
  return print_recall(folder.path(), size.kernels);
}

/// Measures in a database that has the kernels already. Those of the inserts stay in it.
Status run_in_database(const std::string& url, std::uint64_t kernels) {
  const TestFolder folder;
  WS_TRY(const auto archive, Archive::open(ArchivePlace(folder.path(), url)));
  WS_CHECK(time_all_queries(*archive, kernels, kOfDatabase.search_ms));
  return time_inserts(*archive, kernels, kOfDatabase.insert_ms);
}

bool read_number(std::string_view text, std::uint64_t most, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number <= most;
}

}  // namespace
}  // namespace ws::bench

int main(int argc, char** argv) {
  ws::bench::Size size;
  constexpr std::uint64_t kMostKernels = 10'000'000;
  const bool in_database = argc == 4 && std::string_view(argv[2]) == "--store";
  const bool understood =
      argc <= 4 && (argc < 2 || ws::bench::read_number(argv[1], kMostKernels, size.kernels)) &&
      (argc < 3 || in_database || ws::bench::read_number(argv[2], 100, size.judged_percent)) &&
      size.kernels > 0;
  if (!understood) {
    std::fprintf(stderr,
                 "usage: ws_search_bench [KERNELS] [PERCENT JUDGED [FOLDER]]\n"
                 "       ws_search_bench KERNELS --store URL\n"
                 "In FOLDER, which is empty, the archive is made, and nothing measured. The\n"
                 "database of URL has it already.\n");
    return 2;
  }
  const ws::Status status = in_database ? ws::bench::run_in_database(argv[3], size.kernels)
                            : argc == 4 ? ws::bench::fill(argv[3], size)
                                        : ws::bench::run(size);
  if (!status) {
    std::fprintf(stderr, "%s\n", ws::to_text(status.error()).c_str());
    return 1;
  }
  return 0;
}
