// A launch of Triton as its compiler sees it: constants, and what is known of the other arguments.
#pragma once

#include <string>
#include <vector>

#include "runtime/compile/compile.h"
#include "runtime/kernel/plan/tile_launch.h"
#include "runtime/lift/tile/launch_check.h"

namespace ws {

/// A line for each argument, then num_warps and num_stages: the `options` of a request to
/// triton_service(). Launches with equal lines have the same code.
///
/// A line is "constant:" and a value of JSON, "number:i32=16" or "buffer:f32=16". After `=` stands
/// "1" for the number one, "16" for a multiple of 16 or an address that is one, else nothing.
///
/// @param launch  Fits the kernel, by check_launch().
std::vector<std::string> specialised(const lift::tile::File& file,
                                     const lift::tile::Function& kernel, const TileLaunch& launch);

}  // namespace ws
