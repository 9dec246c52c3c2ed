// A CuIR program on the tensors of a job: parsed, bound by name, checked, run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/ir/exec/run.h"
#include "runtime/reference/host_job.h"

namespace ws {

class CuirProgram {
 public:
  explicit CuirProgram(HostJob job)
      : job_(std::move(job)) {}

  /// Parses and checks. Tensors of the job become arguments of __init__ by their names, and must
  /// all be there; scalars and dims where __init__ has a parameter of that name.
  HostReply prepare();

  /// Runs on `threads` threads. Reads inputs from the arena and writes outputs there, but for mode
  /// race_only. Needs a prepare() that was fine.
  HostReply run(std::span<std::byte> arena, unsigned threads);

 private:
  /// The arguments, without data. @errors kInvalidArgument: annotations that say no shape.
  Status bind();
  /// The changes to the program that it was made from, in words.
  [[nodiscard]] HostReply compare() const;
  Status bind_own_inputs(const ir::Method& init);
  void bind_numbers(const ir::Method& init);
  void load_inputs(std::span<const std::byte> arena);
  void draw_inputs();
  void store_outputs(const ir::RunReport& report, std::span<std::byte> arena) const;

  HostJob job_;
  ir::Program program_;
  std::vector<ir::Tensor> tensors_;
  std::vector<ir::Scalar> scalars_;
};

/// The words of the contract: f64, f32, typed, race_only. Anything else is f64.
ir::ValueMode mode_of(const std::string& word);

}  // namespace ws
