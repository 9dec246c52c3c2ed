// `serve` with certificates, keys and options for TLS that it cannot use.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "tests/support/run_program.h"
#include "tests/support/test_certificates.h"

namespace ws::test {
namespace {

/// The last line of what `serve` says when it cannot start, from the error on.
std::string start_error(const TestFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"serve", "--no-gpu", "--data",
                                        (folder.path() / "data").string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = run_program(arguments);
  CHECK(ended.status == 1);
  const std::size_t at = ended.err.find("error server: ");
  return at == std::string::npos ? ended.err : ended.err.substr(at);
}

}  // namespace

TEST_SUITE("serve.tls") {
  TEST_CASE("a server does not start with files that it cannot use") {
    const TestFolder folder;
    const TlsFolder files(folder.path());
    const TestIssuer issuer;
    const std::vector<std::string> all = {"--http",          "127.0.0.1:0", "--tls-cert",
                                          files.certificate, "--tls-key",   files.key};
    const std::string certificate = "the TLS certificate " + files.certificate;
    const std::string invalid = "error server: invalid_argument: ";
    CHECK(start_error(folder, all) == "error server: io: " + certificate + ": cannot read " +
                                          files.certificate +
                                          " (open: No such file or directory)\n");
    files.write(issuer, {"hello\n", issuer.issue().key});
    CHECK(start_error(folder, all) ==
          invalid + certificate + " holds no certificate in PEM form\n");
    const MadePair good = issuer.issue();
    files.write(issuer, {good.certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n", good.key});
    CHECK(start_error(folder, all) ==
          invalid + certificate + " holds a broken certificate in PEM form\n");
    files.write(issuer, issuer.issue(Validity::kExpired));
    CHECK(start_error(folder, all) == invalid + certificate +
                                          " expired at 2001-09-09T01:46:41.000Z; get a new one "
                                          "from its issuer\n");
    files.write(issuer, issuer.issue(Validity::kLater));
    CHECK(start_error(folder, all) == invalid + certificate +
                                          " is valid from 2096-10-02T07:06:40.000Z on; look at "
                                          "the clock of this machine\n");
    files.write(issuer, issuer.issue_weak());
    CHECK(start_error(folder, all) ==
          invalid + certificate + " cannot be used: ee key too small\n");
    files.write(issuer);
    REQUIRE(write_file(files.ca, good.key));
    std::vector<std::string> with_ca = all;
    with_ca.insert(with_ca.end(), {"--tls-client-ca", files.ca});
    CHECK(start_error(folder, with_ca) ==
          invalid + "the TLS client CA " + files.ca + " holds no certificate in PEM form\n");
  }

  TEST_CASE("a server does not start with a key that it cannot use, or that others can read") {
    const TestFolder folder;
    const TlsFolder files(folder.path());
    const TestIssuer issuer;
    const std::vector<std::string> all = {"--http",          "127.0.0.1:0", "--tls-cert",
                                          files.certificate, "--tls-key",   files.key};
    const std::string invalid = "error server: invalid_argument: ";
    const MadePair good = issuer.issue();
    files.write(issuer, {good.certificate, issuer.issue().key});
    CHECK(start_error(folder, all) ==
          invalid + "the TLS key " + files.key + " does not belong to the TLS certificate " +
              files.certificate +
              "; the server's own certificate comes first in the file, before its issuers'\n");
    for (const std::string& text : {std::string("hello\n"), encrypted_key()}) {
      files.write(issuer, {good.certificate, text});
      CHECK(start_error(folder, all) ==
            invalid + "the TLS key " + files.key +
                " holds no private key in PEM form; one with a passphrase cannot be used either: "
                "openssl pkey -in FILE writes it without\n");
    }
    files.write(issuer, good);
    for (const mode_t mode : {0644U, 0640U, 0604U}) {
      REQUIRE(::chmod(files.key.c_str(), mode) == 0);
      CHECK(start_error(folder, all) == invalid +
                                            "users other than its owner may use the TLS key " +
                                            files.key + "; chmod 600 " + files.key + "\n");
    }
    REQUIRE(::unlink(files.key.c_str()) == 0);
    CHECK(start_error(folder, all) == "error server: io: cannot read the TLS key " + files.key +
                                          " (open: No such file or directory)\n");
  }

  TEST_CASE("half of the options is not enough, and a socket needs none") {
    const TestFolder folder;
    const TlsFolder files(folder.path());
    const std::string invalid = "error server: invalid_argument: ";
    const std::vector<std::string> http = {"--http", "127.0.0.1:0"};
    const auto with = [](std::vector<std::string> some, const std::vector<std::string>& more) {
      some.insert(some.end(), more.begin(), more.end());
      return some;
    };
    CHECK(start_error(folder, with(http, {"--tls-cert", files.certificate})) ==
          invalid + "--tls-cert needs the certificate's private key; add --tls-key FILE\n");
    CHECK(start_error(folder, with(http, {"--tls-key", files.key})) ==
          invalid + "--tls-key needs the key's certificate; add --tls-cert FILE\n");
    CHECK(start_error(folder, with(http, {"--tls-client-ca", files.ca})) ==
          invalid +
              "--tls-client-ca needs a certificate of the server; add --tls-cert FILE and "
              "--tls-key FILE\n");
    CHECK(start_error(folder, {"--socket", (folder.path() / "socket").string(), "--tls-cert",
                               files.certificate, "--tls-key", files.key}) ==
          invalid +
              "TLS is for an address, and the server listens at a Unix socket only; add "
              "--http HOST:PORT, or leave out --tls-cert: the socket is not encrypted\n");
    const std::string config = (folder.path() / "config.toml").string();
    REQUIRE(write_file(config, "http = '127.0.0.1:0'\ntls-cert = '" + files.certificate + "'\n"));
    CHECK(start_error(folder, {"--config", config}) ==
          invalid + "--tls-cert needs the certificate's private key; add --tls-key FILE\n");
  }
}

}  // namespace ws::test
