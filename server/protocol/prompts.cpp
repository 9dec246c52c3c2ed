#include "server/protocol/prompts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/nearest.h"
#include "server/protocol/message.h"
#include "tools/guide_files.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxArgument = 500;                   // Bytes: an id or a sentence.
constexpr std::size_t kMaxPasted = std::size_t{64} << 10U;  // A kernel's source.

struct PromptArgument {
  const char* name;
  const char* description;
  bool required;
  const char* otherwise;            ///< Filled in where the caller leaves it out.
  std::size_t most = kMaxArgument;  ///< Bytes.
};

struct Prompt {
  const char* name;
  const char* title;
  const char* description;
  std::array<PromptArgument, 2> arguments;
  const char* folder;  ///< In skills/; in its text {name} is the argument's value.
};

constexpr PromptArgument kKernel = {"kernel_id", "The kernel to begin with: an id, or name@branch",
                                    true, ""};

constexpr PromptArgument kNone = {nullptr, nullptr, false, ""};

/// The one list. The text of each is a file of skills/.
constexpr std::array kPrompts = {
    Prompt{"start",
           "Start",
           "Makes a problem and a kernel, both checked, from a description or a pasted kernel",
           {PromptArgument{"task", "A description of what to compute, or a pasted kernel", true, "",
                           kMaxPasted},
            kNone},
           "start"},
    Prompt{"optimize_kernel",
           "Optimize a kernel",
           "Leads a kernel through transformations, each judged, to the best one found",
           {kKernel, PromptArgument{"goal", "The goal, such as a size or a speed", false,
                                    "as fast as possible on every workload of its problem"}},
           "optimize-kernel"},
    Prompt{"tile_kernel",
           "Tile a kernel",
           "Leads a kernel through tiling: shared memory, registers, and their parameters",
           {kKernel, PromptArgument{"tile", "Sizes to aim for, such as 128 x 128 x 8", false,
                                    "what shared memory and registers of the device allow"}},
           "tile-kernel"},
    Prompt{"explain_profile",
           "Explain a profile",
           "Finds what limits a kernel, explains it by its lines, and says what to change first",
           {kKernel, PromptArgument{"question", "The question to answer", false,
                                    "why is it not faster, and what should be changed first?"}},
           "explain-profile"},
    Prompt{"refine_until_faster",
           "Refine until faster",
           "Writes, evaluates and learns in rounds until a kernel is faster than its reference",
           {kKernel, PromptArgument{"rounds", "The most evaluations", false, "10"}},
           "refine-until-faster"},
    Prompt{"adapt_attention",
           "Adapt an attention kernel",
           "Adapts a fast attention kernel to another mask, score or normalisation",
           {kKernel,
            PromptArgument{"variant", "The variant, such as causal, softcap 30, or a window of 128",
                           true, ""}},
           "adapt-attention-kernel"},
    Prompt{
        "translate_kernel",
        "Translate a kernel",
        "Translates a kernel between CUDA, HLSL, Triton, cuTile Python and cuTile.jl, and checks "
        "it",
        {kKernel, PromptArgument{"language", "cuda, hlsl, triton, cutile or cutile_jl", true, ""}},
        "translate-kernel"},
    Prompt{
        "kernel_from_pytorch",
        "A kernel for a PyTorch module",
        "Leads from a PyTorch module to a kernel, checked, timed and handed back as an extension",
        {PromptArgument{"module", "The module's Python text, with get_inputs()", true, "",
                        kMaxPasted},
         PromptArgument{"goal", "The goal, such as a size or a speed", false,
                        "as fast as torch.compile or faster"}},
        "kernel-from-pytorch"},
};

/// The file that a prompt's text is from.
std::string_view skill_md_of(const Prompt& prompt) {
  return guide_file("skills/" + std::string(prompt.folder) + "/SKILL.md");
}

