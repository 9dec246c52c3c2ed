#include "tools/answer/fault_json.h"

#include "tools/answer/envelope.h"

namespace ws {

Json to_json(const Fault& fault) {
  Json form = {{"kind", fault.kind}, {"message", fault.message}};
  const auto add_text = [&](const char* name, const std::string& text) {
    if (!text.empty()) {
      form[name] = text;
    }
  };
  add_text("buffer", fault.buffer);
  add_text("access", fault.access);
  add_text("file", fault.file);
  if (fault.index) {
    form["index"] = *fault.index;
  }
  if (fault.line > 0) {
    form["line"] = fault.line;
    form["column"] = fault.column;
  }
  if (fault.block) {
    form["block"] = *fault.block;
  }
  if (fault.thread) {
    form["thread"] = *fault.thread;
  }
  if (fault.signal != 0) {
    form["signal"] = fault.signal;
  }
  return form;
}

Json to_json(const Diagnostic& diagnostic) {
  Json form = {{"severity", diagnostic.severity},
               {"message", quoted(diagnostic.message)},
               {"region", diagnostic.region}};
  if (diagnostic.line > 0) {
    form["line"] = diagnostic.line;
    form["column"] = diagnostic.column;
  }
  if (!diagnostic.snippet.empty()) {
    form["snippet"] = quoted(diagnostic.snippet);
  }
  return form;
}

}  // namespace ws
