#include "runtime/device/cuda/torch/torch_wire.h"

#include <cmath>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/device/cuda/measure/fresh_inputs.h"
#include "runtime/device/cuda/measure/output_digests.h"

namespace ws::cuda {
namespace {

using Json = nlohmann::json;

ResolvedPlan plan() {
  ResolvedPlan plan;
  plan.buffers = {{.name = "x",
                   .type = DType::kF16,
                   .role = BufferRole::kIn,
                   .shape = {32, 8},
                   .strides = {8, 1},
                   .elements = 256,
                   .span = 256,
                   .rotation_step = 8},
                  {.name = "y",
                   .type = DType::kF32,
                   .role = BufferRole::kOut,
                   .shape = {32, 8},
                   .strides = {8, 1},
                   .elements = 256,
                   .span = 256}};
  return plan;
}

std::shared_ptr<Arena> arena() {
  auto made = Arena::create(plan().buffers, std::uint64_t{1} << 20U);
  REQUIRE(made.has_value());
  return *std::move(made);
}

std::string error_of(const std::string& frame) {
  const auto times = decode_torch_times(frame, plan());
  return times ? "times" : to_text(times.error());
}

}  // namespace

TEST_SUITE("device.cuda.torch_wire") {
  TEST_CASE("a module is sent with the place of each argument") {
    const auto shared = arena();
    const Json form = Json::parse(
        encode_module({.source = "text", .mode = ModuleMode::kMaxAutotune}, plan(), *shared));
    CHECK(form["mode"] == "torch.compile:max-autotune");
    CHECK(form["source"] == "text");
    CHECK(form["arena_bytes"] == shared->bytes());
    CHECK(form["buffers"][0] == Json{{"name", "x"},
                                     {"type", "f16"},
                                     {"shape", {32, 8}},
                                     {"output", false},
                                     {"offset", shared->offset(0)},
                                     {"bytes", 512}});
    CHECK(form["buffers"][1]["output"] == true);
  }

  TEST_CASE("shared launches have the rotations and keys that a kernel's worker gives them") {
    const auto shared = arena();
    std::mt19937_64 draws(7);
    const TimingRequest request{.poison = 5, .launches = 6, .inputs = 11, .shared = 6};
    const TorchLaunches launches = encode_launches(request, plan(), *shared, draws);
    const Json form = Json::parse(launches.message);
    CHECK(form["kept"] == launches.kept);
    CHECK(form["hot"] == false);
    REQUIRE(form["launches"].size() == 6);
    std::mt19937_64 other(8);
    const Json again =
        Json::parse(encode_launches(request, plan(), *shared, other).message)["launches"];
    CHECK(form["launches"] == again);  // All are shared: nothing is left to the draws.
    std::set<std::int64_t> rotations;
    for (const Json& launch : form["launches"]) {
      rotations.insert(launch["rotations"][0].get<std::int64_t>());
      CHECK(launch["rotations"][0].get<std::int64_t>() % 8 == 0);
      CHECK(launch["rotations"][1] == 0);
      CHECK(launch["keys"][0].is_null());
      CHECK(launch["keys"][1].is_number_unsigned());
    }
    CHECK(rotations.size() > 1);
  }

  TEST_CASE("the answer's samples and digests are read, and what is not finite with them") {
    Json parts = Json::array();
    for (std::size_t part = 0; part < kDigestParts; ++part) {
      parts.push_back({1.5, 2.5});
    }
    parts[3] = {nullptr, 4.0};
    const Json form = {{"error", ""},
                       {"us", {10.0, 11.0}},
                       {"digests", {{{"launch", 1}, {"buffer", 1}, {"parts", parts}}}}};
    const auto times = decode_torch_times(form.dump(), plan());
    REQUIRE(times.has_value());
    REQUIRE(times->samples.size() == 2);
    CHECK(times->samples[1].us == 11.0);
    REQUIRE(times->digests.size() == 1);
    CHECK(times->digests[0].launch == 1);
    CHECK(times->digests[0].parts[0].signed_sum == 1.5);
    CHECK(std::isnan(times->digests[0].parts[3].signed_sum));
    CHECK(times->digests[0].parts[3].squares == 4.0);
  }

  TEST_CASE("an answer that is none is the worker's fault, and an error the module's") {
    const std::string none = "device_lost: the worker that runs the module gave no answer";
    CHECK(error_of("") == none);
    CHECK(error_of("[]") == none);
    CHECK(error_of(R"({"error": ""})") == none);
    CHECK(error_of(R"({"error": "", "us": ["x"], "digests": []})") == none);
    CHECK(error_of(R"({"error": "", "us": [], "digests": [{"launch": 0, "buffer": 9}]})") == none);
    CHECK(error_of(R"({"error": "RuntimeError: no memory at module:7: y = x"})") ==
          "unsupported: the module cannot be timed: RuntimeError: no memory at module:7: y = x");
  }
}

}  // namespace ws::cuda
