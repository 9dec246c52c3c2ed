// Values in variables of the program.
#include <algorithm>
#include <utility>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

/// Between the name of a value and the number of one of its parts: no name has it.
constexpr char kPart = '.';

}  // namespace

std::string Lifter::part_of(const std::string& key, std::size_t part) {
  return key + kPart + std::to_string(part);
}

Value Lifter::named(const Value& value, const std::string& wish, int line) {
  Value made = value;
  if (value.has_text() && !value.is_constant()) {
    made.text = variable(wish);
    made.precedence = kTight;
    emit(made.text + " = " + value.text, line);
  }
  return made;
}

std::string Lifter::variable_of(const std::string& key) {
  Scope& scope = scopes_.back();
  const auto known = scope.variables.find(key);
  if (known != scope.variables.end()) {
    return known->second;
  }
  std::string wish = key;
  std::ranges::replace(wish, kPart, '_');
  return scope.variables[key] = variable(wish);
}

Value Lifter::kept(const Value& value, const std::string& key, int line) {
  Value made = value;
  for (std::size_t i = 0; i < made.items.size(); ++i) {
    made.items[i] = kept(made.items[i], part_of(key, i), line);
  }
  // A constant needs a variable only where another way leads to another value.
  if (value.has_text() && (!value.is_constant() || scopes_.back().depth > 0)) {
    const std::string name = variable_of(key);
    if (name != value.text) {
      emit(name + " = " + value.text, line);
    }
    if (!value.is_constant()) {
      made.text = name;
      made.precedence = kTight;
    }
  }
  return made;
}

Value Lifter::loosened(const Value& value, const std::string& key, int line) {
  Value made = value.is_number() ? operand(value, value.dtype) : value;
  if (value.has_text()) {
    const std::string text = std::exchange(made.text, variable_of(key));
    made.precedence = kTight;
    if (made.text != text) {
      emit(made.text + " = " + text, line);
    }
  }
  made.integer.reset();
  made.real.reset();
  made.weak = false;
  for (std::size_t i = 0; i < made.items.size(); ++i) {
    made.items[i] = loosened(made.items[i], part_of(key, i), line);
  }
  return made;
}

void Lifter::loosen(const std::set<std::string>& names, int line) {
  Scope& scope = scopes_.back();
  for (const std::string& name : names) {
    if (const auto known = scope.names.find(name); known != scope.names.end()) {
      known->second = loosened(known->second, name, line);
    }
  }
}

void Lifter::assigned_names(const std::vector<NodeId>& body, std::set<std::string>& names) const {
  const auto add = [&](auto&& self, const Node& target) -> void {
    if (target.kind == NodeKind::kName) {
      names.insert(target.text);
    } else if (target.kind == NodeKind::kTuple) {
      for (const NodeId kid : target.kids) {
        self(self, file_.node(kid));
      }
    }
  };
  for (const NodeId id : body) {
    const Node& node = file_.node(id);
    if (node.kind == NodeKind::kAssign) {
      for (std::size_t i = 1; i < node.kids.size(); ++i) {
        add(add, file_.node(node.kids[i]));
      }
    } else if (node.kind == NodeKind::kAugment || node.kind == NodeKind::kFor) {
      add(add, file_.node(node.kids[0]));
    }
    assigned_names(node.body, names);
    assigned_names(node.other, names);
  }
}

}  // namespace ws::lift::tile
