// A tree as JSON, between the compile worker and the server.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {

using Json = nlohmann::json;

// nlohmann finds these by argument-dependent look-up, each before what has it as a part.
void to_json(Json& json, const Range& range) {
  json = {range.region, range.line, range.column, range.end_line, range.end_column};
}

void from_json(const Json& json, Range& range) {
  json.at(0).get_to(range.region);
  json.at(1).get_to(range.line);
  json.at(2).get_to(range.column);
  json.at(3).get_to(range.end_line);
  json.at(4).get_to(range.end_column);
}

/// JSON has numbers only where they are finite.
const char* word_of(double number) {
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

double number_of(const std::string& word) {
  return word == "nan"    ? std::numeric_limits<double>::quiet_NaN()
         : word == "-inf" ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity();
}

/// Most nodes have few of the fields: what is as in a fresh one is left out.
void to_json(Json& json, const Node& node) {
  json = {{"k", node.kind}, {"t", node.type}, {"r", node.range}};
  const Node fresh;
  const auto add = [&](const char* name, const auto& value, const auto& none) {
    if (value != none) {
      json[name] = value;
    }
  };
  add("i", node.index, fresh.index);
  add("v", node.value, fresh.value);
  add("o", node.op, fresh.op);
  add("b", node.builtin, fresh.builtin);
  add("s", node.text, fresh.text);
  add("n", node.names, fresh.names);
  add("c", node.kids, fresh.kids);
  if (node.kind == NodeKind::kFloat) {
    json["f"] = std::isfinite(node.number) ? Json(node.number) : Json(word_of(node.number));
  }
}

void from_json(const Json& json, Node& node) {
  json.at("k").get_to(node.kind);
  json.at("t").get_to(node.type);
  json.at("r").get_to(node.range);
  node.index = json.value("i", node.index);
  node.value = json.value("v", node.value);
  node.op = json.value("o", node.op);
  node.builtin = json.value("b", node.builtin);
  node.text = json.value("s", node.text);
  node.names = json.value("n", node.names);
  node.kids = json.value("c", node.kids);
  if (const auto number = json.find("f"); number != json.end()) {
    node.number =
        number->is_number() ? number->get<double>() : number_of(number->get<std::string>());
  }
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Field, name, type, offset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Type, kind, name, bytes, is_signed, element, count, fields)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Function, name, kernel, params, result, body, max_threads, range)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Variable, name, type, space, reference, alignment, range)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Tree, regions, types, variables, nodes, functions, entries)

namespace {

template <typename Table>
bool within(std::int32_t index, const Table& table) {
  return index >= 0 && static_cast<std::size_t>(index) < table.size();
}

template <typename Table>
bool none_or_within(std::int32_t index, const Table& table) {
  return index == kNone || within(index, table);
}

bool is_valid(const Range& range, const Tree& tree) {
  return none_or_within(range.region, tree.regions);
}

bool types_are_valid(const Tree& tree) {
  std::vector<int> depth(tree.types.size(), 0);
  for (std::size_t i = 0; i < tree.types.size(); ++i) {
    const Type& type = tree.types[i];
    std::vector<TypeId> parts;
    if (type.element != kNone) {
      parts.push_back(type.element);
    }
    for (const Field& field : type.fields) {
      parts.push_back(field.type);
    }
    for (const TypeId part : parts) {
      if (part < 0 || static_cast<std::size_t>(part) >= i) {
        return false;
      }
      depth[i] = std::max(depth[i], depth[static_cast<std::size_t>(part)] + 1);
    }
    if (type.kind > TypeKind::kOther || depth[i] > kMaxTreeDepth || type.bytes < 0 ||
        type.count < 0) {
      return false;
    }
  }
  return true;
}

/// The least children that a node of this kind has.
std::size_t least_kids(NodeKind kind) {
  switch (kind) {
    case NodeKind::kFor:
      return 4;
    case NodeKind::kSelect:
      return 3;
    case NodeKind::kIf:
    case NodeKind::kWhile:
    case NodeKind::kDo:
    case NodeKind::kBinary:
    case NodeKind::kAssign:
    case NodeKind::kIndex:
      return 2;
    case NodeKind::kUnary:
    case NodeKind::kCast:
    case NodeKind::kMember:
    case NodeKind::kDereference:
    case NodeKind::kAddress:
      return 1;
    default:
      return 0;
  }
}

bool index_is_valid(const Node& node, const Tree& tree) {
  switch (node.kind) {
    case NodeKind::kDeclare:
    case NodeKind::kVariable:
      return within(node.index, tree.variables);
    case NodeKind::kCall:
      return none_or_within(node.index, tree.functions);
    case NodeKind::kBuiltin:
      return node.builtin <= Builtin::kGridDim && node.value >= 0 && node.value < 3;
    default:
      return true;
  }
}

bool nodes_are_valid(const Tree& tree) {
  std::vector<int> depth(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    for (const NodeId kid : node.kids) {
      if (kid < 0 || static_cast<std::size_t>(kid) >= i) {
        return false;
      }
      depth[i] = std::max(depth[i], depth[static_cast<std::size_t>(kid)] + 1);
    }
    if (node.kind > NodeKind::kUnknown || node.op > COperator::kNone || depth[i] > kMaxTreeDepth ||
        node.kids.size() < least_kids(node.kind) || !none_or_within(node.type, tree.types) ||
        !is_valid(node.range, tree) || !index_is_valid(node, tree)) {
      return false;
    }
  }
  return true;
}

bool is_valid(const Tree& tree) {
  if (tree.nodes.size() > kMaxTreeNodes || !types_are_valid(tree) || !nodes_are_valid(tree)) {
    return false;
  }
  for (const Variable& variable : tree.variables) {
    if (!none_or_within(variable.type, tree.types) || variable.space > Space::kGlobal ||
        !is_valid(variable.range, tree)) {
      return false;
    }
  }
  for (const Function& function : tree.functions) {
    const bool params = std::all_of(function.params.begin(), function.params.end(),
                                    [&](VariableId id) { return within(id, tree.variables); });
    if (!params || !none_or_within(function.body, tree.nodes) ||
        !none_or_within(function.result, tree.types) || !is_valid(function.range, tree)) {
      return false;
    }
  }
  return std::all_of(tree.entries.begin(), tree.entries.end(),
                     [&](FunctionId id) { return within(id, tree.functions); });
}

}  // namespace

std::string encode(const Tree& tree) {
  return Json(tree).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Tree> decode_tree(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    auto tree = json.get<Tree>();
    if (is_valid(tree)) {
      return tree;
    }
    return fail(ErrorCode::kInternal, "a device tree with a broken reference");
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInternal, "a malformed device tree", {}, error.what());
  }
}

}  // namespace ws::lift
