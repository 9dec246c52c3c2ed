#include "tests/support/test_certificates.h"

#include <ctime>
#include <memory>

#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "runtime/base/files.h"
#include "server/access/private_file.h"

namespace ws::test {
namespace {

using server::TlsCertificate;
using server::TlsFree;
using server::TlsKey;
using Memory = std::unique_ptr<BIO, TlsFree>;

constexpr std::time_t kPast = 1'000'000'000;
constexpr std::time_t kFuture = 4'000'000'000;

TlsKey made_key() {
  return TlsKey(EVP_EC_gen("P-256"));
}

std::string text_of(const Memory& memory) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string pem_of(X509& certificate) {
  const Memory memory(::BIO_new(::BIO_s_mem()));
  REQUIRE(::PEM_write_bio_X509(memory.get(), &certificate) == 1);
  return text_of(memory);
}

std::string pem_of(EVP_PKEY& key, const char* passphrase = nullptr) {
  const Memory memory(::BIO_new(::BIO_s_mem()));
  REQUIRE(::PEM_write_bio_PKCS8PrivateKey(memory.get(), &key,
                                          passphrase == nullptr ? nullptr : ::EVP_aes_128_cbc(),
                                          nullptr, 0, nullptr, const_cast<char*>(passphrase)) == 1);
  return text_of(memory);
}

void add_extension(X509& certificate, int kind, const char* value) {
  X509V3_CTX context{};
  ::X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const made = ::X509V3_EXT_conf_nid(nullptr, &context, kind, value);
  REQUIRE(made != nullptr);
  CHECK(::X509_add_ext(&certificate, made, -1) == 1);
  ::X509_EXTENSION_free(made);
}

void set_name(X509_NAME* name, const std::string& text) {
  REQUIRE(::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                       reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1,
                                       0) == 1);
}

/// A serial number, or a part of a name, that nothing else has.
long next_number() {
  static long last = 0;
  return ++last;
}

/// Not signed yet.
TlsCertificate draft(const std::string& name, const std::string& issuer, EVP_PKEY& key,
                     Validity validity) {
  TlsCertificate made(::X509_new());
  X509& certificate = *made;
  ::X509_set_version(&certificate, X509_VERSION_3);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(&certificate), next_number());
  ::ASN1_TIME_set(::X509_getm_notBefore(&certificate),
                  validity == Validity::kLater ? kFuture : kPast);
  ::ASN1_TIME_set(::X509_getm_notAfter(&certificate),
                  validity == Validity::kExpired
                      ? kPast + 1
                      : kFuture + (validity == Validity::kLater ? 1 : 0));
  ::X509_set_pubkey(&certificate, &key);
  set_name(::X509_get_subject_name(&certificate), name);
  set_name(::X509_get_issuer_name(&certificate), issuer);
  return made;
}

}  // namespace

TestIssuer::TestIssuer()
    : name_("Issuer " + std::to_string(next_number())),
      key_(made_key()) {
  const TlsCertificate made = draft(name_, name_, *key_, Validity::kNow);
  add_extension(*made, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(*made, NID_key_usage, "critical,keyCertSign");
  REQUIRE(::X509_sign(made.get(), key_.get(), ::EVP_sha256()) > 0);
  own_ = {pem_of(*made), pem_of(*key_)};
}

MadePair TestIssuer::sign(EVP_PKEY& key, Validity validity) const {
  const TlsCertificate made = draft("localhost", name_, key, validity);
  add_extension(*made, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  REQUIRE(::X509_sign(made.get(), key_.get(), ::EVP_sha256()) > 0);
  return {pem_of(*made), pem_of(key)};
}

MadePair TestIssuer::issue(Validity validity) const {
  const TlsKey key = made_key();
  return sign(*key, validity);
}

MadePair TestIssuer::issue_weak() const {
  constexpr unsigned kShort = 512;
  const TlsKey key(EVP_RSA_gen(kShort));
  REQUIRE(key != nullptr);
  return sign(*key, Validity::kNow);
}

std::string encrypted_key() {
  const TlsKey key = made_key();
  return pem_of(*key, "secret");
}

TlsFolder::TlsFolder(const std::filesystem::path& folder)
    : certificate((folder / "cert.pem").string()),
      key((folder / "key.pem").string()),
      ca((folder / "ca.pem").string()) {}

void TlsFolder::write(const TestIssuer& issuer, const MadePair& pair) const {
  REQUIRE(write_file(certificate, pair.certificate));
  REQUIRE(server::replace_private_file(key, pair.key));
  REQUIRE(write_file(ca, issuer.pem()));
}

void TlsFolder::write(const TestIssuer& issuer) const {
  write(issuer, issuer.issue());
}

}  // namespace ws::test
