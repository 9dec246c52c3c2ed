// Tensor maps, clusters, cooperative and overlapping launches: what reaches the (fake) driver, and
// what is refused before it.
#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/device/cuda/arch.h"
#include "runtime/device/plan_limits.h"
#include "tests/support/contract_device.h"

namespace ws {
namespace {

using std::chrono::milliseconds;
using test::ContractDevice;
using test::ContractRun;
using Ints = std::vector<int>;

constexpr milliseconds kLimit{5'000};

Backend& fake() {
  static const std::unique_ptr<Backend> backend = test::fake_gpu();
  return *backend;
}

Image image_with_map(const std::vector<std::string>& kernels) {
  Image image = test::fake_image(kernels);
  for (CompiledEntry& entry : image.entries) {
    if (entry.name == "show_map") {
      entry.params.push_back({"map", "CUtensorMap_st", 128, false, false, false, {}});
    }
    if (entry.name == "show_struct") {
      entry.params.push_back({"params", "Params", 16, false, false, false, {}});
    }
  }
  return image;
}

ContractRun unopened(const std::vector<std::string>& kernels) {
  ContractRun run(ContractDevice{"fake", &fake(), test::fake_image}, {"add_one"}, 64, false);
  run.image = image_with_map(kernels);
  const LaunchStep pattern = run.plan.steps[0];
  run.plan.steps.clear();
  for (const std::string& kernel : kernels) {
    run.plan.steps.push_back(pattern);
    run.plan.steps.back().entry = kernel;
  }
  return run;
}

void open(ContractRun& run) {
  const auto bound = bind_plan(run.plan, run.image, *run.arena);
  REQUIRE_MESSAGE(bound.has_value(), to_text(bound.error()));
  run.session = fake().open(run.image, *bound, run.arena);
  REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
  std::ranges::fill(run.values(), -1);
}

Ints shown(const ContractRun& run, std::size_t count) {
  return {run.values().begin(), run.values().begin() + static_cast<std::ptrdiff_t>(count)};
}

struct LaunchRow {
  const char* name;
  std::array<std::int64_t, 3> cluster;
  bool cooperative;
  bool pdl;
  std::int64_t shared;
  Ints first;  ///< The arguments that the driver gets for the plan's first launch; see show_launch.
  Ints second;  ///< The same for the launch as the second one.
};

const LaunchRow kLaunches[] = {
    {"plain", {1, 1, 1}, false, false, 0, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}},
    {"a cluster",
     {2, 1, 2},
     false,
     false,
     1024,
     {2, 1, 2, 0, 0, 1024, 0, 0},
     {2, 1, 2, 0, 0, 1024, 0, 0}},
    {"a cluster that not every device has",
     {16, 1, 1},
     false,
     false,
     0,
     {16, 1, 1, 0, 0, 0, 1, 0},
     {16, 1, 1, 0, 0, 0, 1, 0}},
    {"cooperative, and more shared memory than is free to take",
     {1, 1, 1},
     true,
     false,
     100'000,
     {0, 0, 0, 1, 0, 100'000, 0, 100'000},
     {0, 0, 0, 1, 0, 100'000, 0, 100'000}},
    {"overlapping what is ahead of it, which is nothing of the plan's at first",
     {1, 1, 1},
     false,
     true,
     0,
     {0, 0, 0, 0, 0, 0, 0, 0},
     {0, 0, 0, 0, 1, 0, 0, 0}},
};

TensorMap map_of_values(DType type) {
  TensorMap map;
  map.name = "tm";
  map.buffer = 0;
  map.type = type;
  map.shape = {4, 3, 2};
  map.strides = {32, 96};
  map.box = {4, 2, 1};
  map.element_strides = {1, 2, 1};
  map.modes = {.interleave = 0, .swizzle = 3, .l2 = 2, .oob = 1};
  return map;
}

ContractRun with_map(DType type) {
  ContractRun run = unopened({"show_map"});
  run.plan.tensor_maps = {map_of_values(type)};
  LaunchArg map;
  map.kind = LaunchArg::Kind::kTensorMap;
  map.tensor_map = 0;
  map.text = "tm";
  run.plan.steps[0].args.push_back(map);
  return run;
}

struct TypeRow {
  DType type;
  int number;  ///< CUtensorMapDataType.
};

constexpr TypeRow kTypes[] = {
    {DType::kU8, 0},  {DType::kI8, 0},   {DType::kF8e4m3, 0}, {DType::kBool, 0},
    {DType::kU16, 1}, {DType::kI16, 1},  {DType::kU32, 2},    {DType::kI32, 3},
    {DType::kU64, 4}, {DType::kI64, 5},  {DType::kF16, 6},    {DType::kF32, 7},
    {DType::kF64, 8}, {DType::kBf16, 9}, {DType::kTf32, 11},  {DType::kF8e5m2, 0},
};

}  // namespace

TEST_SUITE("device.cuda.launch_forms") {
  TEST_CASE("the driver gets cluster, cooperation, overlap and shared memory") {
    for (const LaunchRow& row : kLaunches) {
      for (const bool second : {false, true}) {
        CAPTURE(std::string(row.name));
        CAPTURE(second);
        ContractRun run = unopened(second ? std::vector<std::string>{"add_one", "show_launch"}
                                          : std::vector<std::string>{"show_launch"});
        LaunchStep& step = run.plan.steps.back();
        step.grid = {16, 1, 2};
        step.cluster = row.cluster;
        step.cooperative = row.cooperative;
        step.pdl = row.pdl;
        step.shared_bytes = row.shared;
        open(run);
        const Ints want = second ? row.second : row.first;
        REQUIRE((*run.session)->run(3, kLimit, {})->ok());
        CHECK(shown(run, want.size()) == want);
        std::ranges::fill(run.values(), -1);
        const auto timing =
            (*run.session)->time({.poison = 47, .launches = 3, .hot = 0}, kLimit, {});
        REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
        REQUIRE(timing->run.ok());
        CHECK(shown(run, want.size()) == want);
      }
    }
  }

  TEST_CASE("a tensor map is made of the plan's numbers at its buffer's place, in any run") {
    for (const TypeRow& row : kTypes) {
      CAPTURE(std::string(name_of(row.type)));
      ContractRun run = with_map(row.type);
      open(run);
      const Ints want = {row.number, 0, 0, 3, 2, 1, 3, 4, 3, 2, 32, 96, 4, 2, 1, 1, 2, 1};
      REQUIRE((*run.session)->run(3, kLimit, {})->ok());
      CHECK(shown(run, want.size()) == want);
      std::ranges::fill(run.values(), -1);
      const auto timing = (*run.session)->time({.poison = 47, .launches = 2, .hot = 1}, kLimit, {});
      REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
      CHECK(shown(run, want.size()) == want);
    }
  }

  TEST_CASE("a tensor map goes to a parameter of that kind only, and nothing else goes there") {
    ContractRun run = with_map(DType::kF32);
    std::swap(run.plan.steps[0].args[0], run.plan.steps[0].args[2]);
    CHECK(to_text(check_arguments(run.plan, run.image).error()) ==
          "invalid_argument: launches[0].args[0]: argument `tm` is a tensor map, but parameter "
          "`int * values` is not; declare it as `const __grid_constant__ CUtensorMap`");
    std::swap(run.plan.steps[0].args[0], run.plan.steps[0].args[2]);
    run.plan.steps[0].args[2] = run.plan.steps[0].args[1];
    run.plan.steps[0].args[2].text = "n";
    CHECK(to_text(check_arguments(run.plan, run.image).error()) ==
          "invalid_argument: launches[0].args[2]: argument `n` is of type i32, but parameter "
          "`CUtensorMap_st map` is not an integer; say {\"value\": \"...\", \"type\": \"...\"}");
  }

  TEST_CASE("a struct reaches the driver as its members lie in C") {
    ContractRun run = unopened({"show_struct"});
    const auto number = [](DType type, std::int64_t value) {
      LaunchArg arg;
      arg.type = type;
      arg.int_value = value;
      arg.text = std::to_string(value);
      return arg;
    };
    LaunchArg made;
    made.kind = LaunchArg::Kind::kStruct;
    made.text = "{7, -1, 5}";
    made.members = {number(DType::kI16, 7), number(DType::kI64, -1)};
    run.plan.steps[0].args.push_back(made);
    open(run);
    const Ints want = {7, 0, -1, -1};
    REQUIRE((*run.session)->run(3, kLimit, {})->ok());
    CHECK(shown(run, want.size()) == want);
    std::ranges::fill(run.values(), -1);
    const auto timing = (*run.session)->time({.poison = 47, .launches = 2, .hot = 1}, kLimit, {});
    REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
    CHECK(shown(run, want.size()) == want);
    run.plan.steps[0].args[2].members.push_back(number(DType::kI32, 5));
    CHECK(to_text(check_arguments(run.plan, run.image).error()) ==
          "invalid_argument: launches[0].args[2]: argument `{7, -1, 5}` has 24 bytes, but "
          "parameter `Params params` has 16; list every member in order; those of a dim or "
          "parameter by name are i32");
    run.plan.steps[0].args[0] = run.plan.steps[0].args[2];
    CHECK(to_text(check_arguments(run.plan, run.image).error()) ==
          "invalid_argument: launches[0].args[0]: argument `{7, -1, 5}` is a struct, but parameter "
          "`int * values` is a pointer; match the launch's args with the entry's parameters");
  }

  TEST_CASE("scratch that the plan wants zero is zero before the first launch, in any run") {
    ContractRun run = unopened({"add_one", "add_one"});
    run.plan.buffers[0].zero = true;
    open(run);
    REQUIRE((*run.session)->run(3, kLimit, {})->ok());
    CHECK(shown(run, 3) == Ints{2, 2, 2});
    std::ranges::fill(run.values(), -1);
    const auto timing = (*run.session)->time({.poison = 47, .launches = 2, .hot = 1}, kLimit, {});
    REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
    CHECK(shown(run, 3) == Ints{2, 2, 2});
  }

  TEST_CASE("a fault of overlapping launches belongs to the last of them") {
    ContractRun run = unopened({"fault_700", "add_one", "add_one"});
    run.plan.steps[1].pdl = true;
    open(run);
    const auto outcome = (*run.session)->run(3, kLimit, {});
    REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
    CHECK_FALSE(outcome->ok());
    CHECK(outcome->reply.step == 1);
  }

  TEST_CASE("what a device lacks is named, and clusters have a limit") {
    ContractRun run = unopened({"add_one"});
    LaunchStep& step = run.plan.steps[0];
    step.cluster = {4, 1, 1};
    step.grid = {8, 1, 1};
    DeviceInfo hopper;
    hopper.name = "H100";
    hopper.arch = "sm_90a";
    hopper.features = cuda::features_of(hopper.arch);
    CHECK(unsupported_feature(run.plan, hopper).empty());
    CHECK(over_limit(run.plan, run.image, hopper.limits).empty());
    DeviceInfo ampere = hopper;
    ampere.name = "A100";
    ampere.arch = "sm_80";
    ampere.features = cuda::features_of("sm_80");
    CHECK(unsupported_feature(run.plan, ampere) ==
          "the plan has `cluster`, which A100 (sm_80) cannot run");
    step.cluster = {1, 1, 1};
    step.cooperative = true;
    CHECK(unsupported_feature(run.plan, ampere).empty());
    step.cluster = {8, 2, 2};
    CHECK(over_limit(run.plan, run.image, hopper.limits) ==
          "launches[0]: a cluster of 32 blocks; the device allows 16");
  }
}

}  // namespace ws
