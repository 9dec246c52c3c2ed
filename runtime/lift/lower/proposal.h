// A lowering that the server can make itself: changed statements of a program as statements of the
// kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/lift/lift.h"
#include "runtime/lift/lower/lowering.h"
#include "runtime/lift/lower/new_inputs.h"

namespace ws::lift {

/// One line of the kernel, replaced, or lines that are inserted before it.
struct ProposedEdit {
  std::string region;
  std::int32_t line = 0;
  std::string old;
  std::string text;
  bool inserts = false;  ///< `old` is empty.
};

/// Everything that a proposal is made from.
struct ProposalInput {
  const Tree& tree;  ///< The kernel's.
  FunctionId entry = kNone;
  std::string lifted;                            ///< The kernel's program, with its marks.
  std::map<std::string, std::string> lines;      ///< Texts by region.
  std::map<std::string, std::string> arguments;  ///< The kernel's parameters, by CuIR's names.
  /// By line of the source: the integers that the kernel has there.
  std::map<std::int32_t, std::vector<IndexText>> indices;
  std::vector<RegisterTile> registers;
  std::vector<NewInput>
      inputs;  ///< Those that the target has besides, in the order of its problem.
};

/// The line of each window whose change is one statement for one: the lines whose integers a
/// proposal needs. Empty: the change is another one.
std::vector<std::int32_t> proposal_lines(const Lowering& lowering);

/// Edits that make the kernel what the target says. They are not proved: the client that sends them
/// has them judged like others.
/// @errors kUnsupported: the table does not know the change, with the statement and the
/// reason.
Result<std::vector<ProposedEdit>> propose(const Lowering& lowering, const ProposalInput& input);

}  // namespace ws::lift
