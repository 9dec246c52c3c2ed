#include "runtime/device/cuda/gpu_lock.h"

#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/base/call_context.h"

namespace ws::cuda {
namespace {

constexpr std::chrono::milliseconds kPoll{2};
/// Every user of the GPU may wait for it.
constexpr mode_t kForAll = 0666;

}  // namespace

std::string gpu_lock_folder() {
  // All users must come to the same answer: one who may write there more than others is no reason.
  struct stat status = {};
  constexpr mode_t kShared = S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO;
  const bool shared = ::stat("/run/lock", &status) == 0 && S_ISDIR(status.st_mode) &&
                      (status.st_mode & kShared) == kShared;
  return shared ? "/run/lock" : "/tmp";
}

Result<GpuLock> GpuLock::open(const std::string& folder, const std::string& uuid) {
  const std::string path = folder + "/warpsmith-" + uuid + ".lock";
  // Another user's file is opened, not made: where the folder is sticky, O_CREAT would refuse it.
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() && errno == ENOENT) {
    file = Fd(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForAll));
    if (file.valid()) {
      ::fchmod(file.get(), kForAll);  // The umask may have taken rights away.
    }
  }
  if (!file.valid()) {
    return fail_errno("open", "cannot open the lock of the GPU, " + path);
  }
  return GpuLock(std::move(file));
}

Status GpuLock::acquire(Use use, std::chrono::milliseconds limit, const std::stop_token& stop) {
  const auto deadline = Clock::now() + limit;
  const int operation = (use == Use::kAlone ? LOCK_EX : LOCK_SH) | LOCK_NB;
  while (::flock(file_.get(), operation) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail_errno("flock", "cannot lock the GPU");
    }
    if (stop.stop_requested()) {
      return fail(ErrorCode::kCancelled, "the call was cancelled");
    }
    if (Clock::now() >= deadline) {
      return fail(ErrorCode::kBusy, "another server uses this GPU",
                  "try again, or end the other server");
    }
    std::this_thread::sleep_for(kPoll);
  }
  return {};
}

void GpuLock::release() {
  ::flock(file_.get(), LOCK_UN);
}

}  // namespace ws::cuda
