// Coroutines of workers: a Task is started by the coroutine that awaits it, which goes on when it
// is done.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

namespace ws::ir {

/// The coroutine of a worker that runs next. Awaiting and finishing only change it, and a loop
/// outside resumes it: however long a program runs, the stack stays as it is.
struct Chain {
  std::coroutine_handle<> current;
  bool paused = false;
};

struct PromiseBase {
  Chain* chain = nullptr;
  std::coroutine_handle<> next;

  struct Final {
    bool await_ready() noexcept { return false; }

    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
      handle.promise().chain->current = handle.promise().next;
    }

    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }

  Final final_suspend() noexcept { return {}; }

  /// Only other functions throw, when memory runs out: the caller that resumes the chain gets it.
  [[noreturn]] void unhandled_exception() { throw; }
};

/// Gives the scheduler its turn.
struct Pause {
  bool await_ready() noexcept { return false; }

  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    handle.promise().chain->paused = true;
  }

  void await_resume() noexcept {}
};

/// Owns its frame; a task that is dropped while it waits drops what it awaits too. Nothing throws
/// through it.
template <typename T>
class Task {
 public:
  struct promise_type : PromiseBase {
    std::optional<T> value;

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }

    void return_value(T result) { value = std::move(result); }
  };

  Task() = default;

  explicit Task(std::coroutine_handle<promise_type> handle)
      : handle_(handle) {}

  Task(Task&& other) noexcept
      : handle_(std::exchange(other.handle_, {})) {}

  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  ~Task() {
    if (handle_) {
      handle_.destroy();
    }
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }

  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    handle_.promise().next = waiting;
    start(*waiting.promise().chain);
  }

  T await_resume() { return std::move(*handle_.promise().value); }

  /// Makes it what `chain` runs next.
  void start(Chain& chain) {
    handle_.promise().chain = &chain;
    chain.current = handle_;
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace ws::ir
