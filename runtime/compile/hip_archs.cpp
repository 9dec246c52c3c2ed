#include "runtime/compile/hip_archs.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "runtime/base/files.h"
#include "runtime/base/private_files.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"

namespace ws {
namespace {

constexpr std::array kCandidates = {"gfx900",  "gfx906",  "gfx908",  "gfx90a",  "gfx942",
                                    "gfx950",  "gfx1010", "gfx1030", "gfx1100", "gfx1101",
                                    "gfx1102", "gfx1151", "gfx1200", "gfx1201"};
constexpr std::chrono::seconds kTrial{30};
constexpr std::size_t kMaxAnswer = 65536;
constexpr std::size_t kMaxAnswers = 65536;

}  // namespace

bool is_hip_arch(std::string_view arch) {
  constexpr std::string_view kStart = "gfx";
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kMost = 5;
  if (!arch.starts_with(kStart)) {
    return false;
  }
  arch.remove_prefix(kStart.size());
  return arch.size() >= kFewest && arch.size() <= kMost &&
         arch.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

HipArchs::HipArchs(std::string executable, HipKit kit, std::filesystem::path memory)
    : executable_(std::move(executable)),
      kit_(std::move(kit)),
      memory_(std::move(memory)) {}

/// The file: the library's identity, then "gfx90a yes" and "gfx942 no" by line.
Status HipArchs::recall() {
  if (!identity_.empty()) {
    return {};
  }
  WS_TRY(identity_, identity_of(kit_, Stamp::kQuick));
  std::istringstream lines(memory_.empty() ? "" : read_file(memory_, kMaxAnswers).value_or(""));
  std::string arch;
  std::string answer;
  if (!(lines >> answer) || answer != identity_) {
    return {};  // The file is from another library, or is damaged.
  }
  while (lines >> arch >> answer) {
    known_[arch] = answer == "yes";
  }
  return {};
}

/// An entry that cannot be kept is tried again.
void HipArchs::remember() {
  if (memory_.empty()) {
    return;
  }
  std::string text = identity_ + "\n";
  for (const auto& [arch, known] : known_) {
    text += arch + (known ? " yes\n" : " no\n");
  }
  [[maybe_unused]] const std::error_code made = make_private_folder(memory_.parent_path());
  [[maybe_unused]] const Status written = write_file(memory_, text);
}

Result<bool> HipArchs::try_out(const std::string& arch) const {
  WS_TRY(const WorkerProcess process, WorkerProcess::start(executable_, "hiprtc"));
  WS_CHECK(send_frame(process.socket(), encode(HiprtcSetup{kit_, arch})));
  const Result<Received> answer =
      receive_frame(process.socket(), kMaxAnswer, Clock::now() + kTrial);
  if (!answer && answer.error().code == ErrorCode::kDeviceLost) {
    return false;  // hiprtc's way to say no.
  }
  if (!answer) {
    return fail(answer.error());
  }
  const std::string& said = answer->payload;
  if (said.starts_with("error\n")) {
    return fail(ErrorCode::kUnsupported, "the HIP compiler (hiprtc) is not available",
                "run `warpsmith doctor` to see what is missing", said.substr(said.find('\n') + 1));
  }
  return said.starts_with("ready\n");  // Or "refused\n", of later versions.
}

Result<bool> HipArchs::knows_locked(const std::string& arch) {
  WS_CHECK(recall());
  const auto at = known_.find(arch);
  if (at != known_.end()) {
    return at->second;
  }
  WS_TRY(const bool known, try_out(arch));
  known_[arch] = known;
  remember();
  return known;
}

Result<bool> HipArchs::knows(const std::string& arch) {
  const std::lock_guard lock(mutex_);
  return is_hip_arch(arch) ? knows_locked(arch) : Result<bool>(false);
}

Result<std::vector<std::string>> HipArchs::known() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> archs;
  for (const char* candidate : kCandidates) {
    WS_TRY(const bool known, knows_locked(candidate));
    if (known) {
      archs.emplace_back(candidate);
    }
  }
  return archs;
}

}  // namespace ws
