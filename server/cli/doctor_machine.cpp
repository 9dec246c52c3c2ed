#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/parallel.h"
#include "runtime/base/worker_groups.h"
#include "runtime/device/cpu/sandbox.h"
#include "runtime/session/skills.h"
#include "server/cli/doctor_parts.h"
#include "server/cli/version.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEnoughMemory = std::uint64_t{1} << 30U;

/// In a process of its own, as nobody leaves a sandbox: enters it and tries to open a file.
bool sandbox_holds() {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool entered = cpu::enter_sandbox({}).has_value();
    ::_exit(entered && ::open("/", O_RDONLY | O_CLOEXEC) < 0 ? 0 : 1);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::uint64_t size_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unreadable;
    const std::uintmax_t size =
        entry->is_regular_file(unreadable) ? entry->file_size(unreadable) : 0;
    bytes += unreadable ? 0 : size;
  }
  return bytes;
}

/// The number of kibibytes that /proc/meminfo gives for `field`, in bytes; 0: it does not.
std::uint64_t meminfo(const std::string& text, const std::string& field) {
  constexpr std::uint64_t kKib = 1024;
  const std::size_t at = text.find(field + ":");
  return at == std::string::npos
             ? 0
             : std::strtoull(text.c_str() + at + field.size() + 1, nullptr, 10) * kKib;
}

}  // namespace

Check version_check(const DoctorSubject& /*subject*/) {
  return {"version", CheckState::kOk, std::string("warpsmith ") + version(), {}};
}

Check data_check(const DoctorSubject& subject) {
  std::error_code error;
  const fs::path folder = fs::absolute(subject.data_dir, error);
  fs::path present = folder;
  while (!fs::exists(present, error) && present.has_relative_path()) {
    present = present.parent_path();
  }
  const bool here = present == folder;
  if (!fs::is_directory(present, error) || ::access(present.c_str(), W_OK | X_OK) != 0) {
    return {"data folder", CheckState::kMissing,
            folder.string() + (here ? " is" : " cannot be made: " + present.string() + " is") +
                " not a folder that you may write to",
            "choose another with --data DIR, or change its owner"};
  }
  return {"data folder",
          CheckState::kOk,
          folder.string() + (here ? ", writable, " + size_text(size_of(folder))
                                  : ", made when a server first needs it"),
          {}};
}

Check sandbox_check(const DoctorSubject& /*subject*/) {
  if (!sandbox_holds()) {
    return {"sandbox", CheckState::kMissing, "seccomp does not confine a process here",
            "use a kernel with CONFIG_SECCOMP_FILTER, or a container that may call seccomp"};
  }
  const int abi = cpu::landlock_abi();
  if (abi == 0) {
    return {"sandbox", CheckState::kNote, "seccomp works; this kernel has no landlock",
            "nothing to do; with Linux 5.13 or later files are denied twice"};
  }
  return {"sandbox", CheckState::kOk, "seccomp works, landlock ABI " + std::to_string(abi), {}};
}

Check cores_check(const DoctorSubject& /*subject*/) {
  return {"cores", CheckState::kOk, std::to_string(core_count()), {}};
}

Check memory_check(const DoctorSubject& /*subject*/) {
  const std::string text = read_file("/proc/meminfo").value_or("");
  const std::uint64_t available = meminfo(text, "MemAvailable");
  const std::string value =
      size_text(meminfo(text, "MemTotal")) + ", " + size_text(available) + " available";
  return available < kEnoughMemory ? Check{"memory", CheckState::kNote, value,
                                           "free some: a compile may take up to 1 GiB"}
                                   : Check{"memory", CheckState::kOk, value, {}};
}

Check kernel_check(const DoctorSubject& /*subject*/) {
  utsname name{};
  ::uname(&name);
  return {"system",
          CheckState::kOk,
          std::string(name.sysname) + " " + name.release + " " + name.machine,
          {}};
}

Check groups_check(const DoctorSubject& /*subject*/) {
  const GroupState state = group_state();
  return {"worker groups", state == GroupState::kOwn ? CheckState::kOk : CheckState::kNote,
          text_of(state),
          state == GroupState::kOwn ? ""
                                    : "nothing to do by hand: under systemd, Delegate=memory pids"};
}

Check huge_pages_check(const DoctorSubject& /*subject*/) {
  const std::string text =
      read_file("/sys/kernel/mm/transparent_hugepage/enabled").value_or("[absent]");
  // "always [madvise] never": the word in brackets holds.
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', std::min(open, text.size()));
  const std::string word =
      close == std::string::npos ? "absent" : text.substr(open + 1, close - open - 1);
  if (word == "always" || word == "madvise") {
    return {"huge pages", CheckState::kOk, word, {}};
  }
  return {"huge pages", CheckState::kNote, word + ": kernels with barriers run slower",
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, as root"};
}

Check skills_check(const DoctorSubject& subject) {
  ServicesOptions options;
  options.executable = subject.executable;
  options.skills = subject.skills;
  const SkillLibrary skills = current_skills(options);
  const std::string value = std::to_string(skills.transformations.size()) + " here";
  if (!skills.problems.empty()) {
    const SkillProblem& first = skills.problems.front();
    return {"skills", CheckState::kNote,
            value + ", " + std::to_string(skills.problems.size()) + " cannot be used",
            first.file + ": " + first.reason};
  }
  return skills.transformations.empty()
             ? Check{"skills", CheckState::kNote, "no transformations are here",
                     "put the folder `skills` of the sources beside the program"}
             : Check{"skills", CheckState::kOk, value, {}};
}

}  // namespace ws::server
