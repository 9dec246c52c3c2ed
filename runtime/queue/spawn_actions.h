// The attributes and file actions of posix_spawn, owned: a process group of its own, no signal
// blocked.
#pragma once

#include <string>
#include <vector>

#include <spawn.h>
#include <sys/types.h>

#include "runtime/base/result.h"

namespace ws {

/// Descriptors are arranged in the order of the calls. A call that fails is kept until start(),
/// which then starts nothing: a process may not get descriptors that it was to be denied.
class SpawnActions {
 public:
  SpawnActions();
  ~SpawnActions();
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  /// The process has our descriptor `from` as its `to`.
  void duplicate(int from, int to);
  /// Reading its descriptor `to` gives nothing.
  void open_nothing(int to);
  /// It has no descriptor from `first` on.
  void close_from(int first);

  /// @param arguments  The first is the name that the process sees. Its environment is empty.
  /// @param failure  The message of an error: "cannot start a worker process".
  /// @errors kIo: one of the calls above or posix_spawn failed.
  Result<pid_t> start(const std::string& executable, std::vector<std::string> arguments,
                      const std::string& failure);

 private:
  void note(const char* call, int error);

  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
  const char* failed_call_ = nullptr;
  int error_ = 0;  // The first call's that failed.
};

}  // namespace ws
