// The facts that are read from PTX text: kinds of parameters, and counts of instructions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ws::nvrtc {

struct PtxParam {
  std::string type;      ///< ".u64", ".f32", ".b8[128]".
  bool pointer = false;  ///< Said so (".ptr"): newer compilers say it, older ones leave it open.
};

/// Symbol of each entry -> its parameters.
std::map<std::string, std::vector<PtxParam>> entry_params(std::string_view ptx);

/// Class -> static count over all functions, in the words of the one table in ptx.cpp: "wgmma",
/// "mma", "tma", "load_global", "float", ...
std::map<std::string, std::int64_t> count_instructions(std::string_view ptx);

}  // namespace ws::nvrtc
