#include "runtime/tune/t1_kernel.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/exchange/definition.h"
#include "runtime/exchange/own_field.h"
#include "runtime/exchange/shallow_json.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/tune/kernel_tuner.h"
#include "runtime/tune/t1_argument.h"

namespace ws::tune {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxWord = 256;
constexpr std::array<const char*, 3> kAxes = {"X", "Y", "Z"};
constexpr std::array<const char*, 3> kSizes = {"problem_size_x", "problem_size_y",
                                               "problem_size_z"};
constexpr std::array<const char*, 3> kBlocks = {"block_size_x", "block_size_y", "block_size_z"};

/// A file of the user that is no code is not printed, whatever a foreign T1 file names.
constexpr std::array<std::string_view, 8> kCodeEndings = {".cu",  ".cuh", ".cpp", ".cc",
                                                          ".cxx", ".c",   ".h",   ".hpp"};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

class SpecificationReader {
 public:
  SpecificationReader(const Json& spec, SpaceForm space)
      : spec_(spec),
        reader_(spec_, "KernelSpecification"),
        space_(std::move(space)) {}

  Result<ImportedForms> read(const std::string& source) {
    if (word_in(spec_, "Language") != "CUDA") {
      return reader_.unsupported("the language `" + quoted(word_in(spec_, "Language"), 40) + "`");
    }
    WS_TRY(const JsonReader field, reader_.require("KernelName"));
    WS_TRY(const std::string name, field.text(kMaxWord));
    problem_ = {{"name", name},
                {"dims", Json::object()},
                {"args", Json::array()},
                {"reference", {{"kind", "first_kernel"}}}};
    launch_ = {{"entry", name}, {"args", Json::array()}};
    kernel_ = {{"name", name}, {"language", "cuda"}, {"source", source}};
    WS_CHECK(read_sizes());
    WS_CHECK(read_grid());
    WS_CHECK(read_arguments());
    add_space();
    if (const Json options = spec_.value("CompilerOptions", Json()); options.is_array()) {
      kernel_["options"] = options;
    }
    if (const std::string shared = word_in(spec_, "SharedMemory"); !shared.empty()) {
      launch_["shared_bytes"] = shared;
    }
    kernel_["launches"] = Json::array({launch_});
    return ImportedForms{
        .problem = problem_.dump(),
        .kernel = kernel_.dump(),
        .notes = {"a T1 file says nothing about right results: the first kernel of the problem is "
                  "its reference, and no proof of itself; to tune it, give `problem` another "
                  "reference"}};
  }

 private:
  /// The problem's size, a number or a list of up to three.
  Status read_sizes() {
    const Json given = spec_.value("ProblemSize", Json());
    const Json sizes = given.is_array() ? given : Json::array({given});
    if (sizes.empty() || sizes.size() > kSizes.size()) {
      return JsonReader(sizes, "ProblemSize").expected("one to three numbers");
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      constexpr std::int64_t kMost = std::int64_t{1} << 40U;
      WS_TRY(const std::int64_t size, JsonReader(sizes[i], "ProblemSize").integer(1, kMost));
      problem_["dims"][kSizes.at(i)] = {size};
    }
    return {};
  }

  [[nodiscard]] bool is_param(const std::string& name) const {
    return std::ranges::any_of(space_.params, [&](const Axis& axis) { return axis.name == name; });
  }

  /// An expression of the file in our names: `ProblemSize[0]`, and `max(name)` of a parameter.
  [[nodiscard]] std::string expression(std::string text) const {
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      replace_all(text, "ProblemSize[" + std::to_string(i) + "]", kSizes.at(i));
    }
    for (const Axis& axis : space_.params) {
      const auto [low, high] = std::ranges::minmax(axis.values);
      replace_all(text, "max(" + axis.name + ")", std::to_string(high));
      replace_all(text, "min(" + axis.name + ")", std::to_string(low));
    }
    return text;
  }

