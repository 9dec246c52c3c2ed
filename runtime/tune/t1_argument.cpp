#include "runtime/tune/t1_argument.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/kernel/dtype.h"

namespace ws::tune {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, DType>, 12> kT1Types = {{{"bool", DType::kBool},
                                                                          {"int8", DType::kI8},
                                                                          {"uint8", DType::kU8},
                                                                          {"int16", DType::kI16},
                                                                          {"uint16", DType::kU16},
                                                                          {"int32", DType::kI32},
                                                                          {"uint32", DType::kU32},
                                                                          {"int64", DType::kI64},
                                                                          {"uint64", DType::kU64},
                                                                          {"half", DType::kF16},
                                                                          {"float", DType::kF32},
                                                                          {"double", DType::kF64}}};

Result<Json> role_of(const JsonReader& reader, const std::string& name) {
  const std::string access = word_in(reader.json(), "AccessType");
  const char* const role = access == "ReadOnly"    ? "in"
                           : access == "WriteOnly" ? "out"
                           : access == "ReadWrite" ? "inout"
                                                   : nullptr;
  if (role == nullptr) {
    return reader.error("`" + name + "` has no AccessType: ReadOnly, WriteOnly or ReadWrite");
  }
  return Json(role);
}

Result<Json> fill_of(const JsonReader& reader, const std::string& name) {
  const std::string kind = word_in(reader.json(), "FillType");
  const Json value = reader.json().value("FillValue", Json());
  if (kind == "Constant" && value.is_number()) {
    return Json{{"kind", "iota"}, {"start", value}, {"step", 0}};
  }
  if (kind == "Random") {
    return Json("normal");
  }
  return reader.unsupported("`" + name + "` with the FillType `" + quoted(kind, 40) + "`");
}

}  // namespace

std::string word_in(const Json& object, const std::string& key) {
  const Json value = object.is_object() ? object.value(key, Json()) : Json();
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

Result<Json> argument_of_t1(const JsonReader& argument, const std::string& name,
                            const std::string& size) {
  const std::string word = word_in(argument.json(), "Type");
  const auto* const type =
      std::ranges::find_if(kT1Types, [&word](const auto& each) { return each.first == word; });
  if (type == kT1Types.end()) {
    return argument.unsupported("`" + name + "` of type `" + quoted(word, 40) + "`");
  }
  Json arg = {{"name", name}, {"type", name_of(type->second)}};
  const std::string memory = word_in(argument.json(), "MemoryType");
  const Json value = argument.json().value("FillValue", Json());
  if (memory == "Scalar") {
    if (!value.is_number()) {
      return argument.error("the scalar `" + name + "` has no FillValue");
    }
    arg["role"] = "scalar";
    arg["values"] = {value};
    return arg;
  }
  if (memory != "Vector") {
    return argument.unsupported("`" + name + "` in memory of type `" + quoted(memory, 40) + "`");
  }
  WS_TRY(arg["role"], role_of(argument, name));
  arg["shape"] = {size};
  if (arg["role"] != "out") {
    WS_TRY(arg["fill"], fill_of(argument, name));
  }
  return arg;
}

}  // namespace ws::tune
