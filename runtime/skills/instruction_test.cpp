// Tests of what a transformation says to one kernel on one device.
#include "runtime/skills/instruction.h"

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

constexpr const char* kFile = R"(---
name: t
summary: s
applies_to:
  languages: [cuda, hip]
introduces:
  BM: [64]
  NEW: [4, 8]
passes:
  - name: p
    region: source
    adds: [BM, NEW]
---
## 1. p

{{entry}}: {{inputs}} to {{outputs}} over {{dims}} on {{device}}, warps of {{warp}}, {{shared_bytes}}
bytes; {{BM}}, {{NEW}} and {{NEW}}, written @BM@.

```cuda
cuda code
```
```hip
hip code
```
```
code for all
```
### Keep
- k
### Pitfalls
- a pit of {{BM}}
### Check
c
### Words
| what | cuda | hip |
| --- | --- | --- |
| barrier | of cuda | of hip |
)";

Transformation read_file_text() {
  auto parsed = parse_transformation(kFile, {});
  REQUIRE_MESSAGE(parsed.has_value(), to_text(parsed.error()));
  return *std::move(parsed);
}

struct Judged {
  Requirement requirement;
  std::optional<bool> holds;
};

}  // namespace

TEST_SUITE("skills.instruction") {
  TEST_CASE("places are filled in, and other languages left out") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel kernel = read_kernel(matmul_kernel(), problem);
    const Transformation transformation = read_file_text();
    const InstructionFacts facts = {.problem = problem,
                                    .kernel = kernel,
                                    .device = "cuda:0",
                                    .arch = "sm_90a",
                                    .warp_size = 32,
                                    .shared_bytes = 1000,
                                    .lineage = {}};
    CHECK(render_instruction(transformation, transformation.passes[0], facts) ==
          "sgemm: A, B to C over k, m, n on cuda:0, warps of 32, 1000\n"
          "bytes; BM (16, 32), NEW (4, 8) and NEW (4, 8), written @BM@.\n"
          "\n"
          "```cuda\ncuda code\n```\n"
          "```\ncode for all\n```\n"
          "\nWords:\n- barrier: of cuda\n"
          "\nPitfalls:\n- a pit of BM (16, 32)\n"
          "\nCheck: c\n");
  }

  TEST_CASE("requirements hold, do not, or are left to the reader") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel kernel = read_kernel(matmul_kernel(), problem);
    Transformation transformation = read_file_text();
    const auto with = [](std::vector<std::string> Requirement::* check,
                         std::vector<std::string> words) {
      Requirement requirement;
      requirement.*check = std::move(words);
      return requirement;
    };
    const std::vector<Judged> cases = {
        {{}, std::nullopt},
        {with(&Requirement::source, {"nowhere", "sgemm"}), true},
        {with(&Requirement::source, {"nowhere"}), false},
        {with(&Requirement::source, {"TILE_K"}), true},  // In the macros.
        {with(&Requirement::lacks, {"nowhere"}), true},
        {with(&Requirement::lacks, {"nowhere", "sgemm"}), false},
        {with(&Requirement::arch, {"sm_80"}), true},
        {with(&Requirement::arch, {"sm_90a"}), true},
        {with(&Requirement::arch, {"sm_80a"}), false},
        {with(&Requirement::arch, {"sm_100"}), false},
        {with(&Requirement::arch, {"gfx90a"}), false},
        {with(&Requirement::after, {"other", "done"}), true},
        {with(&Requirement::after, {"other"}), false},
        {with(&Requirement::params, {"BM", "BN"}), true},
        {with(&Requirement::params, {"BM", "BX"}), false},
        {with(&Requirement::types, {"f32", "f16"}), true},
        {with(&Requirement::types, {"f16"}), false}};
    for (const Judged& judged : cases) {
      transformation.requirements.push_back(judged.requirement);
    }
    transformation.ops = {"softmax"};
    const auto states = judge_requirements(transformation, {.problem = problem,
                                                            .kernel = kernel,
                                                            .device = "cuda:0",
                                                            .arch = "sm_90a",
                                                            .warp_size = 32,
                                                            .shared_bytes = 0,
                                                            .lineage = {"done"}});
    REQUIRE(states.size() == cases.size() + 2);
    CHECK(states[0].text == "a kernel in cuda or hip");
    CHECK(states[0].holds == true);
    CHECK(states[1].text == "a problem whose op is softmax");
    CHECK(states[1].holds == false);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      CAPTURE(i);
      CHECK((states[i + 2].holds == cases[i].holds));
    }
  }
}

}  // namespace ws
