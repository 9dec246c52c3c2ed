#include "tests/support/outside_program.h"

#include <array>
#include <cstdio>

#include <doctest/doctest.h>
#include <sys/wait.h>

namespace ws::test {
namespace {

/// The first line that a command prints; nothing where it fails.
std::optional<std::string> first_line(const std::string& command) {
  const OutsideRun run = run_outside(command, "/");
  if (run.status != 0 || run.output.empty()) {
    return std::nullopt;
  }
  return run.output.substr(0, run.output.find('\n'));
}

std::optional<std::string> or_left_out(std::optional<std::string> found, const std::string& what,
                                       const std::string& test) {
  if (!found) {
    MESSAGE("left out, as there is no " << what << ": " << test);
  }
  return found;
}

}  // namespace

OutsideRun run_outside(const std::string& command, const std::filesystem::path& folder) {
  const std::string line = "cd '" + folder.string() + "' && { " + command + "; } 2>&1";
  std::FILE* const pipe = ::popen(line.c_str(), "re");
  REQUIRE(pipe != nullptr);
  OutsideRun run;
  std::array<char, 4096> chunk{};
  std::size_t count = 0;
  while ((count = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0) {
    run.output.append(chunk.data(), count);
  }
  const int status = ::pclose(pipe);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

std::optional<std::string> find_nvcc(const std::string& test) {
  return or_left_out(first_line("command -v nvcc || ls /usr/local/cuda/bin/nvcc"), "nvcc", test);
}

std::optional<std::string> find_torch_headers(const std::string& test) {
  return or_left_out(
      first_line("for d in /usr/lib/python3/dist-packages/torch/include /usr/include; do "
                 "[ -e $d/torch/library.h ] && ls -d $d && exit 0; done; false"),
      "PyTorch header", test);
}

}  // namespace ws::test
