// The figures of tuning by replay: how long recorded spaces take to be searched, by our portfolio
// and by how Kernel Tuner's strategies go about it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/files.h"
#include "runtime/bench/statistics.h"
#include "runtime/tune/race.h"
#include "runtime/tune/tuner.h"
#include "tests/support/recording.h"
#include "tests/support/replay_backend.h"

namespace ws::tune {
namespace {

constexpr double kClose = 1.05;   // Times the optimum.
constexpr double kLongest = 1e5;  // Seconds: a tuning that never gets there.

struct Way {
  std::string name;
  std::string strategy;
  ReplayOptions replay;
};

/// Virtual seconds until a point that was timed in full is worth at most kClose of the optimum, by
/// the median of all its recorded samples: those are what a tuning measures again at its end.
Result<double> seconds_to_close(const Recording& recording, const Way& way, std::uint64_t seed) {
  WS_TRY(Space space, recording.space());
  WS_TRY(const std::unique_ptr<Strategy> strategy, make_strategy(way.strategy, space, seed));
  ReplayEvaluationBackend backend(recording, way.replay);
  TunerOptions options;
  options.budget_s = kLongest;
  Tuner tuner(space, *strategy, backend, options);
  double reached = kLongest;
  const auto watch = [&](const Evaluation& evaluation, const Evaluation* /*best*/, double t_s) {
    const bool close =
        static_cast<int>(evaluation.samples.size()) >= race_stages().back().samples &&
        recording.points.at(evaluation.point).median_us <= kClose * recording.optimum_us;
    reached = close ? t_s : reached;
    return !close;
  };
  WS_TRY([[maybe_unused]] const TuneResult result, tuner.run(watch));
  return reached;
}

struct Figures {
  double median = 0;
  double p90 = 0;
};

Result<Figures> figures_of(const Recording& recording, const Way& way, int repeats) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    WS_TRY(const double reached,
           seconds_to_close(recording, way, 1000 + static_cast<std::uint64_t>(i)));
    seconds.push_back(reached);
  }
  return Figures{ws::median(seconds), percentile(seconds, 90)};
}

std::vector<Way> ways(const std::string& ours) {
  return {{"serial GA", "genetic", {1, true}},    {"serial ILS", "greedy", {1, true}},
          {"serial random", "random", {1, true}}, {"ours P=1", ours, {1, false}},
          {"ours P=2", ours, {2, false}},         {"ours P=16", ours, {16, false}}};
}

constexpr std::size_t kSerialWays = 3;

Status replay(const std::filesystem::path& folder, const std::string& ours, int repeats) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  const std::vector<Way> all = ways(ours);
  std::vector<std::vector<double>> gains(all.size());
  std::printf("%-28s %7s", "median s (p90) to 5 %", "points");
  for (const Way& way : all) {
    std::printf(" %18s", way.name.c_str());
  }
  std::printf("\n");
  for (const std::filesystem::path& file : files) {
    constexpr std::size_t kLargest = std::size_t{256} << 20U;
    WS_TRY(const std::string text, read_file(file, kLargest));
    WS_TRY(const Recording recording, read_recording(text));
    std::printf("%-28s %7zu", file.stem().c_str(), recording.points.size());
    double best_serial = kLongest;
    for (std::size_t i = 0; i < all.size(); ++i) {
      WS_TRY(const Figures figures, figures_of(recording, all[i], repeats));
      std::printf(" %8.1f (%7.1f)", figures.median, figures.p90);
      std::fflush(stdout);
      best_serial = i < kSerialWays ? std::min(best_serial, figures.median) : best_serial;
      gains[i].push_back(best_serial / figures.median);
    }
    std::printf("\n");
  }
  if (files.empty()) {
    return fail(ErrorCode::kNotFound, "no *.json in " + folder.string());
  }
  std::printf("gain over the best serial one, geometric mean:");
  for (std::size_t i = kSerialWays; i < all.size(); ++i) {
    std::printf(" %s %.2fx (least %.2fx)", all[i].name.c_str(), geometric_mean(gains[i]),
                *std::min_element(gains[i].begin(), gains[i].end()));
  }
  std::printf("\n");
  return {};
}

}  // namespace
}  // namespace ws::tune

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: ws_tune_bench FOLDER [REPEATS [STRATEGY]]\n");
    return 2;
  }
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 40;
  const std::string ours = argc > 3 ? argv[3] : "portfolio";
  const ws::Status done = ws::tune::replay(argv[1], ours, std::max(1, repeats));
  if (!done) {
    std::fprintf(stderr, "%s\n", to_text(done.error()).c_str());
    return 1;
  }
  return 0;
}
