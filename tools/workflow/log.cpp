// The tree that a kernel stands in.
#include <algorithm>
#include <set>

#include "tools/workflow/actions.h"

namespace ws {
namespace {

constexpr int kMaxRefs = 50;             // That are listed.
constexpr int kMaxNames = 8;             // Of one kernel.
constexpr std::size_t kMaxSide = 400;    // Kernels beside the line that are looked at.
constexpr std::size_t kConcise = 3000;   // Bytes of the rows.
constexpr std::size_t kFull = 48000;     // With detail: full.
constexpr std::size_t kMaxFailures = 6;  // Rows of one kernel.

/// What is shown first where there is no room for all.
enum class Weight : std::uint8_t { kTimed, kOnLine, kBeside };

struct Node {
  Weight weight = Weight::kBeside;
  Json form;
};

Result<Json> node_form(LineStore& lines, const LineKernel& kernel, std::size_t depth) {
  Json form = {{"kernel_id", kernel.row.id}, {"depth", depth}, {"by", kernel.made_by()}};
  if (!kernel.row.parent.empty()) {
    form["parent"] = kernel.row.parent;
  }
  const LineSpeed& speed = kernel.speed;
  const auto put = [&form](const char* field, const std::optional<double>& value) {
    if (value) {
      form[field] = rounded(*value);
    }
  };
  put("us", speed.us);
  put("total", speed.total);
  put("step", speed.step);
  if (speed.worked_out) {
    form["step_from"] = "totals";
  }
  if (!speed.verdict.empty()) {
    form["verdict"] = speed.verdict;
  }
  WS_TRY(const std::vector<RefRow> refs, lines.refs(kernel.row.id, kMaxNames));
  for (const RefRow& ref : refs) {
    form["refs"].push_back(ref.name);
  }
  WS_TRY(const std::vector<PassStatistic> failed, lines.failed_passes(kernel.row.id));
  for (const PassStatistic& row : failed) {
    if (form["failed"].size() < kMaxFailures) {
      form["failed"].push_back({{"transformation", row.transformation},
                                {"pass", row.pass},
                                {"verdict", row.verdict},
                                {"tries", row.tries}});
    }
  }
  return form;
}

/// A kernel that a pass made in vain is no edit.
Status tell_failure(LineStore& lines, const LineKernel& kernel, Json& form) {
  if (!kernel.passes.empty()) {
    return {};
  }
  WS_TRY(const std::optional<PassStatistic> failure, lines.failure_of(kernel.row.id));
  if (failure) {
    form["by"] = failure->transformation + ", pass " + std::to_string(failure->pass);
    form["verdict"] = failure->verdict;
  }
  return {};
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

  Status walk() {
    std::vector<Place> open = {{line_.front().row, 0}};
    std::vector<LineKernel> path;
    while (!open.empty()) {
      Place place = std::move(open.back());
      open.pop_back();
      path.resize(place.depth);
      WS_TRY(LineKernel kernel, line_kernel(archives_, place.row, path, device_));
      WS_CHECK(add(kernel, place.depth));
      WS_TRY(std::vector<KernelRow> children, archives_.archive.children(place.row.id));
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        if (!on_line_.contains(child->id) && ++beside_ > kMaxSide) {
          more_ = true;
          continue;
        }
        child->json.clear();  // Large, and not shown.
        open.push_back({std::move(*child), place.depth + 1});
      }
      path.push_back(std::move(kernel));
    }
    return {};
  }

