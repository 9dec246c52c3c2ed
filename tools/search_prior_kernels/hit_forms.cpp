#include "tools/search_prior_kernels/hit_forms.h"

#include "runtime/base/clock.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/text_diff.h"
#include "tools/answer/envelope.h"

namespace ws {
namespace {

constexpr std::size_t kMaxFinding = 200;
constexpr std::size_t kLabels = 4;  // The newest.
constexpr std::size_t kMaxLabel = 60;
constexpr std::size_t kMaxResult = 3000;       // Bytes of all hits, of which there is one at least.
constexpr std::size_t kMaxDiff = 800;          // Bytes of one that is shown.
constexpr std::size_t kMaxFullResult = 48000;  // With detail: full.
constexpr std::size_t kMaxFullDiff = 8000;

/// What was wrong with it, as its evidence says.
std::string finding_of(const Json& record) {
  const Json output = record.is_object() ? record.value("output", Json::object()) : Json::object();
  std::string text = output.value("message", "");
  if (output.contains("mismatch")) {
    text += (text.empty() ? "" : "; ") + output["mismatch"].value("hint", "");
  }
  const Json& body = output.contains("diagnostics") ? output : record;
  const Json diagnostics = body.is_object() ? body.value("diagnostics", Json::array()) : Json();
  if (text.empty() && diagnostics.is_array() && !diagnostics.empty()) {
    text = diagnostics[0].value("message", "");
  }
  return quoted(text, kMaxFinding);
}

/// Each in quotes of its own, so that no text reads as a further label.
std::string labels_of(const std::vector<LabelRow>& labels) {
  std::string text;
  for (const LabelRow& label : labels) {
    text +=
        (text.empty() ? "" : "; ") + label.kind + (label.imported ? " (imported) " : " ") +
        Json(quoted(label.text, kMaxLabel)).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text;
}

/// {added, removed} and the text of a short one, else a link to it.
Result<Json> diff_form(Archive& archive, const SearchHit& hit, const HitContext& context,
                       Json& links) {
  WS_TRY(const KernelRow row, archive.kernel(hit.kernel_id));
  const TextDiff diff = unified_diff(context.like_source, kernel_source(row.json));
  Json form = {{"added", diff.added}, {"removed", diff.removed}};
  if (diff.text.size() <= (context.full ? kMaxFullDiff : kMaxDiff)) {
    form["text"] = quoted(diff.text, diff.text.size());
  } else {
    links.push_back(
        {{"rel", "diff"}, {"uri", "kernel://" + hit.kernel_id + "/diff?from=" + context.like_id}});
  }
  return form;
}

Result<Json> hit_form(Archive& archive, const SearchHit& hit, const HitContext& context,
                      Json& links) {
  Json form = {{"kernel_id", hit.kernel_id},
               {"problem_id", hit.problem_id},
               {"score", rounded(hit.score)},
               {"why", why_of(hit, context.words_asked)},
               {"verdict", hit.verdict},
               {"ratio", hit.ratio ? Json(*hit.ratio) : Json(nullptr)},
               {"device", hit.device == context.device_key ? context.device_id : hit.device},
               {"age_s", (unix_ms() - hit.at_ms) / 1000}};
  if (hit.ratio) {
    form["against"] = hit.against;
  }
  if (hit.duplicates > 0) {
    form["duplicates"] = hit.duplicates;
  }
  if (!hit.passed) {
    WS_TRY(const EvidenceRow evidence, archive.evidence(hit.evidence_id));
    form["finding"] = finding_of(Json::parse(evidence.json, nullptr, false));
  }
  WS_TRY(const std::vector<LabelRow> labels, archive.labels(hit.kernel_id, kLabels));
  if (!labels.empty()) {
    form["labels"] = labels_of(labels);
  }
  if (!context.like_id.empty()) {
    WS_TRY(form["diff"], diff_form(archive, hit, context, links));
  }
  return form;
}

}  // namespace

std::string why_of(const SearchHit& hit, std::size_t words_asked) {
  std::string why;
  const auto add = [&why](const std::string& reason) { why += (why.empty() ? "" : "; ") + reason; };
  if (hit.nearness) {
    add(*hit.nearness == 1 ? "the same problem"
                           : "the same operation, " + Json(rounded(*hit.nearness)).dump() +
                                 " near in types and sizes");
  }
  if (!hit.words.empty()) {
    std::string words;
    for (const std::string& word : hit.words) {
      words += (words.empty() ? "" : ", ") + word;
    }
    add("has " + std::to_string(hit.words.size()) + " of " + std::to_string(words_asked) +
        " words: " + words);
  }
  if (hit.common_share) {
    add("shares " + Json(rounded(*hit.common_share)).dump() + " of its code");
  }
  if (hit.operations_share) {
    add("lifted, shares " + Json(rounded(*hit.operations_share)).dump() + " of its operations");
  }
  return why;
}

Result<HitForms> hit_forms(Archive& archive, const std::vector<SearchHit>& hits,
                           const HitContext& context) {
  HitForms forms;
  const std::size_t room = context.full ? kMaxFullResult : kMaxResult;
  std::size_t size = 0;
  for (const SearchHit& hit : hits) {
    Json links = Json::array();
    WS_TRY(Json form, hit_form(archive, hit, context, links));
    size += form.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    if (size > room && !forms.hits.empty()) {
      forms.left_out = hits.size() - forms.hits.size();
      break;
    }
    if (forms.hits.empty()) {
      forms.links.push_back({{"rel", "source"}, {"uri", "kernel://" + hit.kernel_id + "/source"}});
    }
    for (Json& link : links) {
      forms.links.push_back(std::move(link));
    }
    forms.hits.push_back(std::move(form));
  }
  return forms;
}

}  // namespace ws
