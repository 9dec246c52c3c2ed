// A program of this build, run to its end.
#pragma once

#include <string>
#include <vector>

namespace ws {

struct Ended {
  int status = -1;  ///< -1: it ran for more than ten seconds after its output had ended.
  std::string out;
  std::string err;
};

/// @param input  What it reads on stdin, up to the end.
Ended run_program(const std::vector<std::string>& arguments, const std::string& input = "",
                  const std::string& program = "warpsmith");

}  // namespace ws
