#include "runtime/worker/worker_limits.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/worker_groups.h"

namespace ws {
namespace {

constexpr const char* kScoreFile = "/proc/self/oom_score_adj";
/// In the middle between a common process and one that goes first in any case.
constexpr int kScore = 500;
/// All of the user's processes and threads count, those of the server included.
constexpr rlim_t kMaxProcesses = 8192;

/// Everybody may raise it; to lower it is not for all.
void raise_score() {
  const std::string text = read_file(kScoreFile).value_or("1000");
  int now = 0;
  std::from_chars(text.data(), text.data() + text.size(), now);
  const Fd file(now < kScore ? ::open(kScoreFile, O_WRONLY | O_CLOEXEC) : -1);
  const std::string score = std::to_string(kScore);
  // Without /proc it is as likely to go as others.
  [[maybe_unused]] const ssize_t written = ::write(file.get(), score.data(), score.size());
}

}  // namespace

void be_first_to_go() {
  raise_score();
  join_worker_group();
  rlimit processes{};
  if (::getrlimit(RLIMIT_NPROC, &processes) == 0) {
    processes.rlim_max = std::min(processes.rlim_max, kMaxProcesses);
    processes.rlim_cur = std::min(processes.rlim_cur, processes.rlim_max);
    [[maybe_unused]] const int set = ::setrlimit(RLIMIT_NPROC, &processes);
  }
}

}  // namespace ws
