#include "runtime/compile/cubin/cubin.h"

#include <cstring>

#include <doctest/doctest.h>

#include "runtime/base/files.h"

namespace ws {

TEST_SUITE("compile.cubin") {
  // Its source lies beside it; the numbers below are those that `ptxas -v` gives.
  std::string small_cubin() {
    return read_file(std::string(WS_SOURCE_DIR) + "/tests/data/small_sm_90a.cubin").value();
  }

  TEST_CASE("registers, memory, limits and parameters of each kernel are read") {
    const auto cubin = read_cubin(small_cubin());
    REQUIRE_MESSAGE(cubin.has_value(), to_text(cubin.error()));
    REQUIRE(cubin->entries.size() == 2);
    const CubinEntry& j = cubin->entries[0];
    CHECK(j.symbol == "_Z1jPf");
    CHECK(j.registers == 14);
    CHECK(j.shared_bytes == 32);
    CHECK(j.local_bytes == 0);
    CHECK(j.max_threads == 64);
    REQUIRE(j.params.size() == 1);
    CHECK(j.params[0].size == 8);
    const CubinEntry& k = cubin->entries[1];
    CHECK(k.symbol == "_Z1kPfi");
    CHECK(k.registers == 10);
    CHECK(k.shared_bytes == 0);
    CHECK(k.max_threads == -1);
    REQUIRE(k.params.size() == 2);
    CHECK(k.params[0].offset == 0);
    CHECK(k.params[0].size == 8);
    CHECK(k.params[1].offset == 8);
    CHECK(k.params[1].size == 4);
  }

  TEST_CASE("variables are named with their sizes") {
    const auto cubin = read_cubin(small_cubin());
    REQUIRE(cubin.has_value());
    REQUIRE(cubin->symbols.size() == 2);
    CHECK(cubin->symbols[0].name == "c");
    CHECK(cubin->symbols[0].bytes == 16);
    CHECK(cubin->symbols[1].name == "d");
    CHECK(cubin->symbols[1].bytes == 4);
  }

  TEST_CASE("a file that was cut off is an error at every length that loses a table") {
    const std::string whole = small_cubin();
    // After the section table lie program headers only, which say nothing that we read.
    std::uint64_t table = 0;
    std::uint16_t sections = 0;
    std::memcpy(&table, whole.data() + 40, sizeof table);
    std::memcpy(&sections, whole.data() + 60, sizeof sections);
    const std::size_t section_table_end = table + sections * std::size_t{64};
    for (std::size_t size = 0; size < section_table_end; ++size) {
      const auto cubin = read_cubin(std::string_view(whole).substr(0, size));
      REQUIRE_MESSAGE(!cubin.has_value(), size);
      CHECK(cubin.error().message.starts_with("not a cubin: "));
    }
    CHECK(read_cubin(std::string_view(whole).substr(0, section_table_end)).has_value());
  }

  TEST_CASE("no flipped byte makes the reader leave its bytes") {
    const std::string whole = small_cubin();
    std::size_t errors = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
        const auto cubin = read_cubin(bytes);
        errors += cubin ? 0U : 1U;
        if (cubin) {
          // Views into other memory would show up here, under the sanitizers.
          for (const CubinEntry& entry : cubin->entries) {
            CHECK(entry.params.size() <= 4096);
          }
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

  TEST_CASE("what is no cubin is named") {
    std::string other_machine = small_cubin();
    other_machine[18] = 62;  // e_machine: x86-64
    std::string far_table = small_cubin();
    far_table[40 + 7] = 0x7f;  // The highest byte of e_shoff.
    const Broken cases[] = {
        {"nothing", "", "internal: not a cubin: its first bytes are another format's"},
        {"text", std::string(200, 'x'),
         "internal: not a cubin: its first bytes are another format's"},
        {"another machine", other_machine,
         "internal: not a cubin: its first bytes are another format's"},
        {"a table far away", far_table, "internal: not a cubin: its section table lies outside"},
    };
    for (const Broken& c : cases) {
      CAPTURE(std::string(c.name));
      const auto cubin = read_cubin(c.bytes);
      REQUIRE_FALSE(cubin.has_value());
      CHECK(to_text(cubin.error()) == c.message);
    }
  }
}

}  // namespace ws
