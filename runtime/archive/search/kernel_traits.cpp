#include "runtime/archive/search/kernel_traits.h"

#include <nlohmann/json.hpp>

#include "runtime/search/kernel_source.h"
#include "runtime/search/words.h"

namespace ws::store {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxWords = 400;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

Json form_of(const KernelRow& kernel) {
  Json form = Json::parse(kernel.json, nullptr, false);
  return form.is_object() ? form : Json::object();
}

/// Names first: what is cut off of a long source is said there already.
std::string words_in(const KernelRow& kernel, const Json& form, const std::string& source) {
  std::string head = kernel.name + " " + kernel.problem_id + " " + text_field(form, "language");
  const auto launches = form.find("launches");
  if (launches != form.end() && launches->is_array()) {
    for (const Json& launch : *launches) {
      head += launch.is_object() ? " " + text_field(launch, "entry") : std::string();
    }
  }
  return indexed_text(head) + " " + joined(source_words(source, kMaxWords));
}

}  // namespace

std::string text_field(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string indexed_text(const std::string& text) {
  return joined(words_of(text, kMaxWords));
}

std::string own_words(const KernelRow& kernel) {
  const Json form = form_of(kernel);
  return words_in(kernel, form, kernel_source_of(form));
}

KernelTraits traits_of(const KernelRow& kernel) {
  const Json form = form_of(kernel);
  const std::string source = kernel_source_of(form);
  KernelTraits traits;
  traits.words = words_in(kernel, form, source);
  if (const std::vector<std::uint64_t> runs = token_runs(source); !runs.empty()) {
    traits.code = CodeTraits{runs_hash(runs), signature_of(runs)};
  }
  return traits;
}

}  // namespace ws::store
