// How a kernel stands, in the columns of a terminal.
#pragma once

#include <string>

#include "runtime/archive/search/listing.h"
#include "server/look/terminal.h"

namespace ws::server {

/// Characters of a column with ids.
inline constexpr std::size_t kKernelWidth = 38;

/// The speed-up against the reference, or 0: there is none.
double speed_of(const ListedStanding& standing);

/// The largest speed-up, or 0.
double most_speed(const std::vector<ListedKernel>& kernels);

/// "1.62x (1.58 to 1.66) of krn_...", or empty.
std::string speed_words(const ListedStanding& standing);

/// Verdict, speed and, by `most`, a bar; behind a failure its reason. No line end.
std::string standing_text(const Terminal& terminal, const ListedStanding& standing, double most);

}  // namespace ws::server
