// Control groups (cgroup v2) of a server and its workers: where memory runs out in one of a worker,
// only that worker ends.
//
// The group that the server was started in, which must be its own, gets two below it:
//   warpsmith.server          the server alone
//   warpsmith.workers         what all workers may take together
//   warpsmith.workers/PID     one for each worker, which goes there by itself at its start
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ws {

/// The places of the system; tests have others.
struct GroupPlaces {
  std::filesystem::path root = "/sys/fs/cgroup";
  std::filesystem::path membership = "/proc/self/cgroup";
  std::uint64_t machine_bytes = 0;  ///< The memory of the machine; 0: as the system says.
};

enum class GroupState : std::uint8_t {
  kOwn,      ///< Workers get groups of their own.
  kNoGroup,  ///< This system has no cgroup v2, or the process is in none.
  kNotOurs,  ///< The group cannot be written.
  kShared,   ///< Other processes are in it.
  kRefused,  ///< The system gives it no controllers for memory and processes.
};

/// The state that prepare_groups() would find now, as far as that can be said without a change;
/// kOwn also where it was called already.
GroupState group_state(const GroupPlaces& places = {});

/// Moves this process, a server, into a group of its own, and makes the one for workers: together
/// they may have seven eighths of the memory that the group may have, one of them half of it, and
/// 1024 processes. What cannot be done is undone. Once, before there are workers.
GroupState prepare_groups(const GroupPlaces& places = {});

/// Moves this process, a worker, into a group of its own, if its server has one for workers. Also
/// removes those of workers that have ended.
void join_worker_group(const GroupPlaces& places = {});

/// Has the memory of a file of pages (memfd) counted in the group of this process, a worker, where
/// it has one of its own: without this it is that of whoever writes to a page first, which is the
/// server. A file that is too large for the group ends the process.
void charge_file(int file, const GroupPlaces& places = {});

/// A state in words: "workers are in control groups of their own".
std::string text_of(GroupState state);

}  // namespace ws
