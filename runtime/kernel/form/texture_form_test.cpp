// Textures among a launch's arguments: what is read, and each message.
#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

Json with_texture(const Json& texture) {
  return patched(matmul_kernel(), "/launches/0/args/0", texture);
}

std::string error_of(const std::string& pointer, const Json& value) {
  const Json form =
      with_texture({{"texture", "A"}, {"width", "k"}, {"height", "m"}, {"channels", 1}});
  const Json changed = patched(form, "/launches/0/args/0" + pointer, value);
  return error_text(kernel_from_json(changed, read_problem(matmul_problem())));
}

}  // namespace

TEST_SUITE("kernel.texture_form") {
  TEST_CASE("every field is read, and what is left out has its default") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel plain = read_kernel(with_texture({{"texture", "A"}, {"width", "k"}}), problem);
    const LaunchArgSpec& least = plain.launches[0].args[0];
    CHECK(least.kind == LaunchArgSpec::Kind::kTexture);
    CHECK(least.name == "A");
    CHECK(least.texture.width == "k");
    CHECK(least.texture.height.empty());
    CHECK(least.texture.channels == 1);
    CHECK(least.texture.modes == TextureModes{});
    const Kernel full = read_kernel(with_texture({{"texture", "partial"},
                                                  {"width", "k // 4"},
                                                  {"height", 7},
                                                  {"depth", "BM"},
                                                  {"channels", 4},
                                                  {"address", "mirror"},
                                                  {"filter", "linear"},
                                                  {"normalized", true},
                                                  {"read", "normalized_float"}}),
                                    problem);
    const TextureSpec& texture = full.launches[0].args[0].texture;
    CHECK(texture.width == "k // 4");
    CHECK(texture.height == "7");
    CHECK(texture.depth == "BM");
    CHECK(texture.channels == 4);
    CHECK(texture.modes ==
          TextureModes{.address = 2, .filter = 1, .normalized = true, .normalized_float = true});
    const Kernel layers = read_kernel(
        with_texture({{"texture", "A"}, {"width", 4}, {"height", 4}, {"layers", 2}}), problem);
    CHECK(layers.launches[0].args[0].texture.modes.layered);
    const Kernel fetch =
        read_kernel(with_texture({{"texture", "A"}, {"width", 4}, {"fetch", true}}), problem);
    CHECK(fetch.launches[0].args[0].texture.modes.fetch);
  }

  TEST_CASE("what is wrong is named with its field") {
    struct Case {
      const char* pointer;
      Json value;
      const char* want;
    };

    const std::vector<Case> cases = {
        {"/texture", "D", ".texture: unknown buffer `D`; known: A, B, C, partial"},
        {"/texture", "alpha", ".texture: unknown buffer `alpha`; known: A, B, C, partial"},
        {"/texture", "C",
         ".texture: `C` is an output, and a kernel can only read a texture; name an argument of "
         "role `in` or scratch, and pass an output as a pointer"},
        {"", Json{{"texture", "A"}}, ": field `width` is missing"},
        {"/size", 4,
         ": unknown field `size`; known: texture, width, height, depth, layers, channels, address, "
         "filter, normalized, read, fetch"},
        {"/channels", 3, ".channels: expected 1, 2 or 4, got 3"},
        {"/address", "repeat",
         ".address: expected one of `wrap`, `clamp`, `mirror`, `border`, got \"repeat\""},
        {"/address", "wrap",
         ".address: `wrap` needs `normalized` coordinates; CUDA clamps other coordinates instead"},
        {"/address", "mirror",
         ".address: `mirror` needs `normalized` coordinates; CUDA clamps other coordinates "
         "instead"},
        {"/filter", "cubic", ".filter: expected one of `point`, `linear`, got \"cubic\""},
        {"/read", "float", ".read: expected one of `element`, `normalized_float`, got \"float\""},
        {"/normalized", 1, ".normalized: expected true or false, got 1"},
        {"", Json{{"texture", "A"}, {"width", 4}, {"depth", 4}},
         ".depth: a texture with `depth` has a `height`"},
        {"", Json{{"texture", "A"}, {"width", 4}, {"height", 4}, {"depth", 4}, {"layers", 4}},
         ".layers: a texture has `depth` or `layers`, not both"},
        {"/fetch", true,
         ".height: a texture with `fetch` has no `height`; tex1Dfetch() reads the texel of an "
         "index, and 0 outside"},
        {"", Json{{"texture", "A"}, {"width", 4}, {"fetch", true}, {"filter", "point"}},
         ".filter: a texture with `fetch` has no `filter`; tex1Dfetch() reads the texel of an "
         "index, and 0 outside"},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.pointer));
      CHECK(error_of(c.pointer, c.value) ==
            "invalid_argument: kernel.launches[0].args[0]" + std::string(c.want));
    }
  }

  TEST_CASE("kernels in other languages than CUDA C++ have none, and hear why") {
    struct Case {
      const char* language;
      const char* title;
    };

    for (const Case& c : {Case{"hip", "HIP C++"}, Case{"hlsl", "HLSL"}, Case{"glsl", "GLSL"},
                          Case{"triton", "Triton"}, Case{"cutile", "cuTile Python"},
                          Case{"cutile_jl", "cuTile.jl"}}) {
      CAPTURE(std::string(c.language));
      Json form = {
          {"source", "x"},
          {"language", c.language},
          {"launches",
           {{{"entry", "f"}, {"grid", {1}}, {"args", {{{"texture", "A"}, {"width", "k"}}}}}}}};
      const std::string language = c.language;
      if (language == "hip" || language == "hlsl" || language == "glsl") {
        form["launches"][0]["block"] = {1};
      }
      CHECK(error_text(kernel_from_json(form, read_problem(matmul_problem()))) ==
            "unsupported: kernel.launches[0].args[0]: a texture is for kernels in CUDA C++, and "
            "this one is in " +
                std::string(c.title) + "; pass the buffer by its name, and read it by its index");
    }
  }
}

}  // namespace ws
