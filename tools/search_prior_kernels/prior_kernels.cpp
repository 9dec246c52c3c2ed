#include "tools/search_prior_kernels/prior_kernels.h"

#include <utility>

#include "runtime/base/age.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/text_diff.h"
#include "tools/answer/envelope.h"
#include "tools/answer/next_steps.h"

namespace ws {
namespace {

constexpr std::size_t kMaxFinding = 200;
constexpr std::size_t kLabels = 4;  // The newest.
constexpr std::size_t kMaxLabel = 60;
constexpr std::size_t kMaxResult = 3000;       // Bytes of all hits, of which there is one at least.
constexpr std::size_t kMaxDiff = 800;          // Bytes of one that is shown.
constexpr std::size_t kMaxFullResult = 48000;  // With detail: full.
constexpr std::size_t kMaxFullDiff = 8000;

/// The reason why it failed, as its evidence says.
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

/// "the same problem; has 2 of 3 words: tma, swizzle"
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

Result<HitDiff> diff_of(Archive& archive, const SearchHit& hit, const HitContext& context) {
  WS_TRY(const KernelRow row, archive.kernel(hit.kernel_id));
  const TextDiff diff = unified_diff(context.like_source, kernel_source(row.json));
  HitDiff told{.added = diff.added, .removed = diff.removed, .text = {}, .uri = {}};
  if (diff.text.size() <= (context.full ? kMaxFullDiff : kMaxDiff)) {
    told.text = quoted(diff.text, diff.text.size());
  } else {
    told.uri = "kernel://" + hit.kernel_id + "/diff?from=" + context.like_id;
  }
  return told;
}

Json form_of(const PriorKernel& kernel) {
  const SearchHit& hit = kernel.hit;
  Json form = {
      {"kernel_id", hit.kernel_id},      {"problem_id", hit.problem_id},
      {"score", rounded(hit.score)},     {"why", kernel.why},
      {"verdict", name_of(hit.verdict)}, {"ratio", hit.ratio ? Json(*hit.ratio) : Json(nullptr)},
      {"device", kernel.device},         {"age_s", kernel.age_s}};
  if (hit.ratio) {
    form["against"] = hit.against;
  }
  if (hit.duplicates > 0) {
    form["duplicates"] = hit.duplicates;
  }
  if (kernel.finding) {
    form["finding"] = *kernel.finding;
  }
  if (!kernel.labels.empty()) {
    form["labels"] = kernel.labels;
  }
  if (kernel.diff) {
    form["diff"] = {{"added", kernel.diff->added}, {"removed", kernel.diff->removed}};
    if (kernel.diff->uri.empty()) {
      form["diff"]["text"] = kernel.diff->text;
    }
  }
  return form;
}

/// Hits, those that there is room for, with links to the first one's source and to long diffs.
Json body_of(const PriorKernels& found) {
  const std::size_t room = found.full ? kMaxFullResult : kMaxResult;
  Json hits = Json::array();
  Json links = Json::array();
  std::size_t size = 0;
  for (const PriorKernel& kernel : found.kernels) {
    Json form = form_of(kernel);
    size += form.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    if (size > room && !hits.empty()) {
      break;
    }
    if (hits.empty()) {
      links.push_back({{"rel", "source"}, {"uri", "kernel://" + kernel.hit.kernel_id + "/source"}});
    }
    if (kernel.diff && !kernel.diff->uri.empty()) {
      links.push_back({{"rel", "diff"}, {"uri", kernel.diff->uri}});
    }
    hits.push_back(std::move(form));
  }
  const bool more = found.cut || hits.size() < found.kernels.size();
  Json body = {{"hits", std::move(hits)},
               {"links", std::move(links)},
               {"unverified", found.unverified},
               {"more", more}};
  if (found.sampled) {
    body["sampled"] = name_of(*found.sampled);
  }
  return body;
}

std::string summary_of(const PriorKernels& found) {
  const std::size_t count = found.kernels.size();
  std::string text = count == 0
                         ? "no kernel that was judged here fits"
                         : std::to_string(count) + (count == 1 ? " kernel fits" : " kernels fit");
  if (count > 0) {
    const PriorKernel& best = found.kernels.front();
    text += ", first " + best.hit.kernel_id + ": " + std::string(name_of(best.hit.verdict));
    if (best.hit.ratio) {
      text += ", " + Json(*best.hit.ratio).dump() + "x against " + best.hit.against;
    }
    if (best.elsewhere) {
      text += " on another device";
    }
  }
  if (found.unverified > 0) {
    text += "; " + std::to_string(found.unverified) + " more were never judged here";
  }
  return text;
}

std::vector<Json> steps_after(const PriorKernels& found) {
  if (found.kernels.empty()) {
    return {found.with_failures.is_null()
                ? advice("write the first one, and send it to compile_kernel")
                : next_step("search_prior_kernels", found.with_failures,
                            "see what was tried and failed")};
  }
  const PriorKernel& best = found.kernels.front();
  if (best.hit.passed && best.elsewhere) {
    return {next_step("validate", {{"kernel_id", best.hit.kernel_id}, {"device", found.device_id}},
                      "see whether it is correct on this device")};
  }
  return {edit_step("evaluate", best.hit.kernel_id, best.hit.passed ? "change it" : "fix it")};
}

}  // namespace

Result<PriorKernel> prior_kernel_of(Archive& archive, const SearchHit& hit,
                                    const HitContext& context) {
  PriorKernel kernel;
  kernel.hit = hit;
  kernel.why = why_of(hit, context.words_asked);
  const bool here = hit.device == context.device_key;
  kernel.device = here ? context.device_id : hit.device;
  kernel.elsewhere = !context.device_key.empty() && !here;
  kernel.age_s = age_in_s(hit.at_ms);
  if (!hit.passed) {
    WS_TRY(const EvidenceRow evidence, archive.evidence(hit.evidence_id));
    kernel.finding = finding_of(Json::parse(evidence.json, nullptr, false));
  }
  WS_TRY(const std::vector<LabelRow> labels, archive.labels(hit.kernel_id, kLabels));
  kernel.labels = labels_of(labels);
  if (!context.like_id.empty()) {
    WS_TRY(kernel.diff, diff_of(archive, hit, context));
  }
  return kernel;
}

void to_json(Json& answer, const PriorKernels& found) {
  answer = finished(summary_of(found), body_of(found), steps_after(found));
}

}  // namespace ws
