#include "runtime/kernel/form/tied_args.h"

#include <algorithm>

namespace ws {
namespace {

constexpr const char* kOffsetsFill = "csr_offsets";
constexpr const char* kColumnsFill = "csr_columns";

bool is_line(const ArgSpec& arg) {
  return arg.shape.size() == 1 && !arg.strides;
}

/// A parameter of a fill as an expression; "" where it was not sent.
std::string size_text(const Fill& fill, const std::string& name) {
  if (const auto text = fill.sizes.find(name); text != fill.sizes.end()) {
    return text->second;
  }
  const auto number = fill.params.find(name);
  return number == fill.params.end() ? std::string()
                                     : std::to_string(static_cast<std::int64_t>(number->second));
}

Status check_offsets(const JsonReader& form, const ArgSpec& arg, Problem& problem) {
  if (!is_line(arg)) {
    return form.error(
        "fill `csr_offsets` needs a shape of one dimension, [\"rows + 1\"], and no "
        "`strides`");
  }
  const std::string columns = size_text(arg.fill, "columns");
  const std::string nonzeros = size_text(arg.fill, "nonzeros");
  if (columns.empty() || nonzeros.empty()) {
    return form.error(
        "fill `csr_offsets` needs `columns` and `nonzeros`, the matrix's numbers of "
        "columns and of values");
  }
  const std::string fewest = size_text(arg.fill, "fewest");
  problem.valid.push_back("0 <= (" + (fewest.empty() ? nonzeros : fewest) + ")");
  if (!fewest.empty()) {
    problem.valid.push_back("(" + fewest + ") <= (" + nonzeros + ")");
  }
  problem.valid.push_back("(" + nonzeros + ") <= ((" + arg.shape.front() + ") - 1) * (" + columns +
                          ")");
  return {};
}

Status check_columns(const JsonReader& form, const ArgSpec& arg, Problem& problem) {
  if (!is_line(arg)) {
    return form.error("fill `csr_columns` needs a shape of one dimension and no `strides`");
  }
  const ArgSpec* const offsets = problem.find_arg(arg.fill.offsets);
  const bool fits = offsets != nullptr && offsets->fill.kind == kOffsetsFill &&
                    (offsets->role == Role::kIn || offsets->role == Role::kInout);
  if (!fits) {
    return form.error(
        "fill `csr_columns` needs `offsets`: the name of the argument with fill "
        "`csr_offsets`");
  }
  problem.valid.push_back("(" + size_text(offsets->fill, "nonzeros") + ") <= (" +
                          arg.shape.front() + ")");
  return {};
}

/// Whether an argument is the number of rows of others: one whole number that the kernel writes.
bool is_count(const ArgSpec& arg) {
  const bool one = std::ranges::all_of(arg.shape, [](const std::string& n) { return n == "1"; });
  return one && !is_float(arg.type) && (arg.role == Role::kOut || arg.role == Role::kInout) &&
         !arg.unordered;
}

}  // namespace

Status check_sparse_fill(const JsonReader& form, const ArgSpec& arg, Problem& problem) {
  if (arg.role != Role::kIn && arg.role != Role::kInout) {
    return {};
  }
  if (arg.fill.kind == kOffsetsFill) {
    return check_offsets(form, arg, problem);
  }
  return arg.fill.kind == kColumnsFill ? check_columns(form, arg, problem) : Status();
}

Status check_unordered(const JsonReader& form, const ArgSpec& arg, const Problem& problem) {
  if (!arg.unordered) {
    return {};
  }
  const auto& [count, with] = *arg.unordered;
  const std::string path = form.path() + ".unordered";
  const auto bad = [](const std::string& at, const std::string& message) {
    return Status(fail(ErrorCode::kInvalidArgument, at + ": " + message));
  };
  if (const ArgSpec* counted = problem.find_arg(count); !count.empty()) {
    if (counted == nullptr || !is_count(*counted)) {
      return bad(path + ".count", "`" + count + "` is no output of one whole number");
    }
  }
  if (with.empty()) {
    return {};
  }
  const ArgSpec* const leader = problem.find_arg(with);
  if (leader == nullptr || leader == &arg || !leader->unordered ||
      !leader->unordered->with.empty()) {
    return bad(path + ".with", "`" + with + "` is no other output that is `unordered` by itself");
  }
  if (leader->unordered->count != count || leader->shape.front() != arg.shape.front()) {
    return bad(path + ".with", "`" + with + "` has another `count` or another number of rows");
  }
  return {};
}

}  // namespace ws
