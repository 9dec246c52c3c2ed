// Numbers and indices as CuIR.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/lift/write/writer.h"

namespace ws::lift {
namespace {

/// Some bits of an index, one after another, as they count in a value.
struct BitRun {
  std::int64_t factor = 0;  ///< For the lowest one.
  std::int64_t below = 1;   ///< 2 to the number of bits below.
  std::int64_t count = 1;   ///< 2 to the number of these bits.
};

/// g as a sum over the bits of its index, with g[0] = 0: how lanes and warps count in the rows that
/// they hold. Nothing: it is none.
std::optional<std::vector<BitRun>> bit_runs(const std::vector<std::int64_t>& g) {
  const auto size = static_cast<std::int64_t>(g.size());
  std::vector<BitRun> runs;
  for (std::int64_t bit = 1; bit < size; bit *= 2) {
    const std::int64_t factor = g[static_cast<std::size_t>(bit)];
    if (!runs.empty() && runs.back().below * runs.back().count == bit &&
        factor == runs.back().factor * runs.back().count) {
      runs.back().count *= 2;
    } else if (factor != 0) {
      runs.push_back({factor, bit, 2});
    }
  }
  for (std::int64_t i = 0; i < size; ++i) {
    std::int64_t sum = 0;
    for (const BitRun& run : runs) {
      sum += i / run.below % run.count * run.factor;
    }
    if (sum != g[static_cast<std::size_t>(i)]) {
      return std::nullopt;
    }
  }
  return runs;
}

/// @param axes  "[:, None]"
/// @param type  As Writer::integer() has it.
std::string counted(std::int64_t size, const char* axes, const std::string& type) {
  const std::string text = "arange(" + std::to_string(size) + ")" + axes;
  return type.empty() ? text : "to(" + text + ", \"" + type + "\")";
}

std::string text_of(const std::vector<BitRun>& runs, std::int64_t size, const char* axes,
                    const std::string& type) {
  std::string text;
  for (const BitRun& run : runs) {
    std::string part = counted(size, axes, type);
    part += run.below > 1 ? " // " + std::to_string(run.below) : "";
    part += run.below * run.count < size ? " % " + std::to_string(run.count) : "";
    part += run.factor != 1 ? " * " + std::to_string(run.factor) : "";
    text += (text.empty() ? "" : " + ") + part;
  }
  return text;
}

/// The type that a tile of integers needs where 32 bits with a sign may not hold them; empty: they
/// do.
std::string large_type(DType type, const std::vector<const Poly*>& polys) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 20U;
  const bool other = type == DType::kI64 || type == DType::kU64 || type == DType::kU32;
  const bool large = std::ranges::any_of(polys, [&](const Poly* poly) {
    return std::ranges::any_of(poly->terms(), [&](const auto& term) {
      return std::ranges::any_of(
          term.second, [&](std::int64_t factor) { return factor >= kLarge || factor <= -kLarge; });
    });
  });
  return other && large ? std::string(ws::name_of(type)) : "";
}

}  // namespace

/// A value of row and column as a sum of bits of each. Nothing: it is none.
std::optional<Writer::Varying> Writer::by_bits(const Tile& tile,
                                               const std::vector<std::int64_t>& values,
                                               const std::string& type) {
  std::vector<std::int64_t> down;
  std::vector<std::int64_t> across;
  down.reserve(static_cast<std::size_t>(tile.rows));
  across.reserve(static_cast<std::size_t>(tile.cols));
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    down.push_back(values[tile.at(row, 0)] - values[0]);
  }
  for (std::int64_t col = 0; col < tile.cols; ++col) {
    across.push_back(values[tile.at(0, col)] - values[0]);
  }
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    for (std::int64_t col = 0; col < tile.cols; ++col) {
      if (values[tile.at(row, col)] !=
          values[0] + down[static_cast<std::size_t>(row)] + across[static_cast<std::size_t>(col)]) {
        return std::nullopt;
      }
    }
  }
  const auto rows = bit_runs(down);
  const auto cols = bit_runs(across);
  if (!rows || !cols) {
    return std::nullopt;
  }
  Varying made{text_of(*rows, tile.rows, "[:, None]", type), values[0], !rows->empty(),
               !cols->empty()};
  const std::string right = text_of(*cols, tile.cols, "[None, :]", type);
  made.text += (made.text.empty() || right.empty() ? "" : " + ") + right;
  return made;
}

/// A value of row and column. Nothing: it follows neither.
std::optional<Writer::Varying> Writer::varying(const Tile& tile,
                                               const std::vector<std::int64_t>& values,
                                               const std::string& type) {
  if (const std::optional<Fit> fit = Tiles::fit(tile, values)) {
    return Varying{fit_text(*fit, tile, type), fit->first, fit->by_row != 0, fit->by_col != 0};
  }
  return by_bits(tile, values, type);
}

/// The part of an index that depends on the place in the tile; empty when none does.
std::string Writer::fit_text(const Fit& fit, const Tile& tile, const std::string& type) {
  const auto part = [&](std::int64_t factor, std::int64_t size, const char* axes,
                        std::int64_t group) {
    std::string text = counted(size, axes, type);
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

Result<Text> Writer::integer(const Tile& tile, const std::vector<const Poly*>& polys, DType type) {
  const std::string wide = large_type(type, polys);
  std::map<Monomial, std::vector<std::int64_t>> factors;
  for (std::size_t i = 0; i < polys.size(); ++i) {
    for (const auto& [monomial, lanes] : polys[i]->terms()) {
      auto& all = factors[monomial];
      all.resize(polys.size(), 0);
      all[i] = lane_of(lanes, static_cast<std::size_t>(tile.points[i].lane));
    }
  }
  Poly base;
  std::string sum;
  Text made;
  made.number = true;
  for (const auto& [monomial, values] : factors) {
    const std::optional<Varying> part = varying(tile, values, wide);
    if (!part) {
      return fail(ErrorCode::kUnsupported, "an index that follows neither row nor column");
    }
    Poly product(1);
    for (const SymbolId symbol : monomial) {
      product = product.times(Poly::of(symbol));
    }
    base = base.plus(product, part->first);
    if (!part->text.empty()) {
      sum += (sum.empty() ? "" : " + ") +
             (monomial.empty() ? part->text
                               : "(" + part->text + ") * (" + symbols_.text_of(product) + ")");
      made.rows = part->by_row ? tile.rows : made.rows;
      made.cols = part->by_col ? tile.cols : made.cols;
      made.number = false;
    }
  }
  made.text = sum.empty()       ? symbols_.text_of(base)
              : base == Poly(0) ? sum
                                : sum + " + " + symbols_.text_of(base);
  made.zero = sum.empty() && base == Poly(0);
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
  made.zero = first.number == 0 && !std::signbit(first.number);
  return made;
}

}  // namespace ws::lift
