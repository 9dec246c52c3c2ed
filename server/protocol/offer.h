// The parts of a server that whoever builds it brings along, beside its tools and resources.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/protocol/inputs.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// The server as its clients see it.
struct Identity {
  std::string name;
  std::string title;
  std::string instructions;  ///< Empty: none.
};

using PromptAnswer = std::variant<OrderedJson, InputNeeded>;

/// The prompts of a server. Any thread.
class PromptSource {
 public:
  virtual ~PromptSource() = default;

  /// The `prompts` of prompts/list, always in the same order.
  [[nodiscard]] virtual OrderedJson list(Revision revision) const = 0;

  /// The result of prompts/get. After InputNeeded it is asked for again with what the client gave.
  ///
  /// @param arguments  An object of texts, or null.
  /// @errors -32602: no such prompt, an argument that is missing, unknown, no text, or too long.
  [[nodiscard]] virtual RpcResult<PromptAnswer> get(const std::string& name, const Json& arguments,
                                                    const Inputs& inputs) const = 0;
};

/// The changes of resources that a tool's answer tells of.
struct ResourceNews {
  bool list = false;                    ///< ResourceList::rows() gives other ones now.
  std::vector<std::string> contents{};  ///< The addresses of those that say more now.
  /// Whether the list of this thread's viewer (viewer.h) is another one, and whether it sees what
  /// the contents say more. Null: all do.
  std::function<bool()> in_list{};
  std::function<bool()> in_contents{};
};

/// The resources for resources/list. Any thread.
class ResourceList {
 public:
  virtual ~ResourceList() = default;

  /// [{uri, name, description, mimeType}]. Always the same, but where the server has
  /// Options::news.
  [[nodiscard]] virtual Json rows() const = 0;

  /// Whether the ResourceText of this one holds bytes that are no text.
  [[nodiscard]] virtual bool is_binary(const std::string& uri) const = 0;
};

/// Completes what a person types as an argument of a prompt or of a resource's template. Any
/// thread.
class CompletionSource {
 public:
  virtual ~CompletionSource() = default;

  /// The fitting values, the best first.
  ///
  /// @param ref     {type: ref/prompt, name} or {type: ref/resource, uri}
  /// @param chosen  The arguments that have their values already.
  [[nodiscard]] virtual std::vector<std::string> complete(const Json& ref,
                                                          const std::string& argument,
                                                          const std::string& value,
                                                          const Json& chosen) const = 0;
};

/// A page that hosts show beside the results of some tools, inside the chat (MCP Apps).
struct AppView {
  std::string uri;                 ///< ui://SERVER/NAME
  std::vector<std::string> tools;  ///< It draws their results.
  const std::string& (*html)();    ///< A whole document, which loads nothing. Any thread.
};

}  // namespace ws::server
