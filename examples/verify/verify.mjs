// Verifies a signed record or tree head with Digital Bazaar's implementation of W3C Data Integrity:
//   node verify.mjs DOCUMENT.jsonld
// The two contexts come from the packages; nothing is fetched. Exit status: 0 verified, 1 not.
import {readFileSync} from 'node:fs';

import * as contexts from '@digitalbazaar/data-integrity-context';
import {DataIntegrityProof} from '@digitalbazaar/data-integrity';
import {cryptosuite} from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import jsigs from 'jsonld-signatures';

const known = contexts.contexts ?? contexts.default.contexts;

// A did:key is its own document: the key is in its name.
function resolve(url) {
  if(known.has(url)) {
    return known.get(url);
  }
  const match = /^did:key:(z6Mk[^#]+)(#\1)?$/.exec(url);
  if(!match) {
    throw new Error(`not fetched: ${url}`);
  }
  const [, key, fragment] = match;
  const controller = `did:key:${key}`;
  const id = `${controller}#${key}`;
  return fragment ?
    {'@context': 'https://w3id.org/security/multikey/v1', id, type: 'Multikey', controller, publicKeyMultibase: key} :
    {'@context': 'https://www.w3.org/ns/did/v1', id: controller, assertionMethod: [id]};
}

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const {verified, error} = await jsigs.verify(document, {
  suite: new DataIntegrityProof({cryptosuite}),
  purpose: new jsigs.purposes.AssertionProofPurpose(),
  documentLoader: async documentUrl => ({contextUrl: null, documentUrl, document: resolve(documentUrl)})
});
console.log(verified ? `verified: signed by ${document.proof.verificationMethod}` : `not verified: ${error.errors ?? error}`);
process.exit(verified ? 0 : 1);
