#include "runtime/skills/transformation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/nearest.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/form/kernel_form.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/kernel/language.h"
#include "runtime/skills/front_matter.h"

namespace ws {
namespace {

constexpr std::size_t kMaxItems = 64;
constexpr std::size_t kMaxText = 512;
constexpr std::int64_t kMaxValue = std::int64_t{1} << 40U;

/// [a-z0-9-]{1,40}, as files and resources are named.
Result<std::string> read_name(const JsonReader& form) {
  WS_TRY(std::string name, form.text(kMaxText));
  constexpr std::size_t kMaxName = 40;
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!plain || name.size() > kMaxName) {
    return form.expected("up to 40 of a-z, 0-9 and -");
  }
  return name;
}

/// One text or a list of them.
Result<Names> read_texts(const JsonReader& form) {
  if (!form.is_list()) {
    WS_TRY(const std::string text, form.text(kMaxText));
    return Names{text};
  }
  WS_TRY(const std::vector<JsonReader> items, form.items(1, kMaxItems));
  Names texts;
  for (const JsonReader& item : items) {
    WS_TRY(const std::string text, item.text(kMaxText));
    texts.push_back(text);
  }
  return texts;
}

/// The same where only some words are known. An absent field has none.
Result<Names> read_words(const JsonReader& form, const std::string& key, const Names& known,
                         const std::string& what) {
  const std::optional<JsonReader> field = form.find(key);
  if (!field) {
    return Names{};
  }
  WS_TRY(const Names words, read_texts(*field));
  for (const std::string& word : words) {
    if (!has(known, word)) {
      return field->error("`" + word + "` is no " + what, suggest(word, known));
    }
  }
  return words;
}

Result<Names> read_all(const JsonReader& form, const std::string& key) {
  const std::optional<JsonReader> field = form.find(key);
  return field ? read_texts(*field) : Result<Names>(Names{});
}

Status read_applies(const JsonReader& form, Transformation& transformation) {
  WS_TRY(const JsonReader field, form.require("applies_to"));
  WS_CHECK(field.check_fields({"languages", "ops"}));
  WS_CHECK(field.require("languages"));
  WS_TRY(transformation.languages,
         read_words(field, "languages", transformation_languages(), "language"));
  WS_TRY(transformation.ops, read_all(field, "ops"));
  return {};
}

Result<Requirement> read_requirement(const JsonReader& form) {
  WS_CHECK(
      form.check_fields({"text", "source", "lacks", "arch", "after", "params", "types", "loop"}));
  if (form.json().size() > 2) {
    return form.error("more than one check", "make it two requirements");
  }
  Requirement requirement;
  WS_TRY(const JsonReader text, form.require("text"));
  WS_TRY(requirement.text, text.text(kMaxText));
  WS_TRY(requirement.source, read_all(form, "source"));
  WS_TRY(requirement.lacks, read_all(form, "lacks"));
  WS_TRY(requirement.arch, read_all(form, "arch"));
  WS_TRY(requirement.after, read_all(form, "after"));
  WS_TRY(requirement.params, read_all(form, "params"));
  WS_TRY(requirement.types, read_all(form, "types"));
  if (const auto loop = form.find("loop")) {
    WS_TRY(const std::string word, loop->text(kMaxText));
    requirement.loop = loop_need(word);
    if (!requirement.loop) {
      return loop->error("`" + word + "` is no need", "write sums, shares or products");
    }
  }
  for (const std::string& type : requirement.types) {
    if (!parse_dtype(type)) {
      return form.error("`" + type + "` is no element type");
    }
  }
  return requirement;
}

Status read_introduces(const JsonReader& form, Transformation& transformation) {
  const std::optional<JsonReader> field = form.find("introduces");
  if (!field) {
    return {};
  }
  WS_TRY(const auto members, field->members(kMaxItems));
  for (const auto& [name, values] : members) {
    if (!is_identifier(name)) {
      return values.error(
          "a parameter's name must be an identifier, and not a word of expressions");
    }
    WS_TRY(const std::vector<JsonReader> items, values.items(1, kMaxItems));
    for (const JsonReader& item : items) {
      WS_TRY(const std::int64_t value, item.integer(-kMaxValue, kMaxValue));
      transformation.introduces[name].push_back(value);
    }
  }
  return {};
}

Result<PassCheck> read_check(const JsonReader& form) {
  constexpr std::array<std::pair<const char*, PassCheck>, 3> kWords = {
      {{"compile", PassCheck::kCompile},
       {"quick", PassCheck::kQuick},
       {"standard", PassCheck::kStandard}}};
  const std::optional<JsonReader> field = form.find("check");
  if (!field) {
    return PassCheck::kQuick;
  }
  for (const auto& [word, check] : kWords) {
    if (field->json() == word) {
      return check;
    }
  }
  return field->expected("`compile`, `quick` or `standard`");
}

/// The three parts of a kernel that edits may be confined to.
Names kernel_regions() {
  return {"source", "macros", "plan"};
}

/// The regions of kernels in single languages, which are among those that it applies to.
Status read_regions_in(const JsonReader& form, const Names& languages, Pass& pass) {
  const std::optional<JsonReader> field = form.find("region_in");
  if (!field) {
    return {};
  }
  WS_TRY(const auto members, field->members(kMaxItems));
  for (const auto& [language, words] : members) {
    if (!has(languages, language)) {
      return words.error("`" + language + "` is no language of `applies_to`",
                         suggest(language, languages));
    }
    WS_TRY(pass.regions_in[language], read_words(*field, language, kernel_regions(), "region"));
  }
  return {};
}

Result<Pass> read_pass(const JsonReader& form, const Transformation& transformation,
                       const Names& library) {
  WS_CHECK(form.check_fields({"name", "region", "region_in", "check", "adds", "constraints",
                              "lifts", "imports", "builtin"}));
  Pass pass;
  WS_TRY(const JsonReader name, form.require("name"));
  WS_TRY(pass.name, name.text(kMaxNameBytes));
  WS_CHECK(form.require("region"));
  WS_TRY(pass.regions, read_words(form, "region", kernel_regions(), "region"));
  WS_CHECK(read_regions_in(form, transformation.languages, pass));
  WS_TRY(pass.check, read_check(form));
  Names parameters;
  for (const auto& [parameter, values] : transformation.introduces) {
    parameters.push_back(parameter);
  }
  WS_TRY(pass.adds, read_words(form, "adds", parameters, "parameter that the file introduces"));
  WS_TRY(pass.imports, read_words(form, "imports", library, "file of the library"));
  WS_TRY(pass.constraints, read_all(form, "constraints"));
  WS_TRY(pass.lifts, read_all(form, "lifts"));
  for (const Names* expressions : {&pass.constraints, &pass.lifts}) {
    for (const std::string& expression : *expressions) {
      if (const auto parsed = parse_expr(expression); !parsed) {
        return form.error(parsed.error().message, parsed.error().hint);
      }
    }
  }
  WS_TRY(const Names builtin, read_words(form, "builtin", builtin_passes(), "built-in pass"));
  pass.builtin = builtin.empty() ? "" : builtin.front();
  return pass;
}

Result<Transformation> read_form(const JsonReader& form, const Names& library) {
  WS_CHECK(
      form.check_fields({"name", "summary", "applies_to", "requires", "introduces", "passes"}));
  Transformation transformation;
  WS_TRY(const JsonReader name, form.require("name"));
  WS_TRY(transformation.name, read_name(name));
  WS_TRY(const JsonReader summary, form.require("summary"));
  WS_TRY(transformation.summary, summary.text(kMaxText));
  WS_CHECK(read_applies(form, transformation));
  if (const std::optional<JsonReader> field = form.find("requires")) {
    WS_TRY(const std::vector<JsonReader> items, field->items(1, kMaxItems));
    for (const JsonReader& item : items) {
      WS_TRY(Requirement requirement, read_requirement(item));
      transformation.requirements.push_back(std::move(requirement));
    }
  }
  WS_CHECK(read_introduces(form, transformation));
  WS_TRY(const JsonReader passes, form.require("passes"));
  WS_TRY(const std::vector<JsonReader> items, passes.items(1, kMaxItems));
  for (const JsonReader& item : items) {
    WS_TRY(Pass pass, read_pass(item, transformation, library));
    transformation.passes.push_back(std::move(pass));
  }
  return transformation;
}

/// Names that a text or an expression uses and nobody declared.
Status check_used(const Names& names, const Names& known, const Pass& pass) {
  for (const std::string& name : names) {
    if (!has(known, name)) {
      return fail(ErrorCode::kInvalidArgument,
                  "pass `" + pass.name + "` uses `" + name + "`, which is not declared",
                  "add it to `introduces`, and to `adds` of this pass or an earlier one");
    }
  }
  return {};
}

/// A parameter must be there before it is used: the kernel has it, or a pass has added it.
Status check_parameters(const Transformation& transformation) {
  Names there;
  for (const Requirement& requirement : transformation.requirements) {
    there.insert(there.end(), requirement.params.begin(), requirement.params.end());
  }
  Names added;
  for (const Pass& pass : transformation.passes) {
    added.insert(added.end(), pass.adds.begin(), pass.adds.end());
    there.insert(there.end(), pass.adds.begin(), pass.adds.end());
    Names filled = instruction_facts();
    filled.insert(filled.end(), there.begin(), there.end());
    WS_CHECK(check_used(names_between(pass.instruction, "{{", "}}"), filled, pass));
    WS_CHECK(check_used(names_between(pass.instruction, "@", "@"), there, pass));
    for (const Names* expressions : {&pass.constraints, &pass.lifts}) {
      for (const std::string& text : *expressions) {
        WS_TRY(const Expr expression, parse_expr(text));
        WS_CHECK(check_used(expression.names(), there, pass));
      }
    }
  }
  for (const auto& [name, values] : transformation.introduces) {
    if (!has(added, name)) {
      return fail(ErrorCode::kInvalidArgument,
                  std::string(kFrontMatter) + ".introduces." + name + ": no pass adds it");
    }
  }
  return {};
}

}  // namespace

const std::vector<std::string>& Pass::regions_for(const std::string& language) const {
  const auto own = regions_in.find(language);
  return own == regions_in.end() ? regions : own->second;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> transformation_languages() {
  std::vector<std::string> names;
  for (const LanguageInfo& language : kLanguages) {
    names.emplace_back(language.name);
  }
  return names;
}

Result<Transformation> parse_transformation(const std::string& text,
                                            const std::vector<std::string>& library) {
  const std::vector<std::string> lines = split_lines(text);
  nlohmann::json value;
  LineMap places;
  WS_TRY(const std::size_t body, read_front_matter(lines, value, places));
  const auto at_line = [&places](Error error) {
    error.message.insert(0, "line " + std::to_string(line_of(places, error.message)) + ": ");
    return fail(std::move(error));
  };
  Result<Transformation> transformation = read_form(JsonReader(value, kFrontMatter), library);
  if (!transformation) {
    return at_line(std::move(transformation).error());
  }
  WS_CHECK(read_sections(lines, body, *transformation));
  if (const Status checked = check_parameters(*transformation); !checked) {
    return at_line(checked.error());
  }
  transformation->text = text;
  return transformation;
}

}  // namespace ws
