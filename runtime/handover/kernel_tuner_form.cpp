// A T1 file of Kernel Tuner, the kernel's source with its parameters as macros, and what a tuning
// measured.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/exchange/definition.h"
#include "runtime/exchange/own_field.h"
#include "runtime/handover/device_code.h"
#include "runtime/handover/head.h"
#include "runtime/handover/t1_writer.h"
#include "runtime/handover/writers.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The text with the names of parameters in the place of `@NAME@`, and with the sizes of
/// specialised dims. Lines that define a macro as the parameter of its name go: Kernel Tuner
/// defines it.
Result<std::string> with_macros(const Handover& handover, const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = std::min(text.find('@', at), text.size());
    const std::size_t end = text.find('@', mark + 1);
    made += text.substr(at, mark - at);
    const std::string name = end < text.size() ? text.substr(mark + 1, end - mark - 1) : "";
    const auto dim = handover.workload.dims.find(name);
    const bool param = handover.kernel.params.contains(name);
    if (!param && dim == handover.workload.dims.end()) {
      made += text.substr(mark, 1);
      at = mark + 1;
      continue;
    }
    const bool glued = param && ((!made.empty() && is_word(made.back())) ||
                                 (end + 1 < text.size() && is_word(text[end + 1])));
    if (glued) {
      return fail(ErrorCode::kUnsupported,
                  handover.kernel.id + " joins `@" + name + "@` with a word, which a macro is not");
    }
    made += param ? name : std::to_string(dim->second);
    at = end + 1;
  }
  for (const auto& [name, values] : handover.kernel.params) {
    const std::string line = "#define " + name + " " + name + "\n";
    for (std::size_t at = made.find(line); at != std::string::npos; at = made.find(line)) {
      made.erase(at, line.size());
    }
  }
  return made;
}

Result<std::string> tuner_source(const Handover& handover) {
  const Kernel& kernel = handover.kernel;
  WS_TRY(RenderedSource source, render(kernel, handover.workload, handover.params));
  WS_TRY(source.macros, with_macros(handover, kernel.macros));
  WS_TRY(source.source, with_macros(handover, kernel.source));
  source.options.clear();  // The T1 file has them.
  WS_TRY(const DeviceCode code, device_code(source, "", ""));
  return head_of(handover, "// ", {"", "Kernel Tuner defines the parameters: see t1.json."}) +
         code.text;
}

}  // namespace

Result<std::vector<HandoverFile>> kernel_tuner_files(const Handover& handover) {
  WS_TRY(OrderedJson t1, t1_of(handover));
  WS_TRY(const std::string source, tuner_source(handover));
  OrderedJson parts = t1;
  parts[kSourcePart] = source;
  t1[kOwnField] = own_field({{"problem", OrderedJson::parse(handover.problem.json)},
                             {"kernel", OrderedJson::parse(handover.kernel.json)}},
                            parts);
  std::vector<HandoverFile> files = {{"t1.json", t1.dump(2) + "\n"}, {"kernel.cu", source}};
  if (!handover.tuning.results.empty()) {
    files.push_back({"results.json", handover.tuning.results + "\n"});
    files.push_back({"cache.json", handover.tuning.cache + "\n"});
  }
  return files;
}

}  // namespace ws
