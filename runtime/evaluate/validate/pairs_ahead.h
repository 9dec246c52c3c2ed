// Opens the pairs of a validation in order, each while the one before it runs.
#pragma once

#include <functional>
#include <future>

#include "runtime/evaluate/validate/arena_pair.h"

namespace ws {

/// One thread uses it.
class PairsAhead {
 public:
  /// Opens the pair of a number.
  using Open = std::function<Result<ArenaPair::Opened>(std::size_t, const std::stop_token&)>;

  /// @param count  How many pairs there are.
  /// @param ahead  Open the next one on a thread of its own: on a device whose workers can be
  ///               loaded while another one runs.
  /// @param open   Called for each number once, in ascending order, never twice at a time.
  /// @param stop   Ends an open() under way, as the end of this object does.
  PairsAhead(std::size_t count, bool ahead, Open open, const std::stop_token& stop);
  ~PairsAhead();
  PairsAhead(const PairsAhead&) = delete;
  PairsAhead& operator=(const PairsAhead&) = delete;

  /// The next pair. Called at most `count` times. @errors those of open().
  Result<ArenaPair::Opened> next();

 private:
  void start_next();

  const std::size_t count_;
  const bool ahead_;
  const Open open_;
  std::size_t opened_ = 0;
  std::stop_source ending_;
  std::stop_callback<std::function<void()>> stopped_;
  std::future<Result<ArenaPair::Opened>> coming_;  ///< Valid: of the number opened_.
};

}  // namespace ws
