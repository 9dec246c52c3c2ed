// From signals to the end of a server: it finishes what it does, or ends at once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/base/files.h"
#include "runtime/base/result.h"
#include "server/operate/service_manager.h"

namespace ws::server {

/// The life cycle's thread calls these, while the server runs.
struct LifeHooks {
  std::function<void()> drain;        ///< Take no new requests.
  std::function<bool()> idle;         ///< Nothing is left to be done.
  std::function<void()> reopen_logs;  ///< They were moved away.
  std::function<void()> reload;       ///< Read again what may have changed; empty: nothing.
  std::function<bool()> lives;        ///< It still works on requests; empty: not known.
};

/// SIGTERM: requests are refused, and the end comes when nothing is left to be done or the time for
/// that is over; at once by a second one, by SIGINT and by SIGQUIT. SIGHUP and SIGUSR1 open the
/// logs again; SIGHUP reloads too. One of a process. Handlers, not a blocked mask: child processes
/// would inherit the mask.
class LifeCycle {
 public:
  struct Options {
    std::chrono::milliseconds drain_time{10000};
    ServiceSocket service{};
  };

  /// Takes the signals from now on: before run(), they end the server. @errors kIo.
  static Result<std::unique_ptr<LifeCycle>> begin(Options options);

  ~LifeCycle();
  LifeCycle(const LifeCycle&) = delete;
  LifeCycle& operator=(const LifeCycle&) = delete;

  /// The server takes requests: the service manager is told so.
  void run(LifeHooks hooks);

  /// Its hooks are called no more.
  void leave();

  /// Readable: the server shall end now.
  [[nodiscard]] int stop_fd() const { return stop_.get(); }

 private:
  LifeCycle(Options options, Fd signals, Fd stop, Fd end);

  void watch();
  void on_signal(int signal);
  void begin_drain();
  void beat();
  /// How long the thread may sleep. [ms]
  [[nodiscard]] int pause_ms() const;
  void stop_now() const;

  const Options options_;
  const ServiceManager manager_;
  const Fd signals_;  // one byte for each signal that came
  const Fd stop_;
  const Fd end_;  // readable: the thread shall end
  std::mutex mutex_;
  LifeHooks hooks_;  // guarded by mutex_
  // Only the thread uses the rest.
  std::chrono::steady_clock::time_point deadline_;
  bool draining_ = false;
  bool stopped_ = false;
  std::jthread thread_;
};

}  // namespace ws::server
