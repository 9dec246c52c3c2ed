#include "tests/support/examples_here.h"

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

bool has_numpy() {
  static const bool found = [] {
    Json problem = twice_problem();
    problem["reference"] = {{"kind", "python"},
                            {"source",
                             "import numpy as np\ndef reference(inputs, dims):\n"
                             "    return 2 * inputs['x']\n"}};
    const Result<Json> tried =
        tools().call("compile_kernel", {{"problem", problem}, {"kernel", good_kernel()}});
    if (!tried) {
      CHECK(to_text(tried.error()) ==
            "unsupported: no Python interpreter here imports numpy; install the package "
            "python3-numpy");
      MESSAGE("no numpy: tests of Python references are left out");
    }
    return tried.has_value();
  }();
  return found;
}

std::vector<std::filesystem::path> example_folders() {
  std::vector<std::filesystem::path> folders =
      sorted_entries(source_dir() / "examples" / "kernels");
  std::erase_if(folders, [](const std::filesystem::path& folder) {
    const auto text = read_file(folder / "problem.json");
    REQUIRE(text.has_value());
    return Json::parse(*text)["reference"]["kind"] == "python" && !has_numpy();
  });
  return folders;
}

}  // namespace ws::test
