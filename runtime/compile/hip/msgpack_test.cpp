#include "runtime/compile/hip/msgpack.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace ws::hip {
namespace {

using namespace std::string_literals;

struct Case {
  const char* name;
  std::string bytes;
  std::string want;  ///< The value, or the error.
};

const std::string kCut = "internal: not MessagePack: it ends early";
const std::string kMany = "internal: not MessagePack: too deep, or too many values";

const std::string kStrange = "internal: not MessagePack: a type that code objects do not use";

const Case kCases[] = {
    {"zero", "\x00"s, "0"},
    {"the largest of one byte", "\x7f", "127"},
    {"the smallest of one byte", "\xe0", "-32"},
    {"minus one", "\xff", "-1"},
    {"8 bits", "\xcc\xff", "255"},
    {"16 bits, big-endian", "\xcd\x01\x02", "258"},
    {"32 bits", "\xce\xff\xff\xff\xff", "4294967295"},
    {"64 bits", "\xcf\x7f\xff\xff\xff\xff\xff\xff\xff", "9223372036854775807"},
    {"too large", "\xcf\x80\x00\x00\x00\x00\x00\x00\x00"s,
     "internal: not MessagePack: a number over 2^63 - 1"},
    {"signed 8 bits", "\xd0\x80", "-128"},
    {"signed 16 bits", "\xd1\xff\xfe", "-2"},
    {"signed 64 bits", "\xd3\xff\xff\xff\xff\xff\xff\xff\xfd", "-3"},
    {"nil and booleans", "\x93\xc0\xc2\xc3", "[null,false,true]"},
    {"a short text", "\xa2hi", R"("hi")"},
    {"a longer text", "\xd9\x02hi", R"("hi")"},
    {"a text of 16 bits of length", "\xda\x00\x02hi"s, R"("hi")"},
    {"a map",
     "\x82\xa1"
     "a\x01\xa1"
     "b\x91\xa1x",
     R"({"a":1,"b":["x"]})"},
    {"an array of 16 bits of length", "\xdc\x00\x01\x05"s, "[5]"},
    {"a map of 32 bits of length", "\xdf\x00\x00\x00\x01\xa1k\x05"s, R"({"k":5})"},
    {"bytes after it are left alone", "\x05\x06", "5"},
    {"nothing", "", kCut},
    {"a number that ends early", "\xcd\x01", kCut},
    {"a text that ends early", "\xa3hi", kCut},
    {"a text of four gigabytes", "\xdb\xff\xff\xff\xffx", kCut},
    {"an array of four thousand million", "\xdd\xff\xff\xff\xff\x01", kCut},
    {"a map without its last value", "\x81\xa1k", kCut},
    {"a number as a key", "\x81\x01\x02", kStrange},
    {"a real number", "\xca\x00\x00\x00\x00"s, kStrange},
    {"an extension", "\xd4\x01\x02", kStrange},
    {"seventeen arrays in one another", std::string(17, '\x91') + "\x01", kMany},
    {"sixteen", std::string(16, '\x91') + "\x01",
     std::string(16, '[') + "1" + std::string(16, ']')},
    {"a hundred thousand values", "\xdd\x00\x01\x86\xa0"s + std::string(100000, '\x01'), kMany},
};

}  // namespace

TEST_SUITE("compile.hip.msgpack") {
  TEST_CASE("bytes become this value, or this error") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      const Result<nlohmann::json> value = parse_msgpack(c.bytes);
      CHECK((value ? value->dump() : to_text(value.error())) == c.want);
    }
  }

  TEST_CASE("no bytes of a whole value less make a value") {
    const std::string whole =
        "\x83\xa1m\xcd\x01\x02\xa1t\xd9\x03"
        "abc\xa1"
        "a\x92\xc3\xff";
    REQUIRE(parse_msgpack(whole).has_value());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Result<nlohmann::json> value = parse_msgpack(std::string_view(whole).substr(0, size));
      REQUIRE_FALSE(value.has_value());
      CHECK(to_text(value.error()) == kCut);
    }
  }
}

}  // namespace ws::hip
