#include "server/cli/interrupt.h"

#include <atomic>
#include <cerrno>
#include <csignal>

namespace ws::server {
namespace {

std::atomic<pid_t> g_server = 0;
std::atomic<int> g_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler takes no lock");

extern "C" void on_interrupt(int signal) {
  const int error = errno;  // The error of the code that the signal interrupted.
  g_signal = signal;
  ::kill(g_server, SIGINT);  // It ends at once.
  errno = error;
}

}  // namespace

void end_server_on_interrupt(pid_t server) {
  g_server = server;
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) {
    ::sigaction(signal, &action, nullptr);
  }
}

int interrupted_by() {
  return g_signal;
}

}  // namespace ws::server
