#include "runtime/lift/lower/new_inputs.h"

#include <algorithm>
#include <optional>

#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

/// The name of a type of C, and how a value of it becomes a float.
struct ElementText {
  DType type;
  const char* name;
  const char* to_float;
};

constexpr ElementText kElements[] = {
    {DType::kF32, "float", ""},
    {DType::kF16, "half", "__half2float"},
    {DType::kBf16, "__nv_bfloat16", "__bfloat162float"},
    {DType::kI32, "int", ""},
};

const ElementText* element_of(DType type) {
  const auto* const found = std::find_if(std::begin(kElements), std::end(kElements),
                                         [&](const ElementText& one) { return one.type == type; });
  return found == std::end(kElements) ? nullptr : found;
}

tl::unexpected<Error> no_load(const std::string& text) {
  return no_form("there is no form for `" + text + "` in the kernel");
}

class Loads {
 public:
  Loads(const ir::Program& program, const std::vector<NewInput>& inputs,
        const std::map<std::string, std::string>& arguments, const CText& c, TileElement element)
      : program_(program),
        inputs_(inputs),
        arguments_(arguments),
        c_(c),
        element_(std::move(element)) {}

  Status find(ir::ExprId id) {
    if (id == ir::kNoExpr) {
      return {};
    }
    const ir::Expr& expr = program_.expr(id);
    if (is_load(id)) {
      return note(id, id, 2);
    }
    if (expr.kind == ir::ExprKind::kIndex && is_load(expr.kids[0])) {
      const std::string text = ir::print_expr(program_, id);
      const bool across = text.ends_with("[None, :]");
      return across || text.ends_with("[:, None]") ? note(id, expr.kids[0], across ? 1 : 0)
                                                   : Status(no_load(text));
    }
    for (const ir::ExprId kid : expr.kids) {
      WS_CHECK(find(kid));
    }
    return {};
  }

  std::map<std::string, std::string> texts;

 private:
  [[nodiscard]] bool is_load(ir::ExprId id) const {
    const ir::Expr& expr = program_.expr(id);
    return expr.kind == ir::ExprKind::kCall && program_.expr(expr.kids[0]).text == "load";
  }

  /// `(i, j)`, or `i` alone.
  [[nodiscard]] std::vector<ir::ExprId> parts_of(ir::ExprId id) const {
    const ir::Expr& expr = program_.expr(id);
    return expr.kind == ir::ExprKind::kTuple ? expr.kids : std::vector<ir::ExprId>{id};
  }

  /// @param whole  What the text stands for. @param place  0: rows; 1: columns; 2: both.
  Status note(ir::ExprId whole, ir::ExprId load, std::size_t place) {
    const std::string shown = ir::print_expr(program_, whole);
    const ir::Expr& call = program_.expr(load);
    if (call.kids.size() != 4 || !call.keywords.empty()) {
      return no_load(shown);
    }
    const std::string name = ir::print_expr(program_, call.kids[1]);
    const auto input = std::find_if(inputs_.begin(), inputs_.end(), [&](const NewInput& one) {
      return "self." + one.name == name;
    });
    const std::vector<ir::ExprId> tiles = parts_of(call.kids[2]);
    const std::vector<ir::ExprId> sizes = parts_of(call.kids[3]);
    const std::size_t dims = place == 2 ? 2 : 1;
    if (input == inputs_.end() || input->sizes.size() != dims || tiles.size() != dims ||
        sizes.size() != dims || element_of(input->type) == nullptr) {
      return no_load(shown);
    }
    std::string guard;
    std::string index;
    for (std::size_t i = 0; i < dims; ++i) {
      const auto size = arguments_.find(input->sizes[i]);
      const bool rows = dims == 2 ? i == 0 : place == 0;
      const ir::Expr& own = program_.expr(sizes[i]);
      if (size == arguments_.end() || own.kind != ir::ExprKind::kInteger ||
          own.integer != (rows ? element_.rows : element_.cols)) {
        return no_load(shown);
      }
      WS_TRY(const std::string at,
             c_.scaled(tiles[i], own.integer, rows ? element_.row : element_.col));
      guard += (i == 0 ? "" : " && ") + at + " < " + size->second;
      index = i == 0 ? at : "(" + index + ") * " + size->second + " + " + at;
    }
    const ElementText& element = *element_of(input->type);
    const std::string read = input->name + "[" + index + "]";
    const std::string value =
        element.to_float[0] == '\0' ? read : std::string(element.to_float) + "(" + read + ")";
    texts[shown] = "(" + (dims == 2 ? "(" + guard + ")" : guard) + " ? " + value + " : 0.0f)";
    return {};
  }

  const ir::Program& program_;
  const std::vector<NewInput>& inputs_;
  const std::map<std::string, std::string>& arguments_;
  const CText& c_;
  const TileElement element_;
};

}  // namespace

Result<std::string> parameter_text(const NewInput& input) {
  const ElementText* const element = element_of(input.type);
  if (element == nullptr) {
    return fail(ErrorCode::kUnsupported, "no parameter of the kernel has the type of `" +
                                             input.name + "`, " + std::string(name_of(input.type)));
  }
  return "const " + std::string(element->name) + "* " + input.name;
}

Result<std::map<std::string, std::string>> input_texts(
    const ir::Program& program, ir::ExprId value, const std::vector<NewInput>& inputs,
    const std::map<std::string, std::string>& arguments, const CText& c, const TileElement& tile) {
  Loads loads(program, inputs, arguments, c, tile);
  WS_CHECK(loads.find(value));
  return std::move(loads.texts);
}

}  // namespace ws::lift
