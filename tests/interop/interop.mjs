// Does with Digital Bazaar's packages what the tests ask for: one JSON request on stdin, one JSON answer on stdout.
//   {action: 'verify', document}              -> {verified, error?}
//   {action: 'sign', document, secretKeyMultibase, publicKeyMultibase, created} -> {document}
//   {action: 'canonize', documents}           -> {nquads: [...]}
//   {action: 'frame', document, frame}        -> {document}
// `contexts` in a request maps IRIs to files; nothing is ever fetched.
import {readFileSync} from 'node:fs';

import * as Ed25519Multikey from '@digitalbazaar/ed25519-multikey';
import {DataIntegrityProof} from '@digitalbazaar/data-integrity';
import {cryptosuite} from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import jsigs from 'jsonld-signatures';
import jsonld from 'jsonld';

const {purposes: {AssertionProofPurpose}} = jsigs;
const request = JSON.parse(readFileSync(0, 'utf8'));

function resolve(url) {
  if(request.contexts?.[url]) {
    return JSON.parse(readFileSync(request.contexts[url], 'utf8'));
  }
  const match = /^did:key:(z6Mk[^#]+)(#\1)?$/.exec(url);
  if(match) {
    const [, key, fragment] = match;
    const controller = `did:key:${key}`;
    const id = `${controller}#${key}`;
    return fragment ?
      {'@context': 'https://w3id.org/security/multikey/v1', id, type: 'Multikey', controller, publicKeyMultibase: key} :
      {'@context': 'https://www.w3.org/ns/did/v1', id: controller, assertionMethod: [id]};
  }
  throw new Error(`refused to load ${url}`);
}

const documentLoader = async documentUrl => ({contextUrl: null, documentUrl, document: resolve(documentUrl)});

const actions = {
  async verify({document}) {
    const suite = new DataIntegrityProof({cryptosuite});
    const purpose = new AssertionProofPurpose();
    const {verified, error} = await jsigs.verify(document, {suite, purpose, documentLoader});
    return {verified, error: error && String(error.errors ?? error)};
  },

  async sign({document, created, publicKeyMultibase, secretKeyMultibase}) {
    const controller = `did:key:${publicKeyMultibase}`;
    const id = `${controller}#${publicKeyMultibase}`;
    const key = await Ed25519Multikey.from({id, controller, type: 'Multikey', publicKeyMultibase, secretKeyMultibase});
    const suite = new DataIntegrityProof({signer: key.signer(), date: created, cryptosuite});
    const purpose = new AssertionProofPurpose();
    return {document: await jsigs.sign(document, {suite, purpose, documentLoader})};
  },

  async canonize({documents}) {
    const options = {algorithm: 'RDFC-1.0', format: 'application/n-quads', safe: true, documentLoader};
    return {nquads: await Promise.all(documents.map(document => jsonld.canonize(document, options)))};
  },

  async frame({document, frame}) {
    return {document: await jsonld.frame(document, frame, {documentLoader, safe: true})};
  },
};

process.stdout.write(JSON.stringify(await actions[request.action](request)));
