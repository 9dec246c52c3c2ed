#include "runtime/search/problem_facts.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr double kFarApart = 4;  // In powers of two: what a dim that only one of them has counts.

/// The mean over the numbers of a list; 0 when there are none.
double mean_log2(const Json& values) {
  double sum = 0;
  double count = 0;
  for (const Json& value : values) {
    if (value.is_number() && value.get<double>() >= 1) {
      sum += std::log2(value.get<double>());
      count += 1;
    }
  }
  return count > 0 ? sum / count : 0;
}

/// A dim is a list, {"values": list} or {"range": [low, high, step]}.
double size_of_dim(const Json& dim) {
  if (dim.is_array()) {
    return mean_log2(dim);
  }
  if (dim.is_object() && dim.contains("values")) {
    return mean_log2(dim["values"]);
  }
  if (dim.is_object() && dim.contains("range") && dim["range"].size() >= 2) {
    return mean_log2(Json::array({dim["range"][0], dim["range"][1]}));
  }
  return 0;
}

std::string text_field(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double types_in_common(const ProblemFacts& a, const ProblemFacts& b) {
  const auto common = std::count_if(a.types.begin(), a.types.end(), [&](const std::string& type) {
    return b.types.contains(type);
  });
  const auto all =
      static_cast<double>(a.types.size() + b.types.size()) - static_cast<double>(common);
  return all > 0 ? static_cast<double>(common) / all : 1;
}

double sizes_apart(const ProblemFacts& a, const ProblemFacts& b) {
  double sum = 0;
  std::size_t shared = 0;
  for (const auto& [dim, size] : a.sizes) {
    const auto other = b.sizes.find(dim);
    shared += other != b.sizes.end() ? 1U : 0U;
    sum += other != b.sizes.end() ? std::fabs(size - other->second) : kFarApart;
  }
  const std::size_t all = a.sizes.size() + b.sizes.size() - shared;
  sum += kFarApart * static_cast<double>(b.sizes.size() - shared);
  return all > 0 ? sum / static_cast<double>(all) : 0;
}

}  // namespace

ProblemFacts problem_facts(std::string_view problem_json) {
  ProblemFacts facts;
  const Json problem = Json::parse(problem_json, nullptr, false);
  if (!problem.is_object()) {
    return facts;
  }
  facts.op = text_field(problem, "op");
  if (facts.op.empty()) {
    facts.op = text_field(problem, "name");
  }
  for (const Json& arg : problem.value("args", Json::array())) {
    if (arg.is_object()) {
      facts.types.insert(text_field(arg, "type"));
    }
  }
  const Json dims = problem.value("dims", Json::object());
  for (const auto& [name, dim] : dims.items()) {
    facts.sizes[name] = size_of_dim(dim);
  }
  return facts;
}

std::string facts_text(const ProblemFacts& facts) {
  return json_line(Json{{"types", facts.types}, {"sizes", facts.sizes}});
}

ProblemFacts facts_from_text(const std::string& op, std::string_view text) {
  const Json form = Json::parse(text, nullptr, false);
  return form.is_object() ? ProblemFacts{op, form.value("types", std::set<std::string>()),
                                         form.value("sizes", std::map<std::string, double>())}
                          : ProblemFacts{op, {}, {}};
}

double nearness(const ProblemFacts& a, const ProblemFacts& b) {
  constexpr double kOperation = 0.5;
  constexpr double kEach = 0.25;
  if (a.op.empty() || a.op != b.op) {
    return 0;
  }
  return kOperation + kEach * types_in_common(a, b) + kEach * std::exp2(-sizes_apart(a, b));
}

}  // namespace ws
