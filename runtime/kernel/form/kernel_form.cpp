#include "runtime/kernel/form/kernel_form.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "runtime/base/nearest.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/options.h"
#include "runtime/kernel/ids.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

// The fields of a plan that only later versions run; refused by name rather than as unknown.
struct LaterField {
  const char* name;
  const char* what;
};

constexpr LaterField kLaterFields[] = {{"types", "type specialisation"}};

/// Reads the fields of one plan; each step uses the names that earlier ones declared.
class PlanReader {
 public:
  PlanReader(const JsonReader& form, const Problem& problem)
      : form_(form),
        problem_(problem) {
    scope_.integers = integer_names(problem);
    for (const DimSpec& dim : problem.dims) {
      taken_.insert(dim.name);
    }
    for (const ArgSpec& arg : problem.args) {
      taken_.insert(arg.name);
      (arg.role == Role::kScalar ? scope_.scalars : scope_.buffers).push_back(arg.name);
      if (arg.role == Role::kOut || arg.role == Role::kInout) {
        scope_.outputs.push_back(arg.name);
      }
    }
  }

  Result<Kernel> read(const std::string& entry) {
    WS_CHECK(read_texts());
    WS_CHECK(read_params());
    WS_CHECK(read_defaults());
    WS_CHECK(read_constraints());
    WS_CHECK(read_scratch());
    WS_CHECK(read_symbols());
    WS_CHECK(read_tensor_maps());
    WS_CHECK(read_options());
    WS_CHECK(read_headers());
    WS_CHECK(read_specialize());
    WS_CHECK(read_launches(entry));
    WS_TRY(const std::vector<JsonReader> maps, list("tensor_maps"));
    for (const JsonReader& map : maps) {
      WS_CHECK(scope_.tiles ? check_descriptor(map) : Status());
    }
    return std::move(kernel_);
  }

 private:
  /// The items of a list that may be absent.
  Result<std::vector<JsonReader>> list(const char* field) const {
    const auto found = form_.find(field);
    return found ? found->items(0, kMaxListItems) : std::vector<JsonReader>();
  }

  /// Declares a name, which no other thing of problem and kernel may have.
  Status declare(const JsonReader& form, const std::string& name) {
    if (!taken_.insert(name).second) {
      return form.error("`" + name + "` is declared already");
    }
    return {};
  }

  Status read_texts() {
    if (const auto language = form_.find("language")) {
      WS_TRY(kernel_.language, language->text(kMaxNameBytes));
      if (find_language(kernel_.language) == nullptr) {
        return language->unsupported(
            "language `" + kernel_.language + "`",
            "use `cuda`, `hip`, `hlsl`, `glsl`, `triton`, `cutile` (cuTile Python) or `cutile_jl` "
            "(cuTile.jl)");
      }
      scope_.language = kernel_.language;
      scope_.tiles = is_tile_language(kernel_.language);
      scope_.shader = is_shader_language(kernel_.language);
    }
    WS_TRY(const JsonReader source, form_.require("source"));
    WS_TRY(kernel_.source, source.text(kMaxSourceBytes));
    if (const auto macros = form_.find("macros")) {
      WS_TRY(kernel_.macros, macros->any_text(kMaxSourceBytes));
    }
    return {};
  }

  Status read_params() {
    const auto params = form_.find("params");
    if (!params) {
      return {};
    }
    WS_TRY(const auto fields, params->members(kMaxListItems));
    for (const auto& [name, values] : fields) {
      WS_CHECK(JsonReader(nlohmann::json(name), values.path()).identifier());
      WS_CHECK(declare(values, name));
      WS_TRY(const std::vector<JsonReader> items, values.items(1, kMaxParamValues));
      std::vector<std::int64_t>& list = kernel_.params[name];
      for (const JsonReader& item : items) {
        WS_TRY(const std::int64_t value, item.integer(INT64_MIN, INT64_MAX));
        if (std::find(list.begin(), list.end(), value) != list.end()) {
          return item.error(std::to_string(value) + " is listed twice");
        }
        list.push_back(value);
      }
      kernel_.defaults[name] = list.front();
      scope_.integers.push_back(name);
    }
    return {};
  }

