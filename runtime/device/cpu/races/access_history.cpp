#include "runtime/device/cpu/races/access_history.h"

namespace ws::cpu {

AccessHistory::Page& AccessHistory::page_of(std::uint64_t number) {
  std::unique_ptr<Page>& page = pages_.at(number);
  if (page == nullptr) {
    page = std::make_unique<Page>();
    page->words.resize(kPageBytes / kWordBytes);
    ++used_;
  }
  return *page;
}

void AccessHistory::split(Page& page) {
  std::vector<WordHistory> single(kPageBytes);
  for (std::size_t i = 0; i < single.size(); ++i) {
    single[i] = page.words[i / kWordBytes];
  }
  page.words = std::move(single);
  page.bytewise = true;
}

void AccessHistory::forget() {
  for (const std::unique_ptr<Page>& page : pages_) {
    if (page != nullptr) {
      for (WordHistory& word : page->words) {
        const bool written = word.written;
        word = {};
        word.written = written;
      }
    }
  }
}

void AccessHistory::clear() {
  for (std::unique_ptr<Page>& page : pages_) {
    page.reset();
  }
  used_ = 0;
}

}  // namespace ws::cpu
