// The rules behind findings: each weighs one cause of lost time. What the rules for kernels of
// threads and for kernels of tiles share.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "runtime/profile/findings.h"

namespace ws {

/// The facts that a rule looks at.
struct CauseContext {
  const ProfileInput& input;
  const Model& model;

  [[nodiscard]] const Counts& total() const { return input.counts.total; }

  /// Work of the whole grid, in cycles of one SM, as a share of the time.
  [[nodiscard]] double share(double cycles) const {
    return model.share(cycles * input.scale / model.sms);
  }
};

struct CauseRule {
  const char* cause;
  Finding (*find)(const CauseContext&);
};

/// For kernels of tiles; explained in docs/profile.md. Of equal weights the earlier goes first.
std::span<const CauseRule> tile_rules();

/// For both.
Finding launch_bound(const CauseContext& context);

/// The source lines with the most of it, those with a tenth of it at least.
std::vector<int> heaviest(const CauseContext& context,
                          const std::function<double(const Counts&)>& of);

/// The cycles of the longest part that is not in `without`.
double next_longest(const Model& model, std::initializer_list<Part> without);

/// "line 7: ", "lines 7 and 9: ", "".
std::string at_lines(const std::vector<int>& lines);

/// 0.123: "12 %".
std::string percent_text(double share);

/// 0 where nothing is divided by.
double quotient(double a, double b);

}  // namespace ws
