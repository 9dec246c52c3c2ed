#include "runtime/bench/roofline.h"

#include <algorithm>
#include <array>

#include "runtime/base/numbers.h"

namespace ws {
namespace {

constexpr double kSlack = 0.95;
constexpr double kUsPerSecond = 1e6;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

/// The units that may compute on arguments of a type, the slowest first.
struct UnitRow {
  DType type;
  std::vector<const char*> units;
};

const std::array kUnits = {
    UnitRow{DType::kF8e4m3, {"f8"}}, UnitRow{DType::kF8e5m2, {"f8"}},
    UnitRow{DType::kF16, {"f16"}},   UnitRow{DType::kBf16, {"bf16"}},
    UnitRow{DType::kTf32, {"tf32"}}, UnitRow{DType::kF32, {"f32", "tf32"}},
};

/// The units for the narrowest type that arithmetic is done on; empty: none has a ceiling.
std::vector<const char*> units_for(const std::vector<DType>& types) {
  for (const UnitRow& row : kUnits) {
    if (std::find(types.begin(), types.end(), row.type) != types.end()) {
      return row.units;
    }
  }
  return {};
}

double ceiling_of(const Ceilings& ceilings, const std::string& unit) {
  const auto at = ceilings.tflops.find(unit);
  return at == ceilings.tflops.end() ? 0 : at->second;
}

std::string floor_text(double us, double least, const std::string& work) {
  return "takes " + three_digits(us) + " us, less than the " + three_digits(least) + " us that " +
         work + " on this device, as measured";
}

}  // namespace

std::optional<Roofline> roofline(const Ceilings& ceilings, const WorkloadCost& cost, double us) {
  constexpr double kPercent = 100;
  std::optional<Roofline> best;
  const auto consider = [&](double least_us, const std::string& bound) {
    const double percent = kPercent * least_us / us;
    if (!best || percent > best->percent) {
      best = Roofline{percent, bound};
    }
  };
  if (cost.bytes && ceilings.copy_gbps > 0) {
    consider(*cost.bytes / (ceilings.copy_gbps * kGiga) * kUsPerSecond, "copy");
  }
  if (!cost.flops) {
    return best;
  }
  const double tflops = *cost.flops / kTera / (us / kUsPerSecond);
  std::string unit;
  for (const char* candidate : units_for(cost.types)) {
    const double ceiling = ceiling_of(ceilings, candidate);
    if (ceiling > 0 && (unit.empty() || ceiling_of(ceilings, unit) < tflops)) {
      unit = candidate;
    }
  }
  if (!unit.empty()) {
    consider(us * tflops / ceiling_of(ceilings, unit), unit);
  }
  return best;
}

std::string below_floor(const Ceilings& ceilings, const WorkloadCost& cost, double us) {
  const double gbps = std::max(ceilings.copy_gbps, ceilings.read_gbps);
  const double moved = cost.avoidable ? cost.written_bytes : cost.bytes.value_or(0);
  const double bytes = moved - cost.cacheable_bytes;
  if (!cost.hot && gbps > 0 && bytes > 0) {
    const double least = bytes / (gbps * kGiga) * kUsPerSecond;
    if (us < least * kSlack) {
      return floor_text(us, least,
                        (cost.avoidable ? "writing " : "moving ") +
                            three_digits(bytes / (1 << 20U)) + " MiB takes");
    }
  }
  if (cost.avoidable) {
    return {};
  }
  double tflops = 0;
  for (const auto& [unit, ceiling] : ceilings.tflops) {
    tflops = std::max(tflops, ceiling);
  }
  if (ceilings.complete && tflops > 0 && cost.flops) {
    const double least = *cost.flops / (tflops * kTera) * kUsPerSecond;
    if (us < least * kSlack) {
      return floor_text(us, least, three_digits(*cost.flops) + " operations take");
    }
  }
  return {};
}

}  // namespace ws
