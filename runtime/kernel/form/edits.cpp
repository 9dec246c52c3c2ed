#include "runtime/kernel/form/edits.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/form/kernel_form.h"
#include "runtime/kernel/form/lines.h"

namespace ws {
namespace {

constexpr std::size_t kMaxEdits = 256;
constexpr std::int64_t kMaxLine = std::int64_t{1} << 20U;

enum class EditOp : std::uint8_t { kReplace, kDelete, kInsert };

struct Edit {
  std::string path;
  std::string region = "source";
  EditOp op = EditOp::kReplace;
  std::size_t from = 1;  // 1-based; the line before which an insert goes.
  std::size_t to = 1;    // Inclusive; from - 1 for an insert.
  std::string text;
};

struct EditOpRow {
  const char* word;
  EditOp op;
};

constexpr std::array<EditOpRow, 3> kOps = {
    {{"replace", EditOp::kReplace}, {"delete", EditOp::kDelete}, {"insert", EditOp::kInsert}}};

Result<EditOp> read_op(const JsonReader& form) {
  WS_TRY(const JsonReader field, form.require("op"));
  for (const EditOpRow& row : kOps) {
    if (field.is_text() && field.json() == row.word) {
      return row.op;
    }
  }
  return field.expected("`replace`, `delete` or `insert`");
}

Status read_place(const JsonReader& form, std::size_t count, Edit& edit) {
  const auto last = static_cast<std::int64_t>(count);
  WS_TRY(const JsonReader from, form.require("from"));
  WS_TRY(const std::int64_t first, from.integer(1, kMaxLine));
  edit.from = static_cast<std::size_t>(first);
  const std::int64_t most = edit.op == EditOp::kInsert ? last + 1 : last;
  if (first > most) {
    return from.error("line " + std::to_string(first) + " is beyond the end: `" + edit.region +
                      "` has " + std::to_string(last) + " lines");
  }
  if (edit.op == EditOp::kInsert) {
    edit.to = edit.from - 1;
    return {};
  }
  edit.to = edit.from;
  if (const auto to = form.find("to")) {
    WS_TRY(const std::int64_t end, to->integer(first, kMaxLine));
    if (end > last) {
      return to->error("line " + std::to_string(end) + " is beyond the end: `" + edit.region +
                       "` has " + std::to_string(last) + " lines");
    }
    edit.to = static_cast<std::size_t>(end);
  }
  return {};
}

/// `old` is the text of the lines, `expect` its hash; both must be what the base has there.
Status check_old(const JsonReader& form, const std::vector<std::string>& lines, const Edit& edit) {
  const std::string current = join_lines(lines, edit.from, edit.to);
  const auto old = form.find("old");
  const auto expect = form.find("expect");
  if (!old && !expect) {
    return form.error("field `old` is missing",
                      "send the exact text of the lines, or `expect` with its hash");
  }
  bool matches = true;
  if (old) {
    WS_TRY(const std::string text, old->any_text(kMaxSourceBytes));
    matches = text == current || text == current + "\n";
  }
  if (expect) {
    WS_TRY(const std::string hash, expect->text(kMaxNameBytes));
    matches = matches && hash == short_hash(current);
  }
  if (matches) {
    return {};
  }
  return fail(ErrorCode::kConflict,
              form.path() + ": " + (old ? "`old`" : "`expect`") + " does not match " + edit.region +
                  " lines " + std::to_string(edit.from) + " to " + std::to_string(edit.to) +
                  ", which are now:\n" + numbered_lines(lines, edit.from, edit.to),
              "copy the lines as they are, without their numbers");
}

Status read_text(const JsonReader& form, Edit& edit) {
  if (edit.op == EditOp::kDelete) {
    return {};
  }
  WS_TRY(const JsonReader text, form.require("text"));
  WS_TRY(edit.text, text.any_text(kMaxSourceBytes));
  return {};
}

/// The two regions that edits may change, cut into lines.
class EditedText {
 public:
  explicit EditedText(const Kernel& base)
      : base_(base),
        source_(split_lines(base.source)),
        macros_(split_lines(base.macros)) {}

  Status read(const JsonReader& list) {
    WS_TRY(const std::vector<JsonReader> items, list.items(1, kMaxEdits));
    for (const JsonReader& form : items) {
      WS_CHECK(read_one(form));
    }
    // Backwards, so that the lines before an edit keep their numbers. An insert before a replaced
    // line stands first in the text, so it is applied last; two inserts in one place keep their
    // order.
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    return check_overlaps();
  }

