// The page to look at: what the archive has, and what a server does, in a browser. Read-only.
#pragma once

#include <memory>

#include "runtime/archive/store/archive_place.h"
#include "runtime/archive/store/line_store.h"
#include "server/page/cache_look.h"
#include "server/page/page_data.h"
#include "server/page/work_streams.h"
#include "server/transport/http_head.h"
#include "server/transport/http_reply.h"

namespace ws::server {

/// Any thread. All methods may read files and wait for locks.
class Page {
 public:
  /// @param archive  That of the folder; outlives it. @errors kIo.
  static Result<std::unique_ptr<Page>> open(Archive& archive, const ArchivePlace& place,
                                            RunningServer running);

  /// The answer to a GET or HEAD of "/", or of a path below "/page/". Its body is the same for
  /// both.
  [[nodiscard]] HttpReply reply(const HttpHead& head);

  /// Answers a GET of kPageEvents; see WorkStreams::open(). Of a running server only.
  /// @return  The answer's status.
  int follow(const HttpHead& head, const std::shared_ptr<HttpResponder>& responder,
             const std::stop_token& gone);

 private:
  Page(Archive& archive, const std::filesystem::path& folder,
       std::unique_ptr<ArchiveListing> listing, std::unique_ptr<LineStore> lines,
       RunningServer running);

  [[nodiscard]] HttpReply data(const HttpHead& head);
  [[nodiscard]] Result<Json> answer_to(const PageQuestion& question);
  [[nodiscard]] HttpReply plain(const HttpHead& head);
  [[nodiscard]] Result<std::string> plain_text(const std::vector<std::string>& parts,
                                               const HttpHead& head);

  Archive& archive_;
  const std::unique_ptr<ArchiveListing> listing_;
  const std::unique_ptr<LineStore> lines_;
  CacheLook cache_;
  PageData data_;
  const std::unique_ptr<WorkStreams> streams_;  ///< Null: it shows a folder.
};

}  // namespace ws::server
