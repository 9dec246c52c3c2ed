#include "runtime/lift/program_head.h"

#include "runtime/ir/syntax/printer.h"

namespace ws::lift {

ir::Method init_method(ir::TreeBuilder& tree, const LaunchInput& input) {
  ir::Method init;
  init.name = "__init__";
  const auto set = [&](const std::string& name, ir::ExprId value) {
    init.body.push_back(tree.assignment(tree.self(name), value));
  };
  std::vector<ir::ExprId> grid;
  grid.reserve(input.grid.size());
  for (const std::string& size : input.grid) {
    grid.push_back(tree.parsed(size));
  }
  set("gridDim", tree.tuple(std::move(grid)));
  if (input.cluster != std::array<std::int64_t, 3>{1, 1, 1}) {
    std::vector<ir::ExprId> cluster;
    cluster.reserve(input.cluster.size());
    for (const std::int64_t size : input.cluster) {
      cluster.push_back(tree.integer(size));
    }
    set("clusterDim", tree.tuple(std::move(cluster)));
  }
  for (const std::string& name : input.names) {
    init.params.push_back({name, {}, ir::kNoExpr, ir::kNoExpr});
    set(name, tree.name(name));
  }
  return init;
}

std::string program_head(const std::string& name, const LaunchInput& input) {
  ir::TreeBuilder tree;
  ir::Method init = init_method(tree, input);
  return ir::print(tree.finish(name, {std::move(init)}));
}

}  // namespace ws::lift
