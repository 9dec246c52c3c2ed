// Files of other projects, with form feeds between them: they become forms that are JSON, or are
// refused with a reason. The first byte says how they are read.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/exchange/imported.h"
#include "tests/fuzz/must.h"

namespace {

using ws::fuzz::must;

std::vector<std::string> files_of(std::string_view text) {
  std::vector<std::string> files;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\f'), text.size());
    files.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return files;
}

void check(const ws::Result<ws::ImportedForms>& forms) {
  if (!forms) {
    must(!forms.error().message.empty());
    return;
  }
  must(nlohmann::json::accept(forms->problem));
  must(forms->kernel.empty() || nlohmann::json::accept(forms->kernel));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::vector<std::string> files = files_of(ws::fuzz::text_of(data + 1, size - 1));
  switch (*data) {
    case 'k':
      check(ws::import_kernelbench(files.size() > 1 ? files[1] : "",
                                   files.empty() ? std::string() : files[0]));
      break;
    case 's':
      check(ws::import_flashinfer(files, {{"n", {64, 100}}, {"m", {32}}}));
      break;
    default:
      check(ws::import_flashinfer(files, {}));
  }
  return 0;
}
