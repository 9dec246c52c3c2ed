#include "runtime/kernel/canonical.h"

#include <array>
#include <string>

#include <doctest/doctest.h>

namespace ws {
namespace {

struct Pair {
  const char* name;
  const char* one;
  const char* other;
};

constexpr std::array kSame = {
    Pair{"comments and white space", "int f( int a )\n{ // twice\n  return a+a; /* yes */ }",
         "int f(int a) { return a + a; }"},
    Pair{"names of parameters and locals",
         "__global__ void k(const int* x, int n) { int i = n; x[i]; }",
         "__global__ void k(const int* in, int count) { int at = count; in[at]; }"},
    Pair{"names in a loop and in its block",
         "void f() { for (int i = 0; i < 4; ++i) { float acc = i; g(acc); } }",
         "void f() { for (int k = 0; k < 4; ++k) { float sum = k; g(sum); } }"},
    Pair{"shared memory and pointers",
         "void f() { __shared__ float s[4]; const float* p = s; p[0]; }",
         "void f() { __shared__ float tile[4]; const float* q = tile; q[0]; }"},
    Pair{"one name twice, one inside the other",
         "void f() { int a = 1; { int a = 2; g(a); } g(a); }",
         "void f() { int b = 1; { int c = 2; g(c); } g(b); }"},
    Pair{"directives that change nothing",
         "#include <a.h>\n#pragma unroll  4\nvoid f(int a) { a; }",
         "#include <a.h> // why\n  #pragma unroll 4\nvoid f(int b) { b; }"},
};

constexpr std::array kDifferent = {
    Pair{"a number", "void f() { int a = 1; }", "void f() { int a = 2; }"},
    Pair{"the order of parameters", "void f(int a, int b) { a; }", "void f(int a, int b) { b; }"},
    Pair{"the name of an entry", "void f() {}", "void g() {}"},
    Pair{"a name that is not declared here", "void f() { a; }", "void f() { b; }"},
    Pair{"a member", "void f(int x) { s.x; }", "void f(int y) { s.y; }"},
    Pair{"a member of a struct", "struct S { int a; };", "struct S { int b; };"},
    Pair{"a local struct's member", "void f() { struct { int a; } s; }",
         "void f() { struct { int b; } s; }"},
    Pair{"a local and what it would hide", "void f() { int a; { int b; } b; }",
         "void f() { int a; { int c; } c; }"},
    Pair{"what is declared outside", "void f() { extern int g; g; }",
         "void f() { extern int h; h; }"},
    Pair{"a parameter of a local prototype", "void f() { int g(int y); y; }",
         "void f() { int g(int z); z; }"},
    Pair{"a name that an else sees", "void f() { if (int x = 1) { } else { x; } }",
         "void f() { if (int y = 1) { } else { x; } }"},
    Pair{"a type behind a local of its name", "void f() { int S; struct S v; }",
         "void f() { int T; struct T v; }"},
    Pair{"a name in a pragma", "void f() { const int u = 4;\n#pragma unroll u\n }",
         "void f() { const int v = 4;\n#pragma unroll u\n }"},
    Pair{"a macro that may use it", "#define G u\nvoid f() { int u; G; }",
         "#define G u\nvoid f() { int v; G; }"},
    Pair{"a brace that a condition takes away",
         "void f() {\n#if 0\n{\n#endif\nint x;\n#if 0\n}\n#endif\nx; }",
         "void f() {\n#if 0\n{\n#endif\nint y;\n#if 0\n}\n#endif\nx; }"},
    Pair{"brackets in other spellings", "void f() { <% int x; %> x; }",
         "void f() { <% int y; %> y; }"},
    Pair{"two operators and one", "void f(int a) { a + +a; }", "void f(int a) { a++ a; }"},
    Pair{"space in a string", "void f() { g(\"a  b\"); }", "void f() { g(\"a b\"); }"},
    Pair{"a directive's end", "#pragma once\nint a;", "#pragma once int a;"},
    Pair{"the line number", "int a = __LINE__;", "\nint a = __LINE__;"},
    Pair{"a raw string", "const char* a = R\"(// no)\";", "const char* a = R\"()\";"},
    Pair{"a comment that does not end", "int a; /* ", "int a; "},
    Pair{"a name in an assembler text", "void f() { int x; asm(\"%[x]\" : [x] \"=r\"(x)); }",
         "void f() { int y; asm(\"%[x]\" : [y] \"=r\"(y)); }"},
    Pair{"a parameter's placeholder", "int a = @BM@;", "int a = @BN@;"},
};

}  // namespace

TEST_SUITE("kernel.canonical") {
  TEST_CASE("layout, comments and local names do not matter") {
    for (const Pair& pair : kSame) {
      CAPTURE(std::string(pair.name));
      CHECK(canonical_source(pair.one) == canonical_source(pair.other));
    }
  }

  TEST_CASE("whatever may be another program has another form") {
    for (const Pair& pair : kDifferent) {
      CAPTURE(std::string(pair.name));
      CHECK(canonical_source(pair.one) != canonical_source(pair.other));
    }
  }

  TEST_CASE("the form is tokens and numbered names") {
    CHECK(canonical_source("#include <a.h>\nvoid f(int a) { // b\n  int c=a; }") ==
          "\n#include <a.h>\nvoid f ( int $0 ) { int $1 = $0 ; } ");
    CHECK(canonical_source("void f( {") == "void f ( { ");
    CHECK(canonical_source("").empty());
  }
}

}  // namespace ws
