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

Fault fault_from_json(const Json& form, Verdict verdict) {
  Fault fault;
  fault.verdict = verdict;
  fault.kind = form.at("kind");
  fault.message = form.at("message");
  fault.buffer = form.value("buffer", "");
  fault.access = form.value("access", "");
  fault.file = form.value("file", "");
  if (form.contains("index")) {
    fault.index = form["index"].get<std::int64_t>();
  }
  fault.line = form.value("line", 0);
  fault.column = form.value("column", 0);
  for (const auto& [name, place] :
       {std::pair("block", &fault.block), std::pair("thread", &fault.thread)}) {
    if (form.contains(name)) {
      *place = form[name].get<std::array<std::uint32_t, 3>>();
    }
  }
  fault.signal = form.value("signal", 0);
  return fault;
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

Diagnostic diagnostic_from_json(const Json& form) {
  return {.severity = form.at("severity"),
          .message = form.at("message"),
          .region = form.at("region"),
          .line = form.value("line", 0),
          .column = form.value("column", 0),
          .snippet = form.value("snippet", "")};
}

}  // namespace ws
