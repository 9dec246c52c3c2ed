// Reads the text format of Prometheus as strictly as its description allows.
#pragma once

#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/metrics.h"

namespace ws {

/// One label: its end, or npos where it is none.
inline std::size_t label_end(const std::string& text, std::size_t at) {
  const std::size_t equals = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
  if (equals == at || text.compare(equals, 2, "=\"") != 0) {
    return std::string::npos;
  }
  for (std::size_t i = equals + 2; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string::npos;
}

/// The values by series, such as `a_total{x="y"}`. REQUIREs that the text is well-formed: each
/// metric is introduced once, in one block, and no series comes twice.
inline std::map<std::string, double> read_metrics(const std::string& text) {
  std::map<std::string, double> values;
  std::set<std::string> introduced;
  std::string name;
  std::string kind;
  REQUIRE(text.ends_with('\n'));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    CAPTURE(line);
    at = end + 1;
    if (line.starts_with("# HELP ")) {
      name = line.substr(7, line.find(' ', 7) - 7);
      REQUIRE(introduced.insert(name).second);
      const std::string type = text.substr(at, text.find('\n', at) - at);
      REQUIRE(type.starts_with("# TYPE " + name + " "));
      kind = type.substr(type.rfind(' ') + 1);
      at += type.size() + 1;
      continue;
    }
    const std::size_t labels = line.find_first_of("{ ");
    const std::string own = line.substr(0, labels);
    const bool known = kind == "histogram" ? own == name + "_bucket" || own == name + "_sum" ||
                                                 own == name + "_count"
                                           : own == name;
    REQUIRE(known);
    std::size_t value = labels;
    if (line[labels] == '{') {
      do {
        value = label_end(line, value + 1);
        REQUIRE(value != std::string::npos);
      } while (line[value] == ',');
      REQUIRE(line[value] == '}');
      ++value;
    }
    REQUIRE(line[value] == ' ');
    std::size_t used = 0;
    const std::string number = line.substr(value + 1);
    const double read = number == "+Inf" ? 1e308 : std::stod(number, &used);
    REQUIRE((number == "+Inf" || used == number.size()));
    REQUIRE(values.emplace(line.substr(0, value), read).second);
  }
  return values;
}

/// 0 where the series is not there.
inline double metric_in(const std::map<std::string, double>& values, const std::string& series) {
  const auto at = values.find(series);
  return at == values.end() ? 0 : at->second;
}

}  // namespace ws