  void apply(nlohmann::json& form) {
    for (auto edit = edits_.rbegin(); edit != edits_.rend(); ++edit) {
      std::vector<std::string>& lines = lines_of(edit->region);
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(edit->from - 1);
      const auto last = lines.begin() + static_cast<std::ptrdiff_t>(edit->to);
      const auto at = lines.erase(first, last);
      const std::vector<std::string> added =
          edit->op == EditOp::kDelete ? std::vector<std::string>() : split_lines(edit->text);
      lines.insert(at, added.begin(), added.end());
      // Keeps the end as it was, so that an edit and its opposite give the first text again.
      const std::string& base = edit->region == "source" ? base_.source : base_.macros;
      form[edit->region] = text_of(lines, base.empty() || base.back() == '\n');
    }
  }

 private:
  Status read_one(const JsonReader& form) {
    WS_CHECK(form.check_fields({"region", "op", "from", "to", "old", "expect", "text"}));
    Edit edit;
    edit.path = form.path();
    if (const std::optional<JsonReader> region = form.find("region")) {
      if (region->json() != "source" && region->json() != "macros") {
        return region->expected("`source` or `macros`", "plan fields change through `set`");
      }
      edit.region = region->json().get<std::string>();
    }
    WS_TRY(edit.op, read_op(form));
    const std::vector<std::string>& lines = lines_of(edit.region);
    WS_CHECK(read_place(form, lines.size(), edit));
    if (edit.op != EditOp::kInsert) {
      WS_CHECK(check_old(form, lines, edit));
    }
    WS_CHECK(read_text(form, edit));
    edits_.push_back(std::move(edit));
    return {};
  }

  [[nodiscard]] Status check_overlaps() const {
    for (std::size_t i = 0; i < edits_.size(); ++i) {
      for (std::size_t j = i + 1; j < edits_.size(); ++j) {
        const Edit& a = edits_[i];
        const Edit& b = edits_[j];
        const bool strictly_inside = b.op != EditOp::kInsert || b.from > a.from;
        if (a.region == b.region && b.from <= a.to && strictly_inside) {
          return fail(ErrorCode::kInvalidArgument, b.path + ": overlaps " + a.path,
                      "merge the two edits into one");
        }
      }
    }
    return {};
  }

  std::vector<std::string>& lines_of(const std::string& region) {
    return region == "source" ? source_ : macros_;
  }

  const Kernel& base_;
  std::vector<std::string> source_;
  std::vector<std::string> macros_;
  std::vector<Edit> edits_;
};

Status apply_set(const JsonReader& set, nlohmann::json& form) {
  Names allowed = plan_fields();
  allowed.emplace_back("name");
  for (const char* field : {"source", "macros"}) {
    allowed.erase(std::find(allowed.begin(), allowed.end(), field));
    if (set.is_object() && set.find(field)) {
      return set.error("`" + std::string(field) + "` cannot be set",
                       "change it line by line with `edits`, or send a whole `kernel`");
    }
  }
  WS_CHECK(set.check_fields(allowed));
  for (const auto& field : set.json().items()) {
    if (field.value().is_null()) {
      form.erase(field.key());
    } else {
      form[field.key()] = field.value();
    }
  }
  return {};
}

}  // namespace

Result<Kernel> edit_kernel(const Problem& problem, const Kernel& base, const nlohmann::json& edits,
                           const nlohmann::json& set) {
  if (edits.is_null() && set.is_null()) {
    return fail(ErrorCode::kInvalidArgument,
                "nothing to change: neither `edits` nor `set` is given");
  }
  nlohmann::json form = nlohmann::json::parse(base.json, nullptr, false);
  if (!form.is_object()) {
    return fail(ErrorCode::kInternal, "the stored form of " + base.id + " is damaged");
  }
  if (!edits.is_null()) {
    EditedText text(base);
    WS_CHECK(text.read(JsonReader(edits, "edits")));
    text.apply(form);
  }
  if (!set.is_null()) {
    WS_CHECK(apply_set(JsonReader(set, "set"), form));
  }
  form.erase("problem_id");  // The base may be one of another problem.
  WS_TRY(Kernel kernel, kernel_from_json(form, problem));
  kernel.parent = base.id;
  return kernel;
}

}  // namespace ws
