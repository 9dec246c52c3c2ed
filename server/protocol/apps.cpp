#include "server/protocol/apps.h"

#include <algorithm>

#include "server/protocol/methods.h"

namespace ws::server {

Json apps_capability() {
  return {{"extensions", {{kAppsExtension, Json::object()}}}};
}

std::string app_result(const AppView& app) {
  const OrderedJson entry = {{"uri", app.uri},
                             {"mimeType", kAppMimeType},
                             {"text", app.html()},
                             {"_meta", {{"ui", {{"prefersBorder", true}}}}}};
  return R"({"contents":[)" + to_line(entry) + "]}";
}

std::string McpServer::tool_list(Revision revision, const AppView* app) const {
  Json list = Json::array();
  for (const ToolRegistry::Entry* entry : registry_.list()) {
    const ToolSpec& spec = entry->tool->spec();
    list.push_back(project_tool(revision, spec.json, options_.list_bounds));
    const bool makes_jobs = dynamic_cast<const MakesJobs*>(entry->tool.get()) != nullptr;
    if (options_.jobs != nullptr && makes_jobs && revision == Revision::kNovember2025) {
      list.back()["execution"] = {{"taskSupport", "optional"}};
    }
    if (app != nullptr && revision > Revision::kMarch2025 &&
        std::ranges::find(app->tools, spec.name) != app->tools.end()) {
      list.back()["_meta"]["ui"] = {{"resourceUri", app->uri}};
    }
  }
  return finisher_.finish(revision, R"({"tools":)" + to_line(list) + "}", kStaticHint);
}

bool McpServer::shows_apps(const Call& call) {
  if (is_modern(call.envelope.revision)) {
    return declares(capabilities_of(call.message), apps_capability());
  }
  return call.context.state && declares(call.context.state->capabilities(), apps_capability());
}

McpServer::Answer McpServer::list_tools(const Call& call) const {
  if (auto checked = no_cursor(call); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  if (options_.on_tools_listed) {
    options_.on_tools_listed();
  }
  const bool apps = options_.app != nullptr && shows_apps(call);
  return (apps ? tools_with_app_ : tools_).at(call.envelope.revision);
}

}  // namespace ws::server
