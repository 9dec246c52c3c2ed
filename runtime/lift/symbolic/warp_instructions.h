// Inline assembly of a symbolic run: one instruction that computes a value, or that warps execute
// together: cp.async, ldmatrix, stmatrix and mma.sync. PTX ISA, sections of these names.
#pragma once

#include <string>
#include <vector>

#include "runtime/lift/symbolic/copy_queue.h"
#include "runtime/lift/symbolic/runner.h"

namespace ws::lift {

struct Meaning;

/// The reason why a run ends at an instruction.
tl::unexpected<Error> odd_instruction(const Instruction& parts, const std::string& why);

/// Runs instructions. For one thread.
class WarpInstructions {
 public:
  /// Why a run ends at inline assembly.
  static constexpr const char* kInlineAssembly = "inline assembly";

  /// All of them outlive this.
  WarpInstructions(const Basis& basis, Runner& runner, const Steps& steps, const Guards& guards,
                   ObjectTable& objects, Memory& memory, CopyQueue& copies)
      : mode_(basis.mode),
        terms_(basis.terms),
        scalars_(basis.scalars),
        runner_(runner),
        steps_(steps),
        guards_(guards),
        objects_(objects),
        memory_(memory),
        copies_(copies) {}

  /// @param node  kAsm
  /// @errors kUnsupported: several instructions, an unknown one, or one in a form that is not
  /// known.
  Status run(const Node& node);

  /// The copies that a part's threads made by cp.async.
  [[nodiscard]] const std::vector<CopyEvent>& copied() const { return copied_; }

 private:
  // warp_instructions.cpp
  Status value_assembly(const Instruction& parts, const Meaning* meaning, const Node& node);
  Status copy_piece(const Instruction& parts, const Node& node);
  Result<Leaf> operand(const Instruction& parts, std::size_t at, std::size_t word,
                       const Node& node);
  Result<Poly> array_offset(const Leaf& pointer);

  // warp_products.cpp
  Status load_matrices(const Instruction& parts, const Node& node);
  Status store_matrices(const Instruction& parts, const Node& node);
  Status multiply(const Instruction& parts, const Node& node);
  Result<std::vector<TermId>> halves_of(const Instruction& parts, std::size_t at, const Node& node,
                                        DType type);
  Result<std::vector<TermId>> added_sums(const Instruction& parts, const Node& node, bool halves);
  Status keep_sums(const Instruction& parts, const Node& node, const std::vector<TermId>& sums,
                   bool halves);
  Result<ValuePlace> result_place(const Instruction& parts, std::size_t number, const Node& node);
  Result<TermId> matrix_element(const Leaf& address, const Poly& offset);

  const RunMode& mode_;
  Terms& terms_;
  Scalars& scalars_;
  Runner& runner_;
  const Steps& steps_;
  const Guards& guards_;
  ObjectTable& objects_;
  Memory& memory_;
  CopyQueue& copies_;
  std::vector<CopyEvent> copied_;
};

}  // namespace ws::lift
