#include "runtime/compile/spirv/module.h"

#include <doctest/doctest.h>

#include "runtime/compile/spirv/bounds.h"
#include "runtime/compile/spirv/shader.h"

namespace ws::spirv {

TEST_SUITE("compile.spirv.module") {
  constexpr std::uint32_t kVersion = 0x00010500;

  TEST_CASE("what is no module, or is cut off, is refused") {
    struct Case {
      Words words;
      const char* message;
    };

    const Case cases[] = {
        {{}, "invalid_argument: no SPIR-V module"},
        {{kMagic, kVersion, 0, 1}, "invalid_argument: no SPIR-V module"},
        {{1, kVersion, 0, 1, 0}, "invalid_argument: no SPIR-V module"},
        {{kMagic, kVersion, 0, 1, 0, 0},
         "invalid_argument: word 5 of a SPIR-V module: an instruction that is cut off"},
        {{kMagic, kVersion, 0, 1, 0, 2U << 16U | 17, 1, 3U << 16U | 17},
         "invalid_argument: word 7 of a SPIR-V module: an instruction that is cut off"},
    };
    for (const Case& row : cases) {
      const auto read = instructions_of(row.words);
      REQUIRE(!read.has_value());
      CHECK(to_text(read.error()) == row.message);
    }
  }

  TEST_CASE("a module without a shader is refused by what reads shaders") {
    const Words words = {kMagic, kVersion, 0, 1, 0, 2U << 16U | 17, 1};
    REQUIRE(instructions_of(words).has_value());
    CHECK(to_text(read_shader(words).error()) ==
          "invalid_argument: the module has no compute shader");
    CHECK(to_text(check_bounds(words).error()) ==
          "invalid_argument: the module has no compute shader");
  }

  TEST_CASE("shaders survive their blob, and no part of a blob is taken for a whole one") {
    ShaderCode code;
    code.words = {kMagic, kVersion, 0, 9, 0};
    code.accesses = {{.param = 1, .object = 2, .element_bytes = 4, .write = 1, .site = 3}};
    const std::string blob = encode_shaders({code, code});
    const auto read = decode_shaders(blob);
    REQUIRE(read.has_value());
    REQUIRE(read->size() == 2);
    CHECK(read->at(1).words == code.words);
    CHECK(read->at(1).accesses.at(0).site == 3);
    const std::size_t one = encode_shaders({code}).size();
    const std::size_t none = encode_shaders({}).size();
    for (std::size_t size = 0; size < blob.size(); ++size) {
      CAPTURE(size);
      CHECK(decode_shaders(blob.substr(0, size)).has_value() == (size == one || size == none));
    }
  }
}

}  // namespace ws::spirv
