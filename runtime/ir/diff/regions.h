// Lines that belong together, in two programs at once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/ir/diff/compare_steps.h"
#include "runtime/ir/diff/diff.h"
#include "runtime/ir/diff/outline.h"

namespace ws::ir {

class Regions {
 public:
  /// A method of both programs, rows and steps compared.
  void add(const Outline& source, const Outline& target, const Pairs& rows,
           const StepComparison& steps);

  /// Regions, windows and breaches of R7 into `diff`.
  void finish(ProgramDiff& diff) const;

 private:
  struct Region {
    RegionDiff diff;
    std::optional<Mark> mark;
    bool untouched = false;     // Marked R7, in either program.
    std::size_t in_source = 0;  // Rows.
    std::size_t in_target = 0;
    bool loose_source = false;  // Rows without an equal partner.
    bool loose_target = false;
    SourcePlace first_source;  // The first of these statements; else the first of any.
    SourcePlace first_target;
    std::map<std::string, Rules> rules;  // By the subject of the rows.
    Lines beside;  // For an added region: the line of the source that it follows.
  };

  Region& region(const std::string& key, const std::string& method,
                 const std::optional<Mark>& mark);
  struct Side;

  void add_source(const Side& source, const Side& target);
  void add_target(const Side& source, const Side& target);
  static void note(Region& into, const OutlineRow& row, bool source, bool loose);

  std::vector<Region> regions_;
  std::map<std::string, std::size_t> by_key_;
};

}  // namespace ws::ir
