#include "tools/apply_transformation/change.h"

#include <algorithm>
#include <array>

#include "runtime/kernel/form/lines.h"
#include "runtime/skills/builtins.h"

namespace ws {
namespace {

constexpr std::size_t kMaxDiff = 1200;    // Bytes.
constexpr std::size_t kMaxRefused = 10;   // Rows.
constexpr std::size_t kShownValue = 120;  // Bytes of a client's expression.

/// The fields that `set` may replace: the launches and their parameters. A change of any other
/// field makes another kernel.
constexpr std::array<const char*, 7> kOpen = {"launches", "params",      "defaults", "constraints",
                                              "scratch",  "tensor_maps", "symbols"};

template <typename List, typename Value>
bool has(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool may_touch(const Step& step, const std::string& region) {
  const std::vector<std::string>& regions = step.regions();
  return std::find(regions.begin(), regions.end(), region) != regions.end();
}

std::string elsewhere(const Step& step, const std::string& region) {
  return "it changes `" + one_line(region, kShownName) + "`, and " + step_text(step) +
         " may change only `" + pass_form(step)["region"].get<std::string>() + "`";
}

/// Refuses the edits outside the regions. A region that is no text is edit_kernel's to name.
void refuse_edits(const Step& step, Change& change) {
  for (std::size_t i = 0; change.edits.is_array() && i < change.edits.size(); ++i) {
    const Json region = change.edits[i].value("region", Json("source"));
    if (region.is_string() && !may_touch(step, region)) {
      change.refuse("edits[" + std::to_string(i) + "]", elsewhere(step, region));
    }
  }
}

/// Refuses values that are not there any more: a kernel is not made right, or fast, by leaving out
/// the choices at which it is not.
void refuse_values(const std::string& name, const Json& kept, const Json& sent, Change& change) {
  for (const Json& value : kept) {
    if (!has(sent, value)) {
      change.refuse("set.params", "it drops the value " + value.dump() + " of `" +
                                      one_line(name, kShownName) + "`; a pass may only add values");
      return;
    }
  }
}

void refuse_params(const Step& step, const Json& sent, Change& change) {
  if (!sent.is_object()) {
    change.refuse("set.params", "it is not an object");
    return;
  }
  for (const auto& [name, values] : step.subject.kernel.params) {
    refuse_values(name, values, sent.value(name, Json::array()), change);
  }
  const Json added = missing_params(step);
  for (const auto& [name, values] : added.items()) {
    refuse_values(name, values, sent.value(name, values), change);
  }
}

/// The constraints that the pass may add; a machine's proposal has its own.
Json own_constraints(const Step& step) {
  Json own = missing_constraints(step);
  if (!step.spec().builtin.empty()) {
    const Result<Json> proposal = propose_edits(step.spec().builtin, step.subject.kernel);
    if (proposal && proposal->contains("set")) {
      const Json proposed = (*proposal)["set"].value("constraints", Json::array());
      own.insert(own.end(), proposed.begin(), proposed.end());
    }
  }
  return own;
}

void refuse_constraints(const Step& step, const Json& sent, Change& change) {
  if (!sent.is_array()) {
    change.refuse("set.constraints", "it is not an array");
    return;
  }
  const Json lifted = lifted_constraints(step);
  for (const std::string& constraint : step.subject.kernel.constraints) {
    if (!has(sent, Json(constraint)) && !has(lifted, Json(constraint))) {
      change.refuse("set.constraints", "it drops `" + one_line(constraint, kShownValue) +
                                           "`; a pass may not drop a constraint");
    }
  }
  const Json own = own_constraints(step);
  for (const Json& constraint : sent) {
    if (constraint.is_string() && !has(own, constraint) &&
        !has(step.subject.kernel.constraints, constraint.get<std::string>())) {
      change.refuse("set.constraints", "it adds `" + one_line(constraint, kShownValue) +
                                           "`; a pass adds only its own constraints");
    }
  }
}

void refuse_set(const Step& step, Change& change) {
  if (!change.set.empty() && !may_touch(step, "plan")) {
    change.refuse("set", elsewhere(step, "plan"));
    return;
  }
  for (const auto& field : change.set.items()) {
    if (!has(kOpen, field.key())) {
      change.refuse("set." + one_line(field.key(), kShownName),
                    "a pass may set only launches, params, defaults, constraints, scratch, "
                    "tensor_maps and symbols");
    } else if (field.key() == "params") {
      refuse_params(step, field.value(), change);
    } else if (field.key() == "constraints") {
      refuse_constraints(step, field.value(), change);
    }
  }
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
    if (!params.contains(name)) {
      params[name] = values;
    }
  }
  for (const Json& constraint : lifted_constraints(step)) {
    Json& constraints = field("constraints", Json::array());
    constraints.erase(std::remove(constraints.begin(), constraints.end(), constraint),
                      constraints.end());
  }
  for (const Json& constraint : missing_constraints(step)) {
    Json& constraints = field("constraints", Json::array());
    if (!has(constraints, constraint)) {
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

void Change::refuse(const std::string& edit, const std::string& reason) {
  if (refused.size() < kMaxRefused) {
    refused.push_back({{"edit", edit}, {"reason", reason}});
  }
  ++refusals;
}

Change change_of(const Step& step, const TransformParams& params) {
  Change change;
  change.edits = params.edits;
  change.set = params.set.is_null() ? Json::object() : params.set;
  refuse_edits(step, change);
  refuse_set(step, change);
  if (change.refusals > 0) {
    return change;
  }
  if (change.edits.is_array() && change.edits.empty()) {
    change.edits = nullptr;
  }
  change.skips = change.edits.is_null() && change.set.empty();
  if (!change.skips) {
    add_own(step, change.set);
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
