// Lists: problems, the kernels of one, the relatives of a kernel.
#include <algorithm>
#include <map>
#include <set>

#include "runtime/archive/search/kernel_family.h"
#include "server/look/look.h"
#include "server/look/standing_text.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr std::size_t kNameWidth = 24;
constexpr std::size_t kDeviceWidth = 12;
constexpr std::size_t kTimeWidth = 22;

std::string count_text(std::int64_t kernels) {
  return (kernels == kMostCounted ? "over " : "") + std::to_string(kernels) +
         (kernels == 1 ? " kernel" : " kernels");
}

std::string cut_name(const std::string& name) {
  return column(one_line(name, kNameWidth - 4), kNameWidth);
}

std::string older(const std::string& next, int most) {
  return next.empty() ? std::string()
                      : "older ones are left out: --most " + std::to_string(2 * most) + "\n";
}

/// Pages of a list, one after another, up to `most` rows.
template <typename Row, typename Fetch>
Result<ListedPage<Row>> several_pages(int most, const Fetch& fetch) {
  ListedPage<Row> all;
  do {
    const int room = most - static_cast<int>(all.rows.size());
    WS_TRY(ListedPage<Row> page, fetch(all.next, std::min(room, kMostListed)));
    all.rows.insert(all.rows.end(), std::make_move_iterator(page.rows.begin()),
                    std::make_move_iterator(page.rows.end()));
    all.next = std::move(page.next);
  } while (!all.next.empty() && static_cast<int>(all.rows.size()) < most);
  return all;
}

/// A line for each device that judged the kernel, behind `indent` spaces.
std::string standings_text(const Terminal& terminal, const ListedKernel& kernel, std::size_t indent,
                           double most) {
  std::string text;
  for (const ListedStanding& standing : kernel.standings) {
    text += std::string(indent, ' ') + column(one_line(standing.device, 40), kDeviceWidth) +
            standing_text(terminal, standing, most) + "\n";
  }
  return text.empty()
             ? std::string(indent, ' ') + inked(terminal, TextColour::kFaint, "not judged") + "\n"
             : text;
}

/// How a kernel came of its parent.
std::string origin_text(const FamilyMember& member) {
  if (!member.pass) {
    return {};
  }
  return "by " + one_line(member.pass->transformation, 60) +
         (member.pass->passes > 1 ? ", pass " + std::to_string(member.pass->pass) + " of " +
                                        std::to_string(member.pass->passes)
                                  : "");
}

std::vector<ListedKernel> kernels_in(const KernelFamily& family) {
  std::vector<ListedKernel> kernels;
  for (const FamilyMember& member : family.members) {
    kernels.push_back(member.kernel);
  }
  return kernels;
}

/// The relatives as a tree: a kernel below its parent, its children in the order of the list.
class FamilyTree {
 public:
  FamilyTree(const Terminal& terminal, const KernelFamily& family, const std::string& wanted)
      : terminal_(terminal),
        wanted_(wanted),
        most_(most_speed(kernels_in(family))) {
    std::set<std::string> ids;
    for (const FamilyMember& member : family.members) {
      ids.insert(member.kernel.row.id);
    }
    for (const FamilyMember& member : family.members) {
      const std::string& parent = member.kernel.row.parent;
      children_[ids.contains(parent) ? parent : std::string()].push_back(&member);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const FamilyMember* const root : children_.at({})) {
      add(text, *root);
    }
    return text;
  }

 private:
  /// A line of many kernels keeps to the left: only where a kernel has several children, these
  /// begin further to the right.
  void add(std::string& text, const FamilyMember& first) const {
    std::vector<std::pair<const FamilyMember*, std::size_t>> open = {{&first, 0}};
    while (!open.empty()) {
      const auto [member, depth] = open.back();
      open.pop_back();
      add_member(text, *member, depth);
      const auto below = children_.find(member->kernel.row.id);
      if (below == children_.end()) {
        continue;
      }
      const std::size_t deeper = depth + (below->second.size() > 1 ? 1 : 0);
      for (auto child = below->second.rbegin(); child != below->second.rend(); ++child) {
        open.emplace_back(*child, deeper);
      }
    }
  }

  void add_member(std::string& text, const FamilyMember& member, std::size_t depth) const {
    const KernelRow& row = member.kernel.row;
    const std::string indent(2 * depth, ' ');
    const std::string mark = row.id == wanted_ ? (terminal_.unicode ? "\u25cf " : "* ")
                                               : (terminal_.unicode ? "\u25cb " : "o ");
    text += indent + mark + inked(terminal_, TextColour::kStrong, row.id) + "  " +
            one_line(row.name, 60) + "  " + inked(terminal_, TextColour::kFaint, row.created_at) +
            "\n";
    const std::string origin = origin_text(member);
    text += origin.empty() ? "" : indent + "    " + origin + "\n";
    text += standings_text(terminal_, member.kernel, indent.size() + 4, most_);
  }

  const Terminal& terminal_;
  const std::string& wanted_;
  const double most_;
  std::map<std::string, std::vector<const FamilyMember*>> children_;
};

}  // namespace

Result<ListedPage<ListedProblem>> Look::problem_page(int most) {
  return several_pages<ListedProblem>(
      most, [this](const std::string& mark, int rows) { return listing_.problems(mark, rows); });
}

Result<ListedPage<ListedKernel>> Look::kernel_page(const std::string& problem_id, int most) {
  return several_pages<ListedKernel>(most, [&](const std::string& mark, int rows) {
    return listing_.newest(problem_id, mark, rows);
  });
}

Result<std::string> Look::problems(int most) {
  WS_TRY(const auto page, problem_page(most));
  if (page.rows.empty()) {
    return std::string("no problems yet: compile_kernel stores the first\n");
  }
  std::string text;
  for (const ListedProblem& problem : page.rows) {
    text += inked(terminal_, TextColour::kStrong, column(problem.row.id, kKernelWidth)) +
            cut_name(problem.row.name) +
            inked(terminal_, TextColour::kFaint, column(problem.row.created_at, kTimeWidth)) +
            count_text(problem.kernels) + "\n";
    for (const ListedKernel& fastest : problem.fastest) {
      const ListedStanding& standing = fastest.standings.front();
      text += "    " + column(one_line(standing.device, 40), kDeviceWidth) +
              column(fastest.row.id, kKernelWidth) + speed_words(standing) + "\n";
    }
  }
  return text + older(page.next, most);
}

Result<std::string> Look::kernels_of(const std::string& problem_id, int most) {
  WS_TRY(const auto page, kernel_page(problem_id, most));
  const double fastest = most_speed(page.rows);
  std::string text;
  for (const ListedKernel& kernel : page.rows) {
    text += inked(terminal_, TextColour::kStrong, column(kernel.row.id, kKernelWidth)) +
            cut_name(kernel.row.name) +
            inked(terminal_, TextColour::kFaint, kernel.row.created_at) + "\n" +
            standings_text(terminal_, kernel, 4, fastest);
  }
  return (text.empty() ? "no kernels yet\n" : text) + older(page.next, most);
}

Result<std::string> Look::family_of(const std::string& kernel_id, int most) {
  WS_TRY(const KernelFamily family, listing_.family(kernel_id, static_cast<std::size_t>(most)));
  return FamilyTree(terminal_, family, kernel_id).text() +
         (family.cut ? "more relatives are left out: --most " + std::to_string(2 * most) + "\n"
                     : "");
}

}  // namespace ws::server
