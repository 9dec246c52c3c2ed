#include "server/page/plain_page.h"

#include "runtime/base/numbers.h"
#include "runtime/lineage/svg.h"
#include "server/page/plain_document.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostCell = 500;  // Bytes.
constexpr int kPlainRows = 50;

std::string cell(const std::string& text) {
  return "<td>" + svg::escaped(text, kMostCell);
}

/// @param id  An id: letters, digits and _.
std::string link_cell(const char* kind, const std::string& id, const std::string& name) {
  const std::string escaped_id = svg::escaped(id, kMostCell);
  return "<td><a href=\"/page/plain/" + std::string(kind) + "/" + escaped_id + "\">" +
         svg::escaped(name.empty() ? id : name, kMostCell) + "</a>";
}

std::string whole_list(const std::string& title, const std::string& rows, const std::string& here,
                       const std::string& next) {
  return plain_document(
      title,
      "<table>" + rows + "</table>\n" +
          (next.empty() ? ""
                        : "<p><a href=\"" + here + "?mark=" + next + "\">Older ones</a></p>\n") +
          (here == "/page/plain" ? "<p><a href=\"/page/plain/cache\">Compile cache</a></p>\n"
                                 : ""));
}

std::string speed_words(const ListedStanding& standing) {
  return standing.speed && standing.speed->total ? fixed_digits(*standing.speed->total, 2) + "x"
                                                 : std::string();
}

Result<std::string> problem_list(ArchiveListing& listing, const std::string& mark) {
  WS_TRY(const auto page, listing.problems(mark, kPlainRows));
  std::string rows = "<tr><th>problem<th>since<th>fastest kernel<th>speed-up<th>device</tr>\n";
  for (const ListedProblem& problem : page.rows) {
    rows += "<tr>" + link_cell("problem", problem.row.id, problem.row.name) +
            cell(problem.row.created_at);
    if (!problem.fastest.empty()) {
      const ListedKernel& fastest = problem.fastest.front();
      const ListedStanding& standing = fastest.standings.front();
      rows += link_cell("kernel", fastest.row.id, fastest.row.name) + cell(speed_words(standing)) +
              cell(standing.device);
    }
    rows += "</tr>\n";
  }
  return whole_list("Problems", rows, "/page/plain", page.next);
}

Result<std::string> kernel_list(ArchiveListing& listing, const std::string& id,
                                const std::string& mark) {
  WS_TRY(const ProblemRow problem, listing.problem(id));
  WS_TRY(const auto page, listing.newest(problem.id, mark, kPlainRows));
  std::string rows =
      "<tr><th>kernel<th>with counters<th>since<th>device<th>verdict<th>speed-up<th>why</tr>\n";
  for (const ListedKernel& kernel : page.rows) {
    const std::string first = link_cell("kernel", kernel.row.id, kernel.row.name) +
                              link_cell("source", kernel.row.id, "source") +
                              cell(kernel.row.created_at);
    if (kernel.standings.empty()) {
      rows += "<tr>" + first + "<td><td>not judged</tr>\n";
    }
    for (const ListedStanding& standing : kernel.standings) {
      rows += "<tr>" + first + cell(standing.device) +
              cell(std::string(name_of(standing.verdict))) + cell(speed_words(standing)) +
              cell(standing.message) + "</tr>\n";
    }
  }
  return whole_list(problem.name, rows,
                    "/page/plain/problem/" + svg::escaped(problem.id, kMostCell), page.next);
}

}  // namespace

Result<std::string> plain_list(ArchiveListing& listing, const std::vector<std::string>& parts,
                               const std::map<std::string, std::string>& query) {
  const auto mark = query.find("mark");
  const std::string from = mark == query.end() ? "" : mark->second;
  if (parts.empty()) {
    return problem_list(listing, from);
  }
  if (parts.size() == 2 && parts[0] == "problem") {
    return kernel_list(listing, parts[1], from);
  }
  return fail(ErrorCode::kNotFound, "there is nothing at this address", "begin at /page/plain");
}

}  // namespace ws::server
