#include "runtime/compile/nvrtc/ptx.h"

#include <doctest/doctest.h>

#include "runtime/compile/nvrtc/names.h"

namespace ws::nvrtc {

TEST_SUITE("compile.ptx") {
  constexpr const char* kPtx = R"(.version 9.0
.target sm_90a
.const .align 4 .b8 c[40];
.visible .entry e(
	.param .u64 .ptr .align 1 e_param_0,
	.param .f32 e_param_1,
	.param .align 4 .b8 e_param_2[128]
)
.maxntid 128, 1, 1
{
	.reg .b32 	%r<4>;
$L__BB0_2:
	@%p1 bra 	$L__BB0_2;
	{  cvt.f32.f16 %f1, %rs1;}
	{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0}, %4;}
	ld.global.nc.f32 	%f2, [%rd9]; // ld.local
	fma.rn.f32 	%f1, %f2, %f3, %f4;
	fma.rn.bf16x2 	%r1, %r2, %r3, %r4;
	mad.lo.s32 	%r1, %r2, %r3, %r4;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile [%r1], [%rd1];
	cp.async.cg.shared.global [%r1], [%rd1], 16;
	bar.sync 	0;
	call.uni (retval0),
	_Z3fooPf,
	(
	param0
	);
	ret;
}
.weak .entry none()
{
	ret;
}
)";

  TEST_CASE("parameters keep their type, their size in bytes, and that they are pointers") {
    const auto entries = entry_params(kPtx);
    REQUIRE(entries.contains("e"));
    REQUIRE(entries.at("e").size() == 3);
    CHECK(entries.at("e")[0].type == ".u64");
    CHECK(entries.at("e")[0].pointer);
    CHECK(entries.at("e")[1].type == ".f32");
    CHECK_FALSE(entries.at("e")[1].pointer);
    CHECK(entries.at("e")[2].type == ".b8[128]");
    CHECK(entries.at("none").empty());
  }

  TEST_CASE("an entry without parameters has none, also where it calls a function that has some") {
    const auto entries = entry_params(
        ".visible .entry says()\n{\n call.uni (retval0),\n vprintf,\n (\n param0\n );\n"
        " .param .b64 param0;\n}\n.visible .entry one(\n .param .u32 one_param_0\n)\n{\n}\n");
    CHECK(entries.at("says").empty());
    CHECK(entries.at("one").size() == 1);
  }

  TEST_CASE("instructions are counted by class; directives, labels and comments are not") {
    const std::map<std::string, std::int64_t> expected = {
        {"branch", 3},     {"convert", 1}, {"wgmma", 1},   {"load_global", 1},
        {"float", 1},      {"half", 1},    {"integer", 1}, {"tma", 1},
        {"copy_async", 1}, {"barrier", 1}, {"call", 1},    {"other", 1},
    };
    CHECK(count_instructions(kPtx) == expected);
  }

  TEST_CASE("PTX that ends anywhere is read to its end") {
    const std::string ptx = kPtx;
    for (std::size_t size = 0; size <= ptx.size(); ++size) {
      entry_params(ptx.substr(0, size));
      count_instructions(ptx.substr(0, size));
    }
  }
}

TEST_SUITE("compile.names") {
  struct NameCase {
    const char* symbol;
    std::optional<std::vector<std::string>> types;
  };

  TEST_CASE("parameter types come from mangled names, also of templates and signatures") {
    const NameCase cases[] = {
        {"_Z4vaddPKfPfi", std::vector<std::string>{"float const*", "float*", "int"}},
        {"_Z1kILi32EEvPKfPfi6__half1PbyS4_1E",
         std::vector<std::string>{"float const*", "float*", "int", "__half", "P", "bool",
                                  "unsigned long long", "P", "E"}},
        {"_Z1kPFiifE", std::vector<std::string>{"int (*)(int, float)"}},
        {"_Z1kv", std::vector<std::string>{}},
        {"_Z19warpsmith_signatureIFvPfyEE",
         std::vector<std::string>{"float*", "unsigned long long"}},
        {"_Z19warpsmith_signatureIFvvEE", std::vector<std::string>{}},
        {"e", std::nullopt},
        {"", std::nullopt},
        {"_Z1", std::nullopt},
        {"_ZN2ns1cE", std::nullopt},
    };
    for (const NameCase& c : cases) {
      CAPTURE(std::string(c.symbol));
      const auto types = parameter_types(c.symbol);
      CHECK(types.has_value() == c.types.has_value());
      CHECK((types == c.types));
    }
  }

  TEST_CASE("ptxas's words are put for people") {
    CHECK(readable("function '_Z1gi' (0x61a80 bytes)") == "function `g(int)` (400000 bytes)");
    CHECK(readable("an open ' and 0x") == "an open ' and 0x");
  }
}

}  // namespace ws::nvrtc
