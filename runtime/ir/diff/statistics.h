// Row statistics: values made by reducing along a dimension, and what is computed from them. A
// change of these is a change of the normalisation (R4) rather than of the computation (R3).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/ir/diff/uses.h"

namespace ws::ir {

class Statistics {
 public:
  Statistics(const Program& program, const Uses& uses);

  /// The statement computes a statistic, uses one, or gives one its first value.
  [[nodiscard]] bool has(StmtId id) const { return statistic_[id]; }

  /// Names that hold a statistic at some time.
  [[nodiscard]] const std::set<std::string>& names() const { return names_; }

 private:
  using Names = std::set<std::string>;

  void walk(const std::string& method, const std::vector<StmtId>& body, Names& now);
  void simple(const std::string& method, StmtId id, Names& now);
  void mark_first_values(const std::string& method, const std::vector<StmtId>& body);
  [[nodiscard]] bool reduces(ExprId id) const;
  [[nodiscard]] bool reads(const std::string& method, ExprId id, const Names& now) const;

  const Program& program_;
  const Uses& uses_;
  std::vector<bool> statistic_;  // By statement.
  Names names_;
  std::map<StmtId, Names> carried_;  // The names that a loop's end knew in the round before.
};

}  // namespace ws::ir
