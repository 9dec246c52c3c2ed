// Writes the lines of a CuIR program, and knows which line of the source each came from.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace ws::lift::tile {

class Writer {
 public:
  /// A line of the body at the current depth.
  void line(const std::string& text, int source);

  void indent() { ++depth_; }

  void outdent() { --depth_; }

  /// The number of lines so far: an empty block gets a `pass`.
  [[nodiscard]] std::size_t count() const { return lines_.size(); }

  /// Takes back all lines but the first `count`.
  void drop(std::size_t count) { lines_.resize(count); }

  /// Whether a line since the first `count` writes to memory.
  [[nodiscard]] bool writes_since(std::size_t count) const;

  /// Adds a line behind the first `count`, at the current depth.
  void insert(std::size_t count, const std::string& text, int source);

  /// A name like `wish` that nothing of the program has: not an operation of CuIR, not taken.
  std::string take(const std::string& wish);

  /// The program: constants, the class with __init__ from `init`, and the lines as `run`.
  /// @param parameters  Of __init__, in order; kept in `self`.
  struct Text {
    std::string program;
    std::vector<int> sources;  ///< One a line; 0: none.
  };

  struct Head {
    std::string name;                     ///< The class has it.
    std::vector<std::string> constants;   ///< "BLOCK = 128".
    std::vector<std::string> parameters;  ///< "x".
    std::vector<std::string> numbers;     ///< "n=1000": with what the launch gives them.
    std::string grid;                     ///< "(4, 1, 1)".
  };

  [[nodiscard]] Text finish(const Head& head) const;

 private:
  struct Line {
    std::string text;
    int source = 0;
  };

  [[nodiscard]] Line indented(const std::string& text, int source) const;

  std::vector<Line> lines_;
  std::set<std::string> taken_;
  int depth_ = 0;
};

}  // namespace ws::lift::tile
