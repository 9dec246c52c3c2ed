#include "runtime/exchange/own_field.h"

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/exchange/definition.h"

namespace ws {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kDigests = "digests";

/// One for each field, whatever the order inside it.
Json digests_of(const Json& fields) {
  Json digests = Json::object();
  for (const auto& [name, field] : fields.items()) {
    digests[name] = sha256_hex(field.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return digests;
}

/// The first field that only one of them has, or both in different ways; empty: there is none.
std::string first_difference(const Json& before, const Json& now) {
  for (const auto& [name, digest] : now.items()) {
    if (before.value(name, Json()) != digest) {
      return name;
    }
  }
  for (const auto& [name, digest] : before.items()) {
    if (!now.contains(name)) {
      return name;
    }
  }
  return {};
}

}  // namespace

OrderedJson own_field(const OrderedJson& forms, const OrderedJson& parts) {
  Json all = Json::parse(parts.dump());
  all.update(Json::parse(forms.dump()));
  OrderedJson own = forms;
  own[kDigests] = OrderedJson::parse(digests_of(all).dump());
  return own;
}

Result<ImportedForms> forms_of_own(const Json& own, const Json& parts, const std::string& file) {
  const Json digests = own.is_object() ? own.value(kDigests, Json()) : Json();
  Json all = parts;
  ImportedForms forms;
  for (const char* form : {"problem", "kernel"}) {
    if (own.is_object() && own.contains(form)) {
      all[form] = own[form];
      (form == std::string_view("kernel") ? forms.kernel : forms.problem) = own[form].dump();
    }
  }
  const std::string changed =
      first_difference(digests.is_object() ? digests : Json::object(), digests_of(all));
  if (!changed.empty()) {
    return fail(ErrorCode::kConflict,
                file + " was changed after its export: `" + quoted(changed, 80) +
                    "` is not that of the kernel in `" + kOwnField + "`",
                "change the kernel here and export it again");
  }
  return forms;
}

}  // namespace ws
