#include "runtime/queue/file_rules.h"

#include <array>
#include <system_error>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ws {
namespace {

/// Every right of landlock's first ABI.
constexpr std::uint64_t kFirstRights = 0x1fff;
constexpr std::uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kOpenFile = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
/// The rights that a rule for a file, not for a folder, may have.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | kOpenFile;

constexpr std::array kSystem = {"/usr",  "/lib", "/lib64",           "/bin",
                                "/sbin", "/opt", "/etc/ld.so.cache", "/etc/alternatives",
                                "/proc", "/sys", "/dev/urandom",     "/etc/localtime"};

long landlock_version() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

}  // namespace

Result<FileRules> FileRules::begin() {
  // Compilers rename what they made into another folder, which the first ABI denies everywhere.
  const std::uint64_t all =
      kFirstRights | (landlock_version() >= 2 ? LANDLOCK_ACCESS_FS_REFER : std::uint64_t{0});
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = all;
  Fd rules(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0)));
  if (!rules.valid()) {
    return fail(ErrorCode::kUnsupported, "this kernel has no landlock",
                "use a kernel of 5.13 or newer with landlock; `warpsmith doctor` shows it");
  }
  return FileRules(std::move(rules), all);
}

void FileRules::allow(const std::filesystem::path& path, FileUse use) const {
  const Fd at(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!at.valid()) {
    return;
  }
  std::error_code error;
  const std::uint64_t rights = use == FileUse::kRead     ? kReading
                               : use == FileUse::kDevice ? kReading | kOpenFile
                                                         : all_;
  landlock_path_beneath_attr below{};
  below.allowed_access = std::filesystem::is_directory(path, error) ? rights : rights & kOfFiles;
  below.parent_fd = at.get();
  ::syscall(SYS_landlock_add_rule, rules_.get(), LANDLOCK_RULE_PATH_BENEATH, &below, 0);
}

void FileRules::allow_system() const {
  for (const char* const path : kSystem) {
    allow(path, FileUse::kRead);
  }
  allow("/dev/null", FileUse::kDevice);
}

void FileRules::allow_program(const std::filesystem::path& program) const {
  std::error_code error;
  for (const std::filesystem::path& path : {program, std::filesystem::canonical(program, error)}) {
    if (path.has_parent_path() && path.parent_path().has_parent_path() &&
        path.parent_path().filename() == "bin") {
      allow(path.parent_path().parent_path(), FileUse::kRead);
    }
  }
}

Status FileRules::enter() const {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_landlock_restrict_self, rules_.get(), 0) != 0) {
    return fail_errno("landlock_restrict_self", "the sandbox cannot be entered");
  }
  return {};
}

}  // namespace ws
