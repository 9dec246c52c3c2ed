// Numbers and indices as CuIR.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/lift/write/writer.h"

namespace ws::lift {

/// The part of an index that depends on the place in the tile; empty when none does.
std::string Writer::fit_text(const Fit& fit, const Tile& tile) {
  const auto part = [](std::int64_t factor, std::int64_t size, const char* axes,
                       std::int64_t group) {
    std::string text = "arange(" + std::to_string(size) + ")" + axes;
    text = group > 1 ? "(" + text + " // " + std::to_string(group) + ")" : text;
    return factor == 1 ? text : text + " * " + std::to_string(factor);
  };
  std::string text;
  if (fit.by_row != 0) {
    text = part(fit.by_row, tile.rows, "[:, None]", 1);
  }
  if (fit.by_col != 0) {
    text += (text.empty() ? "" : " + ") + part(fit.by_col, tile.cols, "[None, :]", fit.group);
  }
  return text;
}

Result<Text> Writer::integer(const Tile& tile, const std::vector<const Poly*>& polys) {
  std::map<Monomial, std::vector<std::int64_t>> factors;
  for (std::size_t i = 0; i < polys.size(); ++i) {
    for (const auto& [monomial, lanes] : polys[i]->terms()) {
      auto& all = factors[monomial];
      all.resize(polys.size(), 0);
      all[i] = lane_of(lanes, static_cast<std::size_t>(tile.points[i].lane));
    }
  }
  Poly base;
  std::string varying;
  Text made;
  made.number = true;
  for (const auto& [monomial, values] : factors) {
    const std::optional<Fit> fit = Tiles::fit(tile, values);
    if (!fit) {
      return fail(ErrorCode::kUnsupported, "an index that follows neither row nor column");
    }
    Poly product(1);
    for (const SymbolId symbol : monomial) {
      product = product.times(Poly::of(symbol));
    }
    base = base.plus(product, fit->first);
    if (const std::string text = fit_text(*fit, tile); !text.empty()) {
      varying += (varying.empty() ? "" : " + ") +
                 (monomial.empty() ? text : "(" + text + ") * (" + symbols_.text_of(product) + ")");
      made.rows = fit->by_row != 0 ? tile.rows : made.rows;
      made.cols = fit->by_col != 0 ? tile.cols : made.cols;
      made.number = false;
    }
  }
  made.text = varying.empty()   ? symbols_.text_of(base)
              : base == Poly(0) ? varying
                                : varying + " + " + symbols_.text_of(base);
  return made;
}

std::string Writer::real_text(double value, DType type) {
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  char buffer[40];
  const bool single =
      type == DType::kF32 && static_cast<double>(static_cast<float>(value)) == value;
  const auto end =
      single ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr
             : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Result<Text> Writer::number_term(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  const bool same = std::all_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
    return terms_.at(point.term).number == first.number;
  });
  if (!same) {
    return fail(ErrorCode::kUnsupported, "constants that differ from element to element");
  }
  Text made;
  made.text = real_text(first.number, first.type);
  made.number = true;
  return made;
}

}  // namespace ws::lift
