#include "runtime/base/worker_groups.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/files.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServerGroup = "warpsmith.server";
constexpr const char* kWorkersGroup = "warpsmith.workers";
constexpr const char* kMembers = "cgroup.procs";
constexpr const char* kControls = "cgroup.subtree_control";
constexpr const char* kMemoryLimit = "memory.max";
constexpr const char* kProcessLimit = "pids.max";
constexpr const char* kControllers = "+memory +pids";
constexpr const char* kProcessesOfWorker = "1024";
/// A group may be taken away by a neighbour between being made and being joined.
constexpr int kTries = 3;

/// The kernel takes one value by one write.
bool write_value(const fs::path& file, const std::string& value) {
  const Fd open(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  return open.valid() &&
         ::write(open.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

/// Nothing: this process is in no group of cgroup v2.
std::optional<fs::path> own_group(const GroupPlaces& places) {
  const std::string text = read_file(places.membership).value_or("");
  constexpr std::string_view kUnified = "0::/";
  const std::size_t line = text.starts_with(kUnified) ? 0 : text.find("\n0::/");
  if (line == std::string::npos ||
      ::access((places.root / "cgroup.controllers").c_str(), F_OK) != 0) {
    return std::nullopt;
  }
  const std::size_t path = text.find("0::/", line) + kUnified.size();
  return places.root / text.substr(path, text.find('\n', path) - path);
}

/// The memory that the processes of a group may have together.
std::uint64_t memory_of(const fs::path& group, const GroupPlaces& places) {
  std::uint64_t machine = places.machine_bytes;
  if (machine == 0) {
    machine = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L)) *
              static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  const std::string text = read_file(group / kMemoryLimit).value_or("max");
  std::uint64_t limit = machine;
  std::from_chars(text.data(), text.data() + text.size(), limit);
  return std::min(limit, machine);
}

bool is_alone_in(const fs::path& group) {
  const std::string text = read_file(group / kMembers).value_or("");
  return text == std::to_string(::getpid()) + "\n";
}

/// Back where it was.
GroupState undo(const fs::path& group, GroupState why) {
  write_value(group / kMembers, std::to_string(::getpid()));
  std::error_code ignored;
  fs::remove(group / kWorkersGroup, ignored);
  fs::remove(group / kServerGroup, ignored);
  return why;
}

/// A group that still has processes stays.
void remove_ended(const fs::path& workers) {
  std::error_code error;
  for (fs::directory_iterator at(workers, error), end; !error && at != end; at.increment(error)) {
    if (at->is_directory(error)) {
      ::rmdir(at->path().c_str());
    }
  }
}

}  // namespace

GroupState group_state(const GroupPlaces& places) {
  const std::optional<fs::path> group = own_group(places);
  if (!group) {
    return GroupState::kNoGroup;
  }
  if (group->filename() == kServerGroup) {
    return GroupState::kOwn;
  }
  if (::access(group->c_str(), W_OK) != 0 || ::access((*group / kMembers).c_str(), W_OK) != 0) {
    return GroupState::kNotOurs;
  }
  return is_alone_in(*group) ? GroupState::kOwn : GroupState::kShared;
}

GroupState prepare_groups(const GroupPlaces& places) {
  const GroupState state = group_state(places);
  if (state != GroupState::kOwn) {
    return state;
  }
  const fs::path group = *own_group(places);
  if (group.filename() == kServerGroup) {
    return state;
  }
  const fs::path workers = group / kWorkersGroup;
  const std::uint64_t memory = memory_of(group, places);
  std::error_code error;
  fs::create_directory(group / kServerGroup, error);
  if (error || !write_value(group / kServerGroup / kMembers, std::to_string(::getpid()))) {
    return undo(group, GroupState::kNotOurs);
  }
  // A group with controllers for those below it has no processes itself: the server has just left.
  if (!write_value(group / kControls, kControllers)) {
    return undo(group, GroupState::kRefused);
  }
  fs::create_directory(workers, error);
  if (error || !write_value(workers / kMemoryLimit, std::to_string(memory / 8 * 7)) ||
      !write_value(workers / kControls, kControllers)) {
    return undo(group, GroupState::kRefused);
  }
  return GroupState::kOwn;
}

void join_worker_group(const GroupPlaces& places) {
  const std::optional<fs::path> group = own_group(places);
  if (!group || group->filename() != kServerGroup) {
    return;
  }
  const fs::path workers = group->parent_path() / kWorkersGroup;
  const fs::path own = workers / std::to_string(::getpid());
  remove_ended(workers);
  for (int i = 0; i < kTries; ++i) {
    std::error_code error;
    fs::create_directory(own, error);
    // Limits that cannot be set leave those of all workers together.
    write_value(own / kMemoryLimit, std::to_string(memory_of(group->parent_path(), places) / 2));
    write_value(own / kProcessLimit, kProcessesOfWorker);
    if (write_value(own / kMembers, std::to_string(::getpid()))) {
      return;
    }
  }
}

void charge_file(int file, const GroupPlaces& places) {
  const std::optional<fs::path> group = own_group(places);
  struct stat status = {};
  if (group && group->parent_path().filename() == kWorkersGroup && ::fstat(file, &status) == 0) {
    // Where it fails, the pages count for the server, as elsewhere.
    [[maybe_unused]] const int charged = ::fallocate(file, 0, 0, status.st_size);
  }
}

std::string text_of(GroupState state) {
  switch (state) {
    case GroupState::kOwn:
      return "workers are in control groups of their own";
    case GroupState::kNoGroup:
      return "workers share the server's limits: there is no cgroup v2 here";
    case GroupState::kNotOurs:
      return "workers share the server's limits: its control group cannot be written";
    case GroupState::kShared:
      return "workers share the server's limits: other processes are in its control group";
    case GroupState::kRefused:
      return "workers share the server's limits: its control group has no controllers to give";
  }
  return "";
}

}  // namespace ws