  Status read_defaults() {
    const auto defaults = form_.find("defaults");
    if (!defaults) {
      return {};
    }
    Names names;
    for (const auto& [name, values] : kernel_.params) {
      names.push_back(name);
    }
    WS_CHECK(defaults->check_fields(names));
    WS_TRY(const auto fields, defaults->members(kMaxListItems));
    for (const auto& [name, form] : fields) {
      WS_TRY(const std::int64_t value, form.integer(INT64_MIN, INT64_MAX));
      const std::vector<std::int64_t>& list = kernel_.params[name];
      if (std::find(list.begin(), list.end(), value) == list.end()) {
        return form.error(std::to_string(value) + " is not one of the parameter's values");
      }
      kernel_.defaults[name] = value;
    }
    return {};
  }

  Status read_constraints() {
    if (const auto constraints = form_.find("constraints")) {
      WS_TRY(kernel_.constraints, constraints->expressions(scope_.integers, 0, kMaxListItems));
    }
    return {};
  }

  Status read_scratch() {
    WS_TRY(const std::vector<JsonReader> items, list("scratch"));
    for (const JsonReader& item : items) {
      WS_CHECK(item.check_fields({"name", "type", "shape", "zero"}));
      ScratchSpec scratch;
      WS_TRY(const JsonReader name, item.require("name"));
      WS_TRY(scratch.name, name.identifier());
      WS_CHECK(declare(name, scratch.name));
      WS_TRY(const JsonReader type, item.require("type"));
      WS_TRY(scratch.type, type.dtype());
      WS_TRY(const JsonReader shape, item.require("shape"));
      WS_TRY(scratch.shape, shape.expressions(scope_.integers, 0, kMaxRank));
      if (const auto zero = item.find("zero")) {
        WS_TRY(scratch.zero, zero->boolean());
      }
      scope_.buffers.push_back(scratch.name);
      kernel_.scratch.push_back(std::move(scratch));
    }
    return {};
  }

  Status read_symbols() {
    WS_TRY(const std::vector<JsonReader> items, list("symbols"));
    for (const JsonReader& item : items) {
      WS_CHECK(item.check_fields({"name", "of"}));
      SymbolSpec symbol;
      WS_TRY(const JsonReader name, item.require("name"));
      WS_TRY(symbol.name, name.text(kMaxEntryBytes));
      WS_TRY(const JsonReader of, item.require("of"));
      WS_TRY(symbol.of, of.text(kMaxNameBytes));
      const ArgSpec* arg = problem_.find_arg(symbol.of);
      if (arg == nullptr || arg->role == Role::kOut || arg->role == Role::kScalar) {
        return of.expected("the name of an `in` or `inout` argument");
      }
      kernel_.symbols.push_back(std::move(symbol));
    }
    return {};
  }

  Status read_tensor_maps() {
    WS_TRY(const std::vector<JsonReader> items, list("tensor_maps"));
    for (const JsonReader& item : items) {
      WS_TRY(TensorMapSpec map, ws::read_tensor_map(item, scope_));
      WS_CHECK(declare(*item.find("name"), map.name));
      scope_.tensor_maps.push_back(map.name);
      kernel_.tensor_maps.push_back(std::move(map));
    }
    return {};
  }

  Status read_options() {
    WS_TRY(const std::vector<JsonReader> items, list("options"));
    for (const JsonReader& item : items) {
      WS_TRY(std::string option, item.text(kMaxEntryBytes));
      if (const Status allowed = check_option(option); !allowed) {
        return at_path(item.path(), allowed.error());
      }
      kernel_.options.push_back(std::move(option));
    }
    return {};
  }

  Status read_headers() {
    const auto headers = form_.find("headers");
    if (!headers) {
      return {};
    }
    WS_TRY(const auto fields, headers->members(kMaxListItems));
    for (const auto& [name, text] : fields) {
      if (const Status allowed = check_header_name(name); !allowed) {
        return at_path(headers->path(), allowed.error());
      }
      WS_TRY(kernel_.headers[name], text.any_text(kMaxSourceBytes));
    }
    return {};
  }

