#include "server/look/look.h"

#include <algorithm>
#include <set>

#include "runtime/archive/search/kernel_family.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/text_diff.h"
#include "server/look/standing_text.h"
#include "server/page/page_forms.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostName = 60;
constexpr std::size_t kMostLabel = 200;
constexpr int kLabels = 50;

bool is_problem(const std::string& name) {
  return name.starts_with("prb_");
}

TextColour ink_of_line(std::string_view line) {
  return line.starts_with("+")    ? TextColour::kGood
         : line.starts_with("-")  ? TextColour::kBad
         : line.starts_with("@@") ? TextColour::kFaint
                                  : TextColour::kPlain;
}

std::string inked_lines(const Terminal& terminal, const std::string& diff) {
  std::string text;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = std::min(diff.find('\n', at), diff.size());
    const std::string_view line = std::string_view(diff).substr(at, end - at);
    text += inked(terminal, ink_of_line(line), many_lines(line)) + "\n";
    at = end + 1;
  }
  return text;
}

std::string title_of(const Terminal& terminal, const KernelRow& kernel) {
  return inked(terminal, TextColour::kStrong, kernel.id) + "  " + one_line(kernel.name, kMostName);
}

/// The standings of all kernels on one device, the fastest first, then what failed.
std::string device_text(const Terminal& terminal, const std::vector<ListedKernel>& kernels,
                        const std::string& device, double most) {
  std::vector<std::pair<const ListedKernel*, const ListedStanding*>> rows;
  for (const ListedKernel& kernel : kernels) {
    for (const ListedStanding& standing : kernel.standings) {
      if (standing.device == device) {
        rows.emplace_back(&kernel, &standing);
      }
    }
  }
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::pair(a.second->passed, speed_of(*a.second)) >
           std::pair(b.second->passed, speed_of(*b.second));
  });
  std::string text = one_line(device, kMostName) + "\n";
  for (const auto& [kernel, standing] : rows) {
    text += "  " + inked(terminal, TextColour::kStrong, column(kernel->row.id, kKernelWidth)) +
            standing_text(terminal, *standing, most) + "\n";
  }
  return text;
}

}  // namespace

Result<std::string> Look::log(const LookQuestion& question) {
  if (question.name.empty()) {
    return problems(question.most);
  }
  if (is_problem(question.name)) {
    WS_TRY(const ProblemRow problem, listing_.problem(question.name));
    return kernels_of(problem.id, question.most);
  }
  WS_TRY(const KernelRow kernel, listing_.kernel(question.name));
  return family_of(kernel.id, question.most);
}

Result<Json> Look::log_json(const LookQuestion& question) {
  if (question.name.empty()) {
    WS_TRY(const auto page, problem_page(question.most));
    return page_form(page);
  }
  if (is_problem(question.name)) {
    WS_TRY(const ProblemRow problem, listing_.problem(question.name));
    WS_TRY(const auto page, kernel_page(problem.id, question.most));
    return page_form(page);
  }
  WS_TRY(const KernelRow kernel, listing_.kernel(question.name));
  WS_TRY(const auto family, listing_.family(kernel.id, static_cast<std::size_t>(question.most)));
  return family_form(family);
}

Result<std::string> Look::show(const std::string& name) {
  WS_TRY(const KernelRow kernel, listing_.kernel(name));
  WS_TRY(const ProblemRow problem, listing_.problem(kernel.problem_id));
  WS_TRY(const auto standings, listing_.standings(kernel.id));
  WS_TRY(const auto labels, listing_.labels(kernel.id, kLabels));
  std::string text = title_of(terminal_, kernel) + "\nproblem  " + problem.id + "  " +
                     one_line(problem.name, kMostName) + "\nparent   " +
                     (kernel.parent.empty() ? "none" : kernel.parent) + "\nstored   " +
                     kernel.created_at + "\n";
  for (const LabelRow& label : labels) {
    text += column(one_line(label.kind, kMostName), 9) + one_line(label.text, kMostLabel) +
            (label.imported ? " (imported)" : "") + "\n";
  }
  const std::vector<ListedKernel> rows = {{.row = kernel, .standings = standings}};
  for (const ListedStanding& standing : standings) {
    text += device_text(terminal_, rows, standing.device, most_speed(rows));
  }
  text += standings.empty() ? "not judged: validate " + kernel.id + "\n" : "";
  const std::string source = many_lines(kernel_source(kernel.json));
  return text + "\n" + source + (source.ends_with("\n") ? "" : "\n");
}

Result<Json> Look::show_json(const std::string& name) {
  WS_TRY(const KernelRow kernel, listing_.kernel(name));
  WS_TRY(const auto standings, listing_.standings(kernel.id));
  Json form = whole_kernel_form(kernel);
  form["standings"] = row_form(ListedKernel{.row = kernel, .standings = standings})["standings"];
  return form;
}

Result<std::pair<KernelRow, KernelRow>> Look::two_kernels(const std::vector<std::string>& names) {
  WS_TRY(const KernelRow first, listing_.kernel(names.front()));
  if (names.size() > 1) {
    WS_TRY(const KernelRow second, listing_.kernel(names[1]));
    return std::pair(first, second);
  }
  if (first.parent.empty()) {
    return fail(ErrorCode::kInvalidArgument, first.id + " has no parent to compare it with",
                "name two kernels: warpsmith diff FROM TO");
  }
  WS_TRY(const KernelRow parent, listing_.kernel(first.parent));
  return std::pair(parent, first);
}

Result<std::string> Look::diff(const std::vector<std::string>& names) {
  WS_TRY(const auto kernels, two_kernels(names));
  const auto& [from, to] = kernels;
  const TextDiff diff = unified_diff(kernel_source(from.json), kernel_source(to.json));
  return inked(terminal_, TextColour::kStrong, "--- " + from.id) + "  " +
         one_line(from.name, kMostName) + "\n" +
         inked(terminal_, TextColour::kStrong, "+++ " + to.id) + "  " +
         one_line(to.name, kMostName) + "\n" +
         (diff.text.empty() ? "the sources are equal\n" : inked_lines(terminal_, diff.text));
}

Result<Json> Look::diff_json(const std::vector<std::string>& names) {
  WS_TRY(const auto kernels, two_kernels(names));
  return difference_form(kernels.first, kernels.second);
}

Result<std::vector<ListedKernel>> Look::with_standings(const std::vector<std::string>& names) {
  std::vector<ListedKernel> kernels;
  for (const std::string& name : names) {
    WS_TRY(KernelRow row, listing_.kernel(name));
    WS_TRY(auto standings, listing_.standings(row.id));
    kernels.push_back({.row = std::move(row), .standings = std::move(standings)});
  }
  return kernels;
}

Result<std::string> Look::compare(const std::vector<std::string>& names) {
  WS_TRY(const auto kernels, with_standings(names));
  std::string text;
  std::set<std::string> devices;
  for (const ListedKernel& kernel : kernels) {
    text += title_of(terminal_, kernel.row) +
            (kernel.standings.empty() ? "  not judged: validate it\n" : "\n");
    for (const ListedStanding& standing : kernel.standings) {
      devices.insert(standing.device);
    }
  }
  for (const std::string& device : devices) {
    text += "\n" + device_text(terminal_, kernels, device, most_speed(kernels));
  }
  return text;
}

Result<Json> Look::compare_json(const std::vector<std::string>& names) {
  WS_TRY(const auto kernels, with_standings(names));
  Json rows = Json::array();
  for (const ListedKernel& kernel : kernels) {
    rows.push_back(row_form(kernel));
  }
  return Json{{"rows", rows}};
}

}  // namespace ws::server
