#include "runtime/lineage/call_again.h"

#include <nlohmann/json.hpp>

namespace ws {

std::string call_again(const EvidenceRow& evidence) {
  nlohmann::json arguments = {{"kernel_id", evidence.kernel_id}};
  if (evidence.kind == "validate") {
    arguments["repeat"] = evidence.id;
  } else if (evidence.kind == "benchmark" || evidence.kind == "profile") {
    arguments["fresh"] = true;
  } else {
    return {};
  }
  return "warpsmith call " + evidence.kind + " '" + arguments.dump() + "'";
}

}  // namespace ws
