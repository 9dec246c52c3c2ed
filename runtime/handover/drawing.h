// The facts about a fill that exported programs draw inputs by.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "runtime/kernel/problem.h"

namespace ws {

/// The names of the three numbers of an argument's fill, in the order of docs/fills-and-options.md;
/// empty where it has fewer.
std::array<std::string_view, 3> drawn_numbers(const ArgSpec& arg);

/// The least and the largest value that may be drawn: the domain, or what the type holds.
std::pair<double, double> drawn_range(const ArgSpec& arg);

}  // namespace ws
