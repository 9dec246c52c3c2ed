#include "runtime/evaluate/admission/admissions.h"

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/evaluate/validate/reference.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr const char* kUnexamined =
    "its reference gave nothing to judge by on one of the draws that problems are examined with";

std::string key_of(const std::string& problem_id) {
  return "admission/1/" + problem_id;
}

/// The problem's own, whatever a caller asked about; as small as an emulated device needs it.
Result<Workload> cheapest_workload(Backend& backend, const Problem& problem) {
  WS_TRY(const std::vector<Workload> listed, expand_workloads(problem));
  WS_TRY(Workload cheapest, smallest_workload(problem, listed));
  WS_TRY(const DeviceInfo info, backend.info());
  if (!info.emulated) {
    return cheapest;
  }
  const Kernel reference = problem.reference ? *problem.reference : Kernel{};
  WS_TRY(Shrunk shrunk, shrink_for_emulation(problem, reference, reference.defaults, cheapest));
  return std::move(shrunk.workload);
}

}  // namespace

std::optional<Weaknesses> Admissions::stored(const std::string& problem_id) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(problem_id);
  if (at != known_.end()) {
    return at->second;
  }
  const auto text = archive_.setting(key_of(problem_id));
  const Json form = text && *text ? Json::parse(**text, nullptr, false) : Json();
  if (!form.is_array()) {
    return std::nullopt;
  }
  return known_.emplace(problem_id, form.get<Weaknesses>()).first->second;
}

Result<Weaknesses> Admissions::get(Backend& backend, HostWorkers& hosts, const Problem& problem,
                                   const std::stop_token& stop) {
  if (auto known = stored(problem.id)) {
    return *std::move(known);
  }
  WS_TRY(const Workload workload, cheapest_workload(backend, problem));
  WS_TRY(const OpenedReference opened, open_reference(backend, hosts, problem, workload, stop));
  WS_TRY(const ErrorModel error_model, ErrorModel::of(problem, workload));
  if (!opened.reference) {
    return Weaknesses{kUnexamined};
  }
  WS_TRY(auto found, find_weaknesses(*opened.reference, error_model, random_u64(), stop));
  if (!found) {
    return Weaknesses{kUnexamined};
  }
  WS_CHECK(archive_.set_setting(key_of(problem.id), Json(*found).dump()));
  const std::lock_guard lock(mutex_);
  return known_.insert_or_assign(problem.id, *std::move(found)).first->second;
}

}  // namespace ws
