// Files that hold keys and passwords by convention: their content is withheld until the user says otherwise, from reading
// and from searching. Known by name alone, nothing is opened; a secret under another name is not recognised.
// Samples (.env.example) and public halves (id_ed25519.pub) are ordinary files.

import { foldName } from "./protected.js";

const names = [
  /^\.env(?:rc)?$/,
  /^\.env\.(?!(?:example|sample|template|dist|defaults?|schema|test-?example)$)[^/]+$/,
  /^[^/]+\.env$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)$/,
  /^\.(?:netrc|pgpass|my\.cnf|git-credentials|htpasswd|pypirc|vault-token|s3cfg|boto)$/,
  /^_netrc$/,
  /^(?:credentials|client_secret[^/]*|service[-_]account[^/]*)\.json$/,
  /^secrets?\.(?:json|ya?ml|toml|ini|env|txt)$/,
  /\.tfvars(?:\.json)?$/,
];

/** The last names of a path, outermost first. */
const places = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"].map((directory) => [directory]),
  ...["gcloud", "gh"].map((directory) => [".config", directory]),
];

const harmless = /^(?:known_hosts|config|authorized_keys)(?:\.d)?$|\.pub$/;

/** `parts`: the names of a canonical path. */
export function isSecretPath(parts: readonly string[]): boolean {
  const folded = parts.map(foldName);
  const last = folded.at(-1) ?? "";
  if (names.some((name) => name.test(last))) return true;
  if (harmless.test(last) && !folded.includes(".kube") && !folded.includes(".docker")) return false;
  return places.some((place) => folded.slice(0, -1).some((_, i) => place.every((name, j) => folded[i + j] === name)));
}
