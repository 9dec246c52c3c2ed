#include "runtime/compile/nvrtc/ptx.h"

#include <algorithm>
#include <cctype>

#include "runtime/base/text.h"

namespace ws::nvrtc {
namespace {

constexpr std::string_view kEnds = " \t\r{}";

struct ClassRow {
  std::string_view opcode;  // The instruction's first word.
  std::string_view name;
};

// The first row that fits counts. Arithmetic, which has no row, goes by its type.
constexpr ClassRow kClasses[] = {
    {"wgmma.mma_async", "wgmma"},
    {"wgmma.", "barrier"},
    {"tcgen05.mma", "tcgen05"},
    {"tcgen05.", "tensor_memory"},
    {"mma.", "mma"},
    {"wmma.mma", "mma"},
    {"wmma.", "load_matrix"},
    {"ldmatrix", "load_matrix"},
    {"stmatrix", "store_matrix"},
    {"cp.async.bulk.commit", "barrier"},
    {"cp.async.bulk.wait", "barrier"},
    {"cp.async.bulk", "tma"},
    {"cp.reduce.async.bulk", "tma"},
    {"cp.async.commit", "barrier"},
    {"cp.async.wait", "barrier"},
    {"cp.async", "copy_async"},
    {"ld.global", "load_global"},
    {"ldu.global", "load_global"},
    {"ld.shared", "load_shared"},
    {"ld.local", "load_local"},
    {"ld.const", "load_constant"},
    {"ld.param", "load_param"},
    {"ld.", "load"},
    {"st.global", "store_global"},
    {"st.shared", "store_shared"},
    {"st.local", "store_local"},
    {"st.", "store"},
    {"atom.", "atomic"},
    {"red.", "atomic"},
    {"bar.", "barrier"},
    {"barrier.", "barrier"},
    {"mbarrier.", "barrier"},
    {"membar.", "barrier"},
    {"fence.", "barrier"},
    {"shfl.", "warp"},
    {"vote.", "warp"},
    {"match.", "warp"},
    {"redux.", "warp"},
    {"activemask.", "warp"},
    {"elect.", "warp"},
    {"bra", "branch"},
    {"brx.", "branch"},
    {"ret", "branch"},
    {"exit", "branch"},
    {"trap", "branch"},
    {"call", "call"},
    {"sin.", "special"},
    {"cos.", "special"},
    {"ex2.", "special"},
    {"lg2.", "special"},
    {"tanh.", "special"},
    {"rcp.", "special"},
    {"rsqrt.", "special"},
    {"sqrt.", "special"},
    {"div.", "divide"},
    {"rem.", "divide"},
    {"cvt.", "convert"},
    {"cvta", "other"},
    {"mov.", "other"},
    {"setp.", "other"},
    {"selp.", "other"},
    {"prefetch", "other"},
};

bool ends_with_type(std::string_view opcode, std::initializer_list<std::string_view> types) {
  return std::any_of(types.begin(), types.end(),
                     [&](std::string_view type) { return opcode.ends_with(type); });
}

std::string_view class_of(std::string_view opcode) {
  for (const ClassRow& row : kClasses) {
    if (opcode.starts_with(row.opcode)) {
      return row.name;
    }
  }
  if (ends_with_type(opcode, {".f32", ".f64", ".f32x2"})) {
    return "float";
  }
  return ends_with_type(opcode, {".f16", ".f16x2", ".bf16", ".bf16x2"}) ? "half" : "integer";
}

/// "ld.global.f32" of "@%p1 ld.global.f32 %f1, [%rd1]"; empty for directives, labels, the rest.
std::string_view opcode_of(std::string_view statement) {
  if (statement.starts_with('@')) {
    const std::size_t blank = statement.find_first_of(" \t");
    statement = blank == std::string_view::npos ? "" : trimmed(statement.substr(blank), kEnds);
  }
  const std::size_t end = statement.find_first_not_of(
      "abcdefghijklmnopqrstuvwxyz0123456789_.:ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  const std::string_view word = statement.substr(0, end);
  const bool starts = !word.empty() && std::islower(static_cast<unsigned char>(word.front())) != 0;
  return starts && !word.ends_with(':') ? word : std::string_view();
}

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find("//"));
}

/// Calls `visit` with each line of the text.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// ".param .align 4 .b8 k_param_1[128]" -> ".b8[128]".
PtxParam read_param(std::string_view text) {
  PtxParam param;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    const bool type = word.size() > 2 && word.front() == '.' &&
                      std::string_view("usfbp").find(word[1]) != std::string_view::npos &&
                      std::isdigit(static_cast<unsigned char>(word[2])) != 0;
    if (type && param.type.empty()) {
      param.type = word;
    }
    param.pointer = param.pointer || word == ".ptr";
    if (const std::size_t bracket = word.find('['); bracket != std::string_view::npos) {
      param.type += word.substr(bracket, word.find(']') + 1 - bracket);
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t", end), text.size()));
  }
  return param;
}

}  // namespace

std::map<std::string, std::vector<PtxParam>> entry_params(std::string_view ptx) {
  std::map<std::string, std::vector<PtxParam>> entries;
  std::vector<PtxParam>* current = nullptr;
  for_each_line(ptx, [&](std::string_view line) {
    constexpr std::string_view mark = ".entry ";
    const std::string_view text = trimmed(without_comment(line), kEnds);
    if (const std::size_t at = text.find(mark); at != std::string_view::npos) {
      const std::string_view name = text.substr(at + mark.size());
      std::vector<PtxParam>& params = entries[std::string(name.substr(0, name.find('(')))];
      // Without parameters the list ends here; later ones are those of calls.
      current = name.find(')') == std::string_view::npos ? &params : nullptr;
    } else if (current != nullptr && text.starts_with(".param ")) {
      current->push_back(read_param(text.ends_with(',') ? text.substr(0, text.size() - 1) : text));
    } else if (text.starts_with(')')) {
      current = nullptr;
    }
  });
  return entries;
}

std::map<std::string, std::int64_t> count_instructions(std::string_view ptx) {
  std::map<std::string, std::int64_t> counts;
  for_each_line(ptx, [&](std::string_view line) {
    std::string_view rest = without_comment(line);
    while (!rest.empty()) {  // Inline assembly may hold several on one line.
      const std::size_t end = rest.find(';');
      const std::string_view opcode = opcode_of(trimmed(rest.substr(0, end), kEnds));
      // Only a call is written over several lines.
      if (!opcode.empty() && (end != std::string_view::npos || opcode.starts_with("call"))) {
        ++counts[std::string(class_of(opcode))];
      }
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  });
  return counts;
}

}  // namespace ws::nvrtc
