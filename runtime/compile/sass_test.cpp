#include "runtime/compile/sass.h"

#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/compile/toolkit.h"

namespace ws {
namespace {

// As the two tools print it; the second form has the code after each instruction.
constexpr const char* kNvdisasm = R"(	.headerflags	@"EF_CUDA_SM90"
	.section	.text.k,"ax",@progbits
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 FFMA.FTZ R3, R2, R4, R5 ;
        /*0020*/                   FFMA R3, R2, R4, R5 ;
.L_x_1:
        /*0030*/                   WARPGROUP.ARRIVE ;
        /*0040*/                   HGMMA.64x256x16.F32 R24, gdesc[UR4], R24 ;
        /*0050*/              @P1 BRA `(.L_x_1) ;
        /*0060*/                   S2R R0, SR_TID.X ;
        /*ab70*/                   EXIT ;
)";
constexpr const char* kCuobjdump = R"(		Function : k
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDL.LU R1, [R1+0x4] ;   /* 0x0000000401017983 */
                                                           /* 0x000fea0000300800 */
        /*0010*/                   UTMALDG.2D [UR8], [UR4] ;   /* 0x00000008040075b4 */
)";

using Counts = std::map<std::string, std::int64_t>;

/// A program that stands for nvdisasm, in a folder `bin` as a toolkit has it.
Disassembler fake_tool(const TestFolder& folder, const std::string& body) {
  const auto path = folder.path() / "kit/bin/nvdisasm";
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << "#!/bin/sh\n" << body;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return {path.string(), std::string(WS_BINARY_DIR) + "/warpsmith"};
}

constexpr std::chrono::milliseconds kLimit{10'000};

}  // namespace

TEST_SUITE("compile.sass") {
  TEST_CASE("instructions are counted by what they are, predicated or not, and codes are not") {
    CHECK(count_sass(kNvdisasm) == Counts{{"LDC", 1},
                                          {"FFMA", 2},
                                          {"WARPGROUP", 1},
                                          {"HGMMA", 1},
                                          {"BRA", 1},
                                          {"EXIT", 1},
                                          {"other", 1}});
    CHECK(count_sass(kCuobjdump) == Counts{{"LDL", 1}, {"UTMALDG", 1}});
    CHECK(count_sass("").empty());
    CHECK(count_sass("/*0010*/").empty());
    CHECK(count_sass("/*").empty());
  }

  TEST_CASE("the disassembler reads the code from its argument, with the words of its name") {
    const TestFolder folder;
    const Disassembler tool = fake_tool(folder, "echo \"$1\"; cat \"$2\"\n");
    const auto text = disassemble(tool,
                                  std::string_view("\x7f"
                                                   "ELF code",
                                                   9),
                                  kLimit);
    REQUIRE_MESSAGE(text.has_value(), to_text(text.error()));
    CHECK(*text ==
          "-c\n\x7f"
          "ELF code");
  }

  TEST_CASE("it reads its own folder and the system's, and no other file; it writes none") {
    const TestFolder folder;
    std::ofstream(folder.path() / "secret") << "secret";
    const std::string secret = (folder.path() / "secret").string();
    const std::string own = (folder.path() / "kit/made").string();
    const Disassembler tool = fake_tool(
        folder,
        "cat " + secret + " 2> /dev/null || echo cannot read\n(echo x > " + own +
            ") 2> /dev/null || echo cannot write\ncat \"$0\" > /dev/null && echo reads itself\n");
    CHECK(disassemble(tool, "x", kLimit).value() == "cannot read\ncannot write\nreads itself\n");
    CHECK_FALSE(std::filesystem::exists(own));
  }

  TEST_CASE("one that refuses, hangs or is not there is an error") {
    const TestFolder folder;
    const Disassembler refusing = fake_tool(folder, "echo no such arch >&2; exit 3\n");
    CHECK(to_text(disassemble(refusing, "x", kLimit).error()) ==
          "unsupported: " + refusing.tool + " does not disassemble this code (no such arch\n)");
    const Disassembler hanging = fake_tool(folder, "while true; do :; done\n");
    CHECK(to_text(disassemble(hanging, "x", std::chrono::milliseconds(50)).error()) ==
          "timeout: " + hanging.tool + " took longer than 50 ms");
    CHECK(to_text(disassemble({"/no/such", hanging.executable}, "x", kLimit).error()) ==
          "unsupported: /no/such cannot be run confined (io: cannot start /no/such (execve: No "
          "such file or directory))");
    CHECK(to_text(disassemble({hanging.tool, "/no/such"}, "x", kLimit).error()) ==
          "io: cannot start a worker process (posix_spawn: No such file or directory)");
  }

  TEST_CASE("what the user named is looked into before what is installed") {
    const TestFolder folder;
    std::filesystem::create_directories(folder.path() / "bin");
    std::ofstream(folder.path() / "bin/cuobjdump") << "x";
    std::ofstream(folder.path() / "bin/nvdisasm") << "x";
    CHECK(find_disassembler({folder.path().string()}) == (folder.path() / "bin/nvdisasm").string());
  }
}

}  // namespace ws
