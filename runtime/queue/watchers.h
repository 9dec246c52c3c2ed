// Waits without a thread for each waiter: one thread watches all of them, and sleeps until one of
// them has something to check. For runtime/queue only.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/call_context.h"

namespace ws {

class Watchers {
 public:
  /// Says what there is to do about one that waits.
  struct Turn {
    std::vector<Progress> reports;
    bool over = false;
    Clock::time_point next;  ///< When to look again where nobody calls.
  };

  struct Watch {
    std::function<Turn()> turn;                                ///< Under the mutex.
    std::function<void(const std::shared_ptr<Watch>&)> ended;  ///< Under the mutex; may be empty.
    ProgressFn progress;                                       ///< May be empty.
    std::function<void()> over;

   private:
    friend class Watchers;

    struct OnStop {
      Watchers* watchers;
      std::weak_ptr<Watch> watch;

      void operator()() const;
    };

    Clock::time_point at_;
    bool due_ = false;
    bool done_ = true;  ///< Or not added yet.
    bool stopped_ = false;
    bool untold_ = false;  ///< It is over, and there was no memory to say so.
    std::unique_ptr<std::stop_callback<OnStop>> on_stop_;
  };

  /// @param mutex  Guards all that the watches look at, and this. Throws std::system_error where
  ///               there is no thread.
  explicit Watchers(std::mutex& mutex);
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  /// Notifies all that still wait that it is over.
  ~Watchers();

  /// A requested `stop` will end the wait. Before add(), without the mutex.
  void listen(const std::shared_ptr<Watch>& watch, const std::stop_token& stop);

  /// With the mutex held, as for call().
  void add(const std::shared_ptr<Watch>& watch);

  /// Wakes the thread: the watch has something to check.
  void call(const std::shared_ptr<Watch>& watch);

 private:
  using Timer = std::pair<Clock::time_point, std::shared_ptr<Watch>>;

  /// One turn of one watch; its `over` is what the owner is told.
  struct Told {
    std::shared_ptr<Watch> watch;
    Turn turn;
    std::set<Timer>::node_type timer;  ///< Where it is over: kept for another try.
  };

  // The functions below allocate nothing: each waiter is notified, now or at a later try.
  void work();
  void sleep(std::unique_lock<std::mutex>& lock);
  void move(const std::shared_ptr<Watch>& watch, Clock::time_point at);
  /// Nothing: none is due.
  std::optional<Told> take_turn();
  /// False: there was no memory to say that it is over.
  static bool tell(const Told& told);
  void tell_again(Told told);

  std::mutex& mutex_;
  std::condition_variable called_;
  std::set<Timer> timers_;  // guarded by mutex_; the next one first
  bool ending_ = false;     // guarded by mutex_
  std::jthread thread_;     // last: it uses all of the above
};

}  // namespace ws
