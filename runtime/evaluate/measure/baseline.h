// The baseline that a kernel is timed against.
#pragma once

#include <optional>
#include <string>

#include "runtime/device/library_run.h"
#include "runtime/device/module_run.h"
#include "runtime/evaluate/subject.h"

namespace ws {

struct Baseline {
  /// Kernel id; "reference" for the problem's reference; "problem" for the kernel that the problem
  /// names as its baseline; a ModuleMode's or a LibraryBaseline's name; "" for none.
  std::string id;
  Kernel kernel;
  bool none = false;
  std::optional<ModuleRun> module = std::nullopt;         ///< Then `kernel` is of no meaning.
  std::optional<LibraryBaseline> library = std::nullopt;  ///< Likewise.
};

/// Whether the problem's reference runs where the kernel runs: it is no program, and devices that
/// take shaders take nothing else.
bool can_time_reference(const Subject& subject);

/// @param name  parent, root, reference, problem, none, a ModuleMode's or a LibraryBaseline's name,
/// a kernel id or a ref.
/// @errors kInvalidArgument: `parent` of a root, `problem` where it names no kernel, a ModuleMode
/// where the problem was not made of a module, a LibraryBaseline of another op, or a kernel of
/// another problem; kNotFound.
Result<Baseline> choose_baseline(Archive& archive, const Subject& subject, const std::string& name);

}  // namespace ws
