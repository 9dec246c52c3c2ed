#include "runtime/compile/hip/code_object.h"

#include <cstring>

#include <doctest/doctest.h>

#include "runtime/base/files.h"

namespace ws::hip {

TEST_SUITE("compile.hip.code_object") {
  // Its source lies beside it; the numbers below are those that `llvm-readelf -n` shows.
  std::string small_object() {
    return read_file(std::string(WS_SOURCE_DIR) + "/tests/data/small_gfx90a.co").value();
  }

  TEST_CASE("registers, memory, limits and parameters of each kernel are read") {
    const auto object = read_code_object(small_object());
    REQUIRE_MESSAGE(object.has_value(), to_text(object.error()));
    CHECK(object->target == "gfx90a");
    REQUIRE(object->entries.size() == 2);
    const CodeEntry& j = object->entries[0];
    CHECK(j.symbol == "j");
    CHECK(j.registers == 6);
    CHECK(j.scalars == 8);
    CHECK(j.spills == 0);
    CHECK(j.shared_bytes == 32);
    CHECK(j.local_bytes == 0);
    CHECK(j.max_threads == 64);
    CHECK(j.wavefront == 64);
    REQUIRE(j.params.size() == 1);
    CHECK(j.params[0].size == 8);
    CHECK(j.params[0].pointer);
    const CodeEntry& k = object->entries[1];
    CHECK(k.symbol == "_Z1kPfi");
    CHECK(k.registers == 2);
    CHECK(k.local_bytes == 272);
    CHECK(k.max_threads == 1024);
    REQUIRE(k.params.size() == 2);
    CHECK(k.params[1].offset == 8);
    CHECK(k.params[1].size == 4);
    CHECK_FALSE(k.params[1].pointer);
  }

  TEST_CASE("the source's variables are named with their sizes, the compiler's own are not") {
    const auto object = read_code_object(small_object());
    REQUIRE(object.has_value());
    REQUIRE(object->symbols.size() == 2);
    CHECK(object->symbols[0].name == "c");
    CHECK(object->symbols[0].bytes == 16);
    CHECK(object->symbols[1].name == "d");
    CHECK(object->symbols[1].bytes == 4);
  }

  TEST_CASE("a file that was cut off is an error at every length that loses a table") {
    const std::string whole = small_object();
    std::uint64_t table = 0;
    std::uint16_t sections = 0;
    std::memcpy(&table, whole.data() + 40, sizeof table);
    std::memcpy(&sections, whole.data() + 60, sizeof sections);
    const std::size_t end = table + sections * std::size_t{64};
    for (std::size_t size = 0; size < end; ++size) {
      const auto object = read_code_object(std::string_view(whole).substr(0, size));
      REQUIRE_MESSAGE(!object.has_value(), size);
      CHECK(object.error().message.starts_with("not a code object: "));
    }
  }

  TEST_CASE("no flipped byte makes the reader leave its bytes") {
    const std::string whole = small_object();
    std::size_t errors = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
        const auto object = read_code_object(bytes);
        errors += object ? 0U : 1U;
        for (const CodeEntry& entry :
             object ? object->entries : std::vector<CodeEntry>()) {  // Views elsewhere show here.
          CHECK(entry.params.size() <= 65536);
        }
      }
    }
    CHECK(errors > 100);
  }

  struct Broken {
    const char* name;
    std::string bytes;
    const char* message;
  };

  std::string with_byte(std::size_t at, char value) {
    std::string bytes = small_object();
    bytes[at] = value;
    return bytes;
  }

  TEST_CASE("what is no code object is named") {
    std::string no_owner = small_object();
    no_owner[no_owner.find("AMDGPU")] = 'X';
    std::string no_map = small_object();
    no_map[no_map.find("amdhsa.kernels") - 2] = '\xc1';
    const Broken cases[] = {
        {"nothing", "", "internal: not a code object: its first bytes are another format's"},
        {"a cubin", with_byte(18, static_cast<char>(190)),
         "internal: not a code object: its first bytes are another format's"},
        {"a bundle of code objects", "__CLANG_OFFLOAD_BUNDLE__" + std::string(200, '\0'),
         "internal: not a code object: its first bytes are another format's"},
        {"a table far away", with_byte(40 + 7, 0x7f),
         "internal: not a code object: its section table lies outside"},
        {"another's note", no_owner, "internal: not a code object: it has no metadata"},
        {"metadata of another form", no_map,
         "internal: not MessagePack: a type that code objects do not use"},
    };
    for (const Broken& c : cases) {
      CAPTURE(std::string(c.name));
      const auto object = read_code_object(c.bytes);
      REQUIRE_FALSE(object.has_value());
      CHECK(to_text(object.error()) == c.message);
    }
  }
}

}  // namespace ws::hip
