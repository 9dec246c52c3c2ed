#include "runtime/compile/nvrtc/log_parser.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/compile/diagnostics.h"

namespace ws::nvrtc {

TEST_SUITE("compile.nvrtc_log") {
  CompileRequest request_of(std::string source) {
    CompileRequest request;
    request.source.source = std::move(source);
    request.source.macros = "#define A\nxx\n";
    request.source.headers = {{"u.h", "int y\n"}};
    return request;
  }

  /// "severity region:line:column message | snippet" of each, a line each.
  std::string text_of(const ParsedLog& log) {
    std::string text;
    for (const Diagnostic& d : log.diagnostics) {
      std::string snippet = d.snippet;
      std::replace(snippet.begin(), snippet.end(), '\n', '~');
      text += d.severity + " " + d.region + ":" + std::to_string(d.line) + ":" +
              std::to_string(d.column) + " " + d.message + " | " + snippet + "\n";
    }
    return text;
  }

  struct LogCase {
    const char* name;
    const char* log;
    const char* expected;
  };

  // As NVRTC 13.0 prints them.
  const LogCase kCases[] = {
      {"an error, with the caret under the client's own line",
       "source(2): error: identifier \"y\" is undefined\n"
       "  \ta = y;\n"
       "  \t    ^\n"
       "\n"
       "1 error detected in the compilation of \"entry\".\n",
       "error source:2:6 identifier \"y\" is undefined |  a = y;~     ^\n"},
      {"a numbered warning",
       "source(2): warning #177-D: variable \"a\" was declared but never referenced\n"
       "  \ta = y;\n"
       "  \t^\n"
       "\n"
       "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n",
       "warning source:2:2 variable \"a\" was declared but never referenced |  a = y;~ ^\n"},
      {"macros and headers of the request",
       "macros(2): error: this declaration has no storage class or type specifier\n  xx\n  ^\n\n"
       "u.h(1): error: expected a \";\"\n  int y\n  ^\n",
       "error macros:2:1 this declaration has no storage class or type specifier | xx~^\n"
       "error u.h:1:1 expected a \";\" | int y~^\n"},
      {"a message of two lines",
       "source(2): error: no instance of overloaded function \"f\" matches the argument list\n"
       "            argument types are: (int, int)\n"
       "  \ta = y;\n"
       "  \t    ^\n",
       "error source:2:6 no instance of overloaded function \"f\" matches the argument list "
       "argument types are: (int, int) |  a = y;~     ^\n"},
      {"a header of the toolkit: an error stays, a warning and a note go",
       "cuda_fp16.h(30): error: bad\n  text of it\n  ^\n\n"
       "cuda_fp16.h(31): warning #1-D: odd\n  text\n  ^\n\n"
       "cuda_fp16.h(3049): note #3322-D: number of parameters does not match the call\n  text\n"
       "  ^\n",
       "error cuda_fp16.h:30:1 bad | text of it~^\n"},
      {"the use of a template that stands in the client's text",
       "cuda_fp16.h(1): error: static assertion failed with \"ws_invalid: too small\"\n"
       "  struct F {};\n"
       "         ^\n"
       "          detected during:\n"
       "            instantiation of class \"G<N> [with N=1]\" at line 7\n"
       "            instantiation of class \"F<N> [with N=1]\" at line 2 of source\n",
       "error cuda_fp16.h:1:8 static assertion failed with \"ws_invalid: too small\" | "
       "struct F {};~       ^\n"
       "note source:2:0 in the instantiation of class \"F<N> [with N=1]\" | \ta = y;\n"},
      {"a name expression: once for each entry, and no place",
       "__nv_name_map(2): error: identifier \"foo\" is undefined\n"
       "  #pragma nv_mangled_name k<foo>\n"
       "                            ^\n"
       "\n"
       "__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input "
       "name expression was: \" k < foo >\"\n"
       "  #pragma nv_mangled_name k<foo>\n"
       "                          ^\n",
       "error entry:0:0 entry `k<foo>`: identifier \"foo\" is undefined | \n"},
      {"a name that is no kernel's",
       "__nv_name_map(2): error: Name expression cannot form address of a non-__global__ function. "
       "Input name expression was: \" f\"\n"
       "  #pragma nv_mangled_name f\n"
       "                          ^\n",
       "error entry:0:0 entry `f`: Name expression cannot form address of a non-__global__ "
       "function | \n"},
      {"a file that is not there",
       "source(1): catastrophic error: cannot open source file \"nothere.h\"\n"
       "  #include \"nothere.h\"\n"
       "                      ^\n"
       "\n"
       "1 catastrophic error detected in the compilation of \"entry\".\n"
       "Compilation terminated.\n",
       "error source:1:21 cannot open source file \"nothere.h\" | #include \"nothere.h\"~"
       "                    ^\n"},
      {"ptxas on inline assembly",
       "ptxas application ptx input, line 26; error   : Unknown modifier '.ptx'\n"
       "ptxas fatal   : Ptx assembly aborted due to errors\n",
       "error :0:0 PTX line 26: Unknown modifier `.ptx` | \n"},
      {"ptxas on a function without a body", "ptxas fatal   : Unresolved extern function '_Z1gi'\n",
       "error :0:0 Unresolved extern function `g(int)` | \n"},
      {"ptxas on too much shared memory",
       "ptxas error   : Entry function '_Z1kPi' uses too much shared data (0x61a80 bytes, 0x38c00 "
       "max)\n",
       "error :0:0 Entry function `k(int*)` uses too much shared data (400000 bytes, 232448 max) | "
       "\n"},
      {"wgmma in a row: each code once",
       "ptxas info    : (C7519) warpgroup.arrive is injected in around line 75 by compiler to "
       "allow "
       "use of registers in GMMA in function '_Z1kPfy'\n"
       "ptxas info    : (C7519) warpgroup.arrive is injected in around line 95 by compiler to "
       "allow "
       "use of registers in GMMA in function '_Z1kPfy'\n"
       "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are "
       "serialized due to the presence of function calls in the function '_Z1kPfy'\n",
       "warning :0:0 (C7519) warpgroup.arrive is injected in around line 75 by compiler to allow "
       "use of registers in GMMA in function `k(float*, unsigned long long)` | \n"
       "warning :0:0 (C7511) Potential Performance Loss: wgmma.mma_async instructions are "
       "serialized due to the presence of function calls in the function `k(float*, unsigned long "
       "long)` | \n"},
      {"an option", "nvrtc: error: unrecognized option --x found\n",
       "error :0:0 unrecognized option --x found | \n"},
      {"nothing that is known", "hello\n(3): world\nsource(x): error: y\n): error: z\n", ""},
  };

  TEST_CASE("each kind of message becomes the diagnostic that it is") {
    const CompileRequest request = request_of("#include \"nothere.h\"\n\ta = y;\n");
    for (const LogCase& c : kCases) {
      CAPTURE(std::string(c.name));
      CHECK(text_of(parse_log(c.log, request)) == c.expected);
    }
  }

  TEST_CASE("spills are counted for each kernel, in the words of CUDA 13 and 12") {
    const ParsedLog log = parse_log(
        "ptxas info    : Function properties for _Z1kPi\n"
        "ptxas         .     1104 bytes stack frame, 1068 bytes spill stores, 1252 bytes spill "
        "loads\n"
        "ptxas info    : Function properties for e\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n",
        request_of(""));
    CHECK(log.spills == std::map<std::string, std::int64_t>{{"_Z1kPi", 1068}, {"e", 0}});
    CHECK(log.diagnostics.empty());
    CHECK_FALSE(log.over_resources);
  }

  TEST_CASE("a log that ends anywhere is read to its end") {
    for (const LogCase& c : kCases) {
      const std::string log = c.log;
      for (std::size_t size = 0; size <= log.size(); ++size) {
        parse_log(log.substr(0, size), request_of("x\n"));
      }
    }
  }
}

TEST_SUITE("compile.diagnostics") {
  Diagnostic diagnostic(const char* severity, const char* message) {
    return {.severity = severity, .message = message, .region = {}, .snippet = {}};
  }

  TEST_CASE("errors go first with their notes, and ten are kept of all that are counted") {
    std::vector<Diagnostic> seen = {diagnostic("warning", "w"), diagnostic("note", "of w"),
                                    diagnostic("error", "e"), diagnostic("note", "of e")};
    for (int i = 0; i < 10; ++i) {
      seen.push_back(diagnostic("warning", "more"));
    }
    CompileOutcome outcome;
    settle(seen, outcome);
    CHECK(outcome.verdict == CompileVerdict::kCompileError);
    CHECK(outcome.message == "e");
    CHECK(outcome.diagnostics_total == 14);
    REQUIRE(outcome.diagnostics.size() == 10);
    CHECK(outcome.diagnostics[0].message == "e");
    CHECK(outcome.diagnostics[1].message == "of e");
    CHECK(outcome.diagnostics[2].message == "w");
    CHECK(outcome.diagnostics[3].message == "of w");
  }

  TEST_CASE("a kernel that refuses its parameters is pruned, and warnings alone change nothing") {
    CompileOutcome pruned;
    settle({diagnostic("error", "static assertion failed with \"ws_invalid: BM\"")}, pruned);
    CHECK(pruned.verdict == CompileVerdict::kPruned);
    CompileOutcome fine;
    settle({diagnostic("warning", "w")}, fine);
    CHECK(fine.verdict == CompileVerdict::kCompiled);
    CHECK(fine.message.empty());
  }

  TEST_CASE("a caret stands under its column, and long lines are not shown") {
    CHECK(snippet_of("\ta b", 4) == " a b\n   ^");
    CHECK(snippet_of(std::string(161, 'x'), 1).empty());
    CHECK(snippet_of("a", 0).empty());
  }
}

}  // namespace ws::nvrtc
