#include "runtime/compile/triton_service.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

void write_to(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  REQUIRE(write_file(path, text).has_value());
}

/// A copy of Triton that never runs.
TritonKit triton_in(const std::filesystem::path& folder) {
  write_to(folder / "python3", "python");
  write_to(folder / "triton" / "_C" / "libtriton.so", "library");
  write_to(folder / "triton" / "__init__.py", "__version__ = '3.0.0'");
  write_to(folder / "triton" / "compiler" / "code.py", "pass");
  return {(folder / "python3").string(), (folder / "triton").string()};
}

}  // namespace

TEST_SUITE("compile.triton.service") {
  TEST_CASE("by content, the same Triton is the same wherever it lies, and a changed one is not") {
    const TestFolder one;
    const TestFolder other;
    const TritonKit here = triton_in(one.path());
    const TritonKit there = triton_in(other.path());
    const auto identity = [](const TritonKit& kit) {
      return triton_service(kit.interpreter, kit, nullptr).identity(Stamp::kContent).value();
    };
    CHECK(identity(here) == identity(there));
    write_to(other.path() / "triton" / "compiler" / "code.py", "pass  # changed");
    CHECK(identity(here) != identity(there));
  }
}

}  // namespace ws
