#include "runtime/ir/exec/work.h"

#include <algorithm>
#include <optional>

namespace ws::ir {
namespace {

constexpr std::size_t kSectorBytes = 32;

// A multiprocessor of the GPU that profiles are modelled for moves two sectors in a cycle. In that
// time it adds 64 elements, takes 8 exponentials, converts 32 elements, or does 2048 operations of
// a product of 16-bit numbers.
constexpr double kArithmeticPerSector = 64;
constexpr double kSpecialPerSector = 8;
constexpr double kConvertPerSector = 32;
constexpr double kProductPerSector = 2048;

double per_sector(TileWorkKind kind) {
  return kind == TileWorkKind::kSpecial   ? kSpecialPerSector
         : kind == TileWorkKind::kConvert ? kConvertPerSector
                                          : kArithmeticPerSector;
}

double size(const Value& value) {
  return value.tile == nullptr ? 0 : static_cast<double>(count_of(value.tile->shape).value_or(0));
}

/// Nothing: the operation only makes or moves elements.
std::optional<TileWorkKind> kind_of(const OpInfo& info) {
  switch (info.op) {
    case Op::kRelu:
    case Op::kAbs:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kIsNan:
    case Op::kMaximum:
    case Op::kMinimum:
      return TileWorkKind::kArithmetic;
    case Op::kCast:
      return TileWorkKind::kConvert;
    default:
      break;
  }
  switch (info.group) {
    case OpGroup::kMap:
    case OpGroup::kZip:
    case OpGroup::kRandom:
      return TileWorkKind::kSpecial;
    case OpGroup::kSelect:
    case OpGroup::kReduce:
    case OpGroup::kScan:
      return TileWorkKind::kArithmetic;
    default:
      return std::nullopt;
  }
}

TileWorkKind kind_of(Operator op) {
  switch (op) {
    case Operator::kDivide:
    case Operator::kFloorDivide:
    case Operator::kModulo:
    case Operator::kPower:
      return TileWorkKind::kSpecial;
    default:
      return TileWorkKind::kArithmetic;
  }
}

}  // namespace

TileWork& Work::row(TileWorkKind kind, std::int64_t line, DType type) {
  TileWork& row = rows_[{line, kind, type}];
  row.line = line;
  row.kind = kind;
  row.type = type;
  row.times += 1;
  return row;
}

void Work::add_access(TileWorkKind kind, std::int64_t line, DType type, std::size_t elements,
                      std::vector<std::size_t> places) {
  const std::size_t bytes = size_of(type);
  const auto used = static_cast<double>(places.size());
  TileWork& counted = row(kind, line, type);
  counted.elements += static_cast<double>(elements);
  counted.used += used;
  const std::size_t ideal = (places.size() * bytes + kSectorBytes - 1) / kSectorBytes;
  counted.ideal_sectors += static_cast<double>(ideal);
  for (std::size_t& place : places) {
    place = place * bytes / kSectorBytes;
  }
  std::ranges::sort(places);
  const auto repeated = std::ranges::unique(places);
  const auto sectors = static_cast<double>(repeated.begin() - places.begin());
  counted.sectors += sectors;
  block_ += sectors;
}

void Work::add_elements(TileWorkKind kind, std::int64_t line, const Value& tile) {
  TileWork& counted = row(kind, line, tile.tile->dtype);
  const double elements = size(tile);
  counted.elements += elements;
  counted.flops += is_float(tile.tile->dtype) && kind != TileWorkKind::kConvert ? elements : 0;
  block_ += elements / per_sector(kind);
}

void Work::add_product(std::int64_t line, const Value& a, const Value& result) {
  const double flops = 2 * size(result) * static_cast<double>(a.tile->shape.back());
  TileWork& counted = row(TileWorkKind::kProduct, line, a.tile->dtype);
  counted.elements += size(result);
  counted.flops += flops;
  block_ += flops / kProductPerSector;
}

void Work::add_operation(Op op, std::int64_t line, std::span<const Value> args,
                         const Value& result) {
  const OpInfo& info = info_of(op);
  if (info.group == OpGroup::kProduct) {
    add_product(line, args[0], result);
    return;
  }
  const std::optional<TileWorkKind> kind = kind_of(info);
  const bool reads_all = info.group == OpGroup::kReduce || info.op == Op::kIsNan;
  const Value& tile = reads_all ? args[0] : result;
  if (kind && tile.tile != nullptr) {
    add_elements(*kind, line, tile);
  }
}

void Work::add_operator(Operator op, std::int64_t line, const Value& a, const Value& b,
                        const Value& result) {
  if (op == Operator::kMatmul) {
    add_product(line, a, result);
    return;
  }
  // A comparison costs what its operands are, not a truth value.
  const Value& widest = size(a) >= size(b) ? a : b;
  if (size(widest) > 0) {
    add_elements(kind_of(op), line, size(result) > size(widest) ? result : widest);
  }
}

void Work::end_block() {
  blocks_.blocks += 1;
  blocks_.work += block_;
  blocks_.longest_work = std::max(blocks_.longest_work, block_);
  block_ = 0;
}

std::vector<TileWork> Work::rows() const {
  std::vector<TileWork> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, counted] : rows_) {
    rows.push_back(counted);
  }
  return rows;
}

}  // namespace ws::ir
