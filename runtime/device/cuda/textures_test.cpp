// Textures: what reaches the (fake) driver, in place or as a copy.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/contract_device.h"

namespace ws {
namespace {

using std::chrono::milliseconds;
using test::ContractDevice;
using test::ContractRun;
using Ints = std::vector<int>;

constexpr milliseconds kLimit{5'000};
constexpr int kFirst = 7;  // The first element of the buffer that is not written.

Backend& fake() {
  static const std::unique_ptr<Backend> backend = test::fake_gpu();
  return *backend;
}

/// Launches that show a texture of the plan's second buffer, whose place in device memory is a
/// multiple of 256 bytes where the first one has 64 ints, of 512 where it has 128.
ContractRun shows(const Texture& texture, int n, std::size_t launches, BufferRole role) {
  ContractRun run(ContractDevice{"fake", &fake(), test::fake_image}, {"add_one"}, n, false);
  run.image = test::fake_image({"show_texture"});
  run.image.entries[0].params.push_back({"t", "unsigned long long", 8, false, true, false, {}});
  BufferSpec image;
  image.name = "x";
  image.type = texture.type;
  image.role = role;
  image.elements = 256;
  image.span = image.elements;
  image.shape = {image.elements};
  image.strides = {1};
  run.plan.buffers.push_back(image);
  run.plan.textures = {texture};
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::kTexture;
  arg.texture = 0;
  arg.text = "x";
  run.plan.steps[0].entry = "show_texture";
  run.plan.steps[0].args.push_back(arg);
  run.plan.steps.resize(launches, run.plan.steps[0]);
  auto arena = Arena::create(run.plan.buffers, std::uint64_t{1} << 30U);
  REQUIRE_MESSAGE(arena.has_value(), to_text(arena.error()));
  run.arena = *arena;
  const std::span<std::byte> bytes = run.arena->buffer(1);
  std::ranges::fill(bytes, std::byte{0});
  bytes[0] = std::byte{kFirst};
  const auto bound = bind_plan(run.plan, run.image, *run.arena);
  REQUIRE_MESSAGE(bound.has_value(), to_text(bound.error()));
  run.session = fake().open(run.image, *bound, run.arena);
  REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
  std::ranges::fill(run.values(), -1);
  return run;
}

struct Row {
  const char* name;
  Texture texture;
  int n;
  Ints want;  ///< As show_texture says, without the last three.
  int copies;
  int alive;  ///< Arrays and texture objects.
};

const Row kRows[] = {
    {"a fetch, in place",
     {.buffer = 1, .type = DType::kI32, .channels = 2, .size = {8, 0, 0}, .modes = {.fetch = true}},
     128,
     {2, 0x0a, 2, 64, 0, 0, 1, 0, 1},
     0,
     1},
    {"a fetch of what is not aligned",
     {.buffer = 1, .type = DType::kF32, .channels = 4, .size = {8, 0, 0}, .modes = {.fetch = true}},
     64,
     {2, 0x20, 4, 128, 0, 0, 1, 0, 0},
     0,
     1},
    {"rows in place",
     {.buffer = 1, .type = DType::kF32, .size = {8, 4, 0}, .modes = {.address = 3, .filter = 1}},
     128,
     {3, 0x20, 1, 8, 4, 32, 3, 1, 0},
     0,
     1},
    {"rows that are not aligned",
     {.buffer = 1, .type = DType::kF32, .size = {6, 4, 0}, .modes = {}},
     128,
     {0, 0x20, 1, 6, 4, 0, 1, 0, 0},
     1,
     2},
    {"a buffer that is not aligned",
     {.buffer = 1, .type = DType::kF16, .channels = 4, .size = {8, 4, 0}, .modes = {}},
     64,
     {0, 0x10, 4, 8, 4, 0, 1, 0, 0},
     1,
     2},
    {"one dimension",
     {.buffer = 1,
      .type = DType::kU16,
      .size = {16, 0, 0},
      .modes = {.address = 0, .filter = 1, .normalized = true, .normalized_float = true}},
     128,
     {0, 0x02, 1, 16, 0, 0, 0, 1, 2},
     1,
     2},
    {"three dimensions",
     {.buffer = 1,
      .type = DType::kI8,
      .size = {4, 4, 4},
      .modes = {.address = 2, .normalized = true}},
     128,
     {0, 0x08, 1, 4, 4, 4, 2, 0, 3},
     1,
     2},
    {"layers",
     {.buffer = 1, .type = DType::kU8, .size = {4, 4, 3}, .modes = {.layered = true}},
     128,
     {0, 0x01, 1, 4, 4, 3, 1, 0, 1},
     1,
     2},
};

}  // namespace

TEST_SUITE("device.cuda.textures") {
  TEST_CASE("the driver gets a texture of the buffer in place, or of a copy with its contents") {
    for (const Row& row : kRows) {
      CAPTURE(std::string(row.name));
      const ContractRun run = shows(row.texture, row.n, 1, BufferRole::kIn);
      Ints want = row.want;
      want.insert(want.end(), {row.copies, row.alive, kFirst});
      REQUIRE((*run.session)->run(3, kLimit, {})->ok());
      CHECK(Ints(run.values().begin(), run.values().begin() + 12) == want);
      std::ranges::fill(run.values(), -1);
      const auto timing = (*run.session)->time({.poison = 47, .launches = 2, .hot = 1}, kLimit, {});
      REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
      CHECK(run.values()[11] == kFirst);
    }
  }

  TEST_CASE("an input is copied once, scratch before each launch that reads it") {
    const Texture texture = kRows[3].texture;
    const ContractRun input = shows(texture, 128, 3, BufferRole::kIn);
    REQUIRE((*input.session)->run(3, kLimit, {})->ok());
    CHECK(input.values()[9] == 1);
    const ContractRun scratch = shows(texture, 128, 3, BufferRole::kScratch);
    REQUIRE((*scratch.session)->run(3, kLimit, {})->ok());
    CHECK(scratch.values()[9] == 3);
  }
}

}  // namespace ws
