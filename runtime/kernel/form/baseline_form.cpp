#include "runtime/kernel/form/baseline_form.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/kernel/form/kernel_form.h"
#include "runtime/kernel/ids.h"

namespace ws {
namespace {

constexpr const char* kField = "baseline";

}  // namespace

Result<NamedBaseline> read_baseline(const JsonReader& form, const Problem& problem) {
  if (form.is_text()) {
    WS_TRY(const std::string word, form.text(kMaxNameBytes));
    if (word != "reference") {
      return form.expected("`reference` or a kernel");
    }
    if (!problem.reference) {
      return fail(ErrorCode::kInvalidArgument,
                  form.path() + ": a reference of kind `" + problem.reference_kind +
                      "` is no baseline: it is not the problem's own, or has no time on a device",
                  "send a kernel as the `baseline`");
    }
    return NamedBaseline{};
  }
  if (!form.is_object()) {
    return form.expected("`reference` or a kernel");
  }
  Names known = plan_fields();
  known.emplace_back("name");
  WS_CHECK(form.check_fields(known));
  WS_TRY(Kernel kernel, read_plan(form, problem));
  kernel.name = kField;
  kernel.id = content_id("krn", kernel.name, form.json());
  kernel.json = canonical_text(form.json());
  return NamedBaseline{std::make_shared<const Kernel>(std::move(kernel))};
}

Result<std::optional<NamedBaseline>> named_baseline(const Problem& problem) {
  const nlohmann::json form = nlohmann::json::parse(problem.json, nullptr, false);
  if (!form.is_object() || !form.contains(kField)) {
    return std::optional<NamedBaseline>();
  }
  WS_TRY(NamedBaseline named, read_baseline(JsonReader(form[kField], "problem.baseline"), problem));
  return std::optional(std::move(named));
}

}  // namespace ws
