#include "runtime/compile/hip_kit.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& path, const std::string& text = "x") {
  fs::create_directories(path.parent_path());
  REQUIRE(write_file(path, text));
}

}  // namespace

TEST_SUITE("compile.hip.kit") {
  TEST_CASE("a named folder goes first, its newest library, and hiprtc where it is apart") {
    const TestFolder folder;
    const fs::path lib = folder.path() / "lib";
    put(lib / "libamdhip64.so.5");
    const auto joined = find_hip_kit({"", folder.path().string()});
    REQUIRE(joined.has_value());
    CHECK(joined->compiler == (lib / "libamdhip64.so.5").string());
    CHECK(joined->runtime == joined->compiler);
    put(lib / "libamdhip64.so.6");
    put(lib / "libhiprtc.so.6");
    const auto apart = find_hip_kit({folder.path().string()});
    REQUIRE(apart.has_value());
    CHECK(apart->compiler == (lib / "libhiprtc.so.6").string());
    CHECK(apart->runtime == (lib / "libamdhip64.so.6").string());
  }

  TEST_CASE("a kit's identity is that of all that compiles, and of nothing else") {
    const TestFolder folder;
    const fs::path lib = folder.path() / "lib";
    put(lib / "libamdhip64.so.5");
    put(lib / "libamd_comgr.so.2");
    const HipKit kit = find_hip_kit({folder.path().string()}).value();
    const std::string before = identity_of(kit, Stamp::kQuick).value();
    put(lib / "libunrelated.so.1");
    CHECK(identity_of(kit, Stamp::kQuick).value() == before);
    put(lib / "libamd_comgr.so.2", "another build");
    CHECK(identity_of(kit, Stamp::kQuick).value() != before);
  }

  TEST_CASE("a set-up is read as it was written, or refused") {
    const auto setup = decode_hiprtc_setup(encode(HiprtcSetup{{"/a", "/b"}, "gfx90a"}));
    REQUIRE(setup.has_value());
    CHECK(setup->kit.compiler == "/a");
    CHECK(setup->kit.runtime == "/b");
    CHECK(setup->arch == "gfx90a");
    for (const char* frame : {"", "/a", "/a\n/b"}) {
      const auto bad = decode_hiprtc_setup(frame);
      REQUIRE_FALSE(bad.has_value());
      CHECK(to_text(bad.error()) == "internal: a malformed set-up of the HIP compiler");
    }
  }
}

}  // namespace ws
