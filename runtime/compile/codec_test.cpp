#include <doctest/doctest.h>

#include "runtime/compile/compile.h"

namespace ws {

TEST_SUITE("compile.codec") {
  TEST_CASE("a request comes back as it was") {
    CompileRequest request;
    request.source.language = "cuda";
    request.source.source = "a\n\"quoted\" \xc3\xa9";
    request.source.macros = "#define A 1\n";
    request.source.entries = {"k<32>", "j"};
    request.source.options = {"--use_fast_math"};
    request.source.headers = {{"util.h", "int x;"}};
    request.build = Build::kBounds;
    request.defines = {"acc_t=double"};
    const auto back = decode_compile_request(encode(request));
    REQUIRE(back.has_value());
    CHECK(back->source.source == request.source.source);
    CHECK(back->source.entries == request.source.entries);
    CHECK(back->source.headers == request.source.headers);
    CHECK(back->build == Build::kBounds);
    CHECK(back->defines == request.defines);
    CHECK(encode(*back) == encode(request));
  }

  TEST_CASE("requests that differ in one field differ in their bytes: they are cache keys") {
    CompileRequest request;
    request.source.source = "x";
    const std::string base = encode(request);
    CompileRequest bounds = request;
    bounds.build = Build::kBounds;
    CompileRequest defines = request;
    defines.defines = {"A"};
    CompileRequest macros = request;
    macros.source.macros = "x";
    CompileRequest target = request;
    target.target = "sm_90a";
    for (const CompileRequest& other : {bounds, defines, macros, target}) {
      CHECK(encode(other) != base);
    }
  }

  TEST_CASE("an outcome comes back as it was, with any bytes in its code") {
    CompileOutcome outcome;
    outcome.diagnostics = {{.severity = "warning",
                            .message = "m",
                            .region = "source",
                            .line = 3,
                            .column = 4,
                            .snippet = "s\n^"}};
    outcome.diagnostics_total = 12;
    outcome.instructions = {{"fma", 3}};
    outcome.image.blob = std::string("\0\xff\0{}\"\n", 7);
    outcome.image.rw_offset = 4;
    outcome.image.imports = {{8, "expf"}};
    outcome.image.rebases = {{16, 24}};
    outcome.image.symbols = {{"c", 4, 2}};
    outcome.image.lines = {{1, {"source", 2, 3}}};
    outcome.image.sites = {{"macros", 5, 6}};
    outcome.image.objects = {"tile"};
    CompiledEntry entry;
    entry.name = "k<32>";
    entry.lowered = "_Z1kILi32EEvv";
    entry.registers = 40;
    entry.local_bytes = 16;
    entry.spill_bytes = 8;
    entry.max_threads = 256;
    outcome.image.entries = {entry, CompiledEntry{}};
    outcome.ptx = ".version 9.0";
    outcome.log = "ptxas info";
    outcome.compile_ms = 1.5;
    const auto back = decode_compile_outcome(encode(outcome));
    REQUIRE(back.has_value());
    CHECK((back->image.blob == outcome.image.blob));
    CHECK((encode(*back) == encode(outcome)));
    CHECK(back->diagnostics[0].snippet == "s\n^");
    CHECK(back->image.sites[0].line == 5);
    CHECK(back->image.entries[0].lowered == "_Z1kILi32EEvv");
    CHECK(back->image.entries[0].max_threads == 256);
    CHECK(back->image.entries[1].registers == -1);
    CHECK(back->ptx == ".version 9.0");
    CHECK(back->log == "ptxas info");
  }

  TEST_CASE("what is not an outcome is an error, whatever its bytes") {
    CHECK(to_text(decode_compile_outcome("").error()) ==
          "internal: a compile outcome without an image part");
    for (const std::string& bytes :
         {std::string("\0", 1), std::string("{\0", 2), std::string("[]\0", 3),
          std::string("{\"verdict\": \"x\"}\0", 17), std::string("{\"image\": 3}\0", 13),
          std::string("{\"diagnostics_total\": \"many\"}\0", 30)}) {
      CAPTURE(bytes);
      const auto back = decode_compile_outcome(bytes);
      REQUIRE_FALSE(back.has_value());
      CHECK(back.error().code == ErrorCode::kInternal);
      CHECK(back.error().message == "a malformed compile outcome");
    }
  }

  TEST_CASE("verdicts have the words of the contract") {
    CHECK(name_of(CompileVerdict::kCompiled) == "compiled");
    CHECK(name_of(CompileVerdict::kCompileError) == "compile_error");
    CHECK(name_of(CompileVerdict::kTimeout) == "timeout");
    CHECK(name_of(CompileVerdict::kResourceLimit) == "resource_limit");
    CHECK(name_of(CompileVerdict::kUnsupported) == "unsupported");
    CHECK(name_of(CompileVerdict::kPruned) == "unsupported");
  }
}

}  // namespace ws
