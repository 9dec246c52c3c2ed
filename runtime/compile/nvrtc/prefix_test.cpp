#include "runtime/compile/nvrtc/prefix.h"

#include <doctest/doctest.h>

namespace ws::nvrtc {

TEST_SUITE("compile.nvrtc.prefix") {
  std::string guarded(const std::string& header) {
    return "#if __has_include(<" + header + ">)\n#include <" + header + ">\n#endif\n";
  }

  TEST_CASE("headers that a source begins with are found, others are not") {
    struct Row {
      const char* source;
      std::string want;
    };

    const Row rows[] = {
        {"#include <a.h>\n__global__ void k();\n", guarded("a.h")},
        {"// note\n/* two\nlines */\n#pragma once\n# include  <cuda/b> // why\n\n#include<a.h>\n",
         guarded("cuda/b") + guarded("a.h")},
        {"#include <a.h>\r\n#include <b.h>\r\nint x;", guarded("a.h") + guarded("b.h")},
        {"#include <a.h>", guarded("a.h")},
        {"#include \"a.h\"\n#include <b.h>\n", ""},
        {"#define A 1\n#include <b.h>\n", ""},
        {"#include <a.h>\n#ifdef A\n#include <b.h>\n#endif\n", guarded("a.h")},
        {"#include <a.h>\nusing T = int;\n#include <b.h>\n", guarded("a.h")},
        {"#include <a.h> int x;\n", ""},
        {"#include <>\n", ""},
        {"#include <a.h\n>\n", ""},
        {"#include A\n", ""},
        {"#include <a.h> /* what\n", ""},
        {"#pragma unroll\n#include <a.h>\n", ""},
        {"// spliced \\\n#include <a.h>\n", ""},
        {"/* never closed\n#include <a.h>\n", ""},
        {"", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.source));
      CHECK(leading_includes(row.source) == row.want);
    }
  }
}

}  // namespace ws::nvrtc
