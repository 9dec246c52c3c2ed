#include "runtime/compile/bucket_entries.h"

#include <algorithm>

#include <dlfcn.h>

#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/compile/store_file.h"

namespace ws {
namespace {

constexpr int kFound = 200;
constexpr int kNoContent = 204;
constexpr int kRedirected = 300;
constexpr int kBadRequest = 400;  ///< A token that has expired, or another region.
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;

tl::unexpected<Error> no_library(const std::string& why) {
  return fail(ErrorCode::kUnsupported, "the library that talks to S3 cannot be loaded",
              "install libcurl4, and keep " + std::string(kS3LibraryFile) +
                  " beside the program; it is built where libcurl4-openssl-dev is installed",
              why);
}

Result<S3OpenFunction> load_open() {
  const std::string path = (executable_path().parent_path() / kS3LibraryFile).string();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kS3OpenSymbol);
  if (symbol == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps a message for each thread.
    const char* const why = ::dlerror();
    return no_library(why == nullptr ? "" : why);
  }
  return reinterpret_cast<S3OpenFunction>(symbol);
}

/// The code of an error's XML, such as NoSuchBucket; empty: it has none that may stand in a log.
std::string_view code_of(std::string_view body) {
  constexpr std::string_view kCodeBegin = "<Code>";
  constexpr std::size_t kMostCode = 64;
  const std::size_t at = body.find(kCodeBegin);
  if (at == std::string_view::npos) {
    return {};
  }
  body.remove_prefix(at + kCodeBegin.size());
  const std::string_view code = body.substr(0, body.find("</Code>"));
  return code.size() <= kMostCode && std::ranges::all_of(code, is_word) ? code : std::string_view();
}

/// The error of an answer that is no success.
tl::unexpected<Error> bad_answer(const std::string& url, const S3Answer& answer) {
  if (answer.status == 0) {
    return fail(ErrorCode::kIo, "no answer from the bucket " + url, {}, answer.reason);
  }
  const std::string_view code = code_of(answer.body);
  const std::string why =
      std::to_string(answer.status) + (code.empty() ? "" : " ") + std::string(code);
  if (answer.status >= kRedirected && answer.status < kBadRequest) {
    return fail(ErrorCode::kIo, "the bucket " + url + " has another address or region",
                "write it into --share-cache-s3 and --share-cache-s3-region: redirections are not "
                "followed",
                why);
  }
  if (answer.status == kBadRequest || answer.status == kUnauthorized ||
      answer.status == kForbidden) {
    return fail(ErrorCode::kIo, "the bucket " + url + " refuses this key",
                "see AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the file "
                "with the key; --share-cache-s3-region; this machine's clock; and that the key may "
                "list the bucket, get and put objects",
                why);
  }
  if (answer.status == kNotFound) {
    return fail(ErrorCode::kIo, "there is no bucket " + url,
                "make it, or name another one by --share-cache-s3", why);
  }
  return fail(ErrorCode::kIo, "the bucket " + url + " answers with an error", {}, why);
}

}  // namespace

Result<std::unique_ptr<BucketEntries>> BucketEntries::open(S3Bucket bucket,
                                                           std::size_t most_bytes) {
  WS_TRY(const S3OpenFunction open, load_open());
  std::unique_ptr<S3Engine> engine;
  std::string reason;
  open(bucket, engine, reason);
  if (engine == nullptr) {
    return no_library(reason);
  }
  return std::unique_ptr<BucketEntries>(
      new BucketEntries(std::move(bucket.url), most_bytes, std::move(engine)));
}

Result<std::optional<std::string>> BucketEntries::find(const std::string& key) {
  S3Answer answer = engine_->get(entry_path({}, key).string(), most_bytes_);
  if (answer.status == kFound) {
    return std::optional<std::string>(std::move(answer.body));
  }
  const std::string_view code = code_of(answer.body);
  if (answer.status == kNotFound && (code.empty() || code == "NoSuchKey")) {
    return std::nullopt;
  }
  return bad_answer(url_, answer);
}

Status BucketEntries::put(const std::string& key, std::string_view bytes) {
  if (bytes.size() > most_bytes_) {
    return {};
  }
  const S3Answer answer = engine_->put(entry_path({}, key).string(), bytes, sha256_hex(bytes));
  if (answer.status != kFound && answer.status != kNoContent) {
    return bad_answer(url_, answer);
  }
  return {};
}

}  // namespace ws
