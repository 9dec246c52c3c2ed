#include "server/transport/tls_files.h"

#include <cstddef>
#include <ctime>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "server/access/private_file.h"

namespace ws::server {
namespace {

constexpr std::size_t kLongestPem = std::size_t{1} << 20U;

using TlsText = std::unique_ptr<BIO, TlsFree>;

TlsText tls_text(const std::string& text) {
  return TlsText(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// In place of OpenSSL's own, which asks on the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*rwflag*/, void* /*user*/) {
  return -1;
}

std::string timestamp_of_asn1(const ASN1_TIME* time) {
  constexpr std::int64_t kMsPerSecond = 1000;
  std::tm parts{};
  return ::ASN1_TIME_to_tm(time, &parts) == 1 ? timestamp_of(::timegm(&parts) * kMsPerSecond)
                                              : "a day that cannot be read";
}

Status check_days(const X509& certificate, const std::string& name) {
  const ASN1_TIME* const from = ::X509_get0_notBefore(&certificate);
  const ASN1_TIME* const until = ::X509_get0_notAfter(&certificate);
  if (::X509_cmp_current_time(until) <= 0) {
    return fail(ErrorCode::kInvalidArgument,
                "the " + name + " expired at " + timestamp_of_asn1(until),
                "get a new one from its issuer");
  }
  if (::X509_cmp_current_time(from) >= 0) {
    return fail(ErrorCode::kInvalidArgument,
                "the " + name + " is valid from " + timestamp_of_asn1(from) + " on",
                "look at the clock of this machine");
  }
  return {};
}

Result<TlsKey> read_key(const std::filesystem::path& path) {
  WS_TRY(const std::string text, read_private_file(path, "TLS key", kLongestPem));
  const TlsText bytes = tls_text(text);
  TlsKey key(::PEM_read_bio_PrivateKey(bytes.get(), nullptr, &no_passphrase, nullptr));
  ::ERR_clear_error();
  if (!key) {
    return fail(ErrorCode::kInvalidArgument,
                "the TLS key " + path.string() + " holds no private key in PEM form",
                "one with a passphrase cannot be used either: openssl pkey -in FILE writes it "
                "without");
  }
  return key;
}

}  // namespace

void TlsFree::operator()(X509* certificate) const noexcept {
  ::X509_free(certificate);
}

void TlsFree::operator()(EVP_PKEY* key) const noexcept {
  ::EVP_PKEY_free(key);
}

void TlsFree::operator()(BIO* bytes) const noexcept {
  ::BIO_free(bytes);
}

void TlsFree::operator()(SSL_CTX* context) const noexcept {
  ::SSL_CTX_free(context);
}

void TlsFree::operator()(SSL* session) const noexcept {
  ::SSL_free(session);
}

Result<std::vector<TlsCertificate>> read_certificates(const std::filesystem::path& path,
                                                      const std::string& role) {
  const std::string name = role + " " + path.string();
  Result<std::string> text = read_file(path, kLongestPem);
  if (!text) {
    Error error = std::move(text).error();
    error.message = "the " + name + ": " + error.message;
    return fail(std::move(error));
  }
  const TlsText bytes = tls_text(*text);
  std::vector<TlsCertificate> certificates;
  ::ERR_clear_error();
  while (X509* const one = ::PEM_read_bio_X509(bytes.get(), nullptr, &no_passphrase, nullptr)) {
    certificates.emplace_back(one);
  }
  // The end of the text is an error too: nothing begins there.
  const bool at_end = ERR_GET_REASON(::ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ::ERR_clear_error();
  if (certificates.empty() || !at_end) {
    return fail(ErrorCode::kInvalidArgument, "the " + name + " holds " +
                                                 (certificates.empty() ? "no" : "a broken") +
                                                 " certificate in PEM form");
  }
  return certificates;
}

Result<TlsPair> read_tls_pair(const std::filesystem::path& certificate,
                              const std::filesystem::path& key) {
  const std::string name = "TLS certificate " + certificate.string();
  TlsPair pair;
  WS_TRY(pair.issuers, read_certificates(certificate, "TLS certificate"));
  pair.certificate = std::move(pair.issuers.front());
  pair.issuers.erase(pair.issuers.begin());
  WS_CHECK(check_days(*pair.certificate, name));
  WS_TRY(pair.key, read_key(key));
  const bool belongs = ::X509_check_private_key(pair.certificate.get(), pair.key.get()) == 1;
  ::ERR_clear_error();
  if (!belongs) {
    return fail(ErrorCode::kInvalidArgument,
                "the TLS key " + key.string() + " does not belong to the " + name,
                "the server's own certificate comes first in the file, before its issuers'");
  }
  pair.valid_until = timestamp_of_asn1(::X509_get0_notAfter(pair.certificate.get()));
  return pair;
}

std::string take_tls_reason() {
  const char* const words = ::ERR_reason_error_string(::ERR_peek_error());
  ::ERR_clear_error();
  return words == nullptr ? "no reason is known" : words;
}

}  // namespace ws::server
