#include "tools/kernels/recent_resources.h"

#include <algorithm>
#include <set>

#include "runtime/base/viewer.h"

namespace ws {
namespace {

constexpr std::size_t kMostKernels = 50;
constexpr std::size_t kMostEvidence = 1000;

std::string text_of(const Json& answer, const char* field) {
  const auto found = answer.find(field);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json row_of(const std::string& uri, const std::string& name, const char* description,
            const char* type) {
  return {{"uri", uri}, {"name", name}, {"description", description}, {"mimeType", type}};
}

}  // namespace

RecentResources::News RecentResources::note(const Json& answer) {
  News news;
  const std::string kernel = answer.is_object() ? text_of(answer, "kernel_id") : std::string();
  if (kernel.empty()) {
    return news;
  }
  const std::string evidence = text_of(answer, "evidence_id");
  const std::lock_guard lock(mutex_);
  news.list = note_kernel(kernel, text_of(answer, "problem_id"));
  if (!evidence.empty() && note_evidence(evidence)) {
    for (const char* part : {"log", "report"}) {
      news.contents.push_back("kernel://" + kernel + "/" + part);
    }
  }
  return news;
}

void RecentResources::note_viewer(Kernel& kernel) {
  const Viewer& viewer = current_viewer();
  kernel.shared = kernel.shared || viewer.shares;
  kernel.owners.insert(viewer.owner);
}

bool RecentResources::note_kernel(const std::string& id, const std::string& problem) {
  const auto known = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&id](const Kernel& kernel) { return kernel.id == id; });
  if (known != kernels_.end()) {
    note_viewer(*known);
    const bool more = known->problem.empty() && !problem.empty();
    if (more) {
      known->problem = problem;
    }
    return more;
  }
  kernels_.push_front({.id = id, .problem = problem});
  note_viewer(kernels_.front());
  if (kernels_.size() > kMostKernels) {
    kernels_.pop_back();
  }
  return true;
}

bool RecentResources::note_evidence(const std::string& id) {
  if (std::find(evidence_.begin(), evidence_.end(), id) != evidence_.end()) {
    return false;
  }
  evidence_.push_front(id);
  if (evidence_.size() > kMostEvidence) {
    evidence_.pop_back();
  }
  return true;
}

Json RecentResources::rows() const {
  Json rows = Json::array();
  std::set<std::string> problems;
  const std::lock_guard lock(mutex_);
  const Viewer& viewer = current_viewer();
  for (const Kernel& kernel : kernels_) {
    if (!viewer.sees_all && !kernel.shared && !kernel.owners.contains(viewer.owner)) {
      continue;
    }
    rows.push_back(row_of("kernel://" + kernel.id + "/source", kernel.id,
                          "Source of a kernel that was used lately", "text/plain"));
    if (!kernel.problem.empty() && problems.insert(kernel.problem).second) {
      rows.push_back(row_of("problem://" + kernel.problem, kernel.problem,
                            "Its problem as it was sent", "application/json"));
    }
  }
  return rows;
}

}  // namespace ws
