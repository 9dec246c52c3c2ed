#include "runtime/lift/tile/tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace ws::lift::tile {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, NodeKind>, 28> kKinds = {{
    {"name", NodeKind::kName},
    {"integer", NodeKind::kInteger},
    {"float", NodeKind::kFloat},
    {"text", NodeKind::kText},
    {"bool", NodeKind::kBool},
    {"none", NodeKind::kNone},
    {"attribute", NodeKind::kAttribute},
    {"index", NodeKind::kIndex},
    {"slice", NodeKind::kSlice},
    {"call", NodeKind::kCall},
    {"unary", NodeKind::kUnary},
    {"binary", NodeKind::kBinary},
    {"compare", NodeKind::kCompare},
    {"and", NodeKind::kAnd},
    {"or", NodeKind::kOr},
    {"conditional", NodeKind::kConditional},
    {"tuple", NodeKind::kTuple},
    {"assign", NodeKind::kAssign},
    {"augment", NodeKind::kAugment},
    {"expression", NodeKind::kExpression},
    {"for", NodeKind::kFor},
    {"while", NodeKind::kWhile},
    {"if", NodeKind::kIf},
    {"return", NodeKind::kReturn},
    {"pass", NodeKind::kPass},
    {"break", NodeKind::kBreak},
    {"continue", NodeKind::kContinue},
    {"unsupported", NodeKind::kUnsupported},
}};

tl::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorCode::kInternal, "a malformed syntax tree", {}, what);
}

class Reader {
 public:
  explicit Reader(std::size_t nodes)
      : nodes_(static_cast<NodeId>(nodes)) {}

  /// Ids below `limit`, so that a tree has no cycle.
  std::vector<NodeId> ids(const Json& row, const char* key, NodeId limit) {
    std::vector<NodeId> list;
    for (const Json& id : row.value(key, Json::array())) {
      list.push_back(checked(id.get<NodeId>(), limit));
    }
    return list;
  }

  NodeId id(const Json& row, const char* key) {
    return row.contains(key) ? checked(row[key].get<NodeId>(), nodes_) : kNoNode;
  }

  std::vector<NodeId> ids(const Json& row, const char* key) { return ids(row, key, nodes_); }

  NodeId checked(NodeId id, NodeId limit) {
    good_ = good_ && id >= 0 && id < limit;
    return good_ ? id : 0;
  }

  [[nodiscard]] bool good() const { return good_; }

 private:
  NodeId nodes_;
  bool good_ = true;
};

Node read_node(const Json& row, NodeId self, Reader& reader) {
  Node node;
  const std::string kind = row.at("k");
  const auto* const known =
      std::ranges::find_if(kKinds, [&](const auto& each) { return each.first == kind; });
  node.kind = known == kKinds.end() ? NodeKind::kUnsupported : known->second;
  node.line = row.value("l", 0);
  node.column = row.value("c", 0);
  node.text = row.value("t", "");
  node.integer = row.value("i", std::int64_t{0});
  node.number = row.value("n", 0.0);
  node.kids = reader.ids(row, "kids", self);
  node.names = row.value("names", std::vector<std::string>());
  node.body = reader.ids(row, "body", self);
  node.other = reader.ids(row, "other", self);
  return node;
}

Function read_function(const Json& row, Reader& reader) {
  Function function;
  function.name = row.at("name");
  function.line = row.at("l");
  function.last_line = row.at("end");
  function.open = row.value("open", false);
  for (const Json& each : row.at("parameters")) {
    function.parameters.push_back(
        {each.at("name"), each.at("l"), reader.id(each, "annotation"), reader.id(each, "default")});
  }
  function.decorators = reader.ids(row, "decorators");
  function.body = reader.ids(row, "body");
  return function;
}

bool names_word_within(const File& file, NodeId id, std::string_view word, int& budget) {
  if (id == kNoNode || --budget < 0) {
    return false;
  }
  const Node& node = file.node(id);
  if (node.text == word) {
    return true;
  }
  if (node.kind == NodeKind::kName) {
    std::string name = file.qualified(node.unit, node.text);
    const auto module = file.modules.find(name);
    if (module != file.modules.end()) {
      name = file.sent(module->second).value_or(name);
    }
    const auto constant = file.constants.find(name);
    return (constant != file.constants.end() &&
            names_word_within(file, constant->second, word, budget)) ||
           (module != file.modules.end() && module->second.ends_with("." + std::string(word)));
  }
  return std::ranges::any_of(
      node.kids, [&](NodeId kid) { return names_word_within(file, kid, word, budget); });
}

}  // namespace

bool names_word(const File& file, NodeId id, std::string_view word) {
  int budget = 1000;
  return names_word_within(file, id, word, budget);
}

Result<File> read_python(std::string_view json, Language language) {
  try {
    const Json form = Json::parse(json);
    const Json& rows = form.at("nodes");
    Reader reader(rows.size());
    File file;
    file.language = language;
    for (const Json& row : rows) {
      file.nodes.push_back(read_node(row, static_cast<NodeId>(file.nodes.size()), reader));
    }
    for (const Json& row : form.at("functions")) {
      file.functions.push_back(read_function(row, reader));
    }
    file.modules = form.at("modules").get<std::map<std::string, std::string>>();
    for (const auto& [name, id] : form.at("constants").items()) {
      file.constants[name] = reader.checked(id.get<NodeId>(), static_cast<NodeId>(rows.size()));
    }
    if (!reader.good()) {
      return malformed("a node that does not exist");
    }
    return file;
  } catch (const Json::exception& error) {
    return malformed(error.what());
  }
}

}  // namespace ws::lift::tile
