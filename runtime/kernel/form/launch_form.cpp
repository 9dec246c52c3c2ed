// One launch: entry, grid, block, dynamic shared memory, arguments, repeat.
#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "runtime/base/nearest.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/form/kernel_form.h"

namespace ws {
namespace {

constexpr std::size_t kMaxAxes = 3;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<LaunchArgSpec> read_name(const JsonReader& form, const LaunchScope& scope) {
  LaunchArgSpec arg;
  arg.name = form.json().get<std::string>();
  Names known = scope.buffers;
  known.insert(known.end(), scope.scalars.begin(), scope.scalars.end());
  known.insert(known.end(), scope.integers.begin(), scope.integers.end());
  known.insert(known.end(), scope.tensor_maps.begin(), scope.tensor_maps.end());
  if (contains(known, arg.name)) {
    return arg;
  }
  return is_identifier(arg.name)
             ? form.error("unknown name `" + arg.name + "`", suggest(arg.name, known))
             : form.expected(
                   "a name of a buffer, scalar, dim or parameter",
                   R"(write {"value": "<expression>", "type": "i32"} to pass an expression)");
}

/// A literal of a float type: expressions have integers only.
bool is_float_literal(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && stop == end;
}

/// The name that an argument has in a shader; empty: its own. @param named  It has one.
Result<std::string> read_as(const JsonReader& form, const LaunchScope& scope, bool named) {
  const auto as = form.find("as");
  if (as && !scope.shader) {
    return as->error("`as` is for shaders: other kernels have their parameters in order");
  }
  if (as) {
    return as->identifier();
  }
  if (scope.shader && !named) {
    return form.error("`as` is missing: a shader's arguments go by their names in it",
                      R"(say {"value": ..., "type": ..., "as": "<name in the shader>"})");
  }
  return std::string();
}

Result<LaunchArgSpec> read_value(const JsonReader& form, const LaunchScope& scope) {
  WS_CHECK(form.check_fields({"value", "type", "as"}));
  LaunchArgSpec arg;
  WS_TRY(arg.as, read_as(form, scope, /*named=*/false));
  arg.kind = LaunchArgSpec::Kind::kValue;
  WS_TRY(const JsonReader type, form.require("type"));
  WS_TRY(arg.type, type.dtype());
  WS_TRY(const JsonReader value, form.require("value"));
  const nlohmann::json& json = value.json();
  const bool literal = json.is_number_float() ||
                       (json.is_string() && is_float_literal(json.get_ref<const std::string&>()));
  if (is_float(arg.type) && literal) {
    arg.value = json.is_string() ? json.get<std::string>() : json.dump();
    return arg;
  }
  WS_TRY(arg.value, value.expression(scope.integers));
  return arg;
}

Result<LaunchArgSpec> read_buffer(const JsonReader& form, const LaunchScope& scope) {
  WS_CHECK(form.check_fields({"buffer", "offset", "as"}));
  LaunchArgSpec arg;
  arg.kind = LaunchArgSpec::Kind::kBuffer;
  WS_TRY(const JsonReader buffer, form.require("buffer"));
  WS_TRY(arg.name, buffer.text(kMaxNameBytes));
  if (!contains(scope.buffers, arg.name)) {
    return buffer.error("unknown buffer `" + arg.name + "`", suggest(arg.name, scope.buffers));
  }
  WS_TRY(arg.as, read_as(form, scope, /*named=*/true));
  arg.offset = std::string("0");
  if (const auto offset = form.find("offset")) {
    WS_TRY(arg.offset, offset->expression(scope.integers));
  }
  return arg;
}

/// Numbers that a struct, a vector or a dim3 is made of.
Result<LaunchArgSpec> read_struct(const JsonReader& form, const LaunchScope& scope) {
  WS_CHECK(form.check_fields({"struct"}));
  LaunchArgSpec arg;
  arg.kind = LaunchArgSpec::Kind::kStruct;
  WS_TRY(const JsonReader list, form.require("struct"));
  WS_TRY(const std::vector<JsonReader> items, list.items(1, kMaxLaunchArgs));
  for (const JsonReader& item : items) {
    if (!item.is_text() && !(item.is_object() && item.find("value"))) {
      return item.expected("a name of a number, or {value, type}");
    }
    WS_TRY(LaunchArgSpec member, item.is_text() ? read_name(item, scope) : read_value(item, scope));
    if (member.kind == LaunchArgSpec::Kind::kName &&
        (contains(scope.buffers, member.name) || contains(scope.tensor_maps, member.name))) {
      return item.error("a struct holds numbers, and `" + member.name + "` is none");
    }
    arg.members.push_back(std::move(member));
  }
  return arg;
}

Result<LaunchArgSpec> read_arg(const JsonReader& form, const LaunchScope& scope) {
  if (form.is_text()) {
    return read_name(form, scope);
  }
  if (!form.is_object()) {
    return form.expected(
        "a name, {value, type}, {buffer, offset}, {struct}, {texture, width, ...} or {null: true}",
        form.json().is_number() ? R"(write {"value": 5, "type": "i32"} to pass a number)" : "");
  }
  if (form.find("value")) {
    return read_value(form, scope);
  }
  if (form.find("buffer")) {
    return read_buffer(form, scope);
  }
  if (form.find("texture")) {
    return read_texture(form, scope);
  }
  if (scope.shader) {
    return form.error("a shader takes buffers and numbers, each by its name");
  }
  if (form.find("struct")) {
    return read_struct(form, scope);
  }
  WS_CHECK(form.check_fields({"value", "type", "buffer", "offset", "null", "struct", "texture"}));
  const auto null = form.find("null");
  if (!null || !null->json().is_boolean() || !null->json().get<bool>()) {
    return form.error("expected one of `value`, `buffer`, `struct`, `texture` or `null: true`");
  }
  WS_CHECK(form.check_fields({"null"}));
  LaunchArgSpec arg;
  arg.kind = LaunchArgSpec::Kind::kNull;
  return arg;
}

Status read_launch_args(const JsonReader& form, const LaunchScope& scope, LaunchSpec& launch) {
  const auto args = form.find("args");
  if (!args) {
    return {};
  }
  WS_TRY(const std::vector<JsonReader> items, args->items(0, kMaxLaunchArgs));
  for (const JsonReader& item : items) {
    WS_TRY(LaunchArgSpec arg, read_arg(item, scope));
    launch.args.push_back(std::move(arg));
  }
  return {};
}

/// Adds a repeat's variable to the names of the launch.
Status read_repeat(const JsonReader& repeat, LaunchScope& scope, LaunchSpec& launch) {
  WS_CHECK(repeat.check_fields({"var", "count"}));
  RepeatSpec spec;
  WS_TRY(const JsonReader var, repeat.require("var"));
  WS_TRY(spec.var, var.identifier());
  if (contains(scope.integers, spec.var) || contains(scope.buffers, spec.var) ||
      contains(scope.scalars, spec.var) || contains(scope.tensor_maps, spec.var)) {
    return var.error("`" + spec.var + "` is declared already");
  }
  WS_TRY(const JsonReader count, repeat.require("count"));
  WS_TRY(spec.count, count.expression(scope.integers));
  scope.integers.push_back(spec.var);
  launch.repeats.push_back(std::move(spec));
  return {};
}

/// One repeat, or several, the outermost first.
Status read_repeats(const JsonReader& form, LaunchScope& scope, LaunchSpec& launch) {
  constexpr std::size_t kMaxRepeats = 4;
  const auto repeat = form.find("repeat");
  if (!repeat) {
    return {};
  }
  if (!repeat->json().is_array()) {
    return read_repeat(*repeat, scope, launch);
  }
  WS_TRY(const std::vector<JsonReader> items, repeat->items(1, kMaxRepeats));
  for (const JsonReader& item : items) {
    WS_CHECK(read_repeat(item, scope, launch));
  }
  return {};
}

/// The extents and flags of a launch whose blocks are threads.
Status read_threads(const JsonReader& form, const LaunchScope& scope, LaunchSpec& launch) {
  for (const char* field : {"num_warps", "num_stages"}) {
    if (const auto found = form.find(field)) {
      return found->error("`" + std::string(field) + "` is for kernels of tiles",
                          "say the threads of a block in `block`");
    }
  }
  WS_TRY(const JsonReader block, form.require("block"));
  WS_TRY(launch.block, block.expressions(scope.integers, 1, kMaxAxes));
  for (const char* field : {"shared_bytes", "cluster", "cooperative", "pdl"}) {
    if (const auto found = form.find(field); found && scope.shader) {
      return found->error("a shader's launch has no `" + std::string(field) + "`",
                          "declare shared memory in the source");
    }
  }
  if (const auto shared = form.find("shared_bytes")) {
    WS_TRY(launch.shared_bytes, shared->expression(scope.integers));
  }
  if (const auto cluster = form.find("cluster")) {
    WS_TRY(launch.cluster, cluster->expressions(scope.integers, 1, kMaxAxes));
  }
  for (const auto& [field, into] :
       {std::pair{"cooperative", &launch.cooperative}, std::pair{"pdl", &launch.pdl}}) {
    if (const auto flag = form.find(field)) {
      WS_TRY(*into, flag->boolean());
    }
  }
  return {};
}

/// The hints that a compiler of tiles gets about a launch's threads.
Status read_tiles(const JsonReader& form, const LaunchScope& scope, LaunchSpec& launch) {
  for (const char* field : {"block", "shared_bytes", "cluster", "cooperative", "pdl"}) {
    if (const auto found = form.find(field)) {
      return found->error("a kernel of tiles has no `" + std::string(field) + "`",
                          "its compiler chooses the threads; give `num_warps` instead");
    }
  }
  launch.block = {"1"};
  for (const auto& [field, into] :
       {std::pair{"num_warps", &launch.num_warps}, std::pair{"num_stages", &launch.num_stages}}) {
    if (const auto found = form.find(field)) {
      WS_TRY(*into, found->expression(scope.integers));
    }
  }
  return {};
}

}  // namespace

Result<LaunchSpec> read_launch(const JsonReader& form, const LaunchScope& outer) {
  WS_CHECK(form.check_fields({"entry", "grid", "block", "shared_bytes", "args", "repeat", "cluster",
                              "cooperative", "pdl", "num_warps", "num_stages"}));
  LaunchSpec launch;
  LaunchScope scope = outer;
  WS_TRY(const JsonReader entry, form.require("entry"));
  WS_TRY(launch.entry, entry.text(kMaxEntryBytes));
  WS_CHECK(read_repeats(form, scope, launch));
  WS_TRY(const JsonReader grid, form.require("grid"));
  WS_TRY(launch.grid, grid.expressions(scope.integers, 1, kMaxAxes));
  WS_CHECK(scope.tiles ? read_tiles(form, scope, launch) : read_threads(form, scope, launch));
  WS_CHECK(read_launch_args(form, scope, launch));
  return launch;
}

}  // namespace ws
