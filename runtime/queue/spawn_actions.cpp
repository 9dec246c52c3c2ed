#include "runtime/queue/spawn_actions.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>

namespace ws {

SpawnActions::SpawnActions() {
  note("posix_spawn_file_actions_init", ::posix_spawn_file_actions_init(&files_));
  note("posix_spawnattr_init", ::posix_spawnattr_init(&attributes_));
  sigset_t none;
  sigemptyset(&none);
  note("posix_spawnattr_setsigmask", ::posix_spawnattr_setsigmask(&attributes_, &none));
  note("posix_spawnattr_setpgroup", ::posix_spawnattr_setpgroup(&attributes_, 0));
  note("posix_spawnattr_setflags",
       ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK));
}

SpawnActions::~SpawnActions() {
  ::posix_spawn_file_actions_destroy(&files_);
  ::posix_spawnattr_destroy(&attributes_);
}

void SpawnActions::duplicate(int from, int to) {
  note("posix_spawn_file_actions_adddup2", ::posix_spawn_file_actions_adddup2(&files_, from, to));
}

void SpawnActions::open_nothing(int to) {
  note("posix_spawn_file_actions_addopen",
       ::posix_spawn_file_actions_addopen(&files_, to, "/dev/null", O_RDONLY, 0));
}

void SpawnActions::close_from(int first) {
  note("posix_spawn_file_actions_addclosefrom_np",
       ::posix_spawn_file_actions_addclosefrom_np(&files_, first));
}

Result<pid_t> SpawnActions::start(const std::string& executable, std::vector<std::string> arguments,
                                  const std::string& failure) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  std::array<char*, 1> environment = {nullptr};
  pid_t pid = -1;
  if (error_ == 0) {
    note("posix_spawn", ::posix_spawn(&pid, executable.c_str(), &files_, &attributes_,
                                      pointers.data(), environment.data()));
  }
  if (error_ != 0) {
    errno = error_;
    return fail_errno(failed_call_, failure);
  }
  return pid;
}

void SpawnActions::note(const char* call, int error) {
  if (error_ == 0 && error != 0) {
    failed_call_ = call;
    error_ = error;
  }
}

}  // namespace ws