  /// The rows that fit, in the tree's order.
  [[nodiscard]] Json rows(std::size_t room) const {
    std::vector<bool> shown(nodes_.size(), false);
    for (const Weight weight : {Weight::kTimed, Weight::kOnLine, Weight::kBeside}) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const std::size_t size = nodes_[i].form.dump().size() + 1;
        if (nodes_[i].weight == weight && size <= room) {
          shown[i] = true;
          room -= size;
        }
      }
    }
    Json rows = Json::array();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (shown[i]) {
        rows.push_back(nodes_[i].form);
      }
    }
    return rows;
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Whether there are kernels that were not looked at.
  [[nodiscard]] bool more() const { return more_; }

 private:
  struct Place {
    KernelRow row;
    std::size_t depth = 0;
  };

  Status add(const LineKernel& kernel, std::size_t depth) {
    const bool on_line = on_line_.contains(kernel.row.id);
    const bool end = kernel.row.id == line_.front().row.id || kernel.row.id == line_.back().row.id;
    Node node;
    node.weight = !on_line                                ? Weight::kBeside
                  : end || kernel.speed.total.has_value() ? Weight::kTimed
                                                          : Weight::kOnLine;
    WS_TRY(node.form, node_form(archives_.lines, kernel, depth));
    if (!on_line) {
      node.form["beside"] = true;
      WS_CHECK(tell_failure(archives_.lines, kernel, node.form));
    }
    nodes_.push_back(std::move(node));
    return {};
  }

  const LineArchives archives_;
  const std::vector<LineKernel>& line_;
  const std::string device_;
  std::set<std::string> on_line_;
  std::vector<Node> nodes_;
  std::size_t beside_ = 0;
  bool more_ = false;
};

Result<Json> list_refs(LineStore& lines) {
  WS_TRY(const std::vector<RefRow> refs, lines.refs("", kMaxRefs));
  Json rows = Json::array();
  for (const RefRow& ref : refs) {
    rows.push_back({{"ref", ref.name}, {"kernel_id", ref.kernel_id}, {"at", ref.updated_at}});
    if (ref.fixed) {
      rows.back()["checkpoint"] = true;
    }
  }
  std::vector<Json> steps;
  if (!refs.empty()) {
    steps.push_back(next_step("workflow", {{"action", "log"}, {"ref", refs.front().name}},
                              "see how that one came to be"));
  }
  return finished(std::to_string(rows.size()) + " names, the newest first", {{"refs", rows}},
                  std::move(steps));
}

std::string summary_of(const std::vector<LineKernel>& line, const WorkflowRequest& request) {
  const std::string id = line.back().row.id;
  const auto timed = std::count_if(line.begin(), line.end(), [](const LineKernel& kernel) {
    return kernel.speed.total.has_value();
  });
  std::string text = id + " is " + std::to_string(line.size() - 1) + " steps from " +
                     line.front().row.id + ", " + std::to_string(timed) + " of them timed on " +
                     request.device_id;
  if (line.back().speed.total) {
    text += "; it is " + Json(rounded(*line.back().speed.total)).dump() + "x as fast";
  }
  return text;
}

}  // namespace

Result<Json> log_workflow(Services& services, LineStore& lines, const WorkflowRequest& request) {
  if (request.ref.empty()) {
    return list_refs(lines);
  }
  const LineArchives archives{*services.archive, lines};
  WS_TRY(const std::vector<LineKernel> line, line_of(archives, request.ref, request.device_key));
  Tree tree(archives, line, request.device_key);
  WS_CHECK(tree.walk());
  const std::string id = line.back().row.id;
  Json body = {{"kernel_id", id}, {"device", request.device_id}};
  body["tree"] = tree.rows(request.full ? kFull : kConcise);
  if (const std::size_t left = tree.size() - body["tree"].size(); left > 0 || tree.more()) {
    body["left_out"] = std::to_string(left) + (tree.more() ? " and more" : "") + " kernels" +
                       (request.full ? "" : "; detail full shows more");
  }
  std::vector<Json> steps;
  if (line.size() > 1) {
    steps.push_back(next_step("workflow",
                              {{"action", "compare"}, {"a", line.front().row.id}, {"b", id}},
                              "see all that was changed"));
    steps.push_back(
        next_step("workflow", {{"action", "export"}, {"ref", id}}, "take it elsewhere"));
  }
  return finished(summary_of(line, request), std::move(body), std::move(steps));
}

}  // namespace ws
