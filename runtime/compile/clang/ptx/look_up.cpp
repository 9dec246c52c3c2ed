#include <string>

#include <llvm/ADT/StringExtras.h>

#include "runtime/compile/clang/ptx/rules.h"
#include "runtime/compile/clang/ptx/table.h"

namespace ws::clang_engine::ptx {
namespace {

/// Instructions that the engine knows by name only, and the subject that they belong to.
struct MissingRow {
  const char* name;
  const char* subject;
};

constexpr const char* kCopies = "bulk copies are";
constexpr const char* kTensors = "tensor-core instructions are";
constexpr const char* kJumps = "computed jumps and functions are";
constexpr const char* kClusters = "clusters are";
constexpr const char* kTextures = "textures and surfaces are";
constexpr const char* kCarries = "carry flags are";

constexpr MissingRow kMissing[] = {
    {"cp.async.bulk", kCopies},
    {"cp.reduce", kCopies},
    {"fence.proxy", kCopies},
    {"prefetch.tensormap", "tensor maps are"},
    {"tensormap", "tensor maps are"},
    {"ldmatrix", kTensors},
    {"stmatrix", kTensors},
    {"movmatrix", kTensors},
    {"mma", kTensors},
    {"wmma", kTensors},
    {"wgmma", kTensors},
    {"tcgen05", kTensors},
    {"brx", kJumps},
    {"call", kJumps},
    {"ret", kJumps},
    {"barrier.cluster", kClusters},
    {"mapa", kClusters},
    {"getctarank", kClusters},
    {"multimem", "multicast addresses are"},
    {"griddepcontrol", "dependent launches are"},
    {"createpolicy", "cache policies are"},
    {"tex", kTextures},
    {"tld4", kTextures},
    {"suld", kTextures},
    {"sust", kTextures},
    {"sured", kTextures},
    {"addc", kCarries},
    {"subc", kCarries},
    {"madc", kCarries},
    {"add.cc", kCarries},
    {"sub.cc", kCarries},
    {"mad.lo.cc", kCarries},
    {"mad.hi.cc", kCarries},
};

/// The row with the longest name that the opcode begins with, up to a dot.
template <class Row>
const Row* longest(llvm::ArrayRef<Row> table, llvm::StringRef opcode) {
  const Row* found = nullptr;
  for (const Row& row : table) {
    llvm::StringRef rest = opcode;
    if (rest.consume_front(row.name) && (rest.empty() || rest.front() == '.') &&
        (found == nullptr ||
         llvm::StringRef(row.name).size() > llvm::StringRef(found->name).size())) {
      found = &row;
    }
  }
  return found;
}

/// The known name that differs least; "" where all differ much.
llvm::StringRef similar(llvm::StringRef name) {
  constexpr unsigned kMostDifference = 2;
  unsigned least = kMostDifference + 1;
  llvm::StringRef found;
  for (const Row& row : rows()) {
    const unsigned difference = name.edit_distance(row.name, true, kMostDifference);
    if (difference < least && difference < name.size()) {
      least = difference;
      found = row.name;
    }
  }
  return found;
}

std::string known(const std::string& names) {
  return names.empty() ? "; it has none" : "; known: " + names;
}

bool looks_like_type(llvm::StringRef part) {
  return part.size() > 1 && llvm::StringRef("busf").contains(part.front()) &&
         llvm::all_of(part.drop_front(), llvm::isDigit);
}

/// Reads the opcode's parts behind its name.
class Parts {
 public:
  Parts(const Row& row, std::string& problem)
      : row_(row),
        problem_(problem) {}

  void take(llvm::StringRef part, Instruction& made) {
    if (const auto type = type_named(part)) {
      return take_type(*type, made);
    }
    const auto modifier = modifier_named(part);
    if (!modifier) {
      problem_ = looks_like_type(part)
                     ? unknown_type("unknown type", part)
                     : "unknown modifier `." + part.str() + "`" + known(names_of(row_.modifiers));
    } else if (!row_.modifiers.has(*modifier)) {
      problem_ = "modifier `." + part.str() + "` is not supported on the CPU engine" +
                 known(names_of(row_.modifiers));
    } else {
      problem_ = broken_by(*modifier, made.modifiers);
      made.modifiers.add(*modifier);
    }
  }

  void finish(const Instruction& made) {
    const std::size_t needed = (row_.first.empty() ? 0 : 1) + (row_.second.empty() ? 0 : 1);
    const std::size_t operands = made.text->operands.size();
    if (made.types.size() < needed) {
      problem_ =
          "a type is missing; known: " + names_of(made.types.empty() ? row_.first : row_.second);
    } else if (operands < row_.least || operands > row_.most) {
      const std::string range =
          row_.least == row_.most ? std::to_string(row_.least)
                                  : std::to_string(row_.least) + " to " + std::to_string(row_.most);
      problem_ = "takes " + range + (row_.most == 1 ? " operand, not " : " operands, not ") +
                 std::to_string(operands);
    } else {
      problem_ = broken_rule(made);
    }
  }

 private:
  void take_type(Type type, Instruction& made) {
    const Types& allowed = made.types.empty() ? row_.first : row_.second;
    if (made.types.size() > 1 || !allowed.has(type)) {
      problem_ = unknown_type("type", llvm::StringRef(name_of(type)).drop_front(), allowed,
                              " is not supported on the CPU engine");
    }
    made.types.push_back(type);
  }

  [[nodiscard]] std::string unknown_type(const std::string& word, llvm::StringRef part) const {
    return unknown_type(word, part, row_.first, "");
  }

  [[nodiscard]] static std::string unknown_type(const std::string& word, llvm::StringRef part,
                                                Types allowed, const std::string& end) {
    return word + " `." + part.str() + "`" + end + known(names_of(allowed));
  }

  const Row& row_;
  std::string& problem_;
};

}  // namespace

std::optional<Instruction> look_up(const Statement& statement, Complaint& complaint) {
  const llvm::StringRef opcode = statement.opcode;
  const auto complain = [&](const std::string& message) {
    complaint = {"`" + statement.opcode + "`: " + message, false, statement.line};
    return std::nullopt;
  };
  const Row* row = longest(rows(), opcode);
  const MissingRow* missing = longest(llvm::ArrayRef(kMissing), opcode);
  if (missing != nullptr && (row == nullptr || llvm::StringRef(missing->name).size() >
                                                   llvm::StringRef(row->name).size())) {
    return complain(std::string(missing->subject) + " not supported on the CPU engine");
  }
  if (row == nullptr) {
    const llvm::StringRef near = similar(opcode.split('.').first);
    return complain("the CPU engine knows no such instruction" +
                    (near.empty() ? "" : "; near: `" + near.str() + "`"));
  }
  Instruction made{.row = row, .modifiers = {}, .types = {}, .text = &statement};
  llvm::SmallVector<llvm::StringRef, 8> words;
  opcode.drop_front(llvm::StringRef(row->name).size()).split(words, '.');
  std::string problem;
  Parts parts(*row, problem);
  for (const llvm::StringRef word : llvm::ArrayRef(words).drop_front()) {
    if (problem.empty()) {
      parts.take(word, made);
    }
  }
  if (problem.empty()) {
    parts.finish(made);
  }
  return problem.empty() ? std::optional(std::move(made)) : complain(problem);
}

}  // namespace ws::clang_engine::ptx
