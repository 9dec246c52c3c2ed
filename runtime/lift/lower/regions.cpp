#include "runtime/lift/lower/regions.h"

#include <algorithm>
#include <set>

#include "runtime/base/hash.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {
namespace {

constexpr std::size_t kIdDigits = 8;

void add_name(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

bool has_statements(NodeKind kind) {
  return kind == NodeKind::kBlock || kind == NodeKind::kIf || kind == NodeKind::kFor ||
         kind == NodeKind::kWhile || kind == NodeKind::kDo;
}

class Walker {
 public:
  Walker(const Tree& tree, const std::array<std::int64_t, 3>& block)
      : tree_(tree),
        values_(tree, block) {}

  std::vector<Region> regions;
  std::vector<Worker> workers;

  void walk(NodeId id, const std::string& path, const Lanes& active) {
    const Node& node = tree_.node(id);
    if (!has_statements(node.kind)) {
      simple(id, path, active);
      return;
    }
    if (node.kind == NodeKind::kIf) {
      branch(node, path, active);
      return;
    }
    // The head of a loop belongs to what stands before it, its body is a part of its own.
    const bool block = node.kind == NodeKind::kBlock;
    if (!block) {
      close();
    }
    for (std::size_t i = 0; i < node.kids.size(); ++i) {
      const bool body =
          block || node.kind == NodeKind::kDo ? i == 0 || block : i + 1 == node.kids.size();
      if (body) {
        walk(node.kids[i], block ? path : path + "/" + head(node), active);
      }
    }
    if (!block) {
      close();
    }
  }

  void close() { open_ = false; }

 private:
  void branch(const Node& node, const std::string& path, const Lanes& active) {
    const std::optional<Lanes> truth = values_.may_hold(node.kids[0]);
    for (std::size_t side = 1; side < node.kids.size(); ++side) {
      Lanes inside = active;
      if (truth) {
        inside = zip_lanes(active, *truth, [&](std::int64_t a, std::int64_t b) {
          return std::int64_t{a != 0 && (b != 0) == (side == 1)};
        });
      }
      close();
      if (truth && truth->size() > 1 && inside != active) {
        workers.push_back(
            {worker_text(inside, values_.threads()), tree_.node(node.kids[side]).range});
      }
      walk(node.kids[side], path + "/" + head(node) + (side == 1 ? "+" : "-"), inside);
      close();
    }
  }

  /// A control statement without its body.
  std::string head(const Node& node) const {
    std::string text = std::to_string(static_cast<int>(node.kind));
    const std::size_t body = node.kind == NodeKind::kDo ? 0 : node.kids.size() - 1;
    for (std::size_t i = 0; i < node.kids.size(); ++i) {
      const bool part = node.kind == NodeKind::kIf ? i == 0 : i != body;
      text += part ? tokens(node.kids[i]) : "";
    }
    return text;
  }

  /// A statement by what it does: the same for any layout of the text.
  std::string tokens(NodeId id) const {
    const Node& node = tree_.node(id);
    std::string text = "(" + std::to_string(static_cast<int>(node.kind)) + " " + node.text +
                       operator_text(node) +
                       (node.kind == NodeKind::kBuiltin ? builtin_text(node) : "");
    if (node.kind == NodeKind::kVariable || node.kind == NodeKind::kDeclare) {
      text += tree_.variable(node.index).name;
    }
    if (node.kind == NodeKind::kCall && node.index != kNone) {
      text += tree_.function(node.index).name;
    }
    text += node.kind == NodeKind::kInt     ? std::to_string(node.value)
            : node.kind == NodeKind::kFloat ? std::to_string(node.number)
                                            : "";
    for (const NodeId kid : node.kids) {
      text += tokens(kid);
    }
    return text + ")";
  }

  void simple(NodeId id, const std::string& path, const Lanes& active) {
    Region effects;
    std::set<FunctionId> entered;
    scan(id, effects, entered);
    const bool sync = !effects.syncs.empty();
    const std::string worker = worker_text(active, values_.threads());
    if (!open_ || sync || !regions.back().syncs.empty() || regions.back().worker != worker) {
      effects.worker = worker;
      effects.range = tree_.node(id).range;
      text_ = path + tokens(id);
      effects.id = id_of(text_);
      regions.push_back(std::move(effects));
      open_ = true;
      return;
    }
    Region& last = regions.back();
    text_ += tokens(id);
    last.id = id_of(text_);
    const Range& range = tree_.node(id).range;
    if (range.end_line > last.range.end_line) {
      last.range.end_line = range.end_line;
      last.range.end_column = range.end_column;
    }
    for (const auto& [from, to] :
         {std::pair{&effects.reads, &last.reads}, std::pair{&effects.writes, &last.writes},
          std::pair{&effects.ops, &last.ops}}) {
      for (const std::string& one : *from) {
        add_name(*to, one);
      }
    }
  }

  /// Equal statements at equal places, as in a loop written twice, differ by their number.
  std::string id_of(const std::string& text) const {
    const std::string hash = sha256_hex(text).substr(0, kIdDigits);
    const auto same =
        std::count_if(regions.begin(), regions.end() - (open_ && !regions.empty() ? 1 : 0),
                      [&](const Region& region) { return region.id.substr(1, kIdDigits) == hash; });
    return "R" + hash + (same == 0 ? "" : "_" + std::to_string(same));
  }

  /// The memory that an expression points into, by the name of its variable.
  std::string root(NodeId id) const {
    const Node& node = tree_.node(id);
    if (node.kind == NodeKind::kVariable) {
      const Variable& variable = tree_.variable(node.index);
      const bool memory =
          variable.space == Space::kShared || variable.space == Space::kConstant ||
          variable.space == Space::kGlobal ||
          (variable.type != kNone && tree_.type(variable.type).kind == TypeKind::kPointer);
      return memory ? variable.name : "";
    }
    const bool inner = node.kind == NodeKind::kIndex || node.kind == NodeKind::kDereference ||
                       node.kind == NodeKind::kMember || node.kind == NodeKind::kCast ||
                       node.kind == NodeKind::kAddress || node.kind == NodeKind::kBinary;
    if (!inner) {
      return {};
    }
    for (const NodeId kid : node.kids) {
      if (const std::string name = root(kid); !name.empty()) {
        return name;
      }
    }
    return {};
  }

  /// @param entered  Functions: each is looked into once, however often and deep it is called.
  void scan(NodeId id, Region& effects, std::set<FunctionId>& entered) const {
    const Node& node = tree_.node(id);
    if (node.kind == NodeKind::kIndex || node.kind == NodeKind::kDereference) {
      if (const std::string name = root(id); !name.empty()) {
        add_name(effects.reads, name);
      }
    } else if (node.kind == NodeKind::kAssign) {
      const NodeKind target = tree_.node(node.kids[0]).kind;
      const bool memory = target == NodeKind::kIndex || target == NodeKind::kDereference ||
                          target == NodeKind::kMember;
      if (const std::string name = memory ? root(node.kids[0]) : ""; !name.empty()) {
        add_name(effects.writes, name);
        if (!is_plain_assignment(node)) {
          add_name(effects.reads, name);
        }
      }
      scan(node.kids[1], effects, entered);
      return;
    } else if (node.kind == NodeKind::kAsm) {
      for (const std::string& one : instructions_of(node.text)) {
        note(meaning_of_ptx(one), one.substr(0, one.find_first_of(" \t\n")), effects);
      }
    } else if (node.kind == NodeKind::kCall && node.index != kNone) {
      const NodeId body = tree_.function(node.index).body;
      if (body != kNone && entered.insert(node.index).second) {
        scan(body, effects, entered);
      }
      may_access(node, effects);
    } else if (node.kind == NodeKind::kCall) {
      note(meaning_of_function(node.text), node.text, effects);
      may_access(node, effects);
    }
    for (const NodeId kid : node.kids) {
      scan(kid, effects, entered);
    }
  }

  /// A function that gets a pointer to memory may read and write it.
  void may_access(const Node& node, Region& effects) const {
    for (const NodeId kid : node.kids) {
      if (const std::string name = root(kid); !name.empty()) {
        add_name(effects.reads, name);
        add_name(effects.writes, name);
      }
    }
  }

  static void note(const Meaning* meaning, const std::string& name, Region& effects) {
    if (meaning == nullptr) {
      return;
    }
    const std::string text(meaning->operation.empty() ? name : std::string(meaning->operation));
    if (meaning->effect == Effect::kSync) {
      add_name(effects.syncs, text);
    } else if (meaning->effect != Effect::kHint) {
      add_name(effects.ops, text);
    }
  }

  const Tree& tree_;
  const ThreadValues values_;
  bool open_ = false;  // The last region may grow.
  std::string text_;   // Describes what the region does.
};

Walker walked(const Tree& tree, FunctionId entry, const std::array<std::int64_t, 3>& block) {
  Walker walker(tree, block);
  const NodeId body = tree.function(entry).body;
  if (body != kNone) {
    walker.walk(body, "", {1});
  }
  return walker;
}

}  // namespace

std::vector<Region> regions_of(const Tree& tree, FunctionId entry,
                               const std::array<std::int64_t, 3>& block) {
  return walked(tree, entry, block).regions;
}

std::vector<Worker> workers_of(const Tree& tree, FunctionId entry,
                               const std::array<std::int64_t, 3>& block) {
  return walked(tree, entry, block).workers;
}

}  // namespace ws::lift