/// Its instructions: the file has a worked example, too, which would be long for a prompt.
std::string_view instructions_of(const Prompt& prompt) {
  constexpr std::string_view kHead = "## Instructions\n\n";
  std::string_view text = skill_md_of(prompt);
  text.remove_prefix(std::min(text.find(kHead), text.size() - kHead.size()) + kHead.size());
  text = text.substr(0, text.find("\n## "));
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

std::vector<PromptArgument> arguments_of(const Prompt& prompt) {
  std::vector<PromptArgument> arguments;
  std::copy_if(prompt.arguments.begin(), prompt.arguments.end(), std::back_inserter(arguments),
               [](const PromptArgument& argument) { return argument.name != nullptr; });
  return arguments;
}

OrderedJson argument_rows(const Prompt& prompt) {
  OrderedJson rows = OrderedJson::array();
  for (const PromptArgument& argument : arguments_of(prompt)) {
    rows.push_back({{"name", argument.name},
                    {"description", argument.description},
                    {"required", argument.required}});
  }
  return rows;
}

tl::unexpected<RpcError> refused(const std::string& message, const std::string& hint = {}) {
  return rpc_fail(rpc::kInvalidParams, message + (hint.empty() ? "" : "; " + hint));
}

/// The caller's value, or what stands for it.
RpcResult<std::string> value_of(const PromptArgument& argument, const Json& arguments) {
  const auto given = arguments.find(argument.name);
  if (given == arguments.end()) {
    if (argument.required) {
      return refused("argument `" + std::string(argument.name) + "` is missing",
                     argument.description);
    }
    return std::string(argument.otherwise);
  }
  if (!given->is_string() || given->get_ref<const std::string&>().size() > argument.most) {
    return refused("argument `" + std::string(argument.name) + "` must be a text of at most " +
                   std::to_string(argument.most) + " bytes");
  }
  return given->get<std::string>();
}

/// One pass over the text: what was filled in is not looked at again.
std::string fill(std::string_view text, const Json& values) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    const std::string name(close == std::string_view::npos ? ""
                                                           : text.substr(at + 1, close - at - 1));
    if (!name.empty() && values.contains(name)) {
      filled += values[name].get_ref<const std::string&>();
      at = close + 1;
    } else {
      filled.push_back(text[at++]);
    }
  }
  return filled;
}

/// Null where there is none.
/// @param name  As in the list, or its folder's.
const Prompt* find_prompt(std::string_view name) {
  const auto* const found = std::find_if(kPrompts.begin(), kPrompts.end(), [&](const Prompt& row) {
    return row.name == name || row.folder == name;
  });
  return found == kPrompts.end() ? nullptr : found;
}

OrderedJson list_prompts(Revision revision) {
  OrderedJson rows = OrderedJson::array();
  for (const Prompt& prompt : kPrompts) {
    OrderedJson row = {{"name", prompt.name}};
    if (revision >= Revision::kJune2025) {
      row["title"] = prompt.title;
    }
    row["description"] = prompt.description;
    row["arguments"] = argument_rows(prompt);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string prompt_text(const Prompt& prompt, const Json& values) {
  return fill(instructions_of(prompt), values) + "\n\nA worked example of it: read skill://" +
         prompt.folder + "/SKILL.md.";
}

RpcResult<OrderedJson> get_prompt(const std::string& name, const Json& arguments) {
  const Prompt* const prompt = find_prompt(name);
  if (prompt == nullptr) {
    std::vector<std::string> known;
    for (const Prompt& row : kPrompts) {
      known.emplace_back(row.name);
    }
    return refused("there is no prompt " + to_line(Json(name)), suggest(name, known));
  }
  static const Json none = Json::object();
  const Json& given = arguments.is_null() ? none : arguments;
  if (!given.is_object()) {
    return refused("`arguments` must be an object");
  }
  Json values = Json::object();
  for (const PromptArgument& argument : arguments_of(*prompt)) {
    RpcResult<std::string> value = value_of(argument, given);
    if (!value) {
      return tl::unexpected(std::move(value).error());
    }
    values[argument.name] = *std::move(value);
  }
  for (const auto& [key, value] : given.items()) {
    if (!values.contains(key)) {
      return refused("prompt `" + name + "` has no argument " + to_line(Json(key)));
    }
  }
  const OrderedJson message = {
      {"role", "user"}, {"content", {{"type", "text"}, {"text", prompt_text(*prompt, values)}}}};
  return OrderedJson{{"description", prompt->description},
                     {"messages", OrderedJson::array({message})}};
}

class ProductPrompts : public PromptSource {
 public:
  [[nodiscard]] OrderedJson list(Revision revision) const override {
    return list_prompts(revision);
  }

  [[nodiscard]] RpcResult<PromptAnswer> get(const std::string& name, const Json& arguments,
                                            const Inputs& /*inputs*/) const override {
    return get_prompt(name, arguments);
  }
};

}  // namespace

const PromptSource& product_prompts() {
  static const ProductPrompts prompts;
  return prompts;
}

const SkillShelf& product_skills() {
  static const SkillShelf shelf = [] {
    std::vector<Skill> skills;
    for (const Prompt& prompt : kPrompts) {
      if (std::optional<Skill> skill = skill_of(skill_md_of(prompt))) {
        skill->alias = prompt.name;
        skills.push_back(*std::move(skill));
      }
    }
    return SkillShelf(std::move(skills));
  }();
  return shelf;
}

}  // namespace ws::server
