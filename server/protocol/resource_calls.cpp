// Resources, and the skills whose files are resources, too.
#include <string>

#include "server/protocol/apps.h"
#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr int kResourceNotFoundLegacy = -32002;

}  // namespace

RpcResult<std::string> McpServer::uri_of(const Call& call) {
  const Json uri = call.message.params.value("uri", Json());
  if (!uri.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`uri` must be a string");
  }
  return uri.get<std::string>();
}

McpServer::Answer McpServer::list_resources(const Call& call) const {
  if (auto checked = no_cursor(call); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  // Not all that there are: others are reached by the links in results, and there may be thousands
  // of them.
  OrderedJson rows = options_.skills != nullptr ? options_.skills->rows() : OrderedJson::array();
  if (options_.resource_list != nullptr) {
    for (const Json& row : options_.resource_list->rows()) {
      rows.push_back(OrderedJson(row));
    }
  }
  return finisher_.finish(call.envelope.revision, R"({"resources":)" + to_line(rows) + "}",
                          options_.news ? kNoCacheHint : kStaticHint);
}

McpServer::Answer McpServer::list_templates(const Call& call) const {
  if (auto checked = no_cursor(call); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  return finisher_.finish(
      call.envelope.revision,
      R"({"resourceTemplates":)" + to_line(options_.resources->templates()) + "}", kStaticHint);
}

McpServer::Answer McpServer::read_resource(const Call& call) const {
  const Revision revision = call.envelope.revision;
  const RpcResult<std::string> uri = uri_of(call);
  if (!uri) {
    return tl::unexpected(uri.error());
  }
  if (options_.skills != nullptr) {
    if (const auto file = options_.skills->file(*uri)) {
      return finisher_.finish(revision, read_result(*file, false), kStaticHint);
    }
  }
  if (options_.app != nullptr && *uri == options_.app->uri) {
    return finisher_.finish(revision, app_result(*options_.app), kStaticHint);
  }
  const Result<ResourceText> resource = options_.resources->read(*uri);
  if (!resource) {
    const bool missing = resource.error().code == ErrorCode::kNotFound;
    const bool wrong = missing || resource.error().code == ErrorCode::kInvalidArgument;
    const int not_found = is_modern(revision) ? rpc::kInvalidParams : kResourceNotFoundLegacy;
    const int code = missing ? not_found : (wrong ? rpc::kInvalidParams : rpc::kInternal);
    return rpc_fail(code, to_text(resource.error()), 200, {{"uri", *uri}});
  }
  const bool binary =
      options_.resource_list != nullptr && options_.resource_list->is_binary(resource->uri);
  return finisher_.finish(revision, read_result(*resource, binary),
                          resource->immutable ? kImmutableHint : kNoCacheHint);
}

McpServer::Answer McpServer::list_skills(const Call& call) const {
  if (auto checked = no_cursor(call); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  return finisher_.finish(call.envelope.revision,
                          R"({"skills":)" + to_line(options_.skills->entries()) + "}", kStaticHint);
}

McpServer::Answer McpServer::get_skill(const Call& call) const {
  const RpcResult<std::string> uri = uri_of(call);
  if (!uri) {
    return tl::unexpected(uri.error());
  }
  const OrderedJson entry = options_.skills->entry(*uri);
  if (entry.is_null()) {
    return rpc_fail(rpc::kInvalidParams,
                    "there is no skill " + to_line(Json(*uri)) + "; skills/list has them");
  }
  return finisher_.finish(call.envelope.revision, R"({"skill":)" + to_line(entry) + "}",
                          kStaticHint);
}

McpServer::Answer McpServer::read_directory(const Call& call) const {
  const RpcResult<std::string> uri = uri_of(call);
  if (!uri) {
    return tl::unexpected(uri.error());
  }
  if (auto checked = no_cursor(call); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  const OrderedJson rows = options_.skills->directory(*uri);
  if (rows.is_null()) {
    return rpc_fail(rpc::kInvalidParams, "there is no folder " + to_line(Json(*uri)) +
                                             "; those of skills are skill://NAME");
  }
  return finisher_.finish(call.envelope.revision, R"({"resources":)" + to_line(rows) + "}",
                          kStaticHint);
}

}  // namespace ws::server
