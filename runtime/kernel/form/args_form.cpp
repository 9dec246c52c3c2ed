// One argument of a problem, and tolerances.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/kernel/form/dims_form.h"
#include "runtime/kernel/form/kernel_form.h"

namespace ws {
namespace {

struct RoleRow {
  const char* word;
  Role role;
};

constexpr RoleRow kRoles[] = {
    {"in", Role::kIn}, {"out", Role::kOut}, {"inout", Role::kInout}, {"scalar", Role::kScalar}};

constexpr std::size_t kMaxFillParams = 8;
constexpr const char* kElementNumber = "i";  // In the expression of the fill `computed`.

Result<Role> read_role(const JsonReader& form) {
  for (const RoleRow& row : kRoles) {
    if (form.is_text() && form.json() == row.word) {
      return row.role;
    }
  }
  return form.expected("`in`, `out`, `inout` or `scalar`");
}

/// A parameter of a fill: a number, or for whole numbers an expression over dims as well.
Status read_fill_param(const std::string& name, const JsonReader& value, DType type,
                       const Names& dims, Fill& fill) {
  if (name == "offsets") {
    WS_TRY(fill.offsets, value.identifier());
  } else if (name == "value" && value.is_text() && !is_float(type)) {
    if (std::ranges::find(dims, kElementNumber) != dims.end()) {
      return value.error("a dim is called `i`, which is an element's number here");
    }
    Names names = dims;
    names.emplace_back(kElementNumber);
    WS_TRY(fill.sizes[name], value.expression(names));
  } else if (value.is_text() && !is_float(type)) {
    WS_TRY(fill.sizes[name], value.expression(dims));
  } else {
    WS_TRY(fill.params[name], value.number());
  }
  return {};
}

Result<Fill> read_fill(const JsonReader& form, DType type, const Names& dims) {
  Fill fill;
  if (form.is_text()) {
    WS_TRY(fill.kind, form.text(kMaxNameBytes));
    return fill;
  }
  WS_TRY(const auto fields, form.members(kMaxFillParams));
  WS_TRY(const JsonReader kind, form.require("kind"));
  WS_TRY(fill.kind, kind.text(kMaxNameBytes));
  for (const auto& [name, value] : fields) {
    if (name != "kind") {
      WS_CHECK(read_fill_param(name, value, type, dims, fill));
    }
  }
  return fill;
}

Result<std::pair<double, double>> read_domain(const JsonReader& form) {
  WS_TRY(const std::vector<JsonReader> items, form.items(2, 2));
  WS_TRY(const double low, items[0].number());
  WS_TRY(const double high, items[1].number());
  if (low > high) {
    return form.error("the low end is above the high end");
  }
  return std::make_pair(low, high);
}

/// The value as the argument's type holds it: whole and in range for integers.
Result<double> read_scalar(const JsonReader& form, DType type) {
  if (type == DType::kBool && form.json().is_boolean()) {
    return form.json().get<bool>() ? 1.0 : 0.0;
  }
  if (is_float(type)) {
    return form.number();
  }
  constexpr double kExact = 0x1p53;  // Beyond it a double cannot hold every integer.
  const double high = std::min(max_finite(type), kExact);
  const bool is_signed = name_of(type).front() == 'i';
  const auto low = is_signed ? -static_cast<std::int64_t>(high) - (high < kExact ? 1 : 0) : 0;
  WS_TRY(const std::int64_t value, form.integer(low, static_cast<std::int64_t>(high)));
  return static_cast<double>(value);
}

Status read_scalar_fields(const JsonReader& form, ArgSpec& arg) {
  for (const char* field : {"shape", "strides", "fill", "domain", "tolerance", "unordered"}) {
    if (const auto found = form.find(field)) {
      return found->error("a scalar has no `" + std::string(field) + "`");
    }
  }
  WS_TRY(const JsonReader values, form.require("values"));
  WS_TRY(const std::vector<JsonReader> items, values.items(1, kMaxListItems));
  for (const JsonReader& item : items) {
    WS_TRY(const double value, read_scalar(item, arg.type));
    arg.values.push_back(value);
  }
  return {};
}

/// `unordered` is true or {count, with}.
Status read_unordered(const JsonReader& form, ArgSpec& arg) {
  if (arg.role != Role::kOut) {
    return form.error("only an argument of role `out` may have its rows in any order");
  }
  if (arg.shape.empty() || arg.strides) {
    return form.error(
        "an output in any order has rows: a shape of one dimension or more, and no "
        "`strides`");
  }
  if (form.json().is_boolean()) {
    arg.unordered = form.json().get<bool>() ? std::optional(Unordered()) : std::nullopt;
    return {};
  }
  if (!form.is_object()) {
    return form.expected("true, false or {count, with}");
  }
  WS_CHECK(form.check_fields({"count", "with"}));
  arg.unordered = Unordered();
  if (const auto count = form.find("count")) {
    WS_TRY(arg.unordered->count, count->identifier());
  }
  if (const auto with = form.find("with")) {
    WS_TRY(arg.unordered->with, with->identifier());
  }
  return {};
}

Status read_buffer_fields(const JsonReader& form, const Names& dims, ArgSpec& arg) {
  if (const auto values = form.find("values")) {
    return values->error("only a scalar has `values`");
  }
  WS_TRY(const JsonReader shape, form.require("shape"));
  WS_TRY(arg.shape, shape.expressions(dims, 0, kMaxRank));
  if (const auto strides = form.find("strides")) {
    WS_TRY(arg.strides, strides->expressions(dims, arg.shape.size(), arg.shape.size()));
  }
  if (const auto fill = form.find("fill")) {
    if (arg.role == Role::kOut) {
      return fill->error("an output has no `fill`", "role `inout` starts from its fill");
    }
    WS_TRY(arg.fill, read_fill(*fill, arg.type, dims));
  }
  if (const auto domain = form.find("domain")) {
    WS_TRY(arg.domain, read_domain(*domain));
  }
  if (const auto tolerance = form.find("tolerance")) {
    if (arg.role == Role::kIn) {
      return tolerance->error("only an output has a `tolerance`");
    }
    WS_TRY(arg.tolerance, read_tolerance(*tolerance));
  }
  if (const auto unordered = form.find("unordered")) {
    WS_CHECK(read_unordered(*unordered, arg));
  }
  return {};
}

}  // namespace

Result<Tolerance> read_tolerance(const JsonReader& form) {
  WS_CHECK(form.check_fields({"rtol", "atol"}));
  Tolerance tolerance;
  const auto read = [&form](const char* field, std::optional<double>& into) -> Status {
    const auto found = form.find(field);
    if (!found) {
      return {};
    }
    WS_TRY(into, found->number());
    return *into < 0 ? Status(found->expected("a number of at least 0")) : Status();
  };
  WS_CHECK(read("rtol", tolerance.rtol));
  WS_CHECK(read("atol", tolerance.atol));
  return tolerance;
}

Result<ArgSpec> read_arg_spec(const JsonReader& form, const Names& dims) {
  WS_CHECK(form.check_fields({"name", "type", "shape", "role", "strides", "fill", "domain",
                              "values", "tolerance", "unordered"}));
  ArgSpec arg;
  WS_TRY(const JsonReader name, form.require("name"));
  WS_TRY(arg.name, name.identifier());
  WS_TRY(const JsonReader type, form.require("type"));
  WS_TRY(arg.type, type.dtype());
  WS_TRY(const JsonReader role, form.require("role"));
  WS_TRY(arg.role, read_role(role));
  if (arg.role == Role::kScalar) {
    WS_CHECK(read_scalar_fields(form, arg));
  } else {
    WS_CHECK(read_buffer_fields(form, dims, arg));
  }
  return arg;
}

}  // namespace ws
