#!/bin/sh
# Makes the certificates of the TLS tests anew. They are worth nothing outside of these tests.
set -eu
cd "$(dirname "$0")"
days=36500
ca() { # name
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1.key"
  openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days $days -out "$1.crt" -addext basicConstraints=critical,CA:TRUE
}
leaf() { # name ca usage
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=%s\n' "$3" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -days $days -extfile "$1.ext" -out "$1.crt"
  rm "$1.csr" "$1.ext"
}
ca root; ca other-root
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out first.key && leaf first root serverAuth
openssl genrsa -traditional -out second.key 2048 && leaf second root serverAuth           # PKCS#1
openssl ecparam -name secp384r1 -genkey -noout -out third.key && leaf third root serverAuth  # SEC 1
openssl genpkey -algorithm ed25519 -out fourth.key && leaf fourth root serverAuth
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out client.key && leaf client root clientAuth
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out stranger.key && leaf stranger other-root clientAuth
cat first.crt root.crt > first-chain.crt
openssl pkcs12 -export -inkey client.key -in client.crt -passout pass:test -out client.p12
openssl pkcs12 -export -inkey stranger.key -in stranger.crt -passout pass:test -out stranger.p12
rm -f ./*.srl root.key other-root.key