  Status read_grid() {
    Json grid = Json::array();
    Json block = Json::array();
    const Json local = spec_.value("LocalSize", Json());
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const std::string size = word_in(local, kAxes.at(i));
      block.push_back(!size.empty() ? size : is_param(kBlocks.at(i)) ? kBlocks.at(i) : "1");
      WS_TRY(const std::string blocks, blocks_along(i));
      grid.push_back(blocks);
    }
    launch_["grid"] = grid;
    launch_["block"] = block;
    return {};
  }

  /// The problem's size over the product of the divisors, as Kernel Tuner computes it.
  Result<std::string> blocks_along(std::size_t axis) const {
    if (!problem_["dims"].contains(kSizes.at(axis))) {
      return std::string("1");
    }
    const std::string key = std::string("GridDiv") + kAxes.at(axis);
    const Json given = spec_.value(key, Json());
    std::string divisor;
    for (const Json& each : given.is_array() ? given : Json::array()) {
      const std::string text = each.is_string() ? each.get<std::string>() : each.dump();
      const Result<Expr> expr = parse_expr(text);
      if (!expr) {
        return at_path("KernelSpecification." + key, expr.error());
      }
      const bool plain = std::ranges::all_of(text, is_word);
      divisor += (divisor.empty() ? "" : " * ") + (plain ? text : "(" + text + ")");
    }
    if (divisor.empty()) {
      divisor = is_param(kBlocks.at(axis)) ? kBlocks.at(axis) : "1";
    }
    return "cdiv(" + std::string(kSizes.at(axis)) + ", " + divisor + ")";
  }

  Status read_arguments() {
    WS_TRY(const JsonReader list, reader_.require("Arguments"));
    constexpr std::size_t kMostArguments = 128;
    WS_TRY(const std::vector<JsonReader> arguments, list.items(1, kMostArguments));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Json& argument = arguments[i].json();
      const std::string given = word_in(argument, "Name");
      const std::string name = given.empty() ? "argument_" + std::to_string(i) : given;
      if (!is_identifier(name)) {
        return arguments[i].error("`" + quoted(name, 40) + "` is no usable name");
      }
      WS_CHECK(read_argument(arguments[i], name));
      launch_["args"].push_back(name);
    }
    return {};
  }

  Status read_argument(const JsonReader& reader, const std::string& name) {
    std::string size;
    if (word_in(reader.json(), "MemoryType") == "Vector") {
      WS_TRY(size, size_of(reader));
    }
    WS_TRY(Json arg, argument_of_t1(reader, name, size));
    if (word_in(reader.json(), "MemType") == "Constant") {
      kernel_["symbols"].push_back({{"name", name}, {"of", name}});
    }
    problem_["args"].push_back(std::move(arg));
    return {};
  }

  Result<std::string> size_of(const JsonReader& reader) const {
    std::string size = expression(word_in(reader.json(), "Size"));
    const Result<Expr> expr = parse_expr(size);
    if (!expr) {
      return at_path(reader.path() + ".Size", expr.error());
    }
    for (const std::string& name : expr->names()) {
      if (is_param(name)) {
        return reader.unsupported("a Size that depends on the parameter `" + name + "`");
      }
    }
    return size;
  }

  void add_space() {
    std::string macros;
    for (const Axis& axis : space_.params) {
      macros += "#define " + axis.name + " @" + axis.name + "@\n";
      kernel_["params"][axis.name] = axis.values;
    }
    kernel_["macros"] = macros;
    kernel_["defaults"] = space_.defaults;
    kernel_["constraints"] = space_.constraints;
  }

  const Json spec_;
  const JsonReader reader_;
  const SpaceForm space_;
  Json problem_;
  Json kernel_;
  Json launch_;
};

Result<Json> t1_file(std::string_view t1) {
  WS_TRY(Json file, parse_shallow(t1));
  if (!file.is_object() || !file.value("KernelSpecification", Json()).is_object()) {
    return fail(ErrorCode::kInvalidArgument, "not a T1 file: it has no KernelSpecification");
  }
  return file;
}

}  // namespace

Result<std::string> kernel_file_of(std::string_view t1) {
  WS_TRY(const Json file, t1_file(t1));
  std::string name = word_in(file["KernelSpecification"], "KernelFile");
  const std::filesystem::path path = name;
  const bool leaves = std::ranges::any_of(path, [](const auto& part) { return part == ".."; });
  if (name.empty() || path.is_absolute() || leaves) {
    return fail(ErrorCode::kInvalidArgument, "KernelSpecification.KernelFile: `" +
                                                 quoted(name, 80) +
                                                 "` is no path below the folder of the T1 file");
  }
  if (std::ranges::find(kCodeEndings, path.extension().string()) == kCodeEndings.end()) {
    return fail(ErrorCode::kInvalidArgument,
                "KernelSpecification.KernelFile: `" + quoted(name, 80) + "` is no file of C++ code",
                "it ends in .cu, .cuh, .cpp, .cc, .cxx, .c, .h or .hpp");
  }
  return name;
}

Result<ImportedForms> import_t1(std::string_view t1, const std::string& source) {
  try {
    WS_TRY(Json file, t1_file(t1));
    if (const Json own = file.value(kOwnField, Json()); own.is_object()) {
      file.erase(kOwnField);
      file[kSourcePart] = source;
      return forms_of_own(own, file, "the specification");
    }
    WS_TRY(SpaceForm space, read_t1(t1));
    return SpecificationReader(file["KernelSpecification"], std::move(space)).read(source);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidArgument, "a field has the wrong type", {}, error.what());
  }
}

}  // namespace ws::tune
