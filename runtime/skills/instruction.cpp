#include "runtime/skills/instruction.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "runtime/kernel/form/lines.h"

namespace ws {
namespace {

using Names = std::vector<std::string>;

std::string joined(const Names& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

/// "cuda, hip or hlsl". @param words  At least one.
std::string alternatives(const Names& words) {
  const std::string others = joined({words.begin(), words.end() - 1});
  return (others.empty() ? "" : others + " or ") + words.back();
}

Names buffers(const Problem& problem, bool outputs) {
  Names names;
  for (const ArgSpec& arg : problem.args) {
    const bool output = arg.role == Role::kOut || arg.role == Role::kInout;
    const bool input = arg.role == Role::kIn || arg.role == Role::kInout;
    if (outputs ? output : input) {
      names.push_back(arg.name);
    }
  }
  return names;
}

struct Fact {
  const char* name;
  std::string (*value)(const InstructionFacts&);
};

/// The one list of what {{NAME}} may name.
constexpr std::array kFacts = {
    Fact{"entry",
         [](const InstructionFacts& facts) {
           const std::string entry =
               facts.kernel.launches.empty() ? "" : facts.kernel.launches.front().entry;
           return entry.substr(0, entry.find('<'));
         }},
    Fact{"inputs",
         [](const InstructionFacts& facts) { return joined(buffers(facts.problem, false)); }},
    Fact{"outputs",
         [](const InstructionFacts& facts) { return joined(buffers(facts.problem, true)); }},
    Fact{"dims",
         [](const InstructionFacts& facts) {
           Names names;
           for (const DimSpec& dim : facts.problem.dims) {
             names.push_back(dim.name);
           }
           return joined(names);
         }},
    Fact{"device", [](const InstructionFacts& facts) { return facts.device; }},
    Fact{"warp", [](const InstructionFacts& facts) { return std::to_string(facts.warp_size); }},
    Fact{"shared_bytes",
         [](const InstructionFacts& facts) { return std::to_string(facts.shared_bytes); }}};

/// "BM (64, 128)": a parameter with the values it has, or gets.
std::string parameter_text(const std::string& name, const Transformation& transformation,
                           const Kernel& kernel) {
  const auto own = kernel.params.find(name);
  const auto introduced = transformation.introduces.find(name);
  if (own == kernel.params.end() && introduced == transformation.introduces.end()) {
    return name;
  }
  Names values;
  for (const std::int64_t value : own != kernel.params.end() ? own->second : introduced->second) {
    values.push_back(std::to_string(value));
  }
  return name + " (" + joined(values) + ")";
}

std::string filled(std::string text, const Transformation& transformation,
                   const InstructionFacts& facts) {
  for (const std::string& name : names_between(text, "{{", "}}")) {
    const std::string place = "{{" + name + "}}";
    const auto fact = std::find_if(kFacts.begin(), kFacts.end(),
                                   [&](const Fact& row) { return row.name == name; });
    const std::string value = fact != kFacts.end()
                                  ? fact->value(facts)
                                  : parameter_text(name, transformation, facts.kernel);
    for (std::size_t at = text.find(place); at != std::string::npos;
         at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

/// Leaves out code between fences that bear another language's name.
std::string of_language(const std::string& text, const std::string& language) {
  std::string kept;
  bool code = false;
  bool skipped = false;
  for (const std::string& line : split_lines(text)) {
    const bool fence = line.starts_with("```");
    if (fence && !code) {
      const std::string tag = line.substr(3);
      skipped = tag != language && has(transformation_languages(), tag);
    }
    kept += skipped ? "" : line + "\n";
    if (fence) {
      skipped = skipped && !code;
      code = !code;
    }
  }
  return kept;
}

std::string items_text(const std::string& title, const Names& items) {
  std::string text = items.empty() ? "" : "\n" + title + ":\n";
  for (const std::string& item : items) {
    text += "- " + item + "\n";
  }
  return text;
}

/// 90 of "sm_90a"; 0 when it is no such name.
int capability(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  int number = 0;
  if (arch.starts_with(kPrefix)) {
    std::from_chars(arch.data() + kPrefix.size(), arch.data() + arch.size(), number);
  }
  return number;
}

/// "sm_90" is met by later ones too; "sm_90a" has instructions that no other has.
bool arch_fits(const std::string& wanted, const std::string& arch) {
  const int least = wanted.ends_with('a') ? 0 : capability(wanted);
  return least > 0 ? capability(arch) >= least : wanted == arch;
}

bool contains_any(const Kernel& kernel, const Names& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return kernel.source.find(text) != std::string::npos ||
           kernel.macros.find(text) != std::string::npos;
  });
}

std::optional<bool> judge(const Requirement& requirement, const InstructionFacts& facts) {
  if (!requirement.source.empty()) {
    return contains_any(facts.kernel, requirement.source);
  }
  if (!requirement.lacks.empty()) {
    return !contains_any(facts.kernel, requirement.lacks);
  }
  if (!requirement.arch.empty()) {
    return std::any_of(requirement.arch.begin(), requirement.arch.end(),
                       [&](const std::string& arch) { return arch_fits(arch, facts.arch); });
  }
  if (!requirement.after.empty()) {
    return std::any_of(requirement.after.begin(), requirement.after.end(),
                       [&](const std::string& name) { return has(facts.lineage, name); });
  }
  if (!requirement.params.empty()) {
    return std::all_of(requirement.params.begin(), requirement.params.end(),
                       [&](const std::string& name) { return facts.kernel.params.contains(name); });
  }
  if (requirement.loop) {
    return has_loop(facts.kernel, *requirement.loop);
  }
  if (!requirement.types.empty()) {
    return std::all_of(
        facts.problem.args.begin(), facts.problem.args.end(), [&](const ArgSpec& arg) {
          return arg.role != Role::kIn || has(requirement.types, std::string(name_of(arg.type)));
        });
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> instruction_facts() {
  Names names;
  for (const Fact& fact : kFacts) {
    names.emplace_back(fact.name);
  }
  return names;
}

std::vector<RequirementState> judge_requirements(const Transformation& transformation,
                                                 const InstructionFacts& facts) {
  std::vector<RequirementState> states;
  states.push_back({"a kernel in " + alternatives(transformation.languages),
                    has(transformation.languages, facts.kernel.language)});
  if (!transformation.ops.empty()) {
    states.push_back({"a problem whose op is " + alternatives(transformation.ops),
                      has(transformation.ops, facts.problem.op)});
  }
  for (const Requirement& requirement : transformation.requirements) {
    states.push_back({requirement.text, judge(requirement, facts)});
  }
  return states;
}

std::string render_instruction(const Transformation& transformation, const Pass& pass,
                               const InstructionFacts& facts) {
  const std::string& language = facts.kernel.language;
  Names words;
  for (const auto* table : {&pass.words, &transformation.words}) {
    for (const auto& row : *table) {
      const auto what = row.find("what");
      const auto word = row.find(language);
      if (what != row.end() && word != row.end()) {
        words.push_back(what->second + ": " + word->second);
      }
    }
  }
  return filled(of_language(pass.instruction, language) + items_text("Words", words) +
                    items_text("Pitfalls", pass.pitfalls) + "\nCheck: " + pass.test + "\n",
                transformation, facts);
}

}  // namespace ws
