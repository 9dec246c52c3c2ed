#include "runtime/device/cpu/loader.h"

#include <cstring>

#include <doctest/doctest.h>

namespace ws::cpu {

TEST_SUITE("device.cpu.loader") {
  constexpr std::uint64_t kPage = 4096;

  /// One page of code that returns 7, then 16 bytes of data.
  Image small_image() {
    Image image;
    image.blob = std::string("\xb8\x07\x00\x00\x00\xc3", 6);
    image.blob.resize(kPage, '\x90');
    image.blob += "0123456789abcdef";
    image.ro_offset = kPage;
    image.rw_offset = kPage;
    image.symbols = {{"data", kPage, 16}};
    return image;
  }

  struct Bad {
    const char* name;
    void (*spoil)(Image& image);
    const char* message;
  };

  constexpr const char* kParts = "internal: an image whose parts do not fit together";
  constexpr const char* kOutside = "internal: an image patches memory outside itself";
  constexpr Bad kBad[] = {
      {"data offset within a page", [](Image& i) { i.rw_offset = 100; }, kParts},
      {"data offset beyond the end", [](Image& i) { i.rw_offset = 4 * kPage; }, kParts},
      {"entry outside the code",
       [](Image& i) {
         i.entries.emplace_back();
         i.entries.back().thread_offset = kPage;
       },
       kParts},
      {"symbol beyond the end", [](Image& i) { i.symbols[0].bytes = 17; }, kParts},
      {"symbol that wraps", [](Image& i) { i.symbols[0].offset = ~std::uint64_t{0}; }, kParts},
      {"import slot beyond the end", [](Image& i) { i.imports = {{kPage + 9, "expf"}}; }, kOutside},
      {"import slot that wraps", [](Image& i) { i.imports = {{~std::uint64_t{0} - 3, "expf"}}; },
       kOutside},
      {"rebase slot beyond the end", [](Image& i) { i.rebases = {{kPage + 9, 0}}; }, kOutside},
      {"unknown import", [](Image& i) { i.imports = {{kPage, "system"}}; },
       "internal: an image needs an unknown function: system"},
  };

  TEST_CASE("an image that does not fit together is refused") {
    for (const Bad& c : kBad) {
      CAPTURE(std::string(c.name));
      Image image = small_image();
      c.spoil(image);
      auto region = Region::reserve();
      REQUIRE(region.has_value());
      const auto loaded = LoadedImage::load(image, *region);
      REQUIRE_FALSE(loaded.has_value());
      CHECK(to_text(loaded.error()) == c.message);
    }
  }

  TEST_CASE("code runs, addresses are patched, and data goes back to its first state") {
    Image image = small_image();
    image.rebases = {{kPage, 8}};
    auto region = Region::reserve();
    REQUIRE(region.has_value());
    auto loaded = LoadedImage::load(image, *region);
    REQUIRE(loaded.has_value());
    CHECK(reinterpret_cast<int (*)()>(loaded->at(0))() == 7);
    std::uint64_t address = 0;
    std::memcpy(&address, loaded->at(kPage), sizeof address);
    CHECK(address == reinterpret_cast<std::uint64_t>(loaded->base()) + 8);
    std::memset(loaded->at(kPage), 'x', 16);
    loaded->restore_data();
    CHECK(std::string(static_cast<const char*>(loaded->at(kPage + 8)), 8) == "89abcdef");
    std::uint64_t again = 0;
    std::memcpy(&again, loaded->at(kPage), sizeof again);
    CHECK(again == address);
  }
}

}  // namespace ws::cpu
