#include "runtime/compile/hip_archs.h"

#include <filesystem>
#include <sstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

/// A folder with a "library" and a worker that knows gfx90a and gfx1030, counts its starts, and
/// dies of everything else, as hiprtc does.
struct Bench {
  explicit Bench(const std::string& worker_body = R"(case "$setup" in
  *gfx90a | *gfx1030) printf '\006\000\000\000ready\n' >&3 ;;
  *) kill -ABRT $$ ;;
esac
)") {
    REQUIRE(write_file(kit.runtime, "library"));
    const std::string script = "#!/bin/sh\necho start >> " + (folder.path() / "starts").string() +
                               "\nsetup=$(dd bs=65536 count=1 <&3 2>/dev/null | tr -d '\\000')\n" +
                               worker_body;
    REQUIRE(write_file(worker, script));
    fs::permissions(worker, fs::perms::owner_all);
  }

  HipArchs archs() const { return {worker, kit, folder.path() / "made" / "hip-archs"}; }

  [[nodiscard]] int starts() const {
    std::istringstream lines(read_file(folder.path() / "starts").value_or(""));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
    }
    return count;
  }

  TestFolder folder;
  std::string worker = (folder.path() / "worker").string();
  HipKit kit = {(folder.path() / "libamdhip64.so.5").string(),
                (folder.path() / "libamdhip64.so.5").string()};
};

struct NameCase {
  const char* text;
  bool is_arch;
};

constexpr NameCase kNames[] = {
    {"gfx90a", true},   {"gfx1030", true},  {"gfx942", true},     {"gfx", false},
    {"gfx9", false},    {"gfx90A", false},  {"gfx123456", false}, {"sm_90a", false},
    {"", false},        {"gfx90a:", false}, {"gfx90a\n", false},  {" gfx90a", false},
    {"-gfx90a", false}, {"gfxabc", true},
};

}  // namespace

TEST_SUITE("compile.hip.archs") {
  TEST_CASE("only a name of AMD's form is asked for at all") {
    for (const NameCase& c : kNames) {
      CAPTURE(std::string(c.text));
      CHECK(is_hip_arch(c.text) == c.is_arch);
    }
  }

  TEST_CASE("each architecture is tried once, by a worker that may die of it") {
    const Bench bench;
    HipArchs archs = bench.archs();
    for (int again = 0; again < 2; ++again) {
      CHECK(archs.knows("gfx90a").value());
      CHECK_FALSE(archs.knows("gfx942").value());
      CHECK_FALSE(archs.knows("gfx90a;").value());
    }
    CHECK(bench.starts() == 2);
    CHECK(archs.known().value() == std::vector<std::string>{"gfx90a", "gfx1030"});
  }

  TEST_CASE("answers outlive the process, but not a new build of the library") {
    const Bench bench;
    CHECK(bench.archs().knows("gfx90a").value());
    CHECK_FALSE(bench.archs().knows("gfx942").value());
    HipArchs second = bench.archs();
    CHECK(second.knows("gfx90a").value());
    CHECK_FALSE(second.knows("gfx942").value());
    CHECK(bench.starts() == 2);
    REQUIRE(write_file(bench.kit.runtime, "another build"));
    CHECK(bench.archs().knows("gfx90a").value());
    CHECK(bench.starts() == 3);
  }

  TEST_CASE("a library that cannot be opened is an error, not an answer, and is not kept") {
    const Bench bench("printf '\\012\\000\\000\\000error\\nGone' >&3\n");
    HipArchs archs = bench.archs();
    for (int again = 0; again < 2; ++again) {
      const auto known = archs.knows("gfx90a");
      REQUIRE_FALSE(known.has_value());
      CHECK(to_text(known.error()) ==
            "unsupported: the HIP compiler (hiprtc) is not available (Gone); run `warpsmith "
            "doctor` to see what is missing");
    }
    CHECK(bench.starts() == 2);
  }

  TEST_CASE("a file of answers that makes no sense counts as none") {
    const Bench bench;
    REQUIRE(fs::create_directories(bench.folder.path() / "made"));
    for (const char* text : {"", "\n\n", "gfx90a no\n", "0123 gfx90a no"}) {
      REQUIRE(write_file(bench.folder.path() / "made" / "hip-archs", text));
      CHECK(bench.archs().knows("gfx90a").value());
    }
  }
}

}  // namespace ws
