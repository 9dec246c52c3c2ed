#include "runtime/search/text_forms.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace ws {
namespace {

using Json = nlohmann::json;

TextForms forms(const std::string& source, const std::string& macros = "") {
  return text_forms(Json{{"name", "k"}, {"macros", macros}, {"source", source}}.dump());
}

bool same(const std::string& a, const std::string& b) {
  return forms(a).same == forms(b).same;
}

bool renamed(const std::string& a, const std::string& b) {
  return forms(a).renamed == forms(b).renamed;
}

}  // namespace

TEST_SUITE("search.text_forms") {
  TEST_CASE("comments, white space and the kernel's name do not make another kernel") {
    CHECK(same("int a = 1;\n", "int  a\t=\n\n 1; // note\n"));
    CHECK(same("f(x, y);", "f( x , /* why */ y ) ;"));
    CHECK(same("if (x) {\n  y[i] = 2;\n}\n", "if(x){y[i]=2;}"));
    CHECK(same("#define N 4\nint a[N];", "#define N 4   // four\n\n/* more */ int a [ N ];"));
    CHECK(same("char c = '/'; // '", "char c = '/';"));
    CHECK(text_forms(R"({"name": "a", "source": "int x;"})").same ==
          text_forms(R"({"name": "b", "source": "int x;"})").same);
  }

  TEST_CASE("whatever may change the meaning makes another kernel") {
    const char* const pairs[][2] = {
        {"a + +b", "a ++b"},
        {"a - -b", "a--b"},
        {"x = 1;", "x = 2;"},
        {"int ab;", "int a b;"},
        {"f(\"a  b\")", "f(\"a b\")"},
        {"u8 \"x\"", "u8\"x\""},
        {"a@N@", "a @N@"},
        {"@N@@N@", "@N@ @N@"},
        {"-@N@", "- @N@"},
        {"#define F(x) x\n", "#define F (x) x\n"},
        {"#define S(x) #x\nS(a+b)", "#define S(x) #x\nS(a + b)"},
        {"y = __LINE__;", "\ny = __LINE__;"},
        {"assert(x);", "assert( x );"},
        {"int a; // note \\\nint b;", "int a;\nint b;"},
        {"int a; // note \\  \nint b;", "int a; // note\nint b;"},
        {"R\"(/* a */)\"", "R\"()\""},
        {"#pragma unroll\nfor (;;) {}", "for (;;) {}"},
        {"a; /*", "a;"},
        {"#define A 1", "#define A 1 "},
        {"a <: 1", "a<:1"},
        {"int \xC3\xA9 x", "int \xC3\xA9x"},
        {"int a;\rint b;", "int a; int b;"},
    };
    for (const auto& pair : pairs) {
      CAPTURE(pair[0]);
      CAPTURE(pair[1]);
      CHECK_FALSE(same(pair[0], pair[1]));
      CHECK_FALSE(renamed(pair[0], pair[1]));
    }
    CHECK(forms("int b;", "int a").same != forms("int b;", "int a ").same);
    CHECK(forms("int b;", "#define A 1\n").same == forms("int b;", "#define A 1 // note\n").same);
  }

  TEST_CASE("the source's lines count where another text may look at them") {
    const auto form = [](const std::string& source, const char* field, const Json& text) {
      return text_forms(Json{{"source", source}, {field, text}}.dump()).same;
    };
    const std::string source = "y = L;\n";
    for (const auto& [field, text] :
         {std::pair<const char*, Json>("macros", "#define L __LINE__\n"),
          {"headers", {{"h.h", "#define L(x) sizeof(#x)\n"}}},
          {"options", {"-DL=__LINE__"}}}) {
      CAPTURE(text.dump());
      CHECK(form(source, field, text) != form("\n" + source, field, text));
      CHECK(form(source, field, text) == form(source, field, text));
    }
    CHECK(form(source, "macros", "#define L 4\n") ==
          form("\n" + source, "macros", "#define L 4\n"));
    CHECK(form(source, "options", {"-DL=4", "-O3"}) ==
          form("\n" + source, "options", {"-DL=4", "-O3"}));
  }

  TEST_CASE("the names of variables do not earn another series, and vouch for nothing") {
    const std::string text =
        "__global__ void k(const float* __restrict__ x, int n) {\n"
        "  float sum = 0;\n  for (int i = 0; i < n; ++i) sum += x[i];\n}\n";
    const std::string other =
        "__global__ void k(const float* __restrict__ in, int len) {\n"
        "  float s = 0;\n  for (int j = 0; j < len; ++j) s += in[j];\n}\n";
    CHECK(renamed(text, other));
    CHECK_FALSE(same(text, other));
  }

  TEST_CASE("names in other places, and names for other things, count") {
    const char* const pairs[][2] = {
        {"int a, b; y = a - b;", "int b, a; y = b - a;"},  // Only one of them follows a type.
        {"float a; float b; y = a - b;", "float b; float a; y = a - b;"},
        {"float sum(float v); y = sum(x);", "float all(float v); y = all(x);"},
        {"y = sinf(x);", "y = cosf(x);"},
        {"struct S { float u; float v; }; y = s.u;", "struct S { float v; float u; }; y = s.u;"},
        {"#define Y u\nfloat u; float v; z = Y;", "#define Y u\nfloat v; float u; z = Y;"},
        {"int threadIdx; y = threadIdx;", "int blockIdx; y = blockIdx;"},
    };
    for (const auto& pair : pairs) {
      CAPTURE(pair[0]);
      CHECK_FALSE(renamed(pair[0], pair[1]));
    }
    const auto with = [](const char* source) {
      return text_forms(
                 Json{{"source", source}, {"symbols", Json::array({{{"name", "w"}, {"of", "W"}}})}}
                     .dump())
          .renamed;
    };
    CHECK(with("__constant__ float w; float u; y = u;") !=
          with("__constant__ float u; float w; y = w;"));
    CHECK(with("float u; y = u;") == with("float v; y = v;"));
  }
}

}  // namespace ws
