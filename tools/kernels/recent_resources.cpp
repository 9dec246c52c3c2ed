#include "tools/kernels/recent_resources.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "runtime/base/viewer.h"

namespace ws {
namespace {

constexpr std::size_t kMostKernels = 50;  // For each principal.
constexpr std::size_t kMostOwners = 1000;
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

bool RecentResources::note_kernel(const std::string& id, const std::string& problem) {
  const Viewer& viewer = current_viewer();
  std::deque<Kernel>& own = kernels_[viewer.owner];
  const auto known =
      std::find_if(own.begin(), own.end(), [&id](const Kernel& kernel) { return kernel.id == id; });
  if (known != own.end()) {
    const bool more = known->problem.empty() && !problem.empty();
    const bool others = viewer.shares && !known->shared;
    if (more) {
      known->problem = problem;
    }
    known->shared = known->shared || viewer.shares;
    return more || others;
  }
  own.push_front({.id = id, .problem = problem, .number = ++last_, .shared = viewer.shares});
  own.resize(std::min(own.size(), kMostKernels));
  forget_owners();
  return true;
}

/// An issuer may have any number of users.
void RecentResources::forget_owners() {
  if (kernels_.size() > kMostOwners) {
    kernels_.erase(
        std::min_element(kernels_.begin(), kernels_.end(), [](const auto& one, const auto& other) {
          return one.second.front().number < other.second.front().number;
        }));
  }
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
  const Viewer& viewer = current_viewer();
  std::vector<Kernel> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [owner, kernels] : kernels_) {
    std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(found),
                 [&, own = viewer.sees_all || owner == viewer.owner](const Kernel& kernel) {
                   return own || kernel.shared;
                 });
  }
  std::sort(found.begin(), found.end(),
            [](const Kernel& a, const Kernel& b) { return a.number > b.number; });
  return found;
}

Json RecentResources::rows(const std::function<bool(const std::string& id)>& sees) const {
  Json rows = Json::array();
  std::set<std::string> shown;
  std::set<std::string> problems;
  for (const Kernel& kernel : kernels_for_viewer()) {
    if (shown.size() == kMostKernels) {
      break;
    }
    if (shown.contains(kernel.id) || !sees(kernel.id)) {
      continue;
    }
    shown.insert(kernel.id);
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
