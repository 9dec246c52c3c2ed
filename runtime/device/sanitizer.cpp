#include "runtime/device/sanitizer.h"

namespace ws {

std::string_view name_of(SanitizerTool tool) {
  switch (tool) {
    case SanitizerTool::kMemcheck:
      return "memcheck";
    case SanitizerTool::kRacecheck:
      return "racecheck";
    case SanitizerTool::kInitcheck:
      return "initcheck";
    case SanitizerTool::kSynccheck:
      return "synccheck";
    case SanitizerTool::kEngine:
      return "engine";
  }
  return "";
}

}  // namespace ws
