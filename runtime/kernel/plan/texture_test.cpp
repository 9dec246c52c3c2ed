#include "runtime/kernel/plan/texture.h"

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

const Bindings kNames = {{"w", 64}, {"h", 48}};

BufferSpec image_of(DType type) {
  BufferSpec buffer;
  buffer.name = "x";
  buffer.type = type;
  buffer.shape = {48, 64};
  buffer.strides = {64, 1};
  buffer.elements = 48 * 64;
  buffer.span = buffer.elements;
  return buffer;
}

Result<Texture> resolve(const TextureSpec& spec, DType type = DType::kF32) {
  return resolve_texture(spec, image_of(type), 3, kNames, "launches[0].args[1]");
}

}  // namespace

TEST_SUITE("kernel.texture") {
  TEST_CASE("sizes become numbers, and what is left out is no dimension") {
    const auto plane = resolve({.width = "w // 2", .height = "h", .channels = 2, .modes = {}});
    REQUIRE_MESSAGE(plane.has_value(), error_text(plane));
    CHECK(*plane == Texture{.buffer = 3, .channels = 2, .size = {32, 48, 0}, .modes = {}});
    const auto line = resolve({.width = "w*h", .modes = {.fetch = true}}, DType::kU8);
    REQUIRE_MESSAGE(line.has_value(), error_text(line));
    CHECK(line->size == std::array<std::uint32_t, 3>{3072, 0, 0});
    CHECK(line->type == DType::kU8);
    const auto layers = resolve({.width = "w", .layers = "h", .modes = {.layered = true}});
    REQUIRE_MESSAGE(layers.has_value(), error_text(layers));
    CHECK(layers->size == std::array<std::uint32_t, 3>{64, 0, 48});
  }

  TEST_CASE("each message names the field") {
    struct Case {
      TextureSpec spec;
      DType type;
      const char* want;
    };

    const Case cases[] = {
        {{.width = "w", .height = "h + 1", .modes = {}},
         DType::kF32,
         ": the texture has 3136 elements, and `x` has 3072"},
        {{.width = "w", .height = "h", .channels = 2, .modes = {}},
         DType::kF32,
         ": the texture has 6144 elements, and `x` has 3072"},
        {{.width = "w - 64", .modes = {}},
         DType::kF32,
         ".width: `w - 64` is 0, expected at least 1"},
        {{.width = "w", .height = "2**20", .modes = {}},
         DType::kF32,
         ".height: `2**20` is 1048576, and a texture of this kind has at most 65536"},
        {{.width = "w", .height = "1", .depth = "2**20", .modes = {}},
         DType::kF32,
         ".depth: `2**20` is 1048576, and a texture of this kind has at most 16384"},
        {{.width = "w", .modes = {}},
         DType::kF64,
         ".texture: `x` holds f64, and textures hold f32, f16, i32, u32, i16, u16, i8 or u8"},
        {{.width = "w", .modes = {.filter = 1}},
         DType::kI32,
         ".filter: `linear` is for floats, and `x` holds i32; use `point`"},
        {{.width = "w", .modes = {.filter = 1}},
         DType::kU8,
         ".filter: `linear` is for floats, and `x` holds u8; read it as `normalized_float`, or use "
         "`point`"},
        {{.width = "w", .modes = {.normalized_float = true}},
         DType::kI32,
         ".read: `normalized_float` is for integers of 8 or 16 bits, and `x` holds i32"},
        {{.width = "w", .modes = {.normalized_float = true}},
         DType::kF16,
         ".read: `normalized_float` is for integers of 8 or 16 bits, and `x` holds f16"},
    };
    for (const Case& c : cases) {
      CHECK(error_text(resolve(c.spec, c.type)) ==
            "invalid_argument: launches[0].args[1]" + std::string(c.want));
    }
    BufferSpec odd = image_of(DType::kF32);
    odd.span = 3070;
    CHECK(error_text(resolve_texture({.width = "w", .channels = 4, .modes = {}}, odd, 0, kNames,
                                     "launches[0].args[1]")) ==
          "invalid_argument: launches[0].args[1].channels: 4 does not divide the 3070 elements of "
          "`x`");
  }

  TEST_CASE("launches that repeat have a texture once, unless its sizes differ") {
    const Problem problem = read_problem(matmul_problem());
    const Workload workload = {{{"m", 64}, {"n", 48}, {"k", 32}}, {{"alpha", 0.5}}};
    Json form = matmul_kernel();
    form["launches"][0]["repeat"] = {{"var", "s"}, {"count", 3}};
    form["launches"][0]["args"] = {{{"texture", "A"}, {"width", "k"}, {"height", "m"}},
                                   {{"texture", "B"}, {"width", "s + 1"}}};
    const Kernel kernel = read_kernel(form, problem);
    const auto plan = resolve_plan(problem, kernel, workload, kernel.defaults);
    REQUIRE_MESSAGE(plan.has_value(), error_text(plan));
    REQUIRE(plan->textures.size() == 4);
    CHECK(plan->steps[2].args[0].kind == LaunchArg::Kind::kTexture);
    CHECK(plan->steps[2].args[0].texture == 0);
    CHECK(plan->steps[2].args[0].text == "A");
    CHECK(plan->steps[2].args[1].texture == 3);
    CHECK(plan->textures[3].buffer == 1);
    CHECK(plan->textures[3].size[0] == 3);
    CHECK(features_of(*plan) == Names{"tensor_maps", "cooperative", "pdl", "textures"});
  }
}

}  // namespace ws
