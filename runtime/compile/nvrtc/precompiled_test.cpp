// In this process, as the programs are this test's own.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/compile/nvrtc/program.h"
#include "runtime/compile/test_requests.h"

namespace ws::nvrtc {

TEST_SUITE("compile.nvrtc.precompiled") {
  TEST_CASE("headers are precompiled when they come a second time, and only then") {
    const auto toolkit = find_toolkit({});
    if (!toolkit) {
      MESSAGE("left out: precompiled headers (" << toolkit.error().message << ")");
      return;
    }
    const auto library = Library::open(*toolkit);
    REQUIRE_MESSAGE(library.has_value(), to_text(library.error()));
    if (library->version().starts_with("nvrtc 12.")) {
      MESSAGE("left out: precompiled headers (" << library->version() << ")");
      return;
    }
    const TestFolder folder;
    const std::filesystem::path file = folder.path() / "headers";
    PrecompiledHeaders headers(file);
    std::filesystem::file_time_type written;
    for (int i = 0; i < 4; ++i) {
      CompileRequest request = request_in("cuda", "sm_90a",
                                          "#include <cooperative_groups.h>\n"
                                          "__global__ void k(int* a) { a[0] = TILE; }\n",
                                          {"k"});
      request.source.macros = "#define TILE " + std::to_string(700 + i) + "\n";
      const CompileOutcome outcome = compile(*library, *toolkit, headers, request);
      REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
      CHECK(outcome.ptx.find(", " + std::to_string(700 + i) + ";") != std::string::npos);
      CHECK(std::filesystem::exists(file) == (i > 0));
      if (i == 1) {
        written = std::filesystem::last_write_time(file);
      }
      CHECK((i < 2 || std::filesystem::last_write_time(file) == written));
    }
  }
}

}  // namespace ws::nvrtc
