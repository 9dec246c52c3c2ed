#include "runtime/lift/orchestration/bindings.h"

#include <algorithm>

namespace ws::lift {

std::vector<Binding> bindings_of(const Tree& tree) {
  std::vector<Binding> all;
  for (const Node& node : tree.nodes) {
    if (node.kind == NodeKind::kDeclare && node.kids.size() == 1) {
      all.push_back({node.index, node.kids[0]});
    }
    if (node.kind == NodeKind::kCall && node.index != kNone) {
      const std::vector<VariableId>& params = tree.function(node.index).params;
      for (std::size_t i = 0; i < std::min(params.size(), node.kids.size()); ++i) {
        all.push_back({params[i], node.kids[i]});
      }
    }
  }
  return all;
}

}  // namespace ws::lift
