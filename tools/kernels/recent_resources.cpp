#include "tools/kernels/recent_resources.h"

#include <algorithm>
#include <set>

#include "runtime/base/viewer.h"

namespace ws {
namespace {

constexpr std::size_t kMostKernels = 50;  // For each principal.
constexpr std::size_t kMostOfAll = 50'000;
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
  news.kernel = kernel;
  const std::string evidence = text_of(answer, "evidence_id");
  const std::lock_guard lock(mutex_);
  news.list = note_kernel(kernel, text_of(answer, "problem_id"));
  if (!evidence.empty() && note_evidence(evidence)) {
    news.evidence = evidence;
    for (const char* part : {"log", "report"}) {
      news.contents.push_back("kernel://" + kernel + "/" + part);
    }
  }
  return news;
}

bool RecentResources::Kernel::is_shared() const {
  return std::any_of(named.begin(), named.end(), [](const auto& by) { return by.second; });
}

bool RecentResources::Kernel::is_for_viewer() const {
  const Viewer& viewer = current_viewer();
  return viewer.sees_all || named.contains(viewer.owner) || is_shared();
}

bool RecentResources::note_kernel(const std::string& id, const std::string& problem) {
  auto known = std::find_if(kernels_.begin(), kernels_.end(),
                            [&id](const Kernel& kernel) { return kernel.id == id; });
  const bool is_new = known == kernels_.end();
  if (is_new) {
    kernels_.push_front({.id = id, .problem = problem});
    known = kernels_.begin();
  }
  const Viewer& viewer = current_viewer();
  const bool more = known->problem.empty() && !problem.empty();
  const bool others = !known->is_for_viewer() || (viewer.shares && !known->is_shared());
  if (more) {
    known->problem = problem;
  }
  const auto [by, added] = known->named.emplace(viewer.owner, viewer.shares);
  by->second = by->second || viewer.shares;
  if (added) {
    forget_old(viewer.owner);
  }
  return is_new || more || others;
}

/// One principal's kernels take no place in the list of another.
void RecentResources::forget_old(const std::string& owner) {
  std::size_t own = 0;
  for (Kernel& kernel : kernels_) {
    own += kernel.named.contains(owner) ? 1U : 0U;
    if (own > kMostKernels) {
      kernel.named.erase(owner);
    }
  }
  std::erase_if(kernels_, [](const Kernel& kernel) { return kernel.named.empty(); });
  kernels_.resize(std::min(kernels_.size(), kMostOfAll));
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

std::vector<RecentResources::Kernel> RecentResources::kernels_for_viewer() const {
  std::vector<Kernel> found;
  const std::lock_guard lock(mutex_);
  for (const Kernel& kernel : kernels_) {
    if (found.size() < kMostKernels && kernel.is_for_viewer()) {
      found.push_back(kernel);
    }
  }
  return found;
}

Json RecentResources::rows(const std::function<bool(const std::string& id)>& sees) const {
  Json rows = Json::array();
  std::set<std::string> problems;
  for (const Kernel& kernel : kernels_for_viewer()) {
    if (!sees(kernel.id)) {
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
