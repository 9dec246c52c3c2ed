// The tree that a kernel stands in.
#include <algorithm>
#include <set>
#include <utility>

#include "tools/workflow/actions.h"

namespace ws {
namespace {

constexpr int kMaxNames = 8;             // For one kernel.
constexpr std::size_t kMaxSide = 400;    // Kernels beside the line that are looked at.
constexpr std::size_t kConcise = 3000;   // Bytes of the rows.
constexpr std::size_t kFull = 48000;     // With detail: full.
constexpr std::size_t kMaxFailures = 6;  // Rows of one kernel.

Json tree_row_form(const TreeRow& row) {
  Json form = {{"kernel_id", row.kernel_id}, {"depth", row.depth}, {"by", row.made_by}};
  if (!row.parent.empty()) {
    form["parent"] = row.parent;
  }
  const auto put = [&form](const char* field, const std::optional<double>& value) {
    if (value) {
      form[field] = rounded(*value);
    }
  };
  put("us", row.speed.us);
  put("total", row.speed.total);
  put("step", row.speed.step);
  if (row.speed.worked_out) {
    form["step_from"] = "totals";
  }
  if (row.verdict) {
    form["verdict"] = name_of(*row.verdict);
  }
  for (const std::string& name : row.names) {
    form["refs"].push_back(name);
  }
  for (const PassStatistic& failed : row.failed) {
    form["failed"].push_back({{"transformation", failed.transformation},
                              {"pass", failed.pass},
                              {"verdict", name_of(failed.verdict)},
                              {"tries", failed.tries}});
  }
  if (row.weight == TreeWeight::kBeside) {
    form["beside"] = true;
  }
  return form;
}

/// The rows that fit, in the tree's order.
Json rows_that_fit(const std::vector<TreeRow>& rows, std::size_t room) {
  std::vector<Json> forms;
  forms.reserve(rows.size());
  for (const TreeRow& row : rows) {
    forms.push_back(tree_row_form(row));
  }
  std::vector<bool> shown(rows.size(), false);
  for (const TreeWeight weight : {TreeWeight::kTimed, TreeWeight::kOnLine, TreeWeight::kBeside}) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t size = forms[i].dump().size() + 1;
      if (rows[i].weight == weight && size <= room) {
        shown[i] = true;
        room -= size;
      }
    }
  }
  Json fitting = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (shown[i]) {
      fitting.push_back(std::move(forms[i]));
    }
  }
  return fitting;
}

/// All kernels of the tree, each before what was made of it, the line to the kernel among them.
class Tree {
 public:
  Tree(const LineArchives& archives, const std::vector<LineKernel>& line, std::string device)
      : archives_(archives),
        line_(line),
        device_(std::move(device)) {
    for (const LineKernel& kernel : line) {
      on_line_.insert(kernel.row.id);
    }
  }

