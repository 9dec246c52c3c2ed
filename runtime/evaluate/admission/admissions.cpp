#include "runtime/evaluate/admission/admissions.h"

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr const char* kUnexamined =
    "its reference gave nothing to judge by on one of the draws that problems are examined with";

std::string key_of(const std::string& problem_id) {
  return "admission/3/" + problem_id;
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
  const std::uint64_t secret = random_u64();
  WS_TRY(const DeviceInfo info, backend.info());
  const bool slow = info.emulated || !problem.reference_source.empty();
  WS_TRY(const std::vector<Workload> workloads, workloads_to_examine(problem, slow, secret));
  const ReferenceOpener open = [&](const Workload& workload) -> Result<std::unique_ptr<Reference>> {
    WS_TRY(OpenedReference opened, open_reference(backend, hosts, problem, workload, stop));
    return std::move(opened.reference);
  };
  WS_TRY(auto found, find_weaknesses(problem, workloads, open, secret, stop));
  if (!found) {
    return Weaknesses{kUnexamined};
  }
  WS_CHECK(archive_.set_setting(key_of(problem.id), Json(*found).dump()));
  const std::lock_guard lock(mutex_);
  return known_.insert_or_assign(problem.id, *std::move(found)).first->second;
}

}  // namespace ws
