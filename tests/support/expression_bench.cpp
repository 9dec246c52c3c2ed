#include "tests/support/expression_bench.h"

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

void check_expressions(const std::string& before, std::span<const ExpressionValue> values) {
  EngineRun run;
  run.source =
      before + "__global__ void k(double* out, int* ones) {\n  int& one = *ones;\n  one = 1;\n";
  std::size_t count = 0;
  for (const ExpressionValue& value : values) {
    run.source += "  { double v = (double)(" + std::string(value.expression) + "); out[" +
                  std::to_string(count++) + "] = v; }\n";
  }
  run.source += "}\n";
  run.entry = "k";
  run.buffers = {buffer_of("out", DType::kF64, static_cast<std::int64_t>(count)),
                 buffer_of("ones", DType::kI32, 1)};
  const EngineResult result = run_engine(run);
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(std::string(values[i].expression));
    CHECK(result.buffer<double>(0)[i] == values[i].want);
  }
}

}  // namespace ws::test
