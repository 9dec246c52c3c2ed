// The tables of words by which kernels are found: one of all kernels, and one each of those that
// passed and of those that failed somewhere, so that a search for these reads no others.
//
// In SQLite they are of FTS5, without the text itself: to remove a kernel, its words are computed
// again. In PostgreSQL they are columns of tsvector under indexes of GIN.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// The table of kernels in a state.
const char* word_table(State state);

/// The sources of the words of a kernel.
struct WordSources {
  std::string kernel_id;
  std::string own;  ///< As own_words() gives them.
  std::string op;   ///< The operation of its problem.
};

/// The words that are indexed for kernels: their own, those of their problems' operations, those of
/// their labels.
Result<std::vector<std::string>> all_words(Connection& connection,
                                           const std::vector<WordSources>& kernels);

/// The same of an indexed kernel; empty where there is none. @param seq  Its number in the index.
Result<std::string> words_of_kernel(Connection& connection, std::int64_t seq);

/// The same without the labels that the viewer does not see (viewer.h).
Result<std::string> seen_words_of_kernel(Connection& connection, std::int64_t seq);

/// Those of these kernels that have such labels.
Result<std::vector<std::int64_t>> with_hidden_labels(Connection& connection,
                                                     const std::vector<std::int64_t>& numbers);

/// A kernel and its words, as all_words() gives them.
struct IndexedWords {
  std::int64_t seq = 0;     ///< Its number in the index.
  std::int64_t states = 0;  ///< A sum of State.
  std::string words{};
};

/// Puts kernels into a table, or takes one out. @param words  As words_of_kernel() gives them.
Status add_words(Connection& connection, State state, const std::vector<IndexedWords>& kernels);
Status remove_words(Connection& connection, State state, std::int64_t seq,
                    const std::string& words);

/// The newest kernels of a table that have all of these words, by their numbers.
/// @param words  As words_of() gives them, which holds no quotes.
Result<Statement> rows_with_words(Connection& connection, State state,
                                  const std::vector<std::string>& words, std::int64_t most);

/// Gives each word of each kernel in a table to `body`, in no order.
Status for_each_word(Connection& connection, State state,
                     const std::function<void(std::int64_t seq, std::string_view word)>& body);

/// Into, or out of, all tables that a kernel with these states stands in.
/// @param states  A sum of State.
Status add_everywhere(Connection& connection, const std::vector<IndexedWords>& kernels);
Status remove_everywhere(Connection& connection, std::int64_t states, std::int64_t seq,
                         const std::string& words);

/// Merges some of what earlier writes left in pieces. FTS5 would do much of it at once, now and
/// then, and let that write wait. A merge is not divided within a word: one that all of 100,000
/// kernels have takes some 10 ms, so nothing is left over by those that write many.
/// @param pages  At most, in each table; a page holds the words of some eight kernels.
/// @return       True: there may be more to merge.
Result<bool> merge_words(Connection& connection, std::size_t pages);
/// Pages that are merged at once while others wait to write, and those that each of many kernels
/// pays for being merged on the way up.
inline constexpr std::size_t kPagesAlone = 1;
inline constexpr std::size_t kPagesOfMany = 8;

/// Empties all tables.
Status clear_words(Connection& connection);

}  // namespace ws::store