  Status read_specialize() {
    Names dims;
    for (const DimSpec& dim : problem_.dims) {
      dims.push_back(dim.name);
    }
    WS_TRY(const std::vector<JsonReader> items, list("specialize"));
    for (const JsonReader& item : items) {
      WS_TRY(std::string name, item.text(kMaxNameBytes));
      if (std::find(dims.begin(), dims.end(), name) == dims.end()) {
        return item.error("`" + name + "` is not a dim of the problem", suggest(name, dims));
      }
      kernel_.specialize.push_back(std::move(name));
    }
    return {};
  }

  Status read_launches(const std::string& entry) {
    const auto launches = form_.find("launches");
    const bool empty = !launches || (launches->is_list() && launches->json().empty());
    if (empty && !entry.empty() && !scope_.tiles) {
      kernel_.launches.push_back(default_launch(entry));
      return {};
    }
    WS_TRY(const JsonReader form, form_.require("launches"));
    WS_TRY(const std::vector<JsonReader> items, form.items(1, kMaxLaunches));
    for (const JsonReader& item : items) {
      WS_TRY(LaunchSpec launch, read_launch(item, scope_));
      kernel_.launches.push_back(std::move(launch));
    }
    return {};
  }

  /// One thread for each element of the first output; documented at problem_from_json.
  [[nodiscard]] LaunchSpec default_launch(const std::string& entry) const {
    LaunchSpec launch;
    launch.entry = entry;
    std::string elements = "1";
    const auto output = std::find_if(
        problem_.args.begin(), problem_.args.end(),
        [](const ArgSpec& arg) { return arg.role == Role::kOut || arg.role == Role::kInout; });
    for (const std::string& extent : output->shape) {
      elements += "*(" + extent + ")";
    }
    launch.grid = {"max(1, cdiv(" + elements + ", 256))"};
    launch.block = {"256"};
    const auto add = [&launch](const std::string& name) { launch.args.emplace_back().name = name; };
    for (const bool scalars : {false, true}) {
      for (const ArgSpec& arg : problem_.args) {
        if ((arg.role == Role::kScalar) == scalars) {
          add(arg.name);
        }
      }
    }
    for (const DimSpec& dim : problem_.dims) {
      add(dim.name);
    }
    return launch;
  }

  const JsonReader& form_;
  const Problem& problem_;
  LaunchScope scope_;
  std::set<std::string> taken_;
  Kernel kernel_;
};

}  // namespace

Names integer_names(const Problem& problem) {
  Names names;
  for (const DimSpec& dim : problem.dims) {
    names.push_back(dim.name);
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar && !is_float(arg.type)) {
      names.push_back(arg.name);
    }
  }
  return names;
}

Names plan_fields() {
  return {"language", "source",   "macros",      "launches", "scratch", "symbols",   "tensor_maps",
          "params",   "defaults", "constraints", "options",  "headers", "specialize"};
}

Result<Kernel> read_plan(const JsonReader& form, const Problem& problem, const std::string& entry) {
  for (const LaterField& later : kLaterFields) {
    if (const auto found = form.find(later.name)) {
      return found->unsupported(later.what);
    }
  }
  return PlanReader(form, problem).read(entry);
}

Result<Kernel> kernel_from_json(const nlohmann::json& json, const Problem& problem) {
  const JsonReader form(json, "kernel");
  Names known = plan_fields();
  known.insert(known.end(), {"name", "problem_id", "types"});
  WS_CHECK(form.check_fields(known));
  WS_TRY(Kernel kernel, read_plan(form, problem));
  kernel.name = "kernel";
  if (const auto name = form.find("name")) {
    WS_TRY(kernel.name, name->text(kMaxNameBytes));
  }
  if (const auto id = form.find("problem_id")) {
    WS_TRY(const std::string sent, id->text(kMaxEntryBytes));
    if (!same_name(sent, problem.id)) {
      return fail(ErrorCode::kConflict,
                  id->path() + ": the kernel is for " + sent + ", the problem is " + problem.id,
                  "leave `problem_id` out of the kernel to use it for this problem");
    }
  }
  kernel.problem_id = problem.id;
  nlohmann::json stored = json;
  stored["problem_id"] = problem.id;
  kernel.id = content_id("krn", slug(kernel.name, "kernel"), stored);
  kernel.json = canonical_text(stored);
  return kernel;
}

}  // namespace ws
