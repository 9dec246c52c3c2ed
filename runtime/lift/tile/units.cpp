// Files beside the source: their names, and how an import finds them.
#include <algorithm>

#include "runtime/lift/tile/tree.h"

namespace ws::lift::tile {
namespace {

/// "ops.helpers" of "ops/helpers.py", "ops" of "ops/__init__.py".
std::string module_of(std::string file) {
  for (const std::string_view end : {".py", "/__init__"}) {
    if (file.ends_with(end)) {
      file.resize(file.size() - end.size());
    }
  }
  std::ranges::replace(file, '/', '.');
  return file;
}

/// Whether the path is the module, or that of a package around it.
bool names_module(std::string_view path, std::string_view module) {
  return path.ends_with(module) &&
         (path.size() == module.size() || path[path.size() - module.size() - 1] == '.');
}

bool is_of_language(std::string_view path) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"triton", "cuda.tile"},
                             [&](std::string_view module) {
                               return path.starts_with(module) &&
                                      (path.size() == module.size() || path[module.size()] == '.');
                             });
}

}  // namespace

std::string File::qualified(std::size_t unit, const std::string& name) const {
  return unit == 0 ? name : units.at(unit).module + "." + name;
}

const Function* File::find(std::string_view name) const {
  const auto at = std::find_if(functions.rbegin(), functions.rend(), [&](const Function& each) {
    return name.ends_with(each.name) && qualified(each.unit, each.name) == name;
  });
  return at == functions.rend() ? nullptr : &*at;
}

const Unit* File::unit_of(std::string_view module) const {
  const auto at = std::ranges::find(units, module, &Unit::module);
  return at == units.end() || at == units.begin() ? nullptr : &*at;
}

std::optional<std::string> File::sent(std::string_view path) const {
  if (is_of_language(path)) {
    return std::nullopt;
  }
  // Dots at the beginning, of an import that is relative, leave the package open.
  const bool relative = path.starts_with('.');
  path.remove_prefix(std::min(path.find_first_not_of('.'), path.size()));
  const std::size_t last = path.rfind('.');
  const std::string_view parent = last == std::string_view::npos ? "" : path.substr(0, last);
  std::size_t longest = 0;
  std::optional<std::string> found;
  const auto names = [relative](std::string_view name, std::string_view module) {
    return names_module(name, module) || (relative && !name.empty() && names_module(module, name));
  };
  for (const Unit& unit : units) {
    const bool whole = names(path, unit.module);
    if (unit.module.size() > longest && (whole || names(parent, unit.module))) {
      longest = unit.module.size();
      found = unit.module + (whole ? "" : std::string(path.substr(last)));
    }
  }
  return found;
}

void File::add(File other, const std::string& name) {
  const auto first = static_cast<NodeId>(nodes.size());
  const std::size_t unit = units.size();
  units.push_back({name, module_of(name)});
  const auto move = [first](NodeId& id) { id += id == kNoNode ? 0 : first; };
  for (Node& node : other.nodes) {
    node.unit = unit;
    for (std::vector<NodeId>* const ids : {&node.kids, &node.body, &node.other}) {
      std::ranges::for_each(*ids, move);
    }
    nodes.push_back(std::move(node));
  }
  for (Function& function : other.functions) {
    function.unit = unit;
    std::ranges::for_each(function.decorators, move);
    std::ranges::for_each(function.body, move);
    for (Parameter& parameter : function.parameters) {
      move(parameter.annotation);
      move(parameter.default_value);
    }
    functions.push_back(std::move(function));
  }
  for (const auto& [own, stands_for] : other.modules) {
    modules[qualified(unit, own)] = stands_for;
  }
  for (const auto& [own, id] : other.constants) {
    constants[qualified(unit, own)] = id + first;
  }
}

}  // namespace ws::lift::tile
