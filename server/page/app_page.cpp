#include "server/page/app_page.h"

#include <regex>
#include <set>
#include <vector>

#include "server/page/page_assets.h"

namespace ws::server {
namespace {

const std::regex& import_line() {
  static const std::regex line(R"re(import \{([^}]*)\} from "\./([a-z]+\.js)";\n)re");
  return line;
}

const std::regex& export_word() {
  static const std::regex word(R"(export ((?:async )?function|class) ([A-Za-z]+))");
  return word;
}

std::vector<std::smatch> matches_of(const std::string& text, const std::regex& what) {
  return {std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator()};
}

/// Adds the module behind those that it imports, each once.
void add_module(const std::string& name, std::set<std::string>& known, std::string& script) {
  if (!known.insert(name).second) {
    return;
  }
  const std::string text(page_asset(name));
  for (const std::smatch& import : matches_of(text, import_line())) {
    add_module(import[2], known, script);
  }
  std::string exported;
  for (const std::smatch& one : matches_of(text, export_word())) {
    exported += (exported.empty() ? "" : ", ") + one[2].str();
  }
  const std::string inner =
      std::regex_replace(std::regex_replace(text, import_line(), "const {$1} = modules[\"$2\"];\n"),
                         export_word(), "$1 $2");
  script +=
      "modules[\"" + name + "\"] = (() => {\n" + inner + "return {" + exported + "};\n})();\n";
}

}  // namespace

std::string bundled(std::string_view name) {
  std::set<std::string> known;
  std::string script = "\"use strict\";\nconst modules = {};\n";
  add_module(std::string(name), known, script);
  return script;
}

const std::string& result_page() {
  static const std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>warpsmith</title><style>\n" +
      std::string(page_asset("style.css")) +
      "</style></head><body><main aria-live=\"polite\"></main><script>\n" + bundled("app.js") +
      "</script></body></html>\n";
  return page;
}

AppView result_app() {
  return {
      .uri = "ui://warpsmith/result",
      .tools = {"benchmark", "evaluate", "profile", "tune", "validate", "verify_ir", "workflow"},
      .html = &result_page};
}

}  // namespace ws::server
