// The facts about a problem that make another one its neighbour: the operation, the element types,
// the sizes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ws {

struct ProblemFacts {
  std::string op;                       ///< The problem's name where it says no operation.
  std::set<std::string> types;          ///< The types of all arguments.
  std::map<std::string, double> sizes;  ///< Dim -> mean of log2 of its listed values.
};

/// Reads a stored problem; what is missing or malformed stays empty.
ProblemFacts problem_facts(std::string_view problem_json);

/// Facts as short text without the operation, and back; invalid text gives no facts.
std::string facts_text(const ProblemFacts& facts);
ProblemFacts facts_from_text(const std::string& op, std::string_view text);

/// 0 to 1: 0 of another operation; else 0.5, and up to 0.25 each for the types in common and for
/// sizes that are near (a factor of 2 halves that).
double nearness(const ProblemFacts& a, const ProblemFacts& b);

}  // namespace ws
