// Programs that are not part of this build, such as compilers: tests that need one are left out
// where there is none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ws::test {

struct OutsideRun {
  int status = -1;
  std::string output;  ///< stdout and stderr.
};

/// Runs a line of the shell in a folder.
OutsideRun run_outside(const std::string& command, const std::filesystem::path& folder);

/// The path of nvcc. Where there is none, one line says once which test was left out.
std::optional<std::string> find_nvcc(const std::string& test);

/// The folder of PyTorch's headers for C++, likewise.
std::optional<std::string> find_torch_headers(const std::string& test);

}  // namespace ws::test
