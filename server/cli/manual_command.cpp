#include <array>
#include <cstdio>
#include <utility>

#include "server/cli/commands.h"
#include "server/cli/manual.h"
#include "server/cli/manual_forms.h"
#include "server/cli/version.h"

namespace ws::server {
namespace {

using Writer = std::string (*)(const Manual&);

constexpr std::array<std::pair<const char*, Writer>, 4> kForms = {{
    {"man", man_page},
    {"bash", bash_completion},
    {"zsh", zsh_completion},
    {"fish", fish_completion},
}};

}  // namespace

std::vector<std::string> manual_forms() {
  std::vector<std::string> forms;
  for (const auto& [form, writer] : kForms) {
    forms.emplace_back(form);
  }
  return forms;
}

std::string manual_text(const CLI::App& app, const std::string& form) {
  Manual manual = manual_of(app);
  manual.version = version();
  for (const auto& [name, writer] : kForms) {
    if (form == name) {
      return writer(manual);
    }
  }
  return {};
}

int manual_command(const CLI::App& app, const ManualOptions& options) {
  const std::string text = manual_text(app, options.form);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? kExitOk : kExitFailed;
}

}  // namespace ws::server
