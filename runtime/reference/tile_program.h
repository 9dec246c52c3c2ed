// A kernel of tiles: its launches as CuIR programs, which run one after the other on one set of
// tensors. Values are rounded to their types after every operation, as a GPU's are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/ir/exec/run.h"
#include "runtime/reference/host_job.h"

namespace ws {

class TileProgram {
 public:
  /// @param job  With programs.
  explicit TileProgram(HostJob job)
      : job_(std::move(job)) {}

  /// Parses and checks every program.
  HostReply prepare();

  /// Runs on `threads` threads: reads what is given from the arena and writes what may be written
  /// there. Stops at the first program with findings. Needs a prepare() that was fine.
  HostReply run(std::span<std::byte> arena, unsigned threads);

 private:
  struct Step {
    ir::Program program;
    std::vector<ir::Tensor> tensors;  ///< Without data.
    std::vector<ir::Scalar> scalars;
  };

  using Elements = std::vector<double>;

  /// The elements of each tensor of the job; undetermined where nothing gives them.
  [[nodiscard]] std::vector<Elements> load(std::span<const std::byte> arena) const;
  void store(const std::vector<Elements>& data, std::span<std::byte> arena) const;
  /// Runs one program. False: `reply` says what is wrong.
  bool run_program(std::size_t index, std::vector<Elements>& data, unsigned threads,
                   HostReply& reply) const;
  void add_work(std::size_t index, const ir::Work& work, TileCounters& counters) const;

  HostJob job_;
  std::vector<Step> steps_;  ///< One a program.
};

}  // namespace ws
