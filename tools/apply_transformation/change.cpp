#include "tools/apply_transformation/change.h"

#include <algorithm>

#include "runtime/kernel/lines.h"

namespace ws {
namespace {

constexpr std::size_t kMaxDiff = 1200;  // Bytes.

bool may_touch(const Step& step, const std::string& region) {
  const std::vector<std::string>& regions = step.spec().regions;
  return std::find(regions.begin(), regions.end(), region) != regions.end();
}

Json refusal(const Step& step, const std::string& edit, const std::string& region) {
  return {{"edit", edit},
          {"reason", "it changes `" + region + "`, and " + step_text(step) + " may change only `" +
                         pass_form(step)["region"].get<std::string>() + "`"}};
}

/// What refuses the edits outside the regions. A region that is no text is edit_kernel's to name.
Json refusals(const Step& step, const Json& edits, const Json& set) {
  Json refused = Json::array();
  for (std::size_t i = 0; edits.is_array() && i < edits.size(); ++i) {
    const Json region = edits[i].value("region", Json("source"));
    if (region.is_string() && !may_touch(step, region)) {
      refused.push_back(refusal(step, "edits[" + std::to_string(i) + "]", region));
    }
  }
  if (!set.empty() && !may_touch(step, "plan")) {
    refused.push_back(refusal(step, "set", "plan"));
  }
  return refused;
}

/// `set` with what the pass adds laid into it: a field of a plan is replaced as a whole, so what
/// the kernel has stays in.
void add_own(const Step& step, Json& set) {
  const Json base = Json::parse(step.subject.kernel.json, nullptr, false);
  const auto field = [&](const char* name, const Json& absent) -> Json& {
    if (!set.contains(name)) {
      set[name] = base.value(name, absent);
    }
    return set[name];
  };
  const Json added = missing_params(step);
  for (const auto& [name, values] : added.items()) {
    Json& params = field("params", Json::object());
    if (params.is_object() && !params.contains(name)) {
      params[name] = values;
    }
  }
  for (const Json& constraint : missing_constraints(step)) {
    Json& constraints = field("constraints", Json::array());
    if (constraints.is_array() &&
        std::find(constraints.begin(), constraints.end(), constraint) == constraints.end()) {
      constraints.push_back(constraint);
    }
  }
  for (const auto& [name, text] : step.imports) {
    field("headers", Json::object())[name] = text;
  }
}

void add_lines(std::string& text, char mark, const std::vector<std::string>& lines,
               std::size_t from, std::size_t to) {
  for (std::size_t n = from; n <= std::min(to, lines.size()); ++n) {
    text += mark + lines[n - 1] + "\n";
  }
}

}  // namespace

Change change_of(const Step& step, const Json& arguments) {
  Change change;
  change.edits = arguments.value("edits", Json());
  change.set = arguments.value("set", Json::object());
  change.refused = refusals(step, change.edits, change.set);
  add_own(step, change.set);
  if (change.edits.is_array() && change.edits.empty()) {
    change.edits = nullptr;
  }
  if (change.set.empty()) {
    change.set = nullptr;
  }
  return change;
}

std::string diff_of(const Kernel& base, const Change& change) {
  std::string text;
  for (const Json& edit : change.edits) {
    const std::string region = edit.value("region", "source");
    const std::vector<std::string> lines =
        split_lines(region == "source" ? base.source : base.macros);
    const auto from = edit.value("from", std::size_t{1});
    const std::string op = edit.value("op", "replace");
    text += "@@ " + region + ":" + std::to_string(from) + "\n";
    if (op != "insert") {
      add_lines(text, '-', lines, from, edit.value("to", from));
    }
    if (op != "delete") {
      const std::vector<std::string> added = split_lines(edit.value("text", ""));
      add_lines(text, '+', added, 1, added.size());
    }
  }
  for (const auto& field : change.set.items()) {
    text += "@@ plan: " + field.key() + "\n";
  }
  if (text.size() > kMaxDiff) {
    const std::size_t cut = text.size() - kMaxDiff;
    text.resize(kMaxDiff);
    text += "\n... " + std::to_string(cut) + " more bytes; compare the sources";
  }
  return text;
}

}  // namespace ws