  /// Puts rows, and whether there are more, into `told`.
  Status walk(KernelTree& told) {
    std::vector<Place> open = {{line_.front().row, 0}};
    std::vector<LineKernel> path;
    std::size_t beside = 0;
    while (!open.empty()) {
      Place place = std::move(open.back());
      open.pop_back();
      path.resize(place.depth);
      WS_TRY(LineKernel kernel, line_kernel(archives_, place.row, path, device_));
      WS_TRY(TreeRow row, row_of(kernel, place.depth));
      told.rows.push_back(std::move(row));
      WS_TRY(std::vector<KernelRow> children, archives_.archive.children(place.row.id));
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        if (!on_line_.contains(child->id) && ++beside > kMaxSide) {
          told.more = true;
          continue;
        }
        child->json.clear();  // Large, and not shown.
        open.push_back({std::move(*child), place.depth + 1});
      }
      path.push_back(std::move(kernel));
    }
    return {};
  }

 private:
  struct Place {
    KernelRow row;
    std::size_t depth = 0;
  };

  [[nodiscard]] TreeWeight weight_of(const LineKernel& kernel) const {
    if (!on_line_.contains(kernel.row.id)) {
      return TreeWeight::kBeside;
    }
    const bool end = kernel.row.id == line_.front().row.id || kernel.row.id == line_.back().row.id;
    return end || kernel.speed.total ? TreeWeight::kTimed : TreeWeight::kOnLine;
  }

  Result<TreeRow> row_of(const LineKernel& kernel, std::size_t depth) {
    TreeRow row;
    row.kernel_id = kernel.row.id;
    row.depth = depth;
    row.made_by = kernel.made_by();
    row.parent = kernel.row.parent;
    row.speed = kernel.speed;
    row.verdict = kernel.speed.verdict;
    row.weight = weight_of(kernel);
    WS_TRY(const std::vector<RefRow> refs, archives_.lines.refs(kernel.row.id, kMaxNames));
    for (const RefRow& ref : refs) {
      row.names.push_back(ref.name);
    }
    WS_TRY(row.failed, archives_.lines.failed_passes(kernel.row.id));
    row.failed.resize(std::min(row.failed.size(), kMaxFailures));
    if (row.weight == TreeWeight::kBeside && kernel.passes.empty()) {
      WS_CHECK(tell_failure(row));
    }
    return row;
  }

  /// A kernel that a pass made in vain is no edit.
  Status tell_failure(TreeRow& row) {
    WS_TRY(const std::optional<PassStatistic> failure, archives_.lines.failure_of(row.kernel_id));
    if (failure) {
      row.made_by = failure->transformation + ", pass " + std::to_string(failure->pass);
      row.verdict = failure->verdict;
    }
    return {};
  }

  const LineArchives archives_;
  const std::vector<LineKernel>& line_;
  const std::string device_;
  std::set<std::string> on_line_;
};

std::string tree_text(const KernelTree& tree) {
  std::string text = tree.kernel_id + " is " + std::to_string(tree.steps) + " steps from " +
                     tree.first_id + ", " + std::to_string(tree.timed) + " of them timed on " +
                     tree.device_id;
  if (tree.total) {
    text += "; it is " + Json(rounded(*tree.total)).dump() + "x as fast";
  }
  return text;
}

}  // namespace

Result<KernelTree> kernel_tree(Services& services, LineStore& lines,
                               const WorkflowRequest& request) {
  const LineArchives archives{*services.archive, lines};
  WS_TRY(const std::vector<LineKernel> line, line_of(archives, request.ref, request.device_key));
  KernelTree told;
  told.kernel_id = line.back().row.id;
  told.first_id = line.front().row.id;
  const auto own = std::find_if(line.begin(), line.end(), [&](const LineKernel& kernel) {
    return kernel.row.problem_id == line.back().row.problem_id;
  });
  told.own_first_id = own->row.id;
  told.device_id = request.device_id;
  told.steps = line.size() - 1;
  told.timed = static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(),
                    [](const LineKernel& kernel) { return kernel.speed.total.has_value(); }));
  told.total = line.back().speed.total;
  told.full = request.full;
  WS_CHECK(Tree(archives, line, request.device_key).walk(told));
  return told;
}

Answer answer_of(const KernelTree& tree) {
  Answer answer{.summary = tree_text(tree),
                .body = {{"kernel_id", tree.kernel_id}, {"device", tree.device_id}},
                .next_steps = {}};
  Json& rows = answer.body["tree"] = rows_that_fit(tree.rows, tree.full ? kFull : kConcise);
  if (const std::size_t left = tree.rows.size() - rows.size(); left > 0 || tree.more) {
    answer.body["left_out"] = std::to_string(left) + (tree.more ? " and more" : "") + " kernels" +
                              (tree.full ? "" : "; detail full shows more");
  }
  if (tree.own_first_id != tree.kernel_id) {
    answer.next_steps.push_back(next_step(
        "workflow", {{"action", "compare"}, {"a", tree.own_first_id}, {"b", tree.kernel_id}},
        "see all changes"));
  }
  if (tree.steps > 0 && tree.own_first_id == tree.first_id) {
    answer.next_steps.push_back(next_step(
        "workflow", {{"action", "export"}, {"ref", tree.kernel_id}}, "take it elsewhere"));
  }
  return answer;
}

}  // namespace ws
