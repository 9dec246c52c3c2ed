// The text of a skeleton's program while it is written: lines of methods with marks, the names that
// have values, holes, and what was not lifted.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lift/input.h"
#include "runtime/lift/lift.h"
#include "runtime/lift/orchestration/role.h"

namespace ws::lift {

/// Copies are cheap enough to go back to one. One thread at a time; the tree outlives it.
class ProgramDraft {
 public:
  /// The range of lines that are tied to nothing.
  static constexpr Range kUnmarked{kNone, -1, 0, 0, 0};

  /// @param threads  Of the block: they run what comes before roles.
  ProgramDraft(const Tree& tree, std::size_t threads);

  // Lines.

  /// Adds a line to the method that is being written. A line without a range is tied to the call
  /// that was entered.
  void line(const std::string& text, const Range& range);

  /// Reports something that is in the table and has no form here, and leaves a comment in its
  /// place.
  void lost(const Range& range, const std::string& name, const std::string& why);

  /// Reports lines that were not lifted.
  void refuse(const Range& range, const std::string& why) { not_lifted_.push_back({range, why}); }

  void remove_last_line() {
    methods_[current_].lines.pop_back();
    if (current_ == 0) {
      owners_.erase(lines().size());
    }
  }

  /// The lines of the method that is being written.
  [[nodiscard]] const std::vector<std::string>& lines() const { return methods_[current_].lines; }

  /// Whether nothing was written since, but for comments.
  [[nodiscard]] bool has_comments_only(std::size_t since) const;

  /// Whether there are too many lines; further ones are left out.
  [[nodiscard]] bool is_full() const;

  void indent() { ++indent_; }

  void outdent() { --indent_; }

  [[nodiscard]] int depth() const { return indent_; }

  /// Ties all lines to a call, until leave_call(). False: they are tied to one already.
  bool enter_call(const Range& call);

  void leave_call() { call_ = {}; }

  /// Adds a line to __init__, at its end or its beginning.
  void build(const std::string& text, const Range& range);
  void build_first(const std::vector<std::string>& lines);

  // Methods.

  /// Begins the method "role_1", "role_2", ...
  void begin_role(Role role);

  /// Goes on with the lines that come before roles.
  void end_role() { current_ = 0; }

  /// Lines before roles, until end_only(), are for one warpgroup: other roles do not have them.
  void begin_only(Role warpgroup) { only_ = std::move(warpgroup); }

  void end_only() { only_.reset(); }

  /// The method that is being written, and how deep.
  struct Place {
    std::size_t method = 0;
    int depth = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };

  [[nodiscard]] Place place() const { return {current_, indent_}; }

  /// Begins a function on integers: its parameters and lines are all that it has.
  /// @return  For end_function().
  Place begin_function(const std::string& name, std::vector<std::string> params);
  void end_function(const Place& around);

  [[nodiscard]] bool has_method(const std::string& name) const;

  [[nodiscard]] const Role& role() const { return only_ ? *only_ : methods_[current_].role; }

  [[nodiscard]] std::size_t method() const { return current_; }

  /// Whether what comes before roles is written, at its own level.
  /// Whether lines go to a method that roles call.
  [[nodiscard]] bool is_function() const { return methods_[current_].alone; }

  [[nodiscard]] bool is_outermost() const { return current_ == 0 && indent_ == kMethodDepth; }

  // Names.

  void take(const std::string& name) { taken_.insert(name); }

  [[nodiscard]] const std::set<std::string>& taken() const { return taken_; }

  /// @return  The prefix with a number that no other name of the kernel or the program has.
  std::string new_name(const std::string& prefix);

  /// A name holds the integer that the kernel's variable does.
  void set_integer(const std::string& name);

  void forget_integer(const std::string& name) { integers_.erase(name); }

  [[nodiscard]] bool is_integer(const std::string& name) const { return integers_.contains(name); }

  /// Registers have no value yet, or one.
  void set_unknown(const std::string& name) { unknown_.insert(name); }

  void set_known(const std::string& name) { unknown_.erase(name); }

  [[nodiscard]] bool is_unknown(const std::string& name) const { return unknown_.contains(name); }

  // Holes.

  [[nodiscard]] const std::vector<Hole>& holes() const { return holes_; }

  std::vector<Hole>& holes() { return holes_; }

  /// Adds the method that stands for a hole.
  void add_stand_in(const Hole& hole) { methods_.push_back({hole.id, {}, {}, {}, true}); }

  void fill_stand_in(const Hole& hole, const std::vector<std::string>& lines);

  /// The whole program, as it stands.
  [[nodiscard]] std::string text(const std::string& name, const LaunchInput& input) const;

  [[nodiscard]] const std::vector<NotLifted>& not_lifted() const { return not_lifted_; }

 private:
  static constexpr int kMethodDepth = 2;

  struct Method {
    std::string name;
    Role role;
    std::vector<std::string> params;
    std::vector<std::string> lines;
    bool alone = false;  ///< It does not do what comes before roles.
  };

  [[nodiscard]] std::vector<std::string> lines_before(const Method& method) const;
  [[nodiscard]] std::string method_text(const Method& method) const;

  const Tree* tree_;
  std::vector<std::string> build_;  // The lines of __init__.
  std::vector<Method> methods_;     // The first one is what comes before roles.
  std::size_t current_ = 0;
  int indent_ = kMethodDepth;
  std::optional<Role> only_;
  std::map<std::size_t, Role> owners_;  // By line before roles, for those of one warpgroup.
  Range call_;                          // The call by which a helper file was entered.
  std::size_t count_ = 0;
  int numbers_ = 0;
  std::set<std::string> taken_;
  std::set<std::string> integers_;
  std::set<std::string> unknown_;
  std::vector<Hole> holes_;
  std::vector<NotLifted> not_lifted_;
};

}  // namespace ws::lift
