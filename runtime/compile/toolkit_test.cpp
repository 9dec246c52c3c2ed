#include "runtime/compile/toolkit.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/compile/nvrtc_service.h"

namespace ws {

namespace fs = std::filesystem;

TEST_SUITE("compile.toolkit") {
  /// Folders and empty files in the shape of a toolkit.
  fs::path make_toolkit(const fs::path& root, const std::string& library) {
    for (const std::string& file : {library, std::string("include/cuda_fp16.h"),
                                    std::string("lib/libnvrtc-builtins.so.13")}) {
      fs::create_directories((root / file).parent_path());
      REQUIRE(write_file(root / file, "x").has_value());
    }
    return root;
  }

  TEST_CASE("a named folder goes first, and the headers are beside the library") {
    const TestFolder folder;
    for (const char* library : {"lib64/libnvrtc.so.13", "lib/libnvrtc.so.12"}) {
      CAPTURE(std::string(library));
      const fs::path root = make_toolkit(folder.path() / fs::path(library).parent_path(), library);
      const auto found = find_toolkit({"", root.string()});
      REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
      CHECK(found->library == (root / library).string());
      CHECK(found->include == fs::canonical(root / "include").string());
    }
  }

  TEST_CASE("without headers a toolkit still compiles") {
    const TestFolder folder;
    const fs::path root = make_toolkit(folder.path(), "lib64/libnvrtc.so.13");
    fs::remove(root / "include/cuda_fp16.h");
    const auto found = find_toolkit({root.string()});
    REQUIRE(found.has_value());
    CHECK(found->library == (root / "lib64/libnvrtc.so.13").string());
    CHECK((found->include.empty() || found->include == "/usr/include"));
  }

  TEST_CASE("CUPTI is found beside NVRTC, in the toolkit's extras, or not at all") {
    struct Case {
      const char* library;
      const char* cupti;
      bool found;
    };

    const Case cases[] = {
        {"lib64/libnvrtc.so.13", "lib64/libcupti.so.13", true},
        {"lib/libnvrtc.so.12", "extras/CUPTI/lib64/libcupti.so.12", true},
        {"targets/x86_64-linux/lib/libnvrtc.so.13", "extras/CUPTI/lib64/libcupti.so.13", true},
        {"cuda_nvrtc/lib/libnvrtc.so.12", "cuda_cupti/lib/libcupti.so.12", true},
        {"lib64/libnvrtc.so.13", "elsewhere/libcupti.so.13", false},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.cupti));
      const TestFolder folder;
      make_toolkit(folder.path(), c.library);
      fs::create_directories((folder.path() / c.cupti).parent_path());
      REQUIRE(write_file(folder.path() / c.cupti, "x").has_value());
      const std::string found = find_cupti({(folder.path() / c.library).string(), ""});
      CHECK(found == (c.found ? fs::canonical(folder.path() / c.cupti).string() : ""));
    }
  }

  TEST_CASE("its identity changes with the library, the built-ins and each header") {
    const TestFolder folder;
    const fs::path root = make_toolkit(folder.path(), "lib/libnvrtc.so.13");
    const Toolkit toolkit = find_toolkit({root.string()}).value();
    std::string before = identity_of(toolkit, Stamp::kQuick).value();
    CHECK(identity_of(toolkit, Stamp::kQuick).value() == before);
    for (const char* file : {"lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13",
                             "include/cuda_fp16.h", "include/new/deep.h"}) {
      CAPTURE(std::string(file));
      fs::create_directories((root / file).parent_path());
      REQUIRE(write_file(root / file, "longer").has_value());
      const std::string after = identity_of(toolkit, Stamp::kQuick).value();
      CHECK(after != before);
      before = after;
    }
    fs::remove(root / "lib/libnvrtc.so.13");
    const auto gone = identity_of(toolkit, Stamp::kQuick);
    REQUIRE_FALSE(gone.has_value());
    CHECK(to_text(gone.error()) == "io: cannot look at `" + (root / "lib/libnvrtc.so.13").string() +
                                       "` (stat: No such file or directory)");
  }

  TEST_CASE("a worker's set-up comes back as it was, and other bytes are an error") {
    const auto back = decode_toolkit(encode(Toolkit{"/a/libnvrtc.so.13", "/a/include"}));
    REQUIRE(back.has_value());
    CHECK(back->library == "/a/libnvrtc.so.13");
    CHECK(back->include == "/a/include");
    CHECK(to_text(decode_toolkit("x").error()) ==
          "internal: a malformed set-up of the CUDA compiler");
  }

  TEST_CASE("an invalid library is named when a compile needs it") {
    const TestFolder folder;
    const fs::path root = make_toolkit(folder.path(), "lib/libnvrtc.so.13");
    const std::string library = (root / "lib/libnvrtc.so.13").string();
    CompileService service(nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith",
                                         find_toolkit({root.string()}).value()));
    const auto info = service.info();
    REQUIRE_FALSE(info.has_value());
    CHECK(to_text(info.error()) ==
          "unsupported: the CUDA compiler (NVRTC) is not available (unsupported: `" + library +
              "` cannot be opened (" + library +
              ": file too short); install the CUDA toolkit again); run `warpsmith doctor` to see "
              "what is missing");
  }
}

}  // namespace ws
