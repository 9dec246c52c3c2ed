// Named constants and the extents of a block become tuning parameters.
#include <array>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/kernel/language.h"
#include "runtime/skills/builtin_parts.h"

namespace ws::builtin {
namespace {

constexpr std::int64_t kMostThreads = 1024;  // The limit of a block, on every device.

/// Only powers of two have neighbours that a kernel is likely to be written for.
bool can_vary(std::int64_t value) {
  return value >= 2 && value <= kMostThreads && (value & (value - 1)) == 0;
}

struct Constant {
  std::string name;
  std::int64_t value = 0;
  std::size_t at = 0;  // The place of the number in the line.
  std::size_t length = 0;
};

std::string_view next_word(std::string_view& text) {
  text = stripped(text);
  std::size_t end = 0;
  while (end < text.size() && is_word(text[end])) {
    ++end;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// `[static] constexpr|const int|uint NAME = 16;` or `#define NAME 16`.
std::optional<Constant> constant_in(const std::string& line) {
  std::string_view rest = stripped(code_of(line));
  const bool macro = rest.starts_with("#define ");
  if (macro) {
    rest.remove_prefix(std::string_view("#define ").size());
  } else {
    std::string_view word = next_word(rest);
    word = word == "static" ? next_word(rest) : word;
    if (word != "constexpr" && word != "const") {
      return std::nullopt;
    }
    if (const std::string_view type = next_word(rest); type != "int" && type != "uint") {
      return std::nullopt;
    }
  }
  const std::string name(next_word(rest));
  rest = stripped(rest);
  if (name.empty() || (!macro && (!rest.starts_with("=") || !rest.ends_with(";")))) {
    return std::nullopt;
  }
  const std::string_view digits = macro ? rest : stripped(rest.substr(1, rest.size() - 2));
  const std::optional<std::int64_t> number = plain_number(digits);
  if (!number || !can_vary(*number)) {
    return std::nullopt;
  }
  return Constant{name, *number, static_cast<std::size_t>(digits.data() - line.data()),
                  digits.size()};
}

class Introduction {
 public:
  explicit Introduction(const Kernel& kernel)
      : kernel_(kernel),
        form_(nlohmann::json::parse(kernel.json, nullptr, false)) {}

  void constants(const char* region, const std::string& text) {
    const std::vector<std::string> lines = split_lines(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto found = constant_in(lines[i]);
      if (found && add(found->name, found->value)) {
        std::string changed = lines[i];
        changed.replace(found->at, found->length, "@" + found->name + "@");
        edits_.push_back(replace_line(region, i + 1, lines[i], changed));
      }
    }
  }

  /// A kernel that asks for its block's extents is written for any block.
  void block() {
    constexpr std::array<const char*, 3> kNames = {"BLOCK_X", "BLOCK_Y", "BLOCK_Z"};
    constexpr std::array<const char*, 3> kExtents = {"blockDim.x", "blockDim.y", "blockDim.z"};
    if (kernel_.launches.size() != 1) {
      return;
    }
    const LaunchSpec& launch = kernel_.launches.front();
    nlohmann::json& sent = form_["launches"][0];
    std::string threads;
    for (std::size_t i = 0; i < launch.block.size(); ++i) {
      const auto value = plain_number(launch.block[i]);
      const bool asks = kernel_.source.find(kExtents[i]) != std::string::npos;
      if (value && asks && i < launch.grid.size() &&
          find_word(launch.grid[i], launch.block[i]) != std::string::npos && can_vary(*value) &&
          add(kNames[i], *value)) {
        sent["block"][i] = kNames[i];
        sent["grid"][i] = replace_words(launch.grid[i], launch.block[i], kNames[i]);
        plan_changed_ = true;
      }
      threads += (threads.empty() ? "" : "*") + sent["block"][i].get<std::string>();
    }
    if (plan_changed_) {
      form_["constraints"].push_back(threads + " <= " + std::to_string(kMostThreads));
    }
  }

  Result<nlohmann::json> proposal() {
    if (!added_) {
      return fail(ErrorCode::kInvalidArgument,
                  "no named constant and no extent of a block that could be a parameter",
                  is_shader_language(kernel_.language)
                      ? "write `#define NAME 16` for the number that is to vary"
                      : "write `constexpr int NAME = 16;` for the number that is to vary");
    }
    nlohmann::json set = {{"params", form_["params"]}, {"defaults", form_["defaults"]}};
    if (plan_changed_) {
      set["launches"] = form_["launches"];
      set["constraints"] = form_["constraints"];
    }
    nlohmann::json result = {{"set", set}};
    if (!edits_.empty()) {
      result["edits"] = edits_;
    }
    return result;
  }

 private:
  bool add(const std::string& name, std::int64_t value) {
    if (form_["params"].contains(name)) {
      return false;
    }
    form_["params"][name] = {value / 2, value, value * 2};
    form_["defaults"][name] = value;
    added_ = true;
    return true;
  }

  const Kernel& kernel_;
  nlohmann::json form_;
  nlohmann::json edits_ = nlohmann::json::array();
  bool added_ = false;
  bool plan_changed_ = false;
};

}  // namespace

Result<nlohmann::json> introduce_parameters(const Kernel& kernel) {
  Introduction introduction(kernel);
  introduction.constants("macros", kernel.macros);
  introduction.constants("source", kernel.source);
  introduction.block();
  return introduction.proposal();
}

}  // namespace ws::builtin
