// All transformations and helper files that are there: the user's own folders first, then those
// that come with the program.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/skills/transformation.h"

namespace ws {

/// A file that could not be used. The others still are.
struct SkillProblem {
  std::string file;
  std::string reason;  ///< "line 7: ...", and what to do.
};

/// Read once, never changed: load again to see what a folder holds now.
struct SkillLibrary {
  std::map<std::string, Transformation> transformations;
  std::map<std::string, std::string> helpers;  ///< Name of a .cuh file -> its text.
  std::vector<SkillProblem> problems;

  /// @errors kNotFound, with the nearest name.
  [[nodiscard]] Result<const Transformation*> find(const std::string& name) const;

  /// The texts of these helper files, and of those that they include. @param names  All known.
  [[nodiscard]] std::map<std::string, std::string> with_includes(
      const std::vector<std::string>& names) const;

  /// The text of skill://{name}: "index", a transformation's name, or "lib/NAME.cuh".
  /// @errors kNotFound.
  [[nodiscard]] Result<std::string> text(const std::string& name) const;
};

/// Reads NAME.md and lib/NAME.cuh of each folder; of two with one name, the first folder's. A
/// folder that is not there has none.
SkillLibrary load_skills(const std::vector<std::filesystem::path>& folders);

/// Where the program's own lie: beside the executable, or in share/warpsmith of its installation.
std::vector<std::filesystem::path> shipped_skills(const std::filesystem::path& executable);

}  // namespace ws
