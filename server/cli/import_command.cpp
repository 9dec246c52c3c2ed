#include <cstdio>
#include <string>

#include "runtime/base/files.h"
#include "runtime/reference/module_import.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

/// [a-z0-9_], as problems are named.
std::string name_of_file(const std::filesystem::path& file) {
  std::string name;
  for (const char c : file.stem().string()) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '_';
  }
  return name.substr(0, 64);
}

Result<ImportedModule> imported(const ImportOptions& options) {
  WS_TRY(const std::string source, read_file(options.file, kMaxModuleBytes));
  ModuleImporter importer(
      {.executable = executable_path().string(), .interpreters = options.interpreters});
  return importer.import(source, {});
}

}  // namespace

int import_command(const ImportOptions& options) {
  const Result<ImportedModule> module = imported(options);
  if (!module) {
    std::fputs((to_text(module.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  OrderedJson problem = {{"name", name_of_file(options.file)}};
  const OrderedJson form = OrderedJson::parse(module->form, nullptr, false);
  for (const char* field : {"dims", "args", "reference", "flops", "bytes"}) {
    if (form.contains(field)) {
      problem[field] = form[field];
    }
  }
  std::fputs((problem.dump(2) + "\n").c_str(), stdout);
  for (const std::string& note : module->notes) {
    std::fputs(("note: " + note + "\n").c_str(), stderr);
  }
  return kExitOk;
}

}  // namespace ws::server
