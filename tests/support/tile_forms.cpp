#include "tests/support/tile_forms.h"

namespace ws::test {

Json tile_doubling() {
  return {{"name", "doubling_tiles"},
          {"dims", {{"n", {{"values", {1000}}, {"min", 1}, {"max", 4096}}}}},
          {"args",
           {{{"name", "x"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "in"}},
            {{"name", "y"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "out"}}}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"entry", "reference"},
            {"source",
             "__global__ void reference(const float* x, float* y, int n) {\n"
             "  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"},
            {"launches",
             {{{"entry", "reference"},
               {"grid", {"cdiv(n, 256)"}},
               {"block", {"256"}},
               {"args", {"x", "y", "n"}}}}}}}};
}

Json tile_number(const std::string& value) {
  return {{"value", value}, {"type", "i32"}};
}

Json tile_kernel(const std::string& language, const std::string& source, const Json& args) {
  return {{"name", "k"},
          {"language", language},
          {"source", source},
          {"launches", {{{"entry", "k"}, {"grid", {"cdiv(n, 128)"}}, {"args", args}}}}};
}

}  // namespace ws::test
