#include "runtime/compile/hip/msgpack.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::msgpack {
namespace {

using namespace std::string_literals;

/// A value as text: {a:1,b:[true,nil]}.
std::string shown(const Value& value) {
  std::string text;
  switch (value.kind) {
    case Value::Kind::kNil:
      return "nil";
    case Value::Kind::kBool:
      return value.number != 0 ? "true" : "false";
    case Value::Kind::kInteger:
      return std::to_string(value.number);
    case Value::Kind::kText:
      return "'" + std::string(value.text) + "'";
    case Value::Kind::kArray:
      for (const Value& item : value.items) {
        text += (text.empty() ? "" : ",") + shown(item);
      }
      return "[" + text + "]";
    case Value::Kind::kMap:
      break;
  }
  for (const auto& [name, field] : value.fields) {
    text += (text.empty() ? "" : ",") + std::string(name) + ":" + shown(field);
  }
  return "{" + text + "}";
}

struct Case {
  const char* name;
  std::string bytes;
  std::string want;  ///< The value, or the error.
};

const std::string kCut = "internal: not MessagePack: it ends early";
const std::string kMany = "internal: not MessagePack: too deep, or too many values";

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
    {"nil and booleans", "\x93\xc0\xc2\xc3", "[nil,false,true]"},
    {"a short text", "\xa2hi", "'hi'"},
    {"a longer text", "\xd9\x02hi", "'hi'"},
    {"a text of 16 bits of length", "\xda\x00\x02hi"s, "'hi'"},
    {"a map",
     "\x82\xa1"
     "a\x01\xa1"
     "b\x91\xa1x",
     "{a:1,b:['x']}"},
    {"an array of 16 bits of length", "\xdc\x00\x01\x05"s, "[5]"},
    {"a map of 32 bits of length", "\xdf\x00\x00\x00\x01\xa1k\x05"s, "{k:5}"},
    {"bytes behind it are left alone", "\x05\x06", "5"},
    {"nothing", "", kCut},
    {"a number that ends early", "\xcd\x01", kCut},
    {"a text that ends early", "\xa3hi", kCut},
    {"a text of four gigabytes", "\xdb\xff\xff\xff\xffx", kCut},
    {"an array of four thousand million", "\xdd\xff\xff\xff\xff\x01", kCut},
    {"a map without its last value", "\x81\xa1k", kCut},
    {"a number as a key", "\x81\x01\x02", "internal: not MessagePack: a key that is no text"},
    {"a real number", "\xca\x00\x00\x00\x00"s,
     "internal: not MessagePack: a type that code objects do not use"},
    {"an extension", "\xd4\x01\x02",
     "internal: not MessagePack: a type that code objects do not use"},
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
      const Result<Value> value = parse(c.bytes);
      CHECK((value ? shown(*value) : to_text(value.error())) == c.want);
    }
  }

  TEST_CASE("a field of another kind counts as missing") {
    const std::string bytes = "\x82\xa1n\x07\xa1t\xa1x";
    const Result<Value> map = parse(bytes);
    REQUIRE(map.has_value());
    CHECK(map->integer("n", -1) == 7);
    CHECK(map->integer("t", -1) == -1);
    CHECK(map->integer("none", -1) == -1);
    CHECK(map->string("t") == "x");
    CHECK(map->string("n").empty());
    CHECK(map->find("none") == nullptr);
  }
}

}  // namespace ws::msgpack
