// Tests which worker a prepared run may get: an owner must not read what another one left.
#include "runtime/evaluate/prepared.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/kernel/form/forms.h"
#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr const char* kProblem = R"json({
  "name": "fill", "op": "fill", "dims": {"n": [64, 128]},
  "args": [{"name": "values", "type": "i32", "shape": ["n"], "role": "out"}],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "fill",
    "source": "__global__ void fill(int* values) { values[threadIdx.x] = 0; }\n",
    "launches": [{"entry": "fill", "grid": ["1"], "block": ["n"], "args": ["values"]}]}})json";

/// The engine; keeps the owner of the last plan that was opened.
class Recording : public Backend {
 public:
  std::string owner;

  Result<DeviceInfo> info() override { return cpu_engine().info(); }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    return cpu_engine().compile(request, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    owner = plan.owner;
    return cpu_engine().open(image, plan, std::move(arena));
  }

  void warm() override {}
};

/// The run: a kernel of the problem with this value, and how.
struct Run {
  std::string store = "values[threadIdx.x] = STORED * @Q@";
  std::string macros = "#define STORED 1\n";
  const char* option = "-DUNUSED=0";
  std::int64_t n = 64;
  std::int64_t q = 1;
  RunAs as = RunAs::kCandidate;
};

std::string owner_of(const Run& run) {
  const auto problem = parse_problem(kProblem);
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  const nlohmann::json form = {
      {"name", "fill"},
      {"language", "cuda"},
      {"source", "__global__ void fill(int* values) { " + run.store + "; }\n"},
      {"macros", run.macros},
      {"options", {run.option}},
      {"params", {{"Q", {1, 2}}}},
      {"launches", {{{"entry", "fill"}, {"grid", {"1"}}, {"block", {"n"}}, {"args", {"values"}}}}}};
  const auto kernel = parse_kernel(form.dump(), *problem);
  REQUIRE_MESSAGE(kernel.has_value(), to_text(kernel.error()));
  Recording backend;
  const auto compiled =
      compile_for(backend, *problem, *kernel, Workload{{{"n", run.n}}, {}}, {{"Q", run.q}}, {}, {});
  REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
  REQUIRE_MESSAGE(compiled->ok(), compiled->message);
  const auto prepared = prepare(backend, *compiled, run.as);
  REQUIRE_MESSAGE(prepared.has_value(), to_text(prepared.error()));
  REQUIRE(backend.owner != "");
  return backend.owner;
}

struct Other {
  const char* name;
  Run run;
  bool same;
};

}  // namespace

TEST_SUITE("tools.prepared") {
  TEST_CASE("a worker is shared by runs of the same code as the same thing, and by no others") {
    const std::string owner = owner_of({});
    const Other others[] = {
        {"again", {}, true},
        {"another workload", {.n = 128}, true},
        {"another parameter", {.q = 2}, true},
        {"as the reference", {.as = RunAs::kReference}, false},
        {"as the baseline", {.as = RunAs::kBaseline}, false},
        {"another source", {.store = "values[threadIdx.x] = @Q@ + STORED"}, false},
        {"other macros", {.macros = "#define STORED 2\n"}, false},
        {"other options", {.option = "-DUNUSED=1"}, false},
    };
    for (const Other& other : others) {
      CAPTURE(other.name);
      CHECK((owner_of(other.run) == owner) == other.same);
    }
    CHECK(owner_of({.as = RunAs::kReference}) != owner_of({.as = RunAs::kBaseline}));
  }
}

}  // namespace ws::test
