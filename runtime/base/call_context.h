// The context of one request: the caller, how to stop it, where progress goes.
#pragma once

#include <chrono>
#include <compare>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

namespace ws {

using Clock = std::chrono::steady_clock;

struct Progress {
  double fraction = 0;     ///< 0 to 1, never falling within one call.
  std::string message;     ///< "validating 3 of 12"
  std::string partial{};   ///< JSON: what there is of the result; empty: as before.
  bool is_result = false;  ///< One result of many: always reported to every waiter.
};

using ProgressFn = std::function<void(const Progress&)>;

/// For whom work is done: callers share what they wait for.
struct Caller {
  std::string client{};     ///< Empty: the server itself, or a client without a name.
  bool background = false;  ///< Nobody waits for this piece of it: others go first.

  auto operator<=>(const Caller&) const = default;
};

struct LaterAnswer;

struct CallContext {
  std::string request_id;  ///< For logs only.
  std::stop_token stop;    ///< Requested when the client cancels or goes away.
  ProgressFn progress;     ///< May be empty; callable from any thread.
  Caller caller{};
  std::string job_id{};  ///< The id that the call's job shall have: it goes on with that job.
  std::string lane{};    ///< In a job's own context: the lane that it runs on.
  std::string batch{};   ///< Names the call with many kernels that this is a part of; else empty.
  bool shares = false;   ///< As JobRequest has it, for the jobs that this call makes.
  /// Where a call that would have to wait leaves how it goes on, and returns; null: it waits.
  LaterAnswer* later = nullptr;

  /// The context of one part of this call, which waits. @param own  Where that part's progress
  /// goes.
  [[nodiscard]] CallContext part(ProgressFn own = {}) const {
    return {request_id, stop, std::move(own), caller, {}, {}, batch, shares, nullptr};
  }

  void report(double fraction, std::string message) const {
    if (progress) {
      progress(Progress{fraction, std::move(message)});
    }
  }

  void report_result(double fraction, std::string message, std::string partial) const {
    if (progress) {
      progress(Progress{fraction, std::move(message), std::move(partial), true});
    }
  }
};

}  // namespace ws
