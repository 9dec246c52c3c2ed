// A kernel handed over as files.
#include <utility>

#include "tools/answer/next_steps.h"
#include "tools/workflow/actions.h"

namespace ws {

Answer answer_of(const HandedKernel& handed) {
  Json files = Json::array();
  for (const HandedFile& file : handed.files) {
    files.push_back({{"path", file.path}, {"text", file.text}});
  }
  return {.summary = handed.kernel_id + " as " + std::to_string(handed.files.size()) +
                     " files; README.md says how to build them" +
                     (handed.provenance.evidence_id.empty() ? "; it was not verified" : ""),
          .body = {{"kernel_id", handed.kernel_id},
                   {"evidence_id", handed.provenance.evidence_id},
                   {"files", std::move(files)},
                   {"links", {{{"rel", "kernel"}, {"uri", "kernel://" + handed.kernel_id}}}}},
          .next_steps = {advice("write the files into a folder and follow README.md")}};
}

}  // namespace ws
